"""What ends a job, MPI-3.1 sections 8.3 and 8.7: fatal errors, MPI_Abort, leaving without MPI_Finalize, calls outside
of MPI_Init and MPI_Finalize; and what holds before, at and after the end.

Environment: FMPLRUN (the launcher), MPI_ENVIRONMENT_PROBE (the program over the shim).
"""
import os
import re
import subprocess
import unittest

LIMIT_SECONDS = 60


def run(*arguments, ranks=3):
    """The probe on that many ranks: its exit status and all that it and the launcher printed."""
    done = subprocess.run([os.environ["FMPLRUN"], "-n", str(ranks), "--timeout", "30",
                           os.environ["MPI_ENVIRONMENT_PROBE"], *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
                          # The programs are to meet the default, whatever the tests' environment says.
                          env={name: value for name, value in os.environ.items() if name != "FMPL_ERRORS"})
    return done.returncode, done.stdout


class FatalError(unittest.TestCase):
    def test_names_rank_call_and_reason_and_ends_the_job(self):
        status, output = run("fatal-error")
        self.assertNotEqual(status, 0, output)
        self.assertRegex(output, r"\brank 1\b")
        self.assertIn("MPI_Send", output)
        self.assertIn("1000", output)

    def test_of_a_collective_call_too(self):
        status, output = run("fatal-bcast")
        self.assertNotEqual(status, 0, output)
        self.assertRegex(output, r"\brank 1\b")
        self.assertIn("MPI_Bcast", output)
        self.assertIn("-4", output)


    def test_of_a_nonblocking_collective_call_says_what_went_wrong_in_it(self):
        status, output = run("fatal-ibcast")
        self.assertNotEqual(status, 0, output)
        self.assertRegex(output, r"\brank [12]\b")
        self.assertIn("MPI_Wait", output)
        self.assertIn("longer than the memory that it goes to", output)

    def test_of_a_generalized_request_says_which_of_its_functions_failed(self):
        status, output = run("fatal-grequest")
        self.assertNotEqual(status, 0, output)
        self.assertRegex(output, r"\brank 1\b")
        self.assertIn("MPI_Wait", output)
        self.assertIn("the free function of the generalized request returned", output)


class ReturnedError(unittest.TestCase):
    def test_of_a_collective_call_is_the_code_alone(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                status, output = run("returned", ranks=ranks)
                self.assertEqual(status, 0, output)
                self.assertEqual(output.split(), ["bcast", "reduce", "allreduce", "gather", "scatter", "allgather",
                                                  "alltoall", "reduce_scatter_block", "scan", "exscan", "ibcast"])


class Abort(unittest.TestCase):
    def test_gives_its_code_to_the_job(self):
        status, output = run("abort")
        self.assertEqual(status, 37, output)

    def test_is_reported(self):
        _, output = run("abort")
        self.assertRegex(output, r"\brank 1\b")
        self.assertIn("37", output)


class Leaving(unittest.TestCase):
    def test_without_finalize_ends_the_job_with_an_error(self):
        status, output = run("leave")
        self.assertNotEqual(status, 0, output)
        self.assertRegex(output, r"\brank 1\b")


class OutsideOfInitAndFinalize(unittest.TestCase):
    def test_a_call_before_init_fails_and_says_so(self):
        status, output = run("send-before-init", ranks=1)
        self.assertNotEqual(status, 0, output)
        self.assertIn("MPI_Send", output)
        self.assertIn("MPI_Init", output)

    def test_a_call_after_finalize_fails_and_says_so(self):
        status, output = run("barrier-after-finalize", ranks=2)
        self.assertNotEqual(status, 0, output)
        self.assertIn("MPI_Barrier", output)
        self.assertIn("MPI_Finalize", output)

    def test_initializing_twice_fails(self):
        status, output = run("init-twice", ranks=1)
        self.assertNotEqual(status, 0, output)
        self.assertIn("MPI_Init", output)

    def test_initializing_again_fails(self):
        status, output = run("init-after-finalize", ranks=1)
        self.assertNotEqual(status, 0, output)
        self.assertIn("MPI_Init", output)

    def test_some_questions_may_be_asked_always(self):
        status, output = run("questions", ranks=1)
        self.assertEqual(status, 0, output)
        self.assertIn("before: initialized 0, finalized 0, version 1", output)
        self.assertIn("after: initialized 1, finalized 1", output)


class Finalize(unittest.TestCase):
    def test_deletes_the_attributes_of_self_first_and_in_reverse_order(self):
        status, output = run("attributes", ranks=2)
        self.assertEqual(status, 0, output)
        for rank in (0, 1):
            deleted = re.findall(rf"attribute (\w+) of rank {rank} deleted, finalized: 0", output)
            self.assertEqual(deleted, ["third", "second", "first"], output)


class Threads(unittest.TestCase):
    LEVELS = ["single", "funneled", "serialized", "multiple"]

    def provided(self, asked):
        status, output = run("threads", asked, ranks=1)
        self.assertEqual(status, 0, output)
        answer = re.search(r"provided (\w+), queried alike: 1, main: 1", output)
        self.assertIsNotNone(answer, output)
        return self.LEVELS.index(answer[1])

    def test_funneled_is_provided(self):
        self.assertGreaterEqual(self.provided("single"), 0)
        self.assertGreaterEqual(self.provided("funneled"), 1)

    def test_the_answer_to_the_others_is_a_level(self):
        self.assertGreaterEqual(self.provided("serialized"), 1)
        self.assertGreaterEqual(self.provided("multiple"), 1)


if __name__ == "__main__":
    unittest.main()
