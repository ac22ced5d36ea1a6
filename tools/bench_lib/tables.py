"""The figures of a run as text."""


def microseconds(seconds):
    value = seconds * 1e6
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def cell(shown, spread=True, flops=None):
    """In microseconds; the rate in GFlop/s of a call of so many flops."""
    if not shown:
        return "-"
    written = (lambda seconds: f"{flops / seconds * 1e-9:.1f}") if flops else microseconds
    text = written(shown["median"])
    if spread:
        text += f" ({'-'.join(written(q) for q in sorted_as_shown(shown, flops))})"
    return text


def sorted_as_shown(shown, flops):
    """Many seconds are a low rate."""
    quartiles = [shown["quartile1"], shown["quartile3"]]
    return quartiles[::-1] if flops else quartiles


def aligned(lines):
    """A table of these lines of cells, the first of which is its header."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = [" | ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip() for line in lines]
    text.insert(1, "-|-".join("-" * width for width in widths))
    return "\n".join(text)


def limit_cell(row, name):
    """Of the limit's rate, what the contender of this name reached."""
    share = row.get("of_limit", {}).get(name)
    return f"{share:.2f}" if share else ""


def ratio_cell(row):
    return f"{row['ratio']:.2f}" if row["ratio"] else "-"


def met_words(row):
    return {True: "yes", False: "NO", None: "-" if row["expected"] else ""}[row["met"]]


def judged(row):
    return [ratio_cell(row), row["expected"] or "", met_words(row)]


def table(rows, contenders):
    """The columns of floors and of shares of the limit only where there is one; what is judged of FMPL's MPI only where
    it is measured."""
    has_floor = any(row["floor"] for row in rows)
    has_limit = any(row.get("of_limit") for row in rows)
    first = contenders[0].name
    mpi_title = next((c.title for c in contenders[1:] if c.kind == "mpi"), None)
    has_mpi = any(row["mpi"] for row in rows)
    header = ["figure", *(["floor"] if has_floor else []), *(c.title for c in contenders),
              *(["FMPL, of the limit"] if has_limit else []), f"best peer / {contenders[0].title}",
              "expected", "met", *([f"best peer / {mpi_title}", "expected", "met"] if has_mpi else [])]
    lines = [header]
    for row in rows:
        floor = cell(row["floor"], spread=False) if row["floor"] else ""
        label = row["label"] + (", GFlop/s" if row["flops"] else "")
        lines.append([label, *([floor] if has_floor else []),
                      *(cell(row["contenders"][c.name], flops=row["flops"]) for c in contenders),
                      *([limit_cell(row, first)] if has_limit else []), *judged(row),
                      *(judged(row["mpi"]) if has_mpi else [])])
    return aligned(lines)
