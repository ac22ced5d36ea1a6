"""All contenders in turn, round after round, and what they have shown."""
import shlex
import statistics
import time

from bench_lib.contenders import command_of, mpi_of
from bench_lib.distance import distance_ns, without
from bench_lib.progress import Progress
from bench_lib.running import Failed, measure

SLOW_SECONDS = 8  # a contender that has spent so long on one step sits out the step's later rounds
COMMUNICATION = ("comm_share", "comm_seconds", "comm_least_seconds")  # what a result may say of it, beside its seconds


class Effort:
    """nearer_than: nanoseconds that a cache line may take from one CPU to the other and back while two ranks are timed;
    None: whatever it takes."""

    def __init__(self, rounds, samples, batch_ms, timeout):
        self.rounds, self.samples, self.batch_ms, self.timeout = rounds, samples, batch_ms, timeout
        self.nearer_than = None


class Measurement:
    """Everything that one contender has shown in one step."""

    def __init__(self):
        self.documents = []  # (round, what the program wrote)
        self.seconds = 0.0
        self.failed = False
        self.sat_out = 0

    def counted(self):
        """The documents that are shown: where there are some whose batches were all near (bench_lib.distance), these
        alone; none of a failed step."""
        if self.failed:
            return []
        return [(number, document) for number, document in self.documents if not document.get("farther_batches")] or \
            self.documents

    def series(self, figure, samples="seconds"):
        """One dictionary a round with the samples of the figure."""
        rounds = []
        for number, document in self.counted():
            for result in document["results"]:
                if result[figure.key] == figure.value and samples in result:
                    rounds.append({"round": number, "reps": result["reps"], "median": result[samples]["median"],
                                   "samples": result[samples]["samples"],
                                   **{key: result[key] for key in COMMUNICATION if key in result}})
        return rounds

    def parts(self, figure):
        """{name: one dictionary a round} of the times that the program gives beside those of the whole."""
        found = {}
        for number, document in self.counted():
            for result in document["results"]:
                if result[figure.key] == figure.value:
                    for name, part in result.get("parts", {}).items():
                        if part:  # null: there is no such part
                            found.setdefault(name, []).append({"round": number, "median": part["seconds"]["median"],
                                                               "samples": part["seconds"]["samples"]})
        return found


def summary(rounds):
    """Median and quartiles over the rounds; over the batches of a single one. None without a round."""
    if not rounds:
        return None
    values = [r["median"] for r in rounds] if len(rounds) > 1 else rounds[0]["samples"]
    middle = statistics.median(r["median"] for r in rounds)
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [middle] * 3
    communication = {key: statistics.median(r[key] for r in rounds) for key in COMMUNICATION if key in rounds[0]}
    return {"median": middle, "quartile1": quartiles[0], "quartile3": quartiles[2], **communication, "rounds": rounds}


class Bench:
    """The first of the contenders is the one that is compared, and so is FMPL's MPI, if it is among them; limit: the
    one that shows what could be reached."""

    def __init__(self, steps, contenders, cpus, programs, effort, limit=None, store=None):
        self.steps, self.contenders, self.cpus, self.programs = steps, contenders, cpus, programs
        self.fmpl, self.limit = contenders[0], limit
        self.mpi = mpi_of(contenders[1:])  # beside the first, which may be one itself
        self.effort = effort
        self.measurements = {(c.name, id(s)): Measurement() for c in contenders for s in steps}
        self.failures, self.warnings, self.commands = [], [], {}
        self.store = store
        self.progress = Progress(len(self.turns()))

    def turns(self):
        """All that is to be run: (contender, step, round)."""
        return [(contender, step, number) for number in range(1, self.effort.rounds + 1) for step in self.steps
                for contender in self.contenders if self.is_due(contender, step, number)]

    def turn_names(self):
        """Contender and step of each, as the progress has them."""
        return [(contender.name, step.words()) for contender, step, _ in self.turns()]

    def warn(self, words):
        self.warnings.append(words)
        self.progress.line(f"warning: {words}")

    def of(self, contender, step):
        return self.measurements[contender.name, id(step)]

    def is_due(self, contender, step, number):
        """Whether the contender is measured in the step in this round. Who has less than all rounds has them spread."""
        if not step.program_of(contender):
            return False
        rounds = self.effort.rounds
        share = max(1, round(rounds * step.share_of_rounds(contender)))
        return (number - 1) * share // rounds != (number - 2) * share // rounds

    def run(self, folder):
        for number in range(1, self.effort.rounds + 1):
            for place, step in enumerate(self.steps):
                order = in_turn(self.contenders, number - 1 + place)
                due = [contender for contender in order if self.is_due(contender, step, number)]
                for contender in due:
                    self.progress.now(f"round {number} of {self.effort.rounds}: {step.words()}: {contender.title}")
                    seconds, recalled = self.take_turn(contender, step, number, folder)
                    self.progress.end_of_turn((contender.name, step.words()), seconds, recalled)
                if due:
                    self.progress.end_of_step(f"round {number} of {self.effort.rounds}: {step.words()}")
        self.progress.finish()

    def take_turn(self, contender, step, number, folder):
        """(seconds that it took, None where nothing was run; whether an interrupted run has measured it)"""
        measurement = self.of(contender, step)
        if measurement.failed:
            return None, False
        if measurement.seconds > SLOW_SECONDS:
            measurement.sat_out += 1
            return None, False
        command = command_of(contender, step, self.cpus, self.programs, self.effort)
        self.commands.setdefault(contender.name, {})[step.words()] = shlex.join(command)
        key = [number, *without(command)]
        document, seconds = self.store.recall(key) if self.store else (None, None)
        is_new = document is None
        begin = time.monotonic()
        try:
            if is_new:
                is_far = self.is_far(step)
                measured = measure(command, step.seconds_limit(contender, self.effort), folder,
                                   step.writes_file(contender))
                try:
                    document = step.read(contender, measured)
                except ValueError as error:
                    raise Failed(str(error), measured if isinstance(measured, str) else "") from error
                if is_far or self.is_far(step):
                    document["farther_batches"] = 1
        except Failed as failure:
            measurement.failed = True
            self.failures.append({"contender": contender.name, "step": step.words(), "round": number,
                                  "command": shlex.join(command), "reason": str(failure), "tail": failure.tail})
            self.progress.line(f"{contender.title} failed: {step.words()}: it {failure}\n  {shlex.join(command)}\n"
                               + "".join(f"  | {line}\n" for line in failure.tail.splitlines()))
            return time.monotonic() - begin, False
        if is_new:
            seconds = time.monotonic() - begin
            if self.store:
                self.store.keep(key, document, seconds)
        measurement.seconds += seconds - document.get("waited_seconds", 0)
        measurement.documents.append((number, document))
        used = document["machine"]["cpus"] if "machine" in document else len(self.cpus)
        if not min(step.ranks, len(self.cpus)) <= used <= len(self.cpus) and number == 1:
            self.warn(f"{contender.title}, {step.words()}: the ranks ran on {used} CPUs, not on {len(self.cpus)}")
        return seconds, not is_new

    def is_far(self, step):
        """Whether the CPUs are far from each other now, where the step wants that looked at."""
        if not step.is_bracketed() or not self.effort.nearer_than:
            return False
        distance = distance_ns(self.programs, self.cpus)
        return distance is not None and distance >= self.effort.nearer_than

    def libraries(self):
        """{contender: what its library calls itself}"""
        found = {}
        for contender in self.contenders:
            for step in self.steps:
                for _, document in self.of(contender, step).documents:
                    if "library" in document:
                        found.setdefault(contender.name, document["library"] + contender.below())
        return found

    def farther(self):
        """How many turns were left out, since the CPUs were far from each other; and [(contender, step)] of those that
        have only such, which count."""
        left_out, only = 0, []
        for step in self.steps:
            for contender in self.contenders:
                measurement = self.of(contender, step)
                left_out += len(measurement.documents) - len(measurement.counted()) if not measurement.failed else 0
                if any(document.get("farther_batches") for _, document in measurement.counted()):
                    only.append((contender, step))
        return left_out, only

    def compiler(self):
        for contender in self.contenders:
            for step in self.steps:
                for _, document in self.of(contender, step).documents:
                    if "compiler" in document:
                        return document["compiler"]
        return None

    def rows(self):
        """One dictionary a figure, as in the JSON file."""
        rows = []
        for step in self.steps:
            for figure in step.figures:
                shown = {c.name: self.shown(c, step, figure) for c in self.contenders}
                peers = {c.name: shown[c.name]["median"] for c in self.contenders
                         if c.is_peer() and not c.other_source and shown[c.name]}
                best = min(peers, key=peers.get) if peers else None
                floor = summary(self.of(self.fmpl, step).series(figure, figure.floor)) if figure.floor else None
                rows.append({"figure": figure.name, "label": figure.label, "group": step.group, "ranks": step.ranks,
                             figure.key: figure.value,
                             "unit": "seconds", "flops": figure.flops, "floor": floor, "contenders": shown,
                             "best_peer": best, "ratio": quotient_beside(shown.get(best), shown[self.fmpl.name]),
                             "mpi": {"ratio": quotient_beside(shown.get(best), shown[self.mpi.name])}
                                    if self.mpi else None})
                if self.limit:
                    shares = {c.name: quotient_beside(shown.get(self.limit.name), shown[c.name])
                              for c in self.contenders if c is not self.limit}
                    rows[-1]["limit"] = self.limit.name
                    rows[-1]["of_limit"] = {name: share for name, share in shares.items() if share}
        by_name = {row["figure"]: row for row in rows}
        for figure, row in zip((f for step in self.steps for f in step.figures), rows):
            row.update(self.judgement(self.fmpl, figure.expectation, row, row["ratio"], by_name))
            if self.mpi:
                row["mpi"].update(self.judgement(self.mpi, figure.of_mpi, row, row["mpi"]["ratio"], by_name))
        return rows

    def shown(self, contender, step, figure):
        """None where the contender has nothing to show."""
        measurement = self.of(contender, step)
        found = summary(measurement.series(figure))
        parts = {name: summary(rounds) for name, rounds in measurement.parts(figure).items()}
        return {**found, "parts": parts} if found and parts else found

    def judgement(self, contender, expectation, row, times, by_name):
        """What is expected of the contender in this row, and whether it is so."""
        if not expectation:
            return {"expected": None, "met": None}
        other = by_name.get(expectation.than)
        another = row["contenders"].get(expectation.another)
        return {"expected": expectation.words(), "met": expectation.met(
            times, median_of(row["contenders"][contender.name]), median_of(row["floor"]),
            median_of(other["contenders"][contender.name]) if other else None,
            row["of_limit"].get(contender.name) if self.limit else None, median_of(another))}


def in_turn(contenders, row):
    """The contenders in the order of this row of a balanced square (Williams, 1949): over as many rows as there are
    contenders, each is once at every place and once behind every other one; where their number is odd, twice so over
    twice as many rows. So what one leaves behind (ranks that spin make some hosts part the CPUs) does not always meet
    the same."""
    count = len(contenders)
    zigzag = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    order = [contenders[(place + row) % count] for place in zigzag]
    return order[::-1] if count % 2 and row // count % 2 else order


def median_of(shown):
    return shown["median"] if shown else None


def quotient_beside(other, shown):
    """The other's time over this one's: the median over the rounds that have both, so that a machine which has changed
    between two rounds has changed for both; of their medians, where no round has both. None where one has nothing."""
    if not other or not shown:
        return None
    others = {r["round"]: r["median"] for r in other["rounds"]}
    quotients = [others[r["round"]] / r["median"] for r in shown["rounds"] if r["round"] in others]
    return statistics.median(quotients) if quotients else other["median"] / shown["median"]
