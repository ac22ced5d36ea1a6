"""Ranks of fmplrun that share processes."""
import os
import re
import signal
import unittest

from fmplrun_case import CPUS, PROBE, SHARED_PROBE, LaunchTest


@unittest.skipUnless(os.path.exists(PROBE), "launch_probe is not built")
class RanksOfOneProcess(LaunchTest):
    MANY = CPUS + 5

    def processes(self, *options, ranks=MANY, probe=SHARED_PROBE):
        done = self.run_job("-n", str(ranks), *options, probe, "init", "exchange", "barrier", "pid", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"^rank (\d+): (\d+)$", re.sub(r"(?m)^\[\d+\] ", "", done.stdout), re.M)
        self.assertEqual(sorted(int(rank) for rank, _ in found), list(range(ranks)), done.stdout)
        return len({pid for _, pid in found})

    def test_are_those_that_outnumber_the_cpus_if_the_program_says_they_can(self):
        self.assertEqual(self.processes(), 1)
        self.assertEqual(self.processes(ranks=CPUS), CPUS)
        self.assertEqual(self.processes(probe=PROBE), self.MANY)

    def test_are_as_the_user_says(self):
        self.assertEqual(self.processes("--ranks-as", "processes"), self.MANY)
        self.assertEqual(self.processes("--ranks-as", "threads"), 1)
        self.assertEqual(self.processes("--ranks-as", "threads", ranks=CPUS), 1)
        self.assertEqual(self.processes("--ranks-as", "auto"), 1)
        for option in (["--tag-output"], ["--bind-to", "none"]):
            self.assertEqual(self.processes(*option), self.MANY, option)

    def test_what_cannot_be_is_refused(self):
        for words, said in ((["--ranks-as", "threads", PROBE], "does not say that its ranks may share a process"),
                            (["--ranks-as", "threads", "--tag-output", SHARED_PROBE], "does not go with"),
                            (["--ranks-as", "fibres", SHARED_PROBE], "none of auto, processes and threads")):
            done = self.run_job("-n", "2", *words, "pid")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def test_bindings_are_reported(self):
        done = self.run_job("-n", str(2 * CPUS), "--report-bindings", SHARED_PROBE, "init", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 0 is bound to CPU", done.stderr)

    def test_an_exit_ends_the_job_with_its_status(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "2:exit=7", "barrier", "finalize")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stderr,
                         r"the process of all ranks \(pid \d+, .*launch_probe_shared\) exited with status 7")
        self.assertEqual(done.stderr.count("exited with"), 1)

    def test_a_kill_ends_the_job_with_its_signal(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "3:kill=9", "barrier", "finalize")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"the process of all ranks \(.*\) was killed by signal 9")

    def test_an_abort_names_the_rank(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "4:abort=5", "barrier", "finalize")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"rank 4 \(pid \d+, .*\) ended the job with status 5: the probe was told to")

    def test_one_that_does_not_finalize_is_named_whatever_the_others_do(self):
        for others in ("1:recv=0", "1:wait"):
            done = self.run_job("-n", str(self.MANY), "--timeout", "30", SHARED_PROBE, "init", "barrier", others)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r"rank \d+ \(pid \d+, .*\) ended the job with status 1: rank \d+ returned "
                                          r"without calling fmpl_finalize")

    def test_statistics_and_states_are_by_rank(self):
        done = self.run_job("-n", str(self.MANY), "--stats", SHARED_PROBE, "init", "exchange", "barrier", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout + done.stderr, rf"(?m)^ *{self.MANY - 1} ")
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.send_signal(signal.SIGUSR1)
        said = ""
        while f"rank {self.MANY - 1}" not in said:
            line = job.stderr.readline()
            self.assertTrue(line, said)
            said += line
        job.send_signal(signal.SIGTERM)
        self.ends_with(job, 128 + signal.SIGTERM)

    def test_standard_input_is_there(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "finalize",
                            input="nobody reads it")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_deadlock_is_found(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "recv=0", "finalize")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("deadlock: all ranks wait for each other", done.stderr)
        self.assertIn("fmpl_recv", done.stderr)

    def test_a_time_out_says_what_each_is_blocked_in(self):
        job = self.run_job("-n", str(self.MANY), "--timeout", "1", SHARED_PROBE, "init", "barrier", "0:wait", "recv=0",
                           "finalize")
        self.assertEqual(job.returncode, 124, job.stderr)
        self.assertIn("time-out after 1 s", job.stderr)
        self.assertIn("fmpl_recv", job.stderr)

    def test_an_interrupt_ends_the_job(self):
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.send_signal(signal.SIGINT)
        _, err = self.ends_with(job, 130)
        self.assertIn("the job ends", err)

    def test_nothing_is_left_when_the_launcher_is_killed(self):
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.kill()
        job.wait()
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
