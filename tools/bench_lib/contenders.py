"""Who is measured, and how each starts a job."""
import os
import shlex
import shutil
import subprocess

from bench_lib.figures import list_of
from bench_lib.tables import table


class Contender:
    """kind: fmpl, openmpi or mpich: whose launcher and programs it takes; mpi: FMPL's MPI, the shim, under FMPL's
    launcher; limit: what FMPL's launcher starts to show what could be reached; alone: the same, a single process
    without a launcher. module: what pkg-config calls it; module_below: the library under it, where that is another one.
    options: of its launcher. other_source: its programs are somebody else's, of another source, which are not built
    here: it is no peer of those with which FMPL is compared."""

    def __init__(self, name, title, kind, launcher=None, packages=(), module=None, module_below=None, options=(),
                 other_source=False):
        self.name, self.title, self.kind, self.launcher = name, title, kind, launcher
        self.packages, self.module, self.module_below = packages, module, module_below
        self.options, self.other_source = options, other_source

    def missing(self):
        """Whether what it needs to be built or started is not installed."""
        found = shutil.which(self.launcher) and shutil.which("pkg-config") and subprocess.run(
            ["pkg-config", "--exists", self.module], check=False).returncode == 0
        return not found

    def below(self):
        """' over ompi-c 4.1.4': the library under it and its version; empty where there is none."""
        if not self.module_below:
            return ""
        done = subprocess.run(["pkg-config", "--modversion", self.module_below], capture_output=True, text=True,
                              check=False)
        return f" over {self.module_below} {done.stdout.strip()}"

    def is_peer(self):
        return self.kind not in ("fmpl", "mpi", "limit", "alone")


def installed_mpis():
    """The MPIs of Debian with which FMPL's own calls and its MPI are compared."""
    return [Contender("openmpi", "Open MPI", "openmpi", "mpirun.openmpi", ("openmpi-bin", "libopenmpi-dev"), "ompi-c"),
            Contender("mpich", "MPICH", "mpich", "mpiexec.mpich", ("mpich", "libmpich-dev"), "mpich")]


def mpi_of(contenders):
    """FMPL's MPI, which is compared with the installed ones; None where it is not measured."""
    return next((contender for contender in contenders if contender.kind == "mpi"), None)


class Suite:
    """What one word of the command line measures. fmpl: FMPL's contenders. The first of them is compared with the best
    of the peers, and so is FMPL's MPI beside it (mpi_of). steps_of(quick, peers) gives the steps that can be measured
    beside the peers of these names. limit: a contender that shows what could be reached at best. write_table(rows,
    contenders): the text that is printed, with figures in the unit. quick: what --quick leaves. has_batches: a run
    gives the samples of several batches. complete(rows, contenders): adds to the rows what the suite says of them
    besides."""

    def __init__(self, what, fmpl, peers, steps_of, quick, limit=None, write_table=table,
                 unit="microseconds where no unit is named", has_batches=True, complete=None):
        self.what, self.fmpl, self.peers, self.steps_of, self.quick = what, fmpl, peers, steps_of, quick
        self.limit, self.write_table, self.unit = limit, write_table, unit
        self.has_batches = has_batches
        self.complete = complete or (lambda rows, contenders: None)
        self.groups = list(dict.fromkeys(step.group for step in self.steps(quick=False, peers=peers)))

    def own(self):
        """Those that need no other library."""
        return [*self.fmpl, *([self.limit] if self.limit else [])]

    def steps(self, quick, peers):
        return self.steps_of(quick, [peer.name for peer in peers])

    def programs(self, contender, peers, groups=None):
        """Those that the contender runs in these groups, in the order of the steps; in all groups without a list."""
        found = (step.program_of(contender) for step in self.steps(quick=False, peers=peers)
                 if groups is None or step.group in groups)
        return list(dict.fromkeys(name for name in found if name))


def launch_words(contender, step, cpus, programs):
    """How the contender starts the step's ranks, as its documentation has it. Ranks that fit the CPUs are bound, one
    to each."""
    ranks = step.ranks
    if contender.kind == "alone":
        return []
    bound = ranks <= len(cpus)
    if contender.kind in ("fmpl", "mpi", "limit"):
        return [str(programs / "fmplrun"), "-n", str(ranks), *(["--bind-to", "core"] if bound else []),
                *step.fmplrun.get(contender.kind, ()), *contender.options]
    if contender.kind == "openmpi":
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        # Open MPI yields while it waits when it knows of more ranks than CPUs; it does not know of taskset.
        placed = (["--cpu-list", list_of(cpus), "--bind-to", "cpu-list:ordered"] if bound else
                  ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"])
        return [contender.launcher, *root, "-n", str(ranks), *placed]
    return [contender.launcher, "-n", str(ranks), *(["-bind-to", f"user:{list_of(cpus)}"] if bound else [])]


def command_of(contender, step, cpus, programs, effort):
    variables = [f"{name}={value}" for name, value in step.variables(contender).items()]
    return [*(["env", *variables] if variables else []), "taskset", "-c", list_of(cpus),
            *launch_words(contender, step, cpus, programs), str(programs / step.program_of(contender)),
            *step.words_for(contender, effort)]


def apt_command(packages):
    return ["apt-get", "install", "--no-install-recommends", "-y", *packages]


def say_missing(peer):
    return (f"{peer.title} is not installed, and its column is left out. To have it: tools/bench --setup, or as root "
            f"{shlex.join(apt_command(peer.packages))}")
