"""What FMPL and fmplrun say of the start and the end of a rank names the calls of the library that its program calls.

Environment: FMPLRUN, FMPL_SPOKEN_LIBRARIES (mpi, blacs), FMPL_TEST_PROGRAMS, the folder of
spoken_library_probe_<library>.
"""

import os
import subprocess
import unittest

FMPLRUN = os.environ["FMPLRUN"]
PROBE = os.path.join(os.environ["FMPL_TEST_PROGRAMS"], "spoken_library_probe_")
LIBRARIES = os.environ["FMPL_SPOKEN_LIBRARIES"].split()
CALLS = {"mpi": ("MPI_Init", "MPI_Finalize"), "blacs": ("blacs_pinfo", "blacs_exit")}
OURS = ("fmpl_init", "fmpl_finalize", "fmpl_abort")


def run(*arguments, **variables):
    return subprocess.run([FMPLRUN, "--timeout", "60", *arguments], env={**os.environ, **variables},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


class SpokenLibrary(unittest.TestCase):
    def assert_says(self, words, *arguments, **variables):
        for library in LIBRARIES:
            joins, leaves = CALLS[library]
            with self.subTest(library=library):
                result = run(*arguments[:-1], PROBE + library, arguments[-1], **variables)
                text = result.stdout + result.stderr
                self.assertRegex(text, words.format(joins=joins, leaves=leaves))
                for call in OURS:
                    self.assertNotIn(call, text)

    def test_of_a_rank_that_does_not_leave(self):
        self.assert_says(r"rank 1 .* exited without calling {leaves}; the job ends", "-n", "3", "does_not_leave")

    def test_of_a_rank_that_does_not_join(self):
        self.assert_says(r"rank 1 .* exited without calling {joins}, and rank \d waits for it",
                         "-n", "3", "does_not_join")

    def test_of_a_call_that_fails(self):
        self.assert_says(r"rank 0: {joins}: FMPL_SPIN_US=soon", "-n", "1", "env", "FMPL_SPIN_US=soon", "in_order")

    def test_of_statistics(self):
        self.assert_says(r"time of each rank from {joins} to {leaves}", "-n", "2", "--stats", "in_order")


if __name__ == "__main__":
    unittest.main()
