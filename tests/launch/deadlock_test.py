"""What fmplrun takes for a deadlock, and what not, in whole jobs, which all run at the same time.

Environment: FMPLRUN, FMPL_TEST_PROGRAMS (the folder of deadlock_probe and, where there is the MPI shim,
deadlock_probe_mpi).
"""

import os
import re
import select
import signal
import subprocess
import time
import unittest

FMPLRUN = os.environ["FMPLRUN"]
PROBE = os.path.join(os.environ["FMPL_TEST_PROGRAMS"], "deadlock_probe")
MPI_PROBE = PROBE + "_mpi"
LIMIT = 100  # seconds after which something that should have happened has not
LONG = 6  # seconds: twice the time for which a deadlock stands before it is told
WORDS = "fmplrun: deadlock: all ranks wait for each other and nobody can go on"
RECEIVES = r"blocked in fmpl_recv from rank %d, index 7, .*"

# Name: ranks, program, what each rank is said to be blocked in.
DEADLOCKS = {
    "receive_in_a_circle": (2, PROBE, [RECEIVES % 1, RECEIVES % 0]),
    "send_to_each_other": (2, PROBE, ["blocked in fmpl_send to rank 1, .*", "blocked in fmpl_send to rank 0, .*"]),
    "finalize_while_one_receives": (3, PROBE, [RECEIVES % 1] + ["blocked in fmpl_finalize, .*"] * 2),
    "grids_of_different_processes": (
        3, PROBE, [r"blocked in Cblacs_gridmap \(fmpl_comm_create_group\).*"] * 3),
    "blacs_exit_while_one_receives": (
        2, PROBE, [r"blocked in Cdgerv2d \(fmpl_recv\) from rank 1, .*", r"blocked in (Cblacs_exit \()?fmpl_\w+.*"]),
}
MPI_DEADLOCKS = {
    "receive_in_a_circle": (3, MPI_PROBE, ["blocked in MPI_Recv from rank %d, index 5, .*" % r for r in (1, 2, 0)]),
    "finalize_while_one_receives": (
        2, MPI_PROBE, ["blocked in MPI_Recv from rank 1, .*", r"blocked in MPI_Finalize \(fmpl_barrier\), .*"]),
    "barrier_without_one": (
        3, MPI_PROBE, ["blocked in MPI_Probe from rank 1, .*"] + [r"blocked in MPI_Barrier \(fmpl_barrier\), .*"] * 2),
}


class Job:
    def __init__(self, case, *arguments, program=PROBE, **variables):
        environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_", k)}
        self.process = subprocess.Popen(
            [FMPLRUN, "--timeout", str(LIMIT), *arguments[:-1], program, arguments[-1]],
            env={**environment, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.told = ""
        case.addCleanup(self.put_away)

    def pids(self, ranks):
        """Of all ranks, when the case has begun."""
        found = {}
        while len(found) < ranks:
            words = self.process.stdout.readline().split()
            found[int(words[1])] = int(words[3])
        return found

    def put_away(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def has_told(self, words):
        """Whether they have come on its standard error."""
        while select.select([self.process.stderr], [], [], 0)[0]:
            part = os.read(self.process.stderr.fileno(), 4096)
            if not part:
                break
            self.told += part.decode()
        return words in self.told

    def end(self):
        _, err = self.process.communicate(timeout=LIMIT + 20)
        return self.process.returncode, self.told + err


def until(condition, what):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (LIMIT, what))
        select.select([], [], [], 0.01)


def state_of(pid):
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()[0]


@unittest.skipIf(subprocess.run([PROBE, "needs_membarrier"]).returncode != 0, "this kernel has no membarrier")
class Deadlock(unittest.TestCase):
    def test_of_many_ranks_the_one_in_another_state_is_seen(self):
        status, err = Job(self, "-n", "100", "finalize_while_one_receives").end()
        self.assertEqual(status, 1, err)
        self.assertRegex(err, r"rank 0 \(pid \d+\): blocked in fmpl_recv from rank 1, ")
        self.assertEqual(len(re.findall(r"rank \d+ \(pid \d+\): blocked in fmpl_finalize", err)), 8, err)
        self.assertIn("  and 91 ranks more as rank 1\n", err)

    def test_jobs_that_are_deadlocked_and_jobs_that_are_not(self):
        # The ranks that the tests of SIGSTOP wait for come to sleep the earlier, the fewer jobs there are yet.
        stopped = Job(self, "-n", "3", "one_is_stopped")
        stopped_pids = stopped.pids(3)
        rung = Job(self, "-n", "3", "one_is_stopped_and_rung")
        rung_pids = rung.pids(3)
        until(lambda: state_of(stopped_pids[0]) == "T" and state_of(rung_pids[0]) == "T", "rank 0 stops itself")
        self.let_sleep(rung_pids[1])
        os.kill(rung_pids[1], signal.SIGSTOP)
        until(lambda: state_of(rung_pids[1]) == "T", "rank 1 is stopped in its sleep")
        os.kill(rung_pids[0], signal.SIGCONT)
        began = time.monotonic()

        fine = {
            "one_computes": Job(self, "-n", "2", "one_computes"),
            "one_sleeps": Job(self, "-n", "7", "one_sleeps"),
            "send_buffer_time_out": Job(self, "-n", "2", "send_buffer_time_out"),
            "a_token_goes_round": Job(self, "-n", "4", "a_token_goes_round", FMPL_YIELD_US="0"),
        }
        mpi = os.path.exists(MPI_PROBE)
        if mpi:
            fine["a_signal_ends_a_request"] = Job(self, "-n", "2", "a_signal_ends_a_request", program=MPI_PROBE)
        deadlocks = {name: Job(self, "-n", str(ranks), name, program=program)
                     for name, (ranks, program, _) in DEADLOCKS.items()}
        deadlocks_of_mpi = {name: Job(self, "-n", str(ranks), name, program=program)
                            for name, (ranks, program, _) in MPI_DEADLOCKS.items() if mpi}
        many = Job(self, "-n", "16", "receive_in_a_circle")
        alone = Job(self, "-n", "1", "receive_in_a_circle")
        reported = Job(self, "-n", "2", "--on-deadlock", "report", "receive_in_a_circle")
        ignored = Job(self, "-n", "2", "--on-deadlock", "ignore", "receive_in_a_circle")

        for jobs, expected in ((deadlocks, DEADLOCKS), (deadlocks_of_mpi, MPI_DEADLOCKS)):
            for name, job in jobs.items():
                with self.subTest(name):
                    self.assert_deadlocked(job, expected[name][2])
        with self.subTest("more ranks than CPUs"):
            self.assert_deadlocked(many, [RECEIVES % ((r + 1) % 16) for r in range(16)])
        with self.subTest("a job of one"):
            self.assert_deadlocked(alone, [RECEIVES % 0])

        select.select([], [], [], max(0.0, began + LONG - time.monotonic()))
        for pid in (stopped_pids[0], rung_pids[1]):
            self.assertEqual(state_of(pid), "T")
            os.kill(pid, signal.SIGCONT)
        for name, job in {**fine, "stopped": stopped, "rung": rung}.items():
            with self.subTest(name):
                self.assertEqual(job.end(), (0, ""))

        # By now both have stood for long; where the machine is busy, the one that is reported not for long enough.
        until(lambda: reported.has_told(WORDS), "the report of a deadlock")
        for name, job in (("reported", reported), ("ignored", ignored)):
            with self.subTest(name):
                job.process.send_signal(signal.SIGINT)
                status, err = job.end()
                self.assertEqual(status, 128 + signal.SIGINT)
                self.assertEqual(err.count(WORDS), 1 if job is reported else 0, err)
                self.assertNotIn("the job ends", err.partition("fmplrun: signal")[0])

    def let_sleep(self, pid):
        """Until the rank has slept for a while: it was blocked before, and has done nothing since."""
        def switches():
            with open("/proc/%d/status" % pid) as file:
                return [line for line in file if "ctxt_switches" in line]

        def unchanged():
            before = switches()
            select.select([], [], [], 0.2)
            return switches() == before and state_of(pid) == "S"

        until(unchanged, "the rank sleeps")

    def assert_deadlocked(self, job, ranks):
        status, err = job.end()
        self.assertEqual(status, 1, err)
        lines = err.splitlines()
        self.assertEqual(lines[0], WORDS + "; the job ends")
        self.assertEqual(len(lines), len(ranks) + 1, err)
        for rank, words in enumerate(ranks):
            self.assertRegex(lines[rank + 1], r"^  rank %d \(pid \d+\): %s$" % (rank, words))


if __name__ == "__main__":
    unittest.main(verbosity=2)
