"""What a suite of tools/bench measures: steps, each one run of a measuring program, and the figures that they give."""

from bench_lib.distance import OPTION

KIB, MIB = 1 << 10, 1 << 20
RANKS = (2, 4, 8, 16)
CPUS = 2  # that the ranks share


class Expectation:
    """What is expected of a figure: `times` faster than the best peer, within `of_floor` of the floor, at most
    `seconds`, at most `growth` times the figure `than`, at least the rate `of_limit` of the limit's, `times_another`
    faster than the contender of the name `another`. Each may be absent."""

    def __init__(self, times=None, of_floor=None, seconds=None, growth=None, than=None, of_limit=None,
                 times_another=None, another=None, growth_words="not growing"):
        self.times, self.of_floor, self.seconds, self.growth, self.than = times, of_floor, seconds, growth, than
        self.of_limit, self.times_another, self.another = of_limit, times_another, another
        self.growth_words = growth_words

    def words(self):
        parts = []
        if self.times:
            parts.append(f">= {self.times:g}x")
        if self.of_floor:
            parts.append(f"<= {self.of_floor:g} floor")
        if self.seconds:
            parts.append(f"< {self.seconds * 1e6:g} us")
        if self.growth:
            parts.append(self.growth_words)
        if self.of_limit:
            parts.append(f">= {self.of_limit:.2f}")
        if self.times_another:
            parts.append(f"{self.another} >= {self.times_another:g}x")
        return ", ".join(parts)

    def met(self, ratio, value, floor, other, share=None, another=None):
        """True or False; None when a figure that it needs is missing. share: of the limit's rate; another: the other
        contender's seconds."""
        if value is None:
            return None
        answers = []
        if self.times:
            answers.append(None if ratio is None else ratio >= self.times)
        if self.of_floor:
            answers.append(None if floor is None else value <= self.of_floor * floor)
        if self.seconds:
            answers.append(value < self.seconds)
        if self.growth:
            answers.append(None if other is None else value <= self.growth * other)
        if self.of_limit:
            answers.append(None if share is None else share >= self.of_limit)
        if self.times_another:
            answers.append(None if another is None else another >= self.times_another * value)
        return False if False in answers else None if None in answers else True


def times_faster(times):
    """None for no expectation."""
    return Expectation(times) if times else None


class Figure:
    """One row of the table: `key` and `value` pick it from the results of its step."""

    def __init__(self, name, label, key, value, floor=None, expectation=None, flops=None, of_mpi=None):
        self.name, self.label, self.key, self.value = name, label, key, value
        self.floor = floor  # the name of the floor's samples in the results
        self.expectation, self.of_mpi = expectation, of_mpi  # what is expected of FMPL and of its MPI
        self.flops = flops  # floating-point operations of a call: the table shows their rate


class Step:
    """One run of a measuring program, which gives some figures.

    programs: {name or kind of a contender: its program}; who has none takes no part. memory: FMPL's, where the program
    lets choose; an MPI, FMPL's too, has peer_memory. environment: a function that gives variables of all contenders.
    fmplrun: {kind of a contender: further options of the launcher}. name: where the group has several steps with as
    many ranks."""

    def __init__(self, group, ranks, programs, arguments, figures, memory=None, peer_memory=None, fits_batches=True,
                 environment=dict, fmplrun=None, name=None):
        self.group, self.ranks, self.programs, self.arguments, self.figures = group, ranks, programs, arguments, figures
        self.memory, self.peer_memory = memory, peer_memory or memory
        self.fits_batches = fits_batches  # the program has --batch-ms
        self.environment, self.fmplrun = environment, fmplrun or {}
        self.name = name or group

    def words(self):
        return f"{self.name}, {self.ranks} rank{'' if self.ranks == 1 else 's'}"

    def program_of(self, contender):
        """None for a contender that takes no part."""
        return self.programs.get(contender.name, self.programs.get(contender.kind))

    def is_crowded(self, contender):
        """MPICH's ranks spin: where they share CPUs each call takes time slices of the system."""
        return contender.kind == "mpich" and self.ranks > CPUS

    def variables(self, _contender):
        return self.environment()

    def words_for(self, contender, effort):
        """The arguments of the contender's program."""
        memory = self.memory if contender.kind == "fmpl" else self.peer_memory
        return [*self.arguments, "--samples", str(effort.samples),
                *(["--batch-ms", str(effort.batch_ms)] if self.fits_batches else []),
                *self.distance_words(effort),
                *(["--memory", memory] if memory else [])]

    def distance_words(self, effort):
        """The option that tells the programs at which distance of the CPUs they are to measure."""
        return [OPTION, str(effort.nearer_than)] if effort.nearer_than and self.watches_distance() else []

    def watches_distance(self):
        """Whether the programs have that option, and it has a meaning."""
        return self.ranks == 2

    def is_bracketed(self):
        """Whether the distance is looked at before and after the programs, which have no such option; what was measured
        while it was large is left out."""
        return False

    def share_of_rounds(self, _contender):
        """Less than 1 for what takes long; everybody is measured once at least."""
        return 1

    def seconds_limit(self, _contender, effort):
        """A run that takes longer is ended."""
        return effort.timeout

    def writes_file(self, _contender):
        """Whether the program has --json; what it prints is read otherwise."""
        return True

    def read(self, _contender, document):
        """What the program wrote (or printed: the text), with its `results`. ValueError, in words that follow `it`,
        where that is no result."""
        return document


class UncrowdedStep(Step):
    """One in which a crowded contender takes no part."""

    def program_of(self, contender):
        return None if self.is_crowded(contender) else super().program_of(contender)


def size_words(size):
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def list_of(numbers):
    return ",".join(map(str, numbers))


def barrier_steps(programs, ranks, expected, of_mpi=None):
    """expected, of_mpi: {ranks: times faster}"""
    return [Step("barrier", count, programs, ["barrier"],
                 [Figure(f"barrier-{count}", f"barrier, {count} ranks", "ranks", count,
                         expectation=times_faster(expected.get(count)),
                         of_mpi=times_faster((of_mpi or {}).get(count)))])
            for count in ranks]


def collective_steps(group, programs, sizes, ranks, expected, memory=None, peer_memory=None, of_mpi=None):
    """expected: {(bytes, ranks): times faster}; of_mpi: {ranks: times faster}, whatever the size"""
    steps = []
    for count in ranks:
        figures = [Figure(f"{group}-{size}-{count}", f"{group} {size_words(size)}, {count} ranks", "bytes", size,
                          expectation=times_faster(expected.get((size, count))),
                          of_mpi=times_faster((of_mpi or {}).get(count))) for size in sizes]
        steps.append(Step(group, count, programs, [group, "--sizes", list_of(sizes)], figures, memory, peer_memory))
    return steps
