"""tools/scalapack-test reads the totals of every kind of tester, and takes nothing for passed that is not."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scalapack-test"
loader = importlib.machinery.SourceFileLoader("scalapack_test", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(tool)

SOLVER = """Finished    36 tests, with the following results:
   {} tests completed and passed residual checks.
   {} tests completed and failed residual checks.
   12 tests skipped because of illegal input values.
END OF TESTS.
"""
PBLAS = "  |  PDGEMM           16        {}        {}       1\n  End of Tests.\n"
TIMER = "  |  PDGEMM     0.000    24.9   0.000   28.4\n  Test number  1 completed.\n  End of Tests.\n"
BLACS = """REAL SUM TESTS: 1152 TESTS;  {} PASSED,  288 SKIPPED,    {} FAILED.
 PASSED  BLACS_GRIDMAP TEST
 {} REPEATABLE SUM TEST
 DONE BLACS_GRIDEXIT
"""
SVD = "RESULT   : passed; or an indication of which jobtype test failed\n{} 0.1E-02 0.7E-03 80 32 N\nEnd of tests\n"
QR_ITERATION = " Test passes if both residuals are less then threshold\n  500  50    2    2     0.24 {}\n"


class Totals(unittest.TestCase):
    def assert_verdict(self, output, totals, words, name="xdlu", status=0):
        outcome = tool.Outcome(name, status, 1.0, output)
        found = outcome.totals
        self.assertEqual((found.passed, found.failed, found.skipped), totals)
        self.assertEqual(outcome.words, words)

    def test_of_a_solver(self):
        self.assert_verdict(SOLVER.format(24, 0), (24, 0, 12), "passed")
        self.assert_verdict(SOLVER.format(23, 1), (23, 1, 12), "FAILED")
        self.assert_verdict(SOLVER.format(0, 0), (0, 0, 12), "FAILED")

    def test_of_the_pblas(self):
        self.assert_verdict(PBLAS.format(15, 0), (15, 0, 1), "passed")
        self.assert_verdict(PBLAS.format(14, 1), (14, 1, 1), "FAILED")
        self.assert_verdict(TIMER, (1, 0, 0), "passed")

    def test_of_the_blacs(self):
        for repeatable in ("PASSED ", "SKIPPED"):
            self.assert_verdict(BLACS.format(864, 0, repeatable), (866, 0, 288), "passed", "xCbtest", 1)
        self.assert_verdict(BLACS.format(864, 0, "FAILED "), (865, 1, 288), "FAILED", "xCbtest", 1)
        self.assert_verdict(BLACS.format(863, 1, "PASSED "), (865, 1, 288), "FAILED", "xCbtest", 1)

    def test_of_a_verdict_in_each_line(self):
        self.assert_verdict(SVD.format("Passed"), (1, 0, 0), "passed")
        self.assert_verdict(SVD.format("Failed"), (0, 1, 0), "FAILED")
        self.assert_verdict(QR_ITERATION.format("PASSED"), (1, 0, 0), "passed")
        self.assert_verdict(QR_ITERATION.format("FAILED"), (0, 1, 0), "FAILED")

    def test_of_a_program_that_did_not_reach_its_end(self):
        whole = SOLVER.format(24, 0)
        self.assert_verdict(whole.replace("END OF TESTS.", ""), (24, 0, 12), "ENDED EARLY, status 0")
        self.assert_verdict(whole, (24, 0, 12), "ENDED EARLY, status 1", status=1)
        self.assert_verdict(whole, (24, 0, 12), "TIME-OUT", status=124)
        self.assert_verdict(whole, (24, 0, 12), "TIME-OUT", status=None)
        self.assert_verdict("", (0, 0, 0), "ENDED EARLY, status 0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
