"""The tables and figures of the paper's section 5, made of what tools/reproduce has measured: for each a chart, as data
for charts.py, and a table in Markdown. Nothing here measures, and no measured number is written here.
"""
from bench_lib import paper
from bench_lib.figures import size_words

SHARED = "*"  # beside a number of ranks that is greater than that of the CPUs


class Data:
    """One document of a suite."""

    def __init__(self, document):
        self.document, self.rows = document, document["figures"]
        self.cpus = len(document["machine"]["cpus_used"])

    def title(self, name):
        return self.document["contenders"][name]

    def names(self, wanted):
        """Those of the contenders that have anything to show, in this order."""
        return [name for name in wanted if any(row["contenders"].get(name) for row in self.rows)]

    def ranks_words(self, ranks):
        return f"{ranks}{SHARED if ranks > self.cpus else ''}"


# ---- Numbers as text -------------------------------------------------------------------------------------------------

def digits(value):
    """Three significant ones, and all of a greater number's before the point."""
    if value >= 100:
        return f"{value:.0f}"
    return (f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}" if value >= 0.01
            else f"{value:.2g}")


def microseconds(shown):
    return digits(shown["median"] * 1e6) if shown else "-"


def seconds(shown):
    return digits(shown["median"]) if shown else "-"


def quotient(value, other):
    return f"{value / other:.2f}" if value and other else "-"


def best_of(row, names):
    """The least median among these; None without one."""
    return min((row["contenders"][name]["median"] for name in names if row["contenders"].get(name)), default=None)


def markdown(header, lines):
    text = [header, ["---"] + ["---:"] * (len(header) - 1), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in text)


# ---- Exhibits --------------------------------------------------------------------------------------------------------

class Exhibit:
    """key: what --only takes; suite: of paper_suites; look: what to look at; differs: where and why this machine
    differs."""

    def __init__(self, key, title, suite, look, differs):
        self.key, self.title, self.suite, self.look, self.differs = key, title, suite, look, differs

    def name(self):
        """'Figure 6', 'Table 1'."""
        return f"{'Figure' if self.key.startswith('fig') else 'Table'} {self.key.lstrip('figtable')}"

    def chart(self, _data):
        """None for an exhibit without a picture."""
        return None

    def table(self, data):
        raise NotImplementedError

    def of_paper(self):
        """The paper's own numbers, in Markdown."""
        return "\n".join(f"- {words}" for words in paper.SAYS[self.key])


class Lines(Exhibit):
    """x: the key of a row that is the horizontal axis; picks: which rows; rate: 10^9 bytes a second instead of time."""

    def __init__(self, key, title, suite, look, differs, names, x, picks=lambda row: True, rate=False, limits=()):
        super().__init__(key, title, suite, look, differs)
        self.names, self.x, self.picks, self.rate, self.limits = names, x, picks, rate, limits

    def rows(self, data):
        return sorted((row for row in data.rows if self.picks(row)), key=lambda row: row[self.x])

    def value(self, row, seconds_taken):
        return row["bytes"] / seconds_taken * 1e-9 if self.rate else seconds_taken * 1e6

    def points(self, rows, name):
        found = [(row, row["contenders"].get(name)) for row in rows]
        found = [(row, shown) for row, shown in found if shown]
        return {"x": [row[self.x] for row, _ in found],
                **{part: [self.value(row, shown[of]) for row, shown in found]
                   for part, of in (("y", "median"), ("low", "quartile1"), ("high", "quartile3"))}}

    def chart(self, data):
        rows = self.rows(data)
        series = [{"contender": name, "label": data.title(name), **self.points(rows, name)} for name in
                  data.names(self.names)]
        if "memcpy" in self.limits:
            floors = [row for row in rows if row["floor"]]
            series.append({"contender": "limit", "label": "memcpy by one CPU", "x": [row[self.x] for row in floors],
                           "y": [self.value(row, row["floor"]["median"]) for row in floors]})
        if "copies" in self.limits:
            copied = [row for row in rows if row["contenders"].get("memcpy")]
            series.append({"contender": "limit", "label": f"the copies alone, {data.cpus} CPUs",
                           "x": [row[self.x] for row in copied],
                           "y": [self.value(row, row["contenders"]["memcpy"]["median"] * (row["ranks"] - 1) / data.cpus)
                                 for row in copied]})
        by_size = self.x == "bytes"
        return {"kind": "lines", "x_label": "bytes of a message" if by_size else "ranks",
                "y_label": "10⁹ bytes a second" if self.rate else "microseconds",
                "x_bytes": by_size, "cpus": None if by_size else data.cpus,
                "series": [one for one in series if one["x"]]}

    def table(self, data):
        rows, names = self.rows(data), data.names(self.names)
        peers = [name for name in names if name in ("openmpi", "mpich")]
        unit = "GB/s" if self.rate else "us"
        header = ["bytes" if self.x == "bytes" else "ranks", *(f"{data.title(name)}, {unit}" for name in names),
                  "better of Open MPI and MPICH / FMPL"]
        lines = []
        for row in rows:
            what = size_words(row["bytes"]) if self.x == "bytes" else data.ranks_words(row["ranks"])
            cells = [row["contenders"].get(name) for name in names]
            shown = row["contenders"].get("fmpl")
            lines.append([what, *(digits(self.value(row, one["median"])) if one else "-" for one in cells),
                          quotient(best_of(row, peers), shown["median"] if shown else None)])
        return markdown(header, lines)


class Breakdown(Exhibit):
    """Bars of computation and communication by ranks and library. limit: the contender whose time is drawn as the
    limit."""

    def __init__(self, key, title, suite, look, differs, names, picks=lambda row: True, limit=None):
        super().__init__(key, title, suite, look, differs)
        self.names, self.picks, self.limit = names, picks, limit

    def rows(self, data):
        return sorted((row for row in data.rows if self.picks(row)), key=lambda row: row["ranks"])

    @staticmethod
    def split(shown):
        """(computation, communication) in seconds; None where the program does not say."""
        if not shown:
            return None
        share = shown.get("comm_share")
        communication = shown["comm_seconds"] if "comm_seconds" in shown else \
            shown["median"] * share if share is not None else None
        return None if communication is None else (max(0.0, shown["median"] - communication), communication)

    def chart(self, data):
        rows = self.rows(data)
        series = []
        for name in data.names(self.names):
            parts = [self.split(row["contenders"].get(name)) for row in rows]
            if any(parts):
                series.append({"contender": name, "label": data.title(name),
                               "computation": [part[0] if part else None for part in parts],
                               "communication": [part[1] if part else None for part in parts]})
        limits = [row["contenders"].get(self.limit) for row in rows]
        return {"kind": "bars", "groups": [f"{data.ranks_words(row['ranks'])} ranks" for row in rows],
                "y_label": "seconds", "series": series, "shared": any(row["ranks"] > data.cpus for row in rows),
                "limit": {"label": f"{data.title(self.limit)} on {data.cpus} CPUs",
                          "y": [one["median"] for one in limits]}
                if self.limit and all(limits) else None}

    def table(self, data):
        names = data.names(self.names)
        lines = []
        for row in self.rows(data):
            parts = [self.split(row["contenders"].get(name)) for name in names]
            lines.append([data.ranks_words(row["ranks"]),
                          *(f"{digits(part[0])} + {digits(part[1])} ({part[1] / sum(part):.0%})" if part else "-"
                            for part in parts)])
        return markdown(["ranks", *(f"{data.title(name)}, s" for name in names)], lines)


class PartsTable(Exhibit):
    # As fmpl-bench breakdown names them, and which of the two ranks they belong to.
    PARTS = (("init", "sender: init"), ("receive_header", "sender: receive header"),
             ("send_message", "sender: send message"), ("flight", "from the sender's return to the receiver's"),
             ("init", "receiver: init"), ("send_header", "receiver: send header"),
             ("receive_message", "receiver, coming late: receive message"))

    def table(self, data):
        rows = [(row, row["contenders"]["fmpl"]) for row in data.rows if row["contenders"].get("fmpl")]
        lines = [[words, *(self.cell(shown["parts"].get(part)) for _, shown in rows)] for part, words in self.PARTS]
        lines.append(["one way: the first four", *(self.cell(shown) for _, shown in rows)])
        return markdown(["part", *(f"{row['label']}, ns" for row, _ in rows)], lines)

    @staticmethod
    def cell(shown):
        return f"{shown['median'] * 1e9:.0f}" if shown else "none"

    def of_paper(self):
        lines = [[f"{side}: {part}", f"{value:g}"] for side, parts in paper.BREAKDOWN.items()
                 for part, value in parts.items()]
        return markdown(["part", "8 B, us"], lines)


class OutstandingTable(Exhibit):
    def table(self, data):
        names = data.names(("fmpl", "mpi", "openmpi", "mpich"))
        lines = []
        for row in data.rows:
            for name in names:
                shown = row["contenders"].get(name)
                if shown:
                    lines.append([f"{row['outstanding']}", data.title(name), microseconds(shown["parts"]["irecv"]),
                                  microseconds(shown)])
        return markdown(["outstanding", "", "posting a receive, us", "one-way latency, us"], lines)

    def of_paper(self):
        return markdown(["several hundred outstanding", "posting a receive, us", "one-way latency, us"],
                        [[name, *(f"{value:g}" for value in values)] for name, values in paper.OUTSTANDING.items()])


class KernelTable(Exhibit):
    """Seconds of a NAS kernel by class and ranks."""

    def __init__(self, key, title, suite, look, differs, of_paper):
        super().__init__(key, title, suite, look, differs)
        self.numbers = of_paper

    def table(self, data):
        names = data.names(("fmpl", "mpi", "openmpi", "mpich"))
        peers = [name for name in names if name in ("openmpi", "mpich")]
        lines = []
        for row in sorted(data.rows, key=lambda row: (row["class"], row["ranks"])):
            shown = row["contenders"].get("fmpl")
            lines.append([row["class"], data.ranks_words(row["ranks"]),
                          *(seconds(row["contenders"].get(name)) for name in names),
                          quotient(best_of(row, peers), shown["median"] if shown else None)])
        return markdown(["class", "ranks", *(f"{data.title(name)}, s" for name in names),
                         "better of Open MPI and MPICH / FMPL"], lines)

    def of_paper(self):
        lines = [[letter, f"{ranks}", f"{mpi:g}", f"{fmpl:g}", f"{mpi / fmpl:.2f}"]
                 for letter, by_ranks in self.numbers.items() for ranks, (mpi, fmpl) in by_ranks.items()]
        return markdown(["class", "nodes", "MPI, s", "FMPL, s", "MPI / FMPL"], lines)


class ProductTable(Exhibit):
    NAMES = ("dgemm", "fmpl", "pdgemm-mpi", "openmpi", "mpich", "pdgemm-openmpi", "pdgemm-mpich")

    def table(self, data):
        names = data.names(self.NAMES)
        lines = []
        for row in sorted(data.rows, key=lambda row: row["ranks"]):
            found = {name: row["contenders"].get(name) for name in names}
            rates = [digits(row["flops"] / found[name]["median"] * 1e-9) if found[name] else "-" for name in names]
            own, other = found.get("fmpl"), found.get("pdgemm-mpi")
            lines.append([data.ranks_words(row["ranks"]), *rates,
                          quotient(other["median"] if other else None, own["median"] if own else None)])
        return markdown(["ranks", *(f"{data.title(name)}, GFlop/s" for name in names),
                         "pdgemm.mpi / pdgemm.fmpl"], lines)

    def of_paper(self):
        lines = [[f"{ranks}", f"{mpi:g}", f"{fmpl:g}", f"{fmpl / mpi:.2f}"]
                 for ranks, (mpi, fmpl) in paper.PDGEMM.items()]
        return markdown(["nodes", "MPIBLACS, GFlop/s", "BLACS-FMPL, GFlop/s", "faster by"], lines)


COLLECTIVE = ("fmpl", "fmpl-tree", "blacs", "mpi", "openmpi", "mpich")
KERNEL = ("fmpl", "mpi", "openmpi", "mpich")

EXHIBITS = [
    Lines("fig6", "Rate of messages between two ranks", "p2p",
          "The line of FMPL beside that of the remote write alone, one CPU writing into the other rank's memory "
          "without any matching; and how much of it is left with the BLACS and with an MPI on top.",
          "There is no wire: what bounds a message is the rate at which one core's lines get to the other's caches, so "
          "the rates fall again for messages that no longer fit them, and two CPUs that copy one message together are "
          "faster than memcpy by one. Without remote-DMA memory the kernel copies from process to process, which the "
          "SR8000 had no counterpart for: MPI loses less there than the paper's MPI(nordma). MPIBLACS describes "
          "matrices by data types on the SR8000 as here.",
          ("raw", "fmpl", "blacs", "mpi", "mpi-plain", "mpiblacs", "mpiblacs-plain", "openmpi", "mpich",
           "mpiblacs-openmpi"),
          "bytes", rate=True, limits=("memcpy",)),
    PartsTable("table1", "The parts of one message", "breakdown",
               "That what is not the passage of lines between two cores, which makes most of the flight and of what a "
               "late receiver pays, is small. `apps/bench/fmpl_only/breakdown.cpp` says how each part is measured.",
               "A short message needs no header: it goes into a line that both ranks poll. The header of a long one is "
               "on its way before the message is sent, so that sending it is no part of the one-way time."),
    OutstandingTable("table2", "Latency while many receives are posted", "outstanding",
                     "Neither posting nor latency of FMPL depends on how many receives are outstanding, since each has "
                     "its slot at the sender and nobody searches; the MPI over FMPL matches by hash and keeps that.",
                     "Open MPI and MPICH search lists in the order of posting, as the paper's MPI did, and the "
                     "messages come in the opposite order."),
    Lines("fig7", "Barrier by ranks", "barrier",
          "FMPL beside its own tree: the hardware form is a counter in shared memory, and the paper's choice (always "
          "the hardware) holds.",
          "The SR8000 gave each process a node. Here all ranks share the CPUs of one machine: from the marked line on, "
          "a barrier costs each rank its turns on a CPU, and the time grows with the ranks for every library; MPICH "
          "spins instead of giving its turn up.",
          COLLECTIVE, "ranks"),
    Lines("fig8", "Broadcast of 8 KiB by ranks, the root changing", "bcast",
          "The hardware form beside the tree, and BLACS-FMPL beside FMPL.",
          "As for the barrier: ranks that share a CPU take turns.",
          COLLECTIVE, "ranks", picks=lambda row: row["bytes"] == 8192),
    Lines("fig9", "Rate of broadcasts to 16 ranks", "bcast",
          "Bytes of the message divided by the time until all ranks have it; and the limit, 15 copies made by memcpy "
          "at the rate of one CPU, divided among the CPUs.",
          "All copies pass through the caches and the memory of one machine, where the SR8000's crossbar made the "
          "copies itself. Up to the size of the first cache the limit is that of a memcpy within one core, out of "
          "reach for data that another core has written.",
          COLLECTIVE, "bytes", picks=lambda row: row["ranks"] == 16, rate=True, limits=("copies",)),
    Lines("fig10", "Sum of arrays of 8 KiB by ranks, the root changing", "reduce",
          "FMPL beside its own tree. BLACS-FMPL gives the result to all ranks (dgsum2d to all), the others to one.",
          "The ranks see each other's memory, so no tree is needed: up to 8 ranks each adds its share of the elements "
          "from all operands where they lie, and with more the root adds them all; the paper's libraries all took a "
          "tree.",
          COLLECTIVE, "ranks"),
    KernelTable("table3", "FT, seconds", "ft", "The columns of one source over four libraries.",
                "More ranks than CPUs do not compute faster: the time should stay what it is with two ranks, where the "
                "paper's fell with the nodes.", paper.FT),
    Breakdown("fig11", "FT, class A: computation and communication", "ft",
              "The upper parts of the bars: time in communication, waiting included, the mean of the ranks.",
              "Where ranks share CPUs, a rank that waits for its turn to compute is counted as waiting in its "
              "communication, with every library; so the share grows with the ranks by itself.",
              KERNEL, picks=lambda row: row["class"] == "A"),
    KernelTable("table4", "MG, seconds", "mg", "The columns of one source over four libraries.",
                "As for FT. The grids of one machine's ranks lie in one memory, whose rate bounds the larger classes "
                "whatever the library.", paper.MG),
    Breakdown("fig12", "MG, class B: computation and communication", "mg",
              "The upper parts of the bars.", "As for FT.", KERNEL, picks=lambda row: row["class"] == "B"),
    ProductTable("table5", "PDGEMM, M = N = K = 640, blocks of 40", "pdgemm",
                 "pdgemm.fmpl beside OpenBLAS's dgemm with a thread for each CPU, the limit, and beside pdgemm.mpi, "
                 "the same program over MPIBLACS on the same crossbar; then ScaLAPACK's PDGEMM and FMPL's program over "
                 "the installed MPIs.",
                 "The paper's factor at 16 nodes comes from a network that is slow beside its processors. Here the "
                 "processors read each other's blocks where they lie, so that little communication is left to be "
                 "saved: the factor is smaller, and FMPL is near the limit; above it where its division of the work "
                 "suits the caches better than OpenBLAS's own.",),
    Breakdown("fig13", "PDGEMM: computation and communication", "pdgemm",
              "The upper parts of the bars.",
              "As for FT: waiting for a CPU counts as communication. ScaLAPACK's own PDGEMM does not say how its time "
              "is divided and is not shown.",
              ("fmpl", "pdgemm-mpi", "pdgemm-openmpi", "pdgemm-mpich"), limit="dgemm"),
]
BY_KEY = {exhibit.key: exhibit for exhibit in EXHIBITS}
