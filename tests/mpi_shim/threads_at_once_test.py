"""MPI_THREAD_MULTIPLE: threads_at_once.cpp says what it looks at.

Environment: FMPLRUN (the launcher), THREADS_AT_ONCE (the program).
"""
import os
import subprocess
import unittest

LIMIT_SECONDS = 100


class ThreadsAtOnce(unittest.TestCase):
    def test_at_several_numbers_of_ranks(self):
        for ranks in (1, 2, 3, 4, 7):
            with self.subTest(ranks=ranks):
                done = subprocess.run([os.environ["FMPLRUN"], "-n", str(ranks), "--timeout", "90",
                                       os.environ["THREADS_AT_ONCE"]], capture_output=True, text=True,
                                      timeout=LIMIT_SECONDS)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "OK\n", ""))


if __name__ == "__main__":
    unittest.main()
