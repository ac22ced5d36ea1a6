"""What all measuring commands do alike: who and what is there, the run of a suite, and the document that it leaves."""
import argparse
import datetime
import os
import pathlib
import sys
import tempfile

from bench_lib.building import build, build_settings, install
from bench_lib.contenders import say_missing
from bench_lib.distance import Distances
from bench_lib.figures import list_of
from bench_lib.machine import CpuTimes, activity_before, changes_of_tree, git, machine, two_cpus
from bench_lib.progress import clock
from bench_lib.rounds import Bench
from bench_lib.running import LIBC, PR_SET_CHILD_SUBREAPER

BUSY_SHARE = 0.05  # of one CPU, by other processes, that is worth a warning
STEAL_SHARE = 0.01  # of the CPUs' time that the host gave to others
COMMAND = f"tools/{pathlib.Path(sys.argv[0]).name}"


def say(words):
    print(f"{COMMAND}: {words}", file=sys.stderr)


def list_from(allowed):
    def check(text):
        words = text.split(",")
        for word in words:
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"'{word}' is none of {', '.join(allowed)}")
        return words
    return check


def count_from_1(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number of at least 1")
    return int(text)


def choose_peers(suites, kinds, setup):
    """{suite: those of its peers whose kind is wanted and which are there}. Says which are missing, and how to get
    them; installs them, where it is to."""
    wanted = {suite: [peer for peer in suite.peers if peer.kind in kinds] for suite in suites}
    every = [peer for peers in wanted.values() for peer in peers]
    missing = [peer for peer in every if peer.missing()]
    if missing and setup:
        install(list(dict.fromkeys(package for peer in missing for package in peer.packages)))
        missing = [peer for peer in every if peer.missing()]
    for words in dict.fromkeys(map(say_missing, missing)):
        say(words)
    return {suite: [peer for peer in peers if peer not in missing] for suite, peers in wanted.items()}


def names_of_programs(suite, peers, groups):
    """Those of the tree that the suite's contenders run."""
    names = {}
    for contender in [*suite.own(), *(peer for peer in peers if not peer.other_source)]:
        names.update(dict.fromkeys(suite.programs(contender, peers, groups)))
    return list(names)


def folder_of_programs(suites, peers, groups, given):
    """The folder with the programs of these suites: the given one, or where they are now built. groups:
    {suite: names}."""
    if given:
        return given.resolve()
    names = dict.fromkeys(name for suite in suites for name in names_of_programs(suite, peers[suite], groups[suite]))
    return build(names, any(peers[suite] for suite in suites))


def choose_contenders(suite, peers, groups, folder):
    """Those that have their programs in the folder; peers without them leave the list. Nobody where FMPL's are
    missing."""
    def is_there(contender):
        missing = [name for name in suite.programs(contender, peers, groups) if not (folder / name).exists()]
        if missing:
            say(f"there is no {missing[0]} in {folder}; {contender.title} is left out")
        return suite.programs(contender, peers, groups) and not missing

    # Those that are left decide which of their programs FMPL runs.
    for peer in list(peers):
        if not is_there(peer):
            peers.remove(peer)
    for name in ["fmplrun", *suite.programs(suite.fmpl[0], peers, groups)]:
        if not (folder / name).exists():
            say(f"there is no {name} in {folder}")
            return []
    return [contender for contender in [*suite.own(), *peers] if is_there(contender)]


def can_write(file):
    """Known before the measurement, not after it. An existing file keeps its contents until then."""
    existed = file.exists()
    try:
        with open(file, "a", encoding="utf-8"):
            pass
        if not existed:
            file.unlink()
        return True
    except OSError as error:
        say(f"--output: {file} cannot be written: {error.strerror}; nothing was measured")
        return False


class SuiteRun:
    """A suite with its contenders: measured once, and then a document."""

    def __init__(self, suite, peers, contenders, groups, programs, effort, quick=False, store=None):
        self.suite, self.contenders, self.programs, self.effort = suite, contenders, programs, effort
        self.cpus = two_cpus()
        self.steps = [step for step in suite.steps(quick, peers) if step.group in groups]
        self.bench = Bench(self.steps, contenders, self.cpus, programs, effort, suite.limit, store)
        self.rows, self.about = [], {}
        self.distances, self.left_out = None, 0

    def measure(self):
        bench = self.bench
        if len(self.cpus) < 2:
            bench.warn("this process may use one CPU only: all ranks share it, and the expectations do not apply")
        others, _ = activity_before()
        if others > BUSY_SHARE:
            bench.warn(f"the machine is not idle: other processes use {others:.0%} of a CPU (load "
                       f"{os.getloadavg()[0]:.1f}); the figures may be worse than they should be")
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        if any(step.watches_distance() or step.is_bracketed() for step in self.steps):
            self.distances = Distances(self.programs, self.cpus)
            self.effort.nearer_than = self.distances.nearer_than
        begin, times = datetime.datetime.now(datetime.timezone.utc), CpuTimes()
        with tempfile.TemporaryDirectory(prefix="fmpl-bench-") as folder:
            bench.run(pathlib.Path(folder))
        elapsed = (datetime.datetime.now(datetime.timezone.utc) - begin).total_seconds()
        others, steal = times.shares()
        if others > BUSY_SHARE:
            bench.warn(f"during the run other processes used {others:.0%} of a CPU")
        if steal > STEAL_SHARE:
            bench.warn(f"during the run the host took away {steal:.1%} of the CPUs' time (steal)")
        self.left_out, farther = bench.farther()
        if farther:
            bench.warn("the host never left the CPUs near each other for long enough; what was measured far counts: "
                       + "; ".join(f"{contender.title} {step.words()}" for contender, step in farther))
        self.rows = bench.rows()
        self.suite.complete(self.rows, self.contenders)
        settings = build_settings(self.programs)
        if settings["build_type"] not in ("Release", "") or settings["sanitize"] not in ("none", ""):
            bench.warn(f"the programs are built as {settings['build_type']}, with sanitizers: {settings['sanitize']}")
        commit, changes = git("rev-parse", "HEAD"), changes_of_tree()
        batches = {"samples": self.effort.samples, "batch_ms": self.effort.batch_ms} if self.suite.has_batches else {}
        self.about = {
            "program": COMMAND, "arguments": sys.argv[1:], "date": begin.isoformat(timespec="seconds"),
            "elapsed_seconds": round(elapsed, 1), "machine": machine(self.cpus),
            **({"cpu_distance": {**self.distances.document(), "turns_left_out": self.left_out}}
               if self.distances else {}),
            "compiler": bench.compiler(),
            **settings, "commit": commit, "dirty": None if changes is None else changes != "",
            "contenders": {c.name: c.title for c in self.contenders}, "libraries": bench.libraries(),
            "rounds": self.effort.rounds, **batches,
            "other_processes_share_of_a_cpu": round(others, 4), "steal_share": round(steal, 5),
        }

    def document(self):
        """Machine, commands, every sample and the medians."""
        bench = self.bench
        return {**self.about, "commands": bench.commands, "figures": self.rows, "failures": bench.failures,
                "warnings": bench.warnings}

    def text(self):
        """The same as tables to be read."""
        bench, about = self.bench, self.about
        shown = about["machine"]
        batches = "" if not self.suite.has_batches else f" of {self.effort.samples} batches"
        lines = [
            f"{shown['cpu']}, {shown['cpus']} CPUs, Linux {shown['kernel']}; CPUs used: {list_of(self.cpus)}; commit "
            f"{(about['commit'] or 'unknown')[:12]}{' and changes' if about['dirty'] else ''}",
            f"{', '.join(dict.fromkeys(about['libraries'].values()))}; {about['compiler']} {about['flags']}",
            f"{self.effort.rounds} round{'s' if self.effort.rounds > 1 else ''}{batches}, "
            f"{clock(about['elapsed_seconds'])} minutes; {self.suite.unit}: median (quartiles)\n",
            self.suite.write_table(self.rows, bench.contenders),
        ]
        if self.distances and self.distances.are_different():
            lines.append("\n" + self.distances.words(any(step.watches_distance() for step in self.steps)))
        if self.left_out:
            lines.append(f"\n{self.left_out} turns of two ranks are left out: a cache line took "
                         f"{self.effort.nearer_than} ns or more from one CPU to the other and back for too long.")
        sat_out = [(c, s) for c in bench.contenders for s in self.steps if bench.of(c, s).sat_out]
        if sat_out:
            lines.append("\nMeasured in fewer rounds, since one takes long: "
                         + "; ".join(f"{c.title} {s.words()} ({len(bench.of(c, s).documents)})" for c, s in sat_out))
        for failure in bench.failures:
            lines.append(f"failed: {failure['contender']}, {failure['step']}: it {failure['reason']}")
        lines += [f"warning: {words}" for words in bench.warnings]
        return "\n".join(lines)

    def is_complete(self):
        """Whether FMPL and its MPI were measured in full."""
        return not any(self.bench.of(contender, step).failed for contender in self.contenders
                       if not contender.is_peer() for step in self.steps)
