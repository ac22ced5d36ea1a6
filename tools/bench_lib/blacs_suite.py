"""The BLACS of FMPL beside those over FMPL's MPI and those of Debian's ScaLAPACK libraries, and ScaLAPACK's PDGEMM over
each. docs/performance.md says what is expected.

The messages lie in the program's heap. FMPL's first column has that in remote-DMA memory, as fmplrun --blacs does;
the second has it where malloc puts it; FMPL's MPI has it in remote-DMA memory. PDGEMM over FMPL's MPI is the file that
was built with MPICH, with its own BLACS. Its limit is the same PDGEMM whose processes find the panels that they want at
hand and need but copy them.
"""
from bench_lib.contenders import Contender, Suite
from bench_lib.figures import (KIB, MIB, RANKS, Figure, Step, barrier_steps, collective_steps, list_of, size_words,
                               times_faster)
from bench_lib.openblas import openblas_variables

PROGRAMS = {kind: f"blacs-bench.{kind}" for kind in ("fmpl", "mpi", "openmpi", "mpich")}
ORDER, BLOCK = 640, 40


def contiguous_step():
    expected = {8: 4, 8 * KIB: 5, 64 * KIB: 8, MIB: 4}
    figures = [Figure(f"p2p-contiguous-{size}", f"{size_words(size)} one-way", "bytes", size,
                      expectation=times_faster(times)) for size, times in expected.items()]
    return Step("p2p", 2, PROGRAMS, ["p2p", "--sizes", list_of(expected)], figures)


def shaped_step(group, shape, words, expected=None):
    """The block or triangle of a matrix with leading dimension ORDER."""
    figure = Figure(f"p2p-{shape}", f"{BLOCK}x{BLOCK} {words} one-way", "shape", shape,
                    expectation=times_faster(expected))
    return Step(group, 2, PROGRAMS,
                ["p2p", "--shape", shape, "--matrix", f"{BLOCK}x{BLOCK}", "--lda", str(ORDER)], [figure], name=shape)


def pdgemm_step(ranks, expected, peers):
    """FMPL runs the file that is linked with another library's BLACS, and its PDGEMM, not FMPL's own. FMPL's MPI runs
    MPICH's, if it is there."""
    programs = {peer: f"scalapack-pdgemm.{peer}" for peer in peers}
    programs["fmpl"] = programs[peers[0]]
    programs["limit"] = f"scalapack-pdgemm-limit.{peers[0]}"
    if "mpich" in programs:
        programs["mpi"] = programs["mpich"]
    figure = Figure(f"pdgemm-{ranks}", f"pdgemm {ORDER}, block {BLOCK}, {ranks} ranks", "order", ORDER,
                    expectation=times_faster(expected), flops=2 * ORDER**3)
    return Step("pdgemm", ranks, programs, ["--order", str(ORDER), "--block", str(BLOCK)], [figure],
                environment=openblas_variables,
                fmplrun={**dict.fromkeys(("fmpl", "limit"), ["--blacs", "--pdgemm", "none"]),
                         "mpi": ["--mpi"]})


def steps(quick, peers):
    """PDGEMM only where there is a program that holds it."""
    ranks = (2, 4, 16) if quick else RANKS

    def collective(group, expected):
        return collective_steps(group, PROGRAMS, (8 * KIB,), ranks,
                                {(8 * KIB, count): times for count, times in expected.items()})

    found = [
        contiguous_step(),
        shaped_step("strided", "strided", "block", 5),
        shaped_step("triangular", "upper", "upper triangle"),
        shaped_step("triangular", "lower", "lower triangle"),
        *collective("bcast", {2: 4, 4: 3, 16: 4}),
        *collective("sum", {2: 3, 4: 5, 16: 8}),
        *collective("amx", {}),
        *barrier_steps(PROGRAMS, ranks, {}),
    ]
    if peers:
        expected = {2: 1.1, 4: 1.1, 8: 1.4, 16: 1.6}
        found += [pdgemm_step(count, expected[count], peers) for count in ranks]
    return found


SUITE = Suite(
    "BLACS-FMPL beside the BLACS over FMPL's MPI and those of Debian's ScaLAPACK libraries",
    [Contender("fmpl", "FMPL, --rdma heap", "fmpl", "fmplrun", options=["--rdma", "heap"]),
     Contender("fmpl-plain", "FMPL, --rdma none", "fmpl", "fmplrun", options=["--rdma", "none"]),
     Contender("mpi", "MPI over FMPL", "mpi", "fmplrun", options=["--rdma", "heap"])],
    [Contender("openmpi", "ScaLAPACK, Open MPI", "openmpi", "mpirun.openmpi",
               ("openmpi-bin", "libopenmpi-dev", "libscalapack-openmpi-dev"), "scalapack-openmpi", "ompi-c"),
     Contender("mpich", "ScaLAPACK, MPICH", "mpich", "mpiexec.mpich",
               ("mpich", "libmpich-dev", "libscalapack-mpich-dev"), "scalapack-mpich", "mpich")],
    steps, quick="the collective calls and PDGEMM at 2, 4 and 16 ranks",
    limit=Contender("limit", "limit: panels at hand", "limit", "fmplrun", options=["--rdma", "heap"]))
