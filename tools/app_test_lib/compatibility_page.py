"""The tables of docs/compatibility.md, which tools/app-test --record writes: between <!-- measured: apps --> and
<!-- end of measured -->. All other words of the page are written by hand."""
import re

from app_test_lib.comparison import ENDS, NOT_YET, SAME, SKIPPED
from bench_lib.machine import ROOT
from bench_lib.performance_page import END, digits, machine_words, markdown, wrapped

MOST_COLUMNS = 60  # of what happens
PAGE = ROOT / "docs/compatibility.md"
MEASURED = re.compile(rf"^<!-- measured: apps -->$.*?^{re.escape(END)}$", re.MULTILINE | re.DOTALL)


def short(version):
    """Without the packager's part."""
    return re.sub(r"^\d+:", "", version or "").rsplit("-", 1)[0].split("+")[0]


def cell(value):
    return "-" if value is None else f"{value:.2f}"


def table_of_running(rows, versions):
    lines = [["", "version", "its MPI", "ranks", "FMPL, s", "its MPI, s", "ratio"]]
    for row in rows:
        lines.append([row["title"], short(versions.get(row["packages"][0])), row["mpi"], row["ranks"],
                      cell(row["fmpl_seconds"]), cell(row["own_seconds"]), cell(row["ratio"])])
    return markdown(lines)


def table_of_figures(rows):
    lines = [["figures of merit", "FMPL", "its MPI", "ratio"]]
    for row in rows:
        for figure in row["figures"]:
            lines.append([f"{row['title']}: {figure['figure']}", digits(figure["fmpl"]),
                          digits(figure["own"]) if figure["own"] else "-", cell(figure["ratio"])])
    return markdown(lines)


def what_happens(why):
    """A few words, none of which Markdown takes for its own."""
    words = re.sub(r"^ended with status \d+: ", "", re.sub(r"[|`]", " ", why))
    return words if len(words) <= MOST_COLUMNS else words[:MOST_COLUMNS].rsplit(" ", 1)[0] + " ..."


def table_of_others(rows, versions):
    """A program that fails in another way than it was known to is seen here."""
    lines = [["", "version", "its MPI", "what is missing", "what happens"]]
    for row in rows:
        words = row["not_yet"] if row["verdict"] == NOT_YET else row["verdict"]
        lines.append([row["title"], short(versions.get(row["packages"][0])), row["mpi"], words,
                      what_happens(row["why"])])
    return markdown(lines)


def block(document):
    rows = document["programs"]
    running = [row for row in rows if row["verdict"] in (SAME, ENDS)]
    skipped = [row["title"] for row in rows if row["verdict"] == SKIPPED]
    others = [row for row in rows if row not in running and row["verdict"] != SKIPPED]
    parts = [machine_words(document), table_of_running(running, document["versions"])]
    if any(row["figures"] for row in running):
        parts.append(table_of_figures(running))
    if others:
        parts.append(table_of_others(others, document["versions"]))
    if skipped:
        parts.append(wrapped(f"Not installed when this was measured: {', '.join(skipped)}."))
    return "\n\n".join(parts)


def write(document):
    text = PAGE.read_text(encoding="utf-8")
    made = f"<!-- measured: apps -->\n\n{block(document)}\n\n{END}"
    PAGE.write_text(MEASURED.sub(lambda _: made, text, count=1), encoding="utf-8")
