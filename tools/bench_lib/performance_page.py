"""The tables of docs/performance.md, and the one on top of README.md, made of what `tools/bench --record` has kept in
results/bench: one document a suite, without its samples.

A table stands between <!-- measured: NAME --> and <!-- end of measured -->; all other words of the pages are written by
hand.
"""
import json
import re
import statistics

from bench_lib.machine import ROOT
from bench_lib.mpi_suite import BEHIND

FOLDER = ROOT / "results/bench"
PAGES = ("docs/performance.md", "README.md")
BEGIN, END = re.compile(r"^<!-- measured: (\w+) -->$"), "<!-- end of measured -->"
COLUMNS = 118
MOST_NAMED = 8  # of the lines that are behind; tools/bench mpi names all
UNMET = "*"  # behind a figure that is not as expected


def keep(name, document):
    """Medians and quartiles, of five digits."""
    def without_samples(part):
        if isinstance(part, dict):
            return {key: without_samples(value) for key, value in part.items()
                    if key not in ("samples", "rounds") or isinstance(value, int)}
        if isinstance(part, list):
            return [without_samples(value) for value in part]
        return float(f"{part:.5g}") if isinstance(part, float) else part

    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = {key: value for key, value in document.items() if key not in ("commands", "arguments", "failures")}
    kept = without_samples(kept)
    # A line for each figure: what another run has changed is seen, and the file stays small.
    lines = ",\n".join(json.dumps(row) for row in kept.pop("figures"))
    text = f"{json.dumps(kept, indent=1).removesuffix(chr(10) + '}')},\n \"figures\": [\n{lines}\n]}}\n"
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


def kept(name):
    file = FOLDER / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


# ---- What the tables are made of ------------------------------------------------------------------------------------

def markdown(lines):
    header, *rows = ([str(cell) for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, ["---"] * len(header), *rows])


def median(row, contender):
    shown = row["contenders"].get(contender)
    return shown["median"] if shown else None


def digits(value):
    """Three of them, and all of what is larger."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def time_words(seconds):
    """In microseconds."""
    return "-" if seconds is None else digits(seconds * 1e6)


def ratio_words(judged):
    ratio = judged.get("ratio")
    return "-" if not ratio else f"{ratio:.2f}{UNMET if judged.get('met') is False else ''}"


def joined(words):
    words = list(words)
    return "-" if all(word in ("-", "") for word in words) else "/".join(words)


def by_label(rows):
    """[label without the number of ranks, [its rows]]"""
    found = {}
    for row in rows:
        found.setdefault(row["label"].replace(f", {row['ranks']} ranks", ""), []).append(row)
    return found.items()


def machine_words(document):
    """What was measured when, on what."""
    shown = document["machine"]
    caches = ", ".join(f"{name} {size}" for name, size in shown["caches"].items() if name != "L1i")
    cpu = f"{shown['cpu'].replace('(R)', '')}, {shown['cpus']} CPUs{', virtual' if shown['virtual'] else ''}"
    words = [f"{cpu}; {caches}; Linux {shown['kernel'].split('-')[0]}; {document['date'][:10]}, commit "
             f"{document['commit'][:10]}, {document['rounds']} round{'' if document['rounds'] == 1 else 's'}."]
    words += [f"Warning: {warning}." for warning in document["warnings"]]
    return wrapped(f"*Measured* on {' '.join(words)}")


def wrapped(text):
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 > COLUMNS:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


# ---- The tables ------------------------------------------------------------------------------------------------------

def table_of_times(document):
    """A line for each figure, all its numbers of ranks in it."""
    own = [name for name in document["contenders"] if name in ("fmpl", "mpi")]
    judged = dict(zip(own, (lambda row: row, lambda row: row["mpi"] or {})))
    lines = [["", "ranks"]]
    for name in own:
        lines[0] += [document["contenders"][name], "ratio"]
    for label, rows in by_label(row for row in document["figures"] if not row["flops"]):
        cells = []
        for name in own:
            cells.append(joined(time_words(median(row, name)) for row in rows))
            cells.append(joined(ratio_words(judged[name](row)) for row in rows))
        lines.append([label, joined(str(row["ranks"]) for row in rows), *cells])
    return markdown(lines)


def table_of_rates(document):
    """GFlop/s, of the limit's rate, and beside the best on an MPI."""
    limit = next((row["limit"] for row in document["figures"] if row.get("limit")), None)
    lines = [["GFlop/s, by order and block", "ranks", "limit", document["contenders"]["fmpl"], "of the limit", "ratio"]]
    for label, rows in by_label(row for row in document["figures"] if row["flops"]):
        rows = [row for row in rows if median(row, "fmpl")]

        def rates(name, rows=rows):
            return joined(f"{row['flops'] / median(row, name) * 1e-9:.0f}" if median(row, name) else "-"
                          for row in rows)

        shares = joined(f"{row['of_limit']['fmpl']:.2f}{UNMET if row['met'] is False else ''}"
                        if row.get("of_limit", {}).get("fmpl") else "-" for row in rows)
        short = label.rpartition("=")[2].removeprefix("pdgemm ").replace("block ", "")
        lines.append([short, joined(str(row["ranks"]) for row in rows), rates(limit), rates("fmpl"), shares,
                      joined(f"{row['ratio']:.2f}" if row["ratio"] else "-" for row in rows)])
    return markdown(lines)


def table_of_blacs(document):
    return table_of_times(document) + "\n\n" + table_of_rates(document)


def table_of_calls(document):
    """By group and number of ranks: geometric means, and what is behind."""
    ratios = {"default": lambda row: row["ratio"], "heap": lambda row: row["mpi"]["ratio"]}
    groups = {}
    for row in document["figures"]:
        groups.setdefault(row["group"], {}).setdefault(row["ranks"], []).append(row)
    every = sorted({row["ranks"] for row in document["figures"]})
    lines, behind = [["", *(f"{ranks} ranks" for ranks in every)]], []
    for group, by_ranks in groups.items():
        cells = []
        for ranks in every:
            rows, means, counts = by_ranks.get(ranks, []), [], []
            for manner, ratio_of in ratios.items():
                found = [(ratio_of(row), row["label"]) for row in rows if ratio_of(row)]
                late = [(ratio, label, manner) for ratio, label in found if ratio < BEHIND]
                behind += late
                means.append(f"{statistics.geometric_mean([ratio for ratio, _ in found]):.2f}" if found else "-")
                counts.append(str(len(late)))
            cells.append(f"{joined(means)}; {joined(counts)} of {len(rows)}" if rows else "")
        lines.append([group, *cells])
    words = {manner: [] for manner in ratios}
    for ratio, label, manner in sorted(behind):
        words[manner].append(f"{label.replace(' ranks', '').replace(', ', ' over ')} {ratio:.2f}")
    return markdown(lines) + "".join(
        "\n\n" + wrapped(f"*Farthest behind, {manner}:* {'; '.join(found[:MOST_NAMED])}.")
        for manner, found in words.items() if found)


def table_of_kernels(document):
    """Seconds and ratios, over all numbers of ranks."""
    lines = [["", "FMPL, s", "ratio", "MPI over FMPL, ratio", "communication, MPI / FMPL", "peer / MPI"]]
    for label, rows in by_label(document["figures"]):
        rows = [row for row in rows if median(row, "fmpl")]
        if not rows:
            continue

        def quotient(name, rows=rows):
            return joined(f"{row['communication'][name]:.2f}" if row["communication"].get(name) else "-"
                          for row in rows)

        lines.append([label.replace(", class ", "."), joined(digits(median(row, "fmpl")) for row in rows),
                      joined(ratio_words(row) for row in rows), joined(ratio_words(row["mpi"] or {}) for row in rows),
                      quotient("mpi_over_fmpl"), quotient("best_peer_over_mpi")])
    ranks = joined(str(ranks) for ranks in dict.fromkeys(row["ranks"] for row in document["figures"]))
    return f"Over {ranks} ranks:\n\n{markdown(lines)}"


def table_of_overview():
    """What README shows first; None where a suite of it has not been measured."""
    fmpl, pdgemm = kept("fmpl"), kept("pdgemm")
    if not fmpl or not pdgemm:
        return None
    rows = {row["figure"]: row for row in [*fmpl["figures"], *pdgemm["figures"]]}
    lines = [["us", "ranks", "FMPL", "FMPL's MPI", "Open MPI", "MPICH"]]

    def add(words, ranks, names, own, cell):
        lines.append([words, joined(map(str, ranks)), *(joined(cell(rows[name], who) for name in names)
                                                           for who in (*own, "openmpi", "mpich"))])

    def rate(row, who):
        return f"{row['flops'] / median(row, who) * 1e-9:.0f}" if median(row, who) else "-"

    def time(row, who):
        return time_words(median(row, who))

    add("PDGEMM of order 640, blocks of 40, GFlop/s", (4, 16), ["pdgemm-640-40-4", "pdgemm-640-40-16"],
        ("fmpl", "pdgemm-mpi"), rate)
    add("broadcast of 8 KiB", (4, 16), ["bcast-8192-4", "bcast-8192-16"], ("fmpl", "mpi"), time)
    add("barrier", (2, 16), ["barrier-2", "barrier-16"], ("fmpl", "mpi"), time)
    add("4 bytes one way, 512 receives posted", (2,), ["outstanding-512"], ("fmpl", "mpi"), time)
    add("64 KiB one way", (2,), ["one-way-rdma-65536"], ("fmpl", "mpi"), time)
    return machine_words(fmpl) + "\n\n" + markdown(lines)


TABLES = {"fmpl": table_of_times, "blacs": table_of_blacs, "polling": table_of_times, "pdgemm": table_of_rates,
          "mpi": table_of_calls, "npb": table_of_kernels}


def block(name):
    if name == "overview":
        return table_of_overview()
    document = kept(name)
    return machine_words(document) + "\n\n" + TABLES[name](document) if document else None


def page_as_measured(text):
    """The page with its tables made anew; one whose suite has not been kept stays."""
    lines, name, old = [], None, []
    for line in text.split("\n"):
        begin = BEGIN.match(line)
        if name is None:
            lines.append(line)
            name, old = (begin.group(1), []) if begin else (None, [])
        elif line == END:
            made = block(name)
            lines += ["", made, "", END] if made else [*old, END]
            name = None
        else:
            old.append(line)
    return "\n".join(lines)


def write_pages():
    for page in PAGES:
        path = ROOT / page
        path.write_text(page_as_measured(path.read_text(encoding="utf-8")), encoding="utf-8")


def pages_that_differ():
    return [page for page in PAGES
            if page_as_measured((ROOT / page).read_text(encoding="utf-8")) != (ROOT / page).read_text(encoding="utf-8")]
