"""tools/demo prints one table of both products, and fails when either of them does. cmake and the programs are
stand-ins."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Prints as pdgemm.<comm> does. Its third argument is the program.
FMPLRUN = 'echo "PDGEMM M=640"; echo " median  verified"; echo " $3 {words}"; [ "$3" != {fails} ]'


class Demo(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-demo-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "tools").mkdir()
        shutil.copy(SOURCE / "tools/demo", self.root / "tools")
        self.stand_in("tools/setup", "exit 0")
        self.stand_in("bin/cmake", 'echo "cmake $*"')
        self.launcher(FMPLRUN.format(words="yes", fails="none"))

    def stand_in(self, name, script):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def launcher(self, script):
        self.stand_in("build/release/bin/fmplrun", script)

    def run_demo(self):
        """Exit status, and the lines after the last command."""
        done = subprocess.run([self.root / "tools/demo"], env={"PATH": f"{self.root}/bin:/usr/bin:/bin"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.printed = done.stdout
        return done.returncode, done.stdout.rpartition("--verify\n")[2].splitlines()

    def test_both_products_are_in_one_table(self):
        status, table = self.run_demo()
        self.assertEqual(status, 0, self.printed)
        self.assertEqual(table, ["", "PDGEMM M=640", " " * 17 + " median  verified", "BLACS-FMPL" + " " * 7
                                 + " pdgemm.fmpl yes", "BLACS on the MPI  pdgemm.mpi yes"])
        self.assertIn("--target fmplrun pdgemm.fmpl pdgemm.mpi", self.printed)

    def test_either_that_is_wrong_is_shown_and_fails(self):
        for program in ("pdgemm.fmpl", "pdgemm.mpi"):
            with self.subTest(program):
                self.launcher(FMPLRUN.format(words="?", fails=program))
                status, table = self.run_demo()
                self.assertEqual((status, len(table)), (1, 5), self.printed)

    def test_a_program_that_dies_is_named_and_the_other_is_shown(self):
        self.launcher(f'[ "$3" != pdgemm.fmpl ] || exit 134\n{FMPLRUN.format(words="yes", fails="none")}')
        status, table = self.run_demo()
        self.assertEqual(status, 1, self.printed)
        self.assertIn("tools/demo: pdgemm.fmpl printed no figures", self.printed)
        self.assertEqual(table[-1], "BLACS on the MPI  pdgemm.mpi yes")


if __name__ == "__main__":
    unittest.main()
