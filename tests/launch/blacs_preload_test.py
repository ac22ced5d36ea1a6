"""fmplrun --blacs: a program that was linked with another BLACS gets FMPL's, with the heap in remote-DMA memory.

Environment: FMPLRUN, FMPL_TEST_PROGRAMS (the folder of blacs_probe and blacs_probe_static), FMPL_LIBRARIES (the folder
of the libraries that are preloaded).
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

FMPLRUN = os.environ["FMPLRUN"]
PROBE = os.path.join(os.environ["FMPL_TEST_PROGRAMS"], "blacs_probe")
STATIC_PROBE = PROBE + "_static"
LIBRARIES = os.environ["FMPL_LIBRARIES"]
LIMIT = 120  # seconds after which something that should have happened has not

HEAP, PDGEMM, BLACS, MEND = (os.path.join(LIBRARIES, name) for name in
                             ("libfmpl_rdma_heap.so", "libpdgemm_fmpl.so", "libblacs_fmpl.so",
                              "libfmpl_scalapack_mend.so"))


def run(*arguments, launcher=FMPLRUN, **variables):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_|LD_PRELOAD", k)}
    return subprocess.run([launcher, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT, env={**environment, **variables})


class BlacsPreload(unittest.TestCase):
    def assert_prints(self, lines, *arguments, **variables):
        result = run(*arguments, **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertEqual(sorted(result.stdout.splitlines()), lines)

    def test_takes_the_place_of_the_programs_own(self):
        self.assert_prints(["process -1 of -1, heap ordinary"], PROBE, "process")
        self.assert_prints(["process 0 of 2, heap remote", "process 1 of 2, heap remote"], "-n", "2", "--blacs", PROBE,
                           "process")

    def test_leaves_the_heap_alone_when_told_to(self):
        ordinary = ["process 0 of 1, heap ordinary"]
        self.assert_prints(ordinary, "--blacs", "--rdma", "none", PROBE, "process")
        self.assert_prints(ordinary, "--blacs", PROBE, "process", FMPL_RDMA="none")
        self.assert_prints(ordinary, "--blacs", "-x", "FMPL_RDMA=none", PROBE, "process")
        self.assert_prints(["process 0 of 1, heap remote"], "--rdma", "heap", "--blacs", PROBE, "process",
                           FMPL_RDMA="none")

    def test_reaches_a_program_within_a_shell(self):
        remote = ["process 0 of 2, heap remote", "process 1 of 2, heap remote"]
        self.assert_prints(remote, "-n", "2", "--blacs", "sh", "-c", f"exec {PROBE} process")
        self.assert_prints(remote, "-n", "2", "--blacs", "sh", "-c", f"{PROBE} process; true")
        self.assert_prints(remote, "-n", "2", "--blacs", "env", "SOME=thing", PROBE, "process")

    def test_comes_before_what_the_user_preloads(self):
        other = "libm.so.6"
        for arguments, expected in (((), f"{HEAP}:{PDGEMM}:{BLACS}:{MEND}:{other}"),
                                    (("--rdma", "none"), f"{PDGEMM}:{BLACS}:{MEND}:{other}"),
                                    (("--pdgemm", "none"), f"{HEAP}:{BLACS}:{MEND}:{other}")):
            result = run("--blacs", *arguments, PROBE, "preload", LD_PRELOAD=other)
            self.assertEqual(result.stdout.strip(), expected)
            result = run("--blacs", *arguments, "-x", f"LD_PRELOAD={other}", PROBE, "preload")
            self.assertEqual(result.stdout.strip(), expected)

    def test_is_there_once_in_an_inner_job(self):
        result = run("--blacs", FMPLRUN, "--blacs", PROBE, "preload")
        self.assertEqual(result.stdout.strip(), f"{HEAP}:{PDGEMM}:{BLACS}:{MEND}")
        result = run("--blacs", FMPLRUN, "--blacs", "--pdgemm", "none", PROBE, "preload")
        self.assertEqual(result.stdout.strip(), f"{HEAP}:{BLACS}:{MEND}")

    def test_pdgemm_alone_is_put_in_front_of_a_linked_program(self):
        self.assertEqual(run("--pdgemm", "fmpl", PROBE, "preload").stdout.strip(), PDGEMM)
        self.assertEqual(run("--pdgemm", "none", PROBE, "preload").stdout.strip(), "-")
        result = run("--pdgemm", "mine", PROBE, "preload")
        self.assertEqual(result.returncode, 2)
        self.assertIn('"mine" is neither fmpl nor none', result.stderr)

    def test_products_of_general_matrices_have_wider_panels_than_others(self):
        def widths(*arguments, **variables):
            result = run(*arguments, **variables)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
            first, later = result.stdout.splitlines()
            self.assertEqual(first, later)
            return first

        self.assertEqual(widths(PROBE, "panels"), "general 1, symmetric 1")
        self.assertEqual(widths("--blacs", PROBE, "panels"), "general 160, symmetric 32")
        self.assertEqual(widths("--blacs", PROBE, "panels", FMPL_PANEL_WIDTH="48"), "general 48, symmetric 48")

    def test_a_panel_width_that_is_none_is_refused(self):
        for width in ("0", "4097", "wide", "32 "):
            result = run("--blacs", PROBE, "panels", FMPL_PANEL_WIDTH=width)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(f"FMPL_PANEL_WIDTH={width} is not allowed; allowed are: columns, 1 to 4096", result.stderr)

    def test_gives_scalapacks_norm_estimators_a_defined_start(self):
        result = run(PROBE, "estimates")
        self.assertEqual(result.stdout, "first call: 5 5, kase 1 1\nlater call: 5 5, kase 1 1\n")
        result = run("--blacs", PROBE, "estimates")
        self.assertEqual(result.stdout, "first call: 0 0, kase 1 1\nlater call: 5 5, kase 1 1\n")

    def test_says_that_a_static_blacs_was_not_replaced(self):
        result = run("--blacs", STATIC_PROBE, "process")
        self.assertEqual((result.returncode, result.stdout), (0, "process -1 of -1, heap ordinary\n"))
        self.assertIn("--blacs had no effect", result.stderr)
        self.assertIn("-lblacs_fmpl in front", result.stderr)

    def test_says_that_a_library_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            os.mkdir(os.path.join(folder, "lib"))
            launcher = os.path.join(folder, "bin", "fmplrun")
            shutil.copy(FMPLRUN, launcher)
            result = run("--blacs", PROBE, launcher=launcher)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"--blacs: libblacs_fmpl\.so is not in .*; nothing was started")
            for library in (BLACS, MEND):
                shutil.copy(library, os.path.join(folder, "lib"))
            result = run("--blacs", PROBE, launcher=launcher)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"libpdgemm_fmpl\.so is not in .* --pdgemm none; nothing was started")
            shutil.copy(PDGEMM, os.path.join(folder, "lib"))
            result = run("--blacs", PROBE, launcher=launcher)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"libfmpl_rdma_heap\.so is not in .* --rdma none .*; nothing was started")


if __name__ == "__main__":
    unittest.main(verbosity=2)
