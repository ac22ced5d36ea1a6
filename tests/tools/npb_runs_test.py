"""tools/npb-test runs what it is asked for, says what each run did, and its exit status is that of the worst. Stand-ins
take the place of the launchers and the kernels."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Writes its document, if it has one, to the file that its last argument names, and ends as it is told.
KERNEL = '#!/bin/sh\nfor last; do :; done\necho "$0 $*" >> {log}\n[ ! -e {document} ] || cp {document} "$last"\n{end}\n'


class NpbRuns(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-npb-test-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.log, self.document = self.root / "log", self.root / "document.json"
        self.answers(True)
        for kernel in ("ft", "mg", "is", "cg"):
            for library in ("fmpl", "mpi", "openmpi", "mpich"):
                self.write(f"{kernel}.{library}", "#!/bin/sh\nexit 99\n")
        for launcher in ("fmplrun", "mpirun.openmpi", "mpiexec.mpich"):
            self.launcher(launcher)

    def write(self, name, text):
        path = self.root / name
        path.write_text(text)
        path.chmod(0o755)

    def launcher(self, name, end="exit 0"):
        self.write(name, KERNEL.format(log=self.log, document=self.document, end=end))

    def answers(self, verified):
        self.document.write_text(json.dumps({"seconds": 1.5, "communication_seconds": [0.25, 0.75],
                                             "verified": verified}))

    def run_tool(self, *words, status=0, path=None):
        environment = {**os.environ, "PATH": path or f"{self.root}:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, SOURCE / "tools/npb-test", "--programs", self.root, *words],
                              env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_every_kernel_runs_over_every_library(self):
        printed = self.run_tool("--ranks", "1")
        self.assertEqual(printed.count("verified\n"), 16)
        self.assertRegex(printed, r"(?m)^cg\.A +1  openmpi +1\.5000 s +0\.5000 s  verified$")
        self.assertIn("16 of 16 runs verified", printed)
        self.assertRegex(self.log.read_text(), r"fmplrun -n 1 --timeout \S+ \S+/ft\.fmpl --class A --json ")

    def test_only_what_is_asked_for_runs(self):
        printed = self.run_tool("--class", "s,W", "--only", "is", "--ranks", "1,2", "--over", "mpi,fmpl")
        lines = [line.split()[:3] for line in printed.splitlines() if line.endswith("verified")]
        self.assertEqual(lines, [[f"is.{letter}", ranks, library] for letter in "SW" for ranks in "12"
                                 for library in ("mpi", "fmpl")])

    def test_a_result_that_is_not_verified_fails_the_whole(self):
        self.answers(False)
        self.launcher("fmplrun", "exit 1")
        printed = self.run_tool("--only", "mg", "--ranks", "2", "--over", "fmpl", status=1)
        self.assertRegex(printed, r"mg\.A +2  fmpl +1\.5000 s +0\.5000 s  NOT VERIFIED")
        self.assertIn("not verified: mg.A on 2 over fmpl", printed)

    def test_a_refusal_is_told_in_the_kernels_words(self):
        self.document.unlink()
        self.launcher("fmplrun", "echo noise; echo 'FT: 3 ranks do not do' >&2; exit 2")
        printed = self.run_tool("--only", "ft", "--ranks", "3", "--over", "fmpl", status=1)
        self.assertRegex(printed, r"ft\.A +3  fmpl +REFUSED\n    FT: 3 ranks do not do\n")
        self.assertNotIn("noise", printed)

    def test_a_run_that_takes_too_long_is_ended(self):
        self.document.unlink()
        self.launcher("mpirun.openmpi", "exec sleep 100")
        printed = self.run_tool("--only", "cg", "--ranks", "1", "--over", "openmpi", "--timeout", "0.5", status=1)
        self.assertIn("TIME-OUT after 0.5 s", printed)

    def test_a_crowded_mpich_is_left_out_unless_asked_for(self):
        many = str(os.cpu_count() + 1)
        printed = self.run_tool("--only", "cg", "--ranks", f"1,{many}", "--over", "mpich")
        self.assertIn("1 of 1 runs verified", printed)
        self.assertIn("1 of MPICH with more ranks than", printed)
        self.assertIn("2 of 2 runs",
                      self.run_tool("--only", "cg", "--ranks", f"1,{many}", "--over", "mpich", "--crowded"))

    def test_wrong_words_are_refused(self):
        for words, said in ((("--class", "E"), "'E' is none of S, W, A, B, C, D"),
                            (("--only", "ep"), "'ep' is none of ft, mg, is, cg"),
                            (("--over", "lam"), "'lam' is none of fmpl, mpi, openmpi, mpich"),
                            (("--ranks", "two"), "'two' is no whole number"),
                            (("--timeout", "-1"), "no number of seconds")):
            with self.subTest(words):
                self.assertIn(said, self.run_tool(*words, status=2))
        self.assertFalse(self.log.exists())

    def test_programs_and_launchers_that_are_missing_are_named(self):
        empty = self.root / "empty"
        empty.mkdir()
        (empty / "cp").symlink_to(shutil.which("cp"))
        printed = self.run_tool("--only", "ft", "--ranks", "1", path=str(empty))
        self.assertIn("openmpi is left out: mpirun.openmpi is not installed; as root: apt-get install", printed)
        self.assertIn("2 of 2 runs verified", printed)
        printed = self.run_tool("--over", "mpich", path=str(empty), status=2)
        self.assertIn("--over mpich: mpiexec.mpich is not installed", printed)
        (self.root / "cg.fmpl").unlink()
        self.assertIn("there is no cg.fmpl in", self.run_tool("--over", "fmpl", status=2))


if __name__ == "__main__":
    unittest.main()
