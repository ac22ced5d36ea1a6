"""FMPL's own calls beside those of an MPI: FMPL's, and those that are installed. docs/performance.md says what is
expected of them.

FMPL's MPI has the buffers of a user of the other two, on the heap, and the heap in remote-DMA memory. Stack and static
data never are: these rows show it without.
"""
from bench_lib.contenders import Contender, Suite, installed_mpis
from bench_lib.figures import (KIB, MIB, RANKS, Expectation, Figure, Step, barrier_steps, collective_steps, list_of,
                               size_words, times_faster)

COLLECTIVE_BYTES = (8, 8 * KIB, 64 * KIB, MIB)
PROGRAMS = {"fmpl": "fmpl-bench", **{kind: f"mpi-bench.{kind}" for kind in ("mpi", "openmpi", "mpich")}}


def one_way_step(group, benchmark, memory, peer_memory, floor, sizes, of_mpi):
    """sizes: {bytes: Expectation or None}; of_mpi: {bytes: times faster}"""
    place = "" if memory == "rdma" else f", {memory}"
    figures = [Figure(f"one-way-{memory}-{size}", f"{size_words(size)} one-way{place}", "bytes", size, floor, expected,
                      of_mpi=times_faster(of_mpi.get(size))) for size, expected in sizes.items()]
    return Step(group, 2, PROGRAMS, [benchmark, "--sizes", list_of(sizes)], figures, memory, peer_memory)


def outstanding_step():
    counts = {512: Expectation(seconds=1e-7), 4096: Expectation(seconds=1e-7, growth=1.15, than="outstanding-512")}
    of_mpi = {512: Expectation(seconds=1.5e-7)}
    figures = [Figure(f"outstanding-{count}", f"4 B, {count} outstanding", "outstanding", count, None, expected,
                      of_mpi=of_mpi.get(count)) for count, expected in counts.items()]
    return Step("outstanding", 2, PROGRAMS, ["outstanding", "--sizes", "4", "--outstanding", list_of(counts)], figures,
                "rdma", "heap", fits_batches=False)


def steps(quick, _peers):
    """In quick runs, collective calls with data have the sizes and ranks that are spoken of most."""
    sizes = COLLECTIVE_BYTES[:2] if quick else COLLECTIVE_BYTES
    ranks = (2, 4, 16) if quick else RANKS
    elsewhere = {8 * KIB: None, 64 * KIB: Expectation(1.3), MIB: Expectation(1.3)}
    mpi_elsewhere = {64 * KIB: 1, MIB: 1}
    mpi_together = {4: 2, 8: 2, 16: 2}

    def collective(group, expected, of_mpi=None):
        return collective_steps(group, PROGRAMS, sizes, ranks, expected, "rdma", "heap", of_mpi)

    def fixed_root(group):
        steps = []
        for count in (2, 4, 8):
            figures = [Figure(f"{group}-fixed-{size}-{count}", f"{group} {size_words(size)}, fixed root, {count} ranks",
                              "bytes", size, expectation=Expectation(1), of_mpi=Expectation(1))
                       for size in (8, 64, 8 * KIB)]
            steps.append(Step(group, count, PROGRAMS, [group, "--root", "fixed", "--sizes", list_of((8, 64, 8 * KIB))],
                              figures, "rdma", "heap"))
        return [] if quick else steps

    return [
        one_way_step("latency", "latency", "rdma", "heap", "floor_seconds",
                     {8: Expectation(2, of_floor=1.4), 64: None, KIB: None}, {8: 1.4}),
        one_way_step("rdma", "bandwidth", "rdma", "heap", "memcpy_seconds",
                     {8 * KIB: Expectation(5), 64 * KIB: Expectation(4), MIB: Expectation(3.5, of_floor=1),
                      4 * MIB: Expectation(3, of_floor=1)}, {64 * KIB: 3, MIB: 3}),
        one_way_step("stack", "bandwidth", "stack", "stack", "memcpy_seconds", elsewhere, mpi_elsewhere),
        one_way_step("static", "bandwidth", "static", "static", "memcpy_seconds", elsewhere, mpi_elsewhere),
        outstanding_step(),
        *barrier_steps(PROGRAMS, RANKS, {2: 2, 4: 2, 8: 2, 16: 4}, mpi_together),
        *collective("bcast", {(8 * KIB, 2): 3, (8 * KIB, 4): 2, (8 * KIB, 16): 4}, mpi_together),
        *fixed_root("bcast"),
        *collective("reduce", {(8 * KIB, 2): 3, (8 * KIB, 4): 3, (8 * KIB, 16): 4}),
        *fixed_root("reduce"),
        *collective("allreduce", {}, mpi_together),
    ]


SUITE = Suite(
    "FMPL's calls beside those of an MPI, FMPL's MPI among them",
    [Contender("fmpl", "FMPL", "fmpl", "fmplrun"),
     Contender("mpi", "MPI over FMPL", "mpi", "fmplrun", options=["--rdma", "heap"])],
    installed_mpis(), steps, quick="the collective calls at 2, 4 and 16 ranks, with 8 B and 8 KiB at most")
