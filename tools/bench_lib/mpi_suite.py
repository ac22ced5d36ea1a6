"""What programs call of an MPI, with buffers on the heap: a message back and forth, also while other ranks wait, a
message each way at once, messages of a vector type, windows of nonblocking messages, messages that are probed for,
buffered or waited for in other ways, and every collective call, with the root fixed and in turn, with computation
between the calls, with other data for each, by an operation of the user's. FMPL's MPI, with and without its heap in
remote-DMA memory, beside those that are installed. The summary names the lines that are behind."""
import statistics

from bench_lib.contenders import Contender, Suite, installed_mpis
from bench_lib.figures import KIB, Figure, UncrowdedStep, list_of, size_words
from bench_lib.tables import aligned, table

BEHIND = 1 / 1.05  # of the best peer's time over ours
PROGRAMS = {kind: f"mpi-bench.{kind}" for kind in ("mpi", "openmpi", "mpich")}
ROOTED = ("bcast", "gather", "gatherv", "scatter", "scatterv", "reduce")
SUMS = ("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan")
CALLS = (*ROOTED, "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "neighbor_allgather",
         "neighbor_alltoall", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan")
OWN = [Contender("mpi", "MPI over FMPL", "mpi", "fmplrun"),
       Contender("mpi-heap", "MPI over FMPL, --rdma heap", "mpi", "fmplrun", options=["--rdma", "heap"])]


def calls_step(group, ranks, calls, sizes, words):
    figures = []
    for call in (f"{prefix}{call}" for call in calls for prefix in ("", "i")):
        for size in sizes if not call.endswith("barrier") else (0,):
            label = f"{group}: {call}{f' {size_words(size)}' if size else ''}, {ranks} ranks"
            figures.append(Figure(f"{group}-{call}-{size}-{ranks}", label, "line", f"{call}-{size}"))
    names = ",".join(dict.fromkeys(figure.value.rsplit("-")[0] for figure in figures))
    return UncrowdedStep(group, ranks, PROGRAMS, ["collectives", "--calls", names, "--sizes", list_of(sizes), *words],
                         figures)


def windows_step(group, ranks, sizes, *options):
    """Of the ranks 0 and 1, unless the options name pairs; the others wait in a collective call."""
    prefix = "windows" if group == "windows" else f"{group.replace(' ', '-')}-windows"
    kind = "" if group == "windows" else "windows "
    figures = [Figure(f"{prefix}-{manner}-{size}-{ranks}", f"{group}: {kind}{words} {size_words(size)}, {ranks} ranks",
                      "line", f"{manner}-{size}")
               for size in sizes for manner, words in (("stream", "one way"), ("both", "both ways"))]
    return UncrowdedStep(group, ranks, PROGRAMS, ["windows", "--sizes", list_of(sizes), *options], figures,
                         name=f"{group}, windows" if kind else None)


def exchange_step(group, ranks, sizes, data):
    figures = [Figure(f"{group}-{size}-{ranks}", f"{group}: {size_words(size)}, {ranks} ranks", "line", f"both-{size}")
               for size in sizes]
    words = ["windows", "--window", "1", "--sizes", list_of(sizes), "--data", data, *(["--pairs"] if ranks > 2 else [])]
    return UncrowdedStep(group, ranks, PROGRAMS, words, figures)


def ping_pong_step(group, ranks, sizes, *options):
    """Of the same ranks as windows_step."""
    prefix = "pingpong" if group == "pingpong" else f"{group.replace(' ', '-')}-pingpong"
    figures = [Figure(f"{prefix}-{size}-{ranks}", f"{group}: pingpong {size_words(size)}, {ranks} ranks", "bytes", size)
               for size in sizes]
    return UncrowdedStep(group, ranks, PROGRAMS, ["latency", "--sizes", list_of(sizes), *options], figures, "heap")


def strided_step(ranks, block, sizes):
    figures = [Figure(f"strided-{manner}-{block}-{size}-{ranks}",
                      f"strided: {manner} {size_words(size)} in {block} B, {ranks} ranks",
                      "line", f"{manner}-{size}")
               for size in sizes for manner in ("pingpong", "exchange")]
    pairs = ["--pairs"] if ranks > 2 else []
    words = ["strided", "--block", str(block), "--sizes", list_of(sizes), *pairs]
    return UncrowdedStep("strided", ranks, PROGRAMS, words, figures, name=f"strided, blocks of {block} B")


WAYS = ("probe", "iprobe", "mprobe", "synchronous", "buffered", "early", "reversed", "anyone", "some", "all",
        "persistent", "replaced")


def ways_step(ranks, sizes):
    figures = [Figure(f"ways-{way}-{size}-{ranks}", f"ways: {way} {size_words(size)}, {ranks} ranks", "line",
                      f"{way}-{size}") for size in sizes for way in WAYS]
    return UncrowdedStep("ways", ranks, PROGRAMS,
                         ["ways", "--sizes", list_of(sizes), *(["--pairs"] if ranks > 2 else [])], figures)


def steps(quick, _peers):
    sizes = (8, 4 * KIB) if quick else (8, 256, 4 * KIB, 64 * KIB)
    few_messages = (8, 4 * KIB) if quick else (8, 512, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
    found = [ping_pong_step("pingpong", 2, few_messages)]
    for ranks in (4,) if quick else (4, 8):
        for group, options in (("others wait", ()), ("far pairs", ("--far-pairs",))):
            found.append(ping_pong_step(group, ranks, few_messages, *options))
            found.append(windows_step(group, ranks, (8, 4 * KIB) if quick else (8, 4 * KIB, 64 * KIB), *options))
    for ranks in (2, 4):
        found.append(exchange_step("exchange", ranks, few_messages, "kept"))
        found.append(exchange_step("exchange of new data", ranks, few_messages, "new"))
        for block in (16, 2 * KIB):
            found.append(strided_step(ranks, block, (4 * KIB,) if quick
                                      else (4 * KIB, 32 * KIB, 128 * KIB, 1024 * KIB)))
    for ranks in ((2, 4) if quick else (2, 3, 4, 8, 16)):
        few = sizes if ranks in (2, 4) else (8, 4 * KIB, 32 * KIB, 128 * KIB) if ranks == 8 else (8, 4 * KIB, 32 * KIB)
        found.append(calls_step("row", ranks, ("barrier", *CALLS), few, ["--root", "fixed"]))
        if ranks in (2, 4):
            found.append(calls_step("turn", ranks, ROOTED, sizes, ["--root", "turn"]))
            found.append(calls_step("computing", ranks, CALLS, (8, 4 * KIB), ["--root", "fixed", "--between", "20"]))
            new_data = (4 * KIB,) if quick else (4 * KIB, 16 * KIB, 64 * KIB)
            found.append(calls_step("data", ranks, CALLS, new_data, ["--root", "fixed", "--data", "new"]))
        if ranks in (2, 4, 8):
            found.append(ways_step(ranks, (8,) if quick else (8, 1 * KIB, 16 * KIB)))
            found.append(calls_step("user's operation", ranks, SUMS, (8,) if quick else (8, 256),
                                    ["--root", "fixed", "--operation", "user"]))
            found.append(windows_step(
                "windows", ranks, (8, 4 * KIB) if quick else (8, 512, 4 * KIB, 64 * KIB, 256 * KIB),
                *(["--pairs"] if ranks > 2 else [])))
    return found


def summary(rows, contenders):
    """By group and ranks: geometric means, and how many lines are behind; then each of these."""
    own = {contender.title: ratio for contender, ratio in zip(
        contenders, (lambda row: row["ratio"], lambda row: row["mpi"]["ratio"])) if not contender.is_peer()}
    lines = [["group", "ranks", "lines", *(f"best peer / {title}" for title in own),
              *(f"behind, {title}" for title in own)]]
    behind = []
    for group, ranks in dict.fromkeys((row["group"], row["ranks"]) for row in rows):
        shown = [row for row in rows if (row["group"], row["ranks"]) == (group, ranks)]
        means, counts = [], []
        for title, ratio_of in own.items():
            ratios = [(ratio_of(row), row["label"], title) for row in shown if ratio_of(row)]
            late = [found for found in ratios if found[0] < BEHIND]
            means.append(f"{statistics.geometric_mean([ratio for ratio, _, _ in ratios]):.2f}" if ratios else "-")
            counts.append(str(len(late)))
            behind += late
        lines.append([group, str(ranks), str(len(shown)), *means, *counts])
    named = "\n".join(f"  {ratio:.2f}  {label}: {title}" for ratio, label, title in sorted(behind))
    return aligned(lines) + (f"\n\nmore than 5 % behind the best peer:\n{named}" if behind else "")


def write_table(rows, contenders):
    return table(rows, contenders) + "\n\n" + summary(rows, contenders)


SUITE = Suite("every collective call and messages of many kinds, over FMPL's MPI and the installed MPIs", OWN,
              installed_mpis(), steps, quick="2 and 4 ranks, 8 B and 4 KiB", write_table=write_table)
