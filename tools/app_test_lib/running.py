"""One run of a program, over FMPL or over its own MPI, in a folder of its own."""
import dataclasses
import glob
import gzip
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from app_test_lib.results import OUTPUT, text_of
from bench_lib.running import LIBC, PR_SET_PDEATHSIG, end_all, reap, shared_memory_files

INPUTS = pathlib.Path(__file__).with_name("inputs")
ERRORS = "errors.txt"
CPUS = len(os.sched_getaffinity(0))
DEFAULT_RANKS = {"openmpi": 4, "mpich": 2}  # MPICH's ranks spin while they wait, so that each needs a CPU
TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}
PACKAGES = {"openmpi": ("openmpi-bin",), "mpich": ("mpich",)}
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
GRACE_SECONDS = 10  # fmplrun says what its ranks were blocked in when its own time-out comes first
PREPARE_SECONDS = 120
LONGEST = 110  # columns of a reason


class NotPrepared(Exception):
    """Its words say why a program cannot be run at all."""


@dataclasses.dataclass
class Run:
    """seconds: of the whole command. problem: why it has no results, else None. results: what each Lines found,
    figures: what each Figure found."""
    seconds: float
    problem: str | None
    results: list
    figures: list


def ranks_of(program, wanted):
    return program.ranks or wanted or DEFAULT_RANKS[program.mpi]


def command_over_fmpl(program, ranks, fmplrun, timeout):
    return [fmplrun, "-n", ranks, "--mpi", *program.options, "--timeout", timeout, *program.command]


def command_over_own(program, ranks):
    if program.mpi == "mpich":
        return ["mpiexec.mpich", "-n", ranks, *(["-bind-to", "core"] if ranks <= CPUS else []), *program.command]
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    placed = ["--bind-to", "core"] if ranks <= CPUS else ["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    return ["mpirun.openmpi", *root, "--oversubscribe", *placed, "-n", ranks, *program.command]


# ---- Folders ---------------------------------------------------------------------------------------------------------

def source_files(entry):
    """[(name in the folder, file)] of an entry of a program's inputs."""
    name, source = entry if isinstance(entry, tuple) else (None, entry)
    found = sorted(glob.glob(source)) if os.path.isabs(source) else [str(INPUTS / source)]
    if not found:
        raise NotPrepared(f"there is no {source}")
    return [(name or pathlib.Path(file).name, file) for file in found]


def prepare(program, folder):
    """Puts the program's input files into the folder, and makes those that are made."""
    for name, file in (pair for entry in program.inputs for pair in source_files(entry)):
        try:
            data = pathlib.Path(file).read_bytes()
        except OSError as error:
            raise NotPrepared(f"{file}: {error.strerror}") from error
        (folder / name).write_bytes(
            gzip.decompress(data) if file.endswith(".gz") and not name.endswith(".gz") else data)
    for command in program.prepare:
        try:
            done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=PREPARE_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotPrepared(f"{command[0]}: {error}") from error
        if done.returncode != 0:
            raise NotPrepared(f"{shlex.join(command)} failed: {(done.stderr or done.stdout).strip()[-LONGEST:]}")


# ---- Running ---------------------------------------------------------------------------------------------------------

def start(command, program, folder):
    """The process, its output in files of the folder; ends with this one."""
    environment = {**os.environ, **ENVIRONMENT, **dict(program.environment)}
    with open(folder / OUTPUT, "wb") as output, open(folder / ERRORS, "wb") as errors, \
            open(folder / program.stdin if program.stdin else os.devnull, "rb") as given:
        return subprocess.Popen([str(word) for word in command], cwd=folder, env=environment, stdin=given,
                                stdout=output, stderr=errors, start_new_session=True,
                                preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM))


def status_within(process, seconds, files_before):
    """Its status, None where the time was up, and when it ended. All that it had started has ended then."""
    try:
        handle = os.pidfd_open(process.pid)  # Popen.wait looks every 50 ms only
        try:
            select.select([handle], [], [], seconds)
        finally:
            os.close(handle)
        status, end = process.poll(), time.monotonic()
    except BaseException:
        end_all(process, files_before)
        raise
    if status != 0:
        end_all(process, files_before)
    reap()
    return status, end


def reason(folder):
    """The line of the run's messages that says most about its failure."""
    lines = [line.strip() for file in (ERRORS, OUTPUT) for line in text_of(folder, file).splitlines()
             if line.strip() and not line.endswith(("ignored.", "Backtrace for this error:"))]
    for line in lines:
        symbol = re.search(r"([^\s/:]+): undefined symbol: (\w+)", line)
        if symbol:
            return f"{symbol.group(1)} lacks {symbol.group(2)}"
    for telling in ("ERROR", "error string", "ended the job", "signal", "rror", "fail", "fmplrun:"):
        for line in lines:
            if telling in line:
                return line.removeprefix("fmplrun: ")[:LONGEST]
    return lines[-1][:LONGEST] if lines else ""


def problem_of(program, status, results, seconds, folder):
    if status is None or status == 124:
        return f"did not end within {seconds:g} s"
    if program.status is not None and status != program.status:
        ended = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        words = reason(folder)
        return f"ended with {ended}{f': {words}' if words else ''}"
    if not all(results):
        return "printed no results"
    for lines, found in zip(program.results, results):
        line = lines.unexpected(found)
        if line is not None:
            return f"printed '{line[:LONGEST]}' where '{lines.expected}' is expected"
    return None


def run(command, program, prepared, seconds, grace=0):
    """Runs the command in a copy of the folder."""
    with tempfile.TemporaryDirectory(prefix="app-test-", ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(scratch) / "run"
        shutil.copytree(prepared, folder)
        files_before, begin = shared_memory_files(), time.monotonic()
        try:
            process = start(command, program, folder)
        except OSError as error:
            return Run(0, f"{command[0]}: {error.strerror}", [], [])
        status, end = status_within(process, seconds + grace, files_before)
        elapsed = end - begin
        results = [lines.read(folder) for lines in program.results]
        return Run(elapsed, problem_of(program, status, results, seconds, folder), results,
                   [figure.read(folder) for figure in program.figures])


def run_over_fmpl(program, ranks, prepared, fmplrun, timeout):
    return run(command_over_fmpl(program, ranks, fmplrun, timeout), program, prepared, timeout, GRACE_SECONDS)


def run_over_own(program, ranks, prepared, timeout):
    return run(command_over_own(program, ranks), program, prepared, timeout)
