"""What tools/reproduce measures: the benchmarks of the paper's section 5, as suites made of the steps that tools/bench
has.

Names of contenders are those of the paper where it has them: BLACS-FMPL, and MPIBLACS for the BLACS over an MPI.
"""
from bench_lib.contenders import Contender, Suite
from bench_lib.figures import KIB, MIB, Figure, Step, list_of, size_words
from bench_lib.npb_suite import KernelStep
from bench_lib.npb_suite import SUITE as NPB
from bench_lib.pdgemm_suite import SIZES as PRODUCTS
from bench_lib.pdgemm_suite import SUITE as PDGEMM
from bench_lib.pdgemm_suite import ProductStep

RANKS = (2, 3, 4, 6, 8, 12, 16)
QUICK_RANKS = (2, 4, 16)
KERNEL_RANKS = (2, 4, 8, 16)
P2P_BYTES = (8, 64, 512, 2 * KIB, 8 * KIB, 32 * KIB, 128 * KIB, 512 * KIB, 2 * MIB, 8 * MIB, 16 * MIB)
QUICK_P2P_BYTES = (8, KIB, 64 * KIB, MIB, 16 * MIB)
BROADCAST_BYTES = (KIB, 8 * KIB, 64 * KIB, 512 * KIB, MIB, 8 * MIB)
QUICK_BROADCAST_BYTES = (KIB, 64 * KIB, MIB)
BROADCAST_RANKS = 16  # of figure 9
HEAP, NO_HEAP = ["--rdma", "heap"], ["--rdma", "none"]

FMPL = Contender("fmpl", "FMPL", "fmpl", "fmplrun")
TREE = Contender("fmpl-tree", "FMPL, in software", "fmpl", "fmplrun")
RAW = Contender("raw", "remote write alone", "fmpl", "fmplrun")
MEMCPY = Contender("memcpy", "memcpy by one CPU", "fmpl", "fmplrun")
BLACS = Contender("blacs", "BLACS-FMPL", "fmpl", "fmplrun", options=HEAP)
MPI = Contender("mpi", "MPI over FMPL", "mpi", "fmplrun", options=HEAP)
MPI_PLAIN = Contender("mpi-plain", "MPI over FMPL, no remote-DMA memory", "mpi", "fmplrun", options=NO_HEAP)
MPIBLACS = Contender("mpiblacs", "MPIBLACS over FMPL", "mpi", "fmplrun", options=HEAP)
MPIBLACS_PLAIN = Contender("mpiblacs-plain", "MPIBLACS over FMPL, no remote-DMA memory", "mpi", "fmplrun",
                           options=NO_HEAP)
OPENMPI = Contender("openmpi", "Open MPI", "openmpi", "mpirun.openmpi", ("openmpi-bin", "libopenmpi-dev"), "ompi-c")
MPICH = Contender("mpich", "MPICH", "mpich", "mpiexec.mpich", ("mpich", "libmpich-dev"), "mpich")
MPIBLACS_OPENMPI = Contender(
    "mpiblacs-openmpi", "MPIBLACS over Open MPI", "openmpi", "mpirun.openmpi",
    ("openmpi-bin", "libopenmpi-dev", "libscalapack-openmpi-dev"), "scalapack-openmpi", "ompi-c")


class Use:
    """What a contender runs in a step: program, its arguments, and the kind of memory where it can choose."""

    def __init__(self, program, arguments, memory=None, variables=None, fits_batches=True):
        self.program, self.arguments, self.memory = program, arguments, memory
        self.variables, self.fits_batches = variables or {}, fits_batches


class UsesStep(Step):
    """A step in which contenders run different programs for the same figures. uses: {name of the contender: Use}"""

    def __init__(self, group, ranks, uses, figures):
        super().__init__(group, ranks, {name: use.program for name, use in uses.items()}, [], figures)
        self.uses = uses

    def program_of(self, contender):
        return self.programs.get(contender.name)

    def variables(self, contender):
        return self.uses[contender.name].variables

    def words_for(self, contender, effort):
        use = self.uses[contender.name]
        return [*use.arguments, "--samples", str(effort.samples),
                *(["--batch-ms", str(effort.batch_ms)] if use.fits_batches else []),
                *self.distance_words(effort),
                *(["--memory", use.memory] if use.memory else [])]


class OutstandingStep(UsesStep):
    """Also shows what posting a receive takes."""

    def read(self, _contender, document):
        for result in document["results"]:
            result["parts"] = {"irecv": {"seconds": result["irecv_seconds"]}}
        return document


class BroadcastStep(UsesStep):
    """Also measures memcpy by one rank, the others asleep: what the copies of a broadcast cost at least."""

    def read(self, contender, document):
        if contender.name == MEMCPY.name:
            for result in document["results"]:
                result["seconds"] = result["memcpy_seconds"]
        return document


def suite(what, own, peers, steps, **how):
    return Suite(what, own, peers, steps, quick="", **how)


# ---- Messages --------------------------------------------------------------------------------------------------------

def breakdown_steps(_quick, _peers):
    sizes = (8, 4 * KIB)
    figures = [Figure(f"breakdown-{size}", size_words(size), "bytes", size) for size in sizes]
    use = Use("fmpl-bench", ["breakdown", "--sizes", list_of(sizes)], fits_batches=False)
    return [UsesStep("breakdown", 2, {"fmpl": use}, figures)]


def p2p_steps(quick, _peers):
    sizes = QUICK_P2P_BYTES if quick else P2P_BYTES
    figures = [Figure(f"p2p-{size}", size_words(size), "bytes", size,
                      floor="memcpy_seconds") for size in sizes]
    messages, matrices = ["bandwidth", "--sizes", list_of(sizes)], ["p2p", "--sizes", list_of(sizes)]
    uses = {"raw": Use("fmpl-bench", ["remote-write", "--sizes", list_of(sizes)]),
            "fmpl": Use("fmpl-bench", messages, "rdma"), "blacs": Use("blacs-bench.fmpl", matrices),
            "mpi": Use("mpi-bench.mpi", messages, "heap"), "mpi-plain": Use("mpi-bench.mpi", messages, "heap"),
            "mpiblacs": Use("blacs-bench.mpi", matrices), "mpiblacs-plain": Use("blacs-bench.mpi", matrices),
            "openmpi": Use("mpi-bench.openmpi", messages, "heap"), "mpich": Use("mpi-bench.mpich", messages, "heap"),
            "mpiblacs-openmpi": Use("blacs-bench.openmpi", matrices)}
    return [UsesStep("p2p", 2, uses, figures)]


def outstanding_steps(_quick, _peers):
    counts = (16, 512, 4096)
    figures = [Figure(f"outstanding-{count}", f"4 B, {count} outstanding", "outstanding", count) for count in counts]
    words = ["outstanding", "--sizes", "4", "--outstanding", list_of(counts)]
    uses = {"fmpl": Use("fmpl-bench", words, "rdma", fits_batches=False),
            **{kind: Use(f"mpi-bench.{kind}", words, "heap", fits_batches=False)
               for kind in ("mpi", "openmpi", "mpich")}}
    return [OutstandingStep("outstanding", 2, uses, figures)]


# ---- Collective calls ------------------------------------------------------------------------------------------------

def collective_uses(of_fmpl, of_blacs=None):
    """of_fmpl, of_blacs: the arguments for these calls and for the BLACS's."""
    uses = {"fmpl": Use("fmpl-bench", of_fmpl),
            "fmpl-tree": Use("fmpl-bench", of_fmpl, variables={"FMPL_COLLECTIVES": "tree"}),
            "blacs": Use("blacs-bench.fmpl", of_blacs or of_fmpl)}
    uses.update({kind: Use(f"mpi-bench.{kind}", of_fmpl) for kind in ("mpi", "openmpi", "mpich")})
    return uses


def barrier_steps(quick, _peers):
    return [UsesStep("barrier", ranks, collective_uses(["barrier"]),
                     [Figure(f"barrier-{ranks}", f"{ranks} ranks", "ranks", ranks)])
            for ranks in (QUICK_RANKS if quick else RANKS)]


def collective_step(group, ranks, sizes, of_blacs=None, kind=UsesStep, more_uses=None):
    words = ["--sizes", list_of(sizes)]
    uses = collective_uses([group, *words], [of_blacs or group, *words])
    for name, use in uses.items():
        use.memory = "rdma" if name in ("fmpl", "fmpl-tree") else "heap"
    return kind(group, ranks, {**uses, **(more_uses or {})},
                [Figure(f"{group}-{size}-{ranks}", f"{size_words(size)}, {ranks} ranks", "bytes", size)
                 for size in sizes])


def bcast_steps(quick, _peers):
    """8 KiB by ranks; and by size at the greatest number of ranks, which gives that of 8 KiB too."""
    sizes = QUICK_BROADCAST_BYTES if quick else BROADCAST_BYTES
    sizes = tuple(sorted({*sizes, 8 * KIB}))
    copies = {MEMCPY.name: Use("fmpl-bench", ["bandwidth", "--sizes", list_of(sizes)], "rdma")}
    return [collective_step("bcast", ranks, sizes, kind=BroadcastStep, more_uses=copies) if ranks == BROADCAST_RANKS
            else collective_step("bcast", ranks, (8 * KIB,)) for ranks in (QUICK_RANKS if quick else RANKS)]


def reduce_steps(quick, _peers):
    return [collective_step("reduce", ranks, (8 * KIB,), "sum") for ranks in (QUICK_RANKS if quick else RANKS)]


# ---- Programs --------------------------------------------------------------------------------------------------------

def kernel_steps(kernel, classes, quick_classes):
    def steps(quick, peers):
        return [KernelStep(kernel, letter, ranks, quick, peers, None)
                for letter in (quick_classes if quick else classes)
                for ranks in (QUICK_RANKS if quick else KERNEL_RANKS)]
    return steps


def product_steps(quick, peers):
    product = PRODUCTS[0]
    return [ProductStep(product, ranks, quick, peers) for ranks in (QUICK_RANKS if quick else KERNEL_RANKS)]


def named(contenders, *names):
    return [contender for contender in contenders if contender.name in names]


COLLECTIVE = [FMPL, TREE, BLACS, MPI]
INSTALLED = [OPENMPI, MPICH]

SUITES = {
    "breakdown": suite("the parts of one message", [FMPL], [], breakdown_steps),
    "p2p": suite("messages by size", [FMPL, RAW, BLACS, MPI, MPI_PLAIN, MPIBLACS, MPIBLACS_PLAIN],
                 [*INSTALLED, MPIBLACS_OPENMPI], p2p_steps),
    "outstanding": suite("receives posted in advance", [FMPL, MPI], INSTALLED, outstanding_steps),
    "barrier": suite("barriers by ranks", COLLECTIVE, INSTALLED, barrier_steps),
    "bcast": suite("broadcasts by ranks and by size", [*COLLECTIVE, MEMCPY], INSTALLED, bcast_steps),
    "reduce": suite("sums by ranks", COLLECTIVE, INSTALLED, reduce_steps),
    "ft": suite("the NAS kernel FT", NPB.fmpl, NPB.peers, kernel_steps("ft", "AB", "A"), has_batches=False),
    "mg": suite("the NAS kernel MG", NPB.fmpl, NPB.peers, kernel_steps("mg", "ABC", "B"), has_batches=False),
    "pdgemm": suite("PDGEMM", named(PDGEMM.fmpl, "fmpl", "pdgemm-mpi"),
                    named(PDGEMM.peers, "openmpi", "mpich", "pdgemm-openmpi", "pdgemm-mpich"), product_steps,
                    limit=PDGEMM.limit, has_batches=False),
}
