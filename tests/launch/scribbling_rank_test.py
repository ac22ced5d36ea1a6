"""Whatever a rank writes into the memory that it shares with fmplrun, fmplrun ends with an exit status of its own and
takes no more memory than it needs.

Needs python3 alone. Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the folder of scribble_probe.
Waits are for conditions, with a generous limit; none of the tests measures time.
"""

import os
import re
import resource
import signal
import subprocess
import tempfile
import unittest

FMPLRUN = os.environ.get("FMPLRUN", "fmplrun")
PROBE = os.path.join(os.environ.get("FMPL_TEST_PROGRAMS", "."), "scribble_probe")
SANITIZED = os.environ.get("FMPL_SANITIZED") == "1"  # their shadow memory is larger than any limit
LIMIT = 60  # seconds after which something that should have happened has not
PATTERNS = ["ones", "zeros", "1", "2", "3", "4", "5", "6", "7"]
MEMORY = 512 << 20
TIMED_OUT = 124


class ScribblingRank(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = [os.path.join(folder.name, name) for name in ("statistics.json", "trace.json")]
        self.environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_", k)}
        self.environment.update(FMPL_ARENA_SIZE="8M", FMPL_TRACE_EVENTS="500")

    def scribble(self, pattern, ending, *options):
        """A job whose rank 0 has scribbled."""
        def limit_memory():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        job = subprocess.Popen([FMPLRUN, "-n", "2", "--stats", "--stats-json", self.files[0], "--trace", self.files[1],
                                *options, PROBE, pattern, ending], env=self.environment, preexec_fn=limit_memory,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace")
        self.addCleanup(self.put_away, job)
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
        job.stdin.write("\n")
        job.stdin.flush()
        self.assertEqual(job.stdout.readline(), "done\n")
        return job

    def put_away(self, job):
        if job.poll() is None:
            job.kill()
        job.communicate()

    def end_of(self, job):
        """Status and words."""
        _, err = job.communicate(timeout=LIMIT)
        self.assertGreaterEqual(job.returncode, 0, err)
        self.assertNotIn("terminate called", err)
        self.assertNotIn("bad_alloc", err)
        self.assertNotIn("runtime error", err)
        return job.returncode, err

    def for_each_pattern(self, test):
        for pattern in PATTERNS:
            with self.subTest(pattern=pattern):
                test(pattern)

    def test_does_not_keep_an_interrupt_from_ending_the_job(self):
        def test(pattern):
            job = self.scribble(pattern, "wait")
            job.send_signal(signal.SIGINT)
            status, err = self.end_of(job)
            self.assertEqual(status, 128 + signal.SIGINT, err)
            self.assertIn("rank 1 (pid", err)
        self.for_each_pattern(test)

    def test_does_not_keep_its_failure_from_being_told(self):
        def test(pattern):
            status, err = self.end_of(self.scribble(pattern, "exit"))
            self.assertIn("the job ends", err)
            self.assertNotEqual(status, 0, err)
        self.for_each_pattern(test)

    def test_does_not_keep_an_abort_from_being_judged(self):
        def test(pattern):
            _, err = self.end_of(self.scribble(pattern, "abort"))
            self.assertIn("rank 1 (pid", err)
        self.for_each_pattern(test)

    def test_does_not_mislead_the_watch_for_deadlocks(self):
        # Long enough for a look.
        job = self.scribble("ones", "wait", "--timeout", "1.5", "--on-deadlock", "report")
        self.assertEqual(self.end_of(job)[0], TIMED_OUT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
