"""What the tests of fmplrun share: how a job is started, and what of it is there.

Needs python3 alone. Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the folder of launch_probe and
deadlock_probe_mpi.
Waits are for conditions, with a generous limit; where a test measures time, the bound is far from what is right.
"""


import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

FMPLRUN = os.environ.get("FMPLRUN", "fmplrun")
PROBE = os.path.join(os.environ.get("FMPL_TEST_PROGRAMS", "."), "launch_probe")
MPI_PROBE = os.path.join(os.path.dirname(PROBE), "deadlock_probe_mpi")
SHARED_PROBE = PROBE + "_shared"  # its ranks may share a process
CPUS = len(os.sched_getaffinity(0))
LIMIT = 60  # seconds after which something that should have happened has not
SANITIZED = "FMPL_TEST_SANITIZED" in os.environ  # then a process takes ten times the memory and time


def clean_environment(**changes):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_|GLIBC_TUNABLES$", k)}
    environment.update(changes)
    return environment


def run(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("env", clean_environment())
    if "input" in options:
        del options["stdin"]
    return subprocess.run([FMPLRUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **options)


def start(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("env", clean_environment())
    return subprocess.Popen([FMPLRUN, *arguments], text=True, **options)


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (LIMIT, what))
        select.select([], [], [], 0.01)


def processes_of(mark):
    """The living processes that were started with `mark` in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as file:
                carries = mark.encode() in file.read().split(b"\0")
            with open("/proc/%s/stat" % name) as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if carries and state not in "ZX":
            found.append(int(name))
    return found


class LaunchTest(unittest.TestCase):
    """Each test's processes carry a mark of their own; at its end, none of them is left."""

    def setUp(self):
        self.mark_name = "LAUNCH_TEST_MARK"
        self.mark_value = "%d-%s" % (os.getpid(), self.id())
        self.mark = "%s=%s" % (self.mark_name, self.mark_value)
        self.environment = clean_environment(**{self.mark_name: self.mark_value})
        self.shared_before = self.shared_objects()
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)
        self.assert_nothing_left()

    def shared_objects(self):
        return sorted(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else []

    def assert_nothing_left(self):
        try:
            wait_until(lambda: not processes_of(self.mark), "the end of all processes of the job")
        except AssertionError:
            left = processes_of(self.mark)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            self.fail("left behind: %s" % left)
        new = [name for name in self.shared_objects() if name not in self.shared_before]
        self.assertEqual([name for name in new if "fmpl" in name], [])

    def run_job(self, *arguments, **options):
        return run(*arguments, env=dict(self.environment, **options.pop("variables", {})), **options)

    def start_job(self, *arguments, **options):
        job = start(*arguments, env=self.environment, **options)
        self.addCleanup(self.put_away, job)
        return job

    def put_away(self, job):
        if job.poll() is None:
            job.kill()
        for stream in (job.stdin, job.stdout, job.stderr):
            if stream is not None and not stream.closed:
                stream.close()
        job.wait()

    def lines(self, job, count):
        """The first `count` lines of the job's output: the ranks have come this far."""
        return [job.stdout.readline().rstrip("\n") for _ in range(count)]

    def ends_with(self, job, status):
        out, err = job.communicate(timeout=LIMIT)
        self.assertEqual(job.returncode, status, err)
        return out, err
