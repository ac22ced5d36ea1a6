#!/usr/bin/env python3
"""Runs pdgemm.fmpl, or pdgemm.mpi, over process counts, grids and awkward shapes, each verified, and its error cases.

Environment: FMPLRUN, the launcher with any options of its own; PDGEMM, the program; PDGEMM_BAD_ARGUMENT, the program of
that name beside this file, without which the tests of pdgemm_'s own errors are skipped. Each test is one job, ended by
the launcher or, at the latest, after a minute.
"""
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import tempfile
import unittest

FMPLRUN = shlex.split(os.environ.get("FMPLRUN", "fmplrun"))
PDGEMM = os.environ.get("PDGEMM", "pdgemm.fmpl")
BAD_ARGUMENT = os.environ.get("PDGEMM_BAD_ARGUMENT")
JOB_LIMIT_SECONDS = 60
# With a sanitizer a job takes seconds, and a part of them is run, drawn anew each time.
SANITIZED = bool(os.environ.get("FMPL_TEST_SANITIZED"))
RANDOM_SHAPES = 6 if SANITIZED else 20
# The name by which the dynamic linker finds it; a program with a sanitizer must have that first.
SCALAPACK = next((path.name for path in sorted(pathlib.Path("/usr/lib").glob("*/libscalapack-openmpi.so.2*"))
                  if not SANITIZED), None)
SEED = int(os.environ.get("FMPL_TEST_SEED", random.randrange(2**32)))


def run(ranks, program, arguments, launcher_arguments=()):
    environment = dict(os.environ)
    # Many ranks and one matrix product in each: threads of OpenBLAS would only get in each other's way.
    environment["OPENBLAS_NUM_THREADS"] = "1"
    return subprocess.run([*FMPLRUN, "-n", str(ranks), *launcher_arguments, program, *arguments], env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=JOB_LIMIT_SECONDS,
                          check=False)


# Ranks and grid; the other options of each are M = N = K = 640 in blocks of 40.
GRIDS = [(1, "1x1"), (2, "1x2"), (2, "2x1"), (4, "2x2"), (4, "1x4"), (4, "4x1"), (6, "2x3"), (6, "3x2"), (8, "2x4"),
         (8, "4x2"), (9, "3x3"), (16, "4x4"), (16, "2x8")]

# Name, ranks, options.
SHAPES = [
    ("sizes that are no multiples of the block", 4, "--m 101 --n 97 --k 83 --nb 16"),
    ("fewer blocks than ranks", 9, "--m 50 --n 45 --k 60 --nb 40 --grid 3x3"),
    ("one element", 4, "--m 1 --n 1 --k 1"),
    ("one row", 6, "--m 1 --n 130 --k 70 --nb 8"),
    ("one column", 6, "--m 130 --n 1 --k 70 --nb 8"),
    ("a k of one", 4, "--m 90 --n 110 --k 1"),
    ("blocks wider than the widest panel", 4, "--m 300 --n 310 --k 420 --nb 200"),
    ("block 1", 4, "--m 90 --n 80 --k 70 --nb 1"),
    ("block 1, transposed", 6, "--m 90 --n 80 --k 70 --nb 1 --transa T --transb T"),
    ("tiny blocks of k only", 4, "--m 120 --n 110 --k 100 --nb-a 40x3 --nb-b 5x40 --nb-c 40"),
    ("different blocks", 6, "--m 131 --n 117 --k 123 --nb-a 7x11 --nb-b 40x13 --nb-c 16x9"),
    ("blocks that differ in k only", 4, "--m 131 --n 117 --k 123 --nb-a 40x32 --nb-b 48x40 --nb-c 40"),
    ("offsets", 4, "--m 120 --n 130 --k 140 --nb 40 --offset-a 3,50 --offset-b 41,7 --offset-c 13,79"),
    ("equal offsets of C and A, B", 4, "--m 120 --n 130 --k 140 --offset-a 9,5 --offset-b 5,7 --offset-c 9,7"),
    ("offsets, transposed", 6, "--m 90 --n 77 --k 101 --nb 12 --offset-a 5,4 --offset-b 2,30 --offset-c 1,2 "
                               "--transa T --transb T --beta 1"),
    ("sources", 6, "--grid 2x3 --m 90 --n 77 --k 101 --nb 12 --source-a 1,2 --source-b 0,1 --source-c 1,0"),
    ("sources, transposed", 6, "--grid 3x2 --m 90 --n 77 --k 101 --nb 12 --source-a 2,1 --source-b 0,1 --source-c 1,0 "
                               "--transa T --transb C"),
    ("everything at once", 6, "--grid 2x3 --m 101 --n 97 --k 83 --nb-a 7x9 --nb-b 5x3 --nb-c 16x2 --offset-a 3,4 "
                              "--offset-b 5,6 --offset-c 2,9 --source-a 1,2 --source-b 0,1 --source-c 1,1 --lld-pad 3 "
                              "--type c --transa c --transb t --alpha 0.5,-2 --beta=-1,0.25"),
    ("A transposed", 4, "--m 200 --n 180 --k 160 --transa T"),
    ("B transposed", 4, "--m 200 --n 180 --k 160 --transb T"),
    ("both transposed", 8, "--m 200 --n 180 --k 160 --transa T --transb T --grid 2x4"),
    ("C is T for real types", 4, "--m 100 --n 80 --k 60 --transa C --transb C --type s"),
    ("lower-case letters", 4, "--m 100 --n 80 --k 60 --transa t --transb n"),
    ("complex, conjugated A", 4, "--m 100 --n 80 --k 60 --transa C --transb N --type z --alpha 1,2 --beta 2,-1"),
    ("complex, conjugated B", 6, "--m 100 --n 80 --k 60 --transa N --transb C --type z --alpha 1,2"),
    ("complex, transposed but not conjugated", 6, "--m 100 --n 80 --k 60 --transa T --transb T --type c"),
    ("complex on one rank", 1, "--m 50 --n 60 --k 70 --transa C --transb T --type z --beta 1,1 --offset-a 1,2"),
    ("one process row", 5, "--grid 1x5 --m 123 --n 217 --k 150 --nb 32"),
    ("one process row, transposed", 5, "--grid 1x5 --m 123 --n 217 --k 150 --nb 32 --transa T --transb T"),
    ("one process column", 5, "--grid 5x1 --m 217 --n 123 --k 150 --nb 32"),
    ("one process column, transposed", 5, "--grid 5x1 --m 217 --n 123 --k 150 --nb 32 --transa T --transb T"),
    ("ranks outside the grid", 7, "--grid 2x3 --m 100 --n 100 --k 100"),
    ("beta 0 over NaN", 4, "--m 100 --n 90 --k 80 --beta 0"),
    ("beta 0 over NaN, alpha 0", 4, "--m 100 --n 90 --k 80 --alpha 0 --beta 0"),
    ("beta 0 over NaN, k 0", 4, "--m 100 --n 90 --k 0 --beta 0"),
    ("beta 1", 4, "--m 100 --n 90 --k 80 --beta 1 --offset-c 1,1"),
    ("only scaling, alpha 0", 4, "--m 100 --n 90 --k 80 --alpha 0 --beta=-2.5 --offset-c 3,3"),
    ("only scaling, k 0", 4, "--m 100 --n 90 --k 0 --beta 2 --type s"),
    ("m 0", 4, "--m 0 --n 90 --k 80"),
    ("n 0", 4, "--m 90 --n 0 --k 80 --offset-c 4,4"),
    ("padded leading dimensions", 4, "--m 100 --n 90 --k 80 --lld-pad 5 --beta 1"),
]


def random_shape(random_numbers):
    """Ranks and options of a product in which everything is drawn."""
    choice, between = random_numbers.choice, random_numbers.randint
    ranks = between(1, 9)
    rows = between(1, ranks)
    columns = between(1, ranks // rows)
    kind = choice("sdcz")
    sizes = [1, 2, 3, 7, 16, 32, 33, 40, 64, 150]
    scalars = ["0", "1", "-0.5", "0.5,2" if kind in "cz" else "1.25"]
    one_block = f"{choice(sizes)}x{choice(sizes)}"
    options = ["--grid", f"{rows}x{columns}", "--type", kind, "--transa", choice("NTCntc"),
               "--transb", choice("NTCntc"), "--alpha=" + choice(["1", *scalars]), "--beta=" + choice(scalars),
               "--lld-pad", str(between(0, 2))]
    for dimension in "mnk":
        options += ["--" + dimension, str(choice([0, 1, 5, 17, 40, 64, 100, 129, 200]) + between(0, 9))]
    same_blocks = choice([True, False])
    for matrix in "abc":
        options += ["--nb-" + matrix, one_block if same_blocks else f"{choice(sizes)}x{choice(sizes)}",
                    "--offset-" + matrix, choice(["0,0", f"{between(0, 50)},{between(0, 50)}"]),
                    "--source-" + matrix, f"{between(0, rows - 1)},{between(0, columns - 1)}"]
    return ranks, options


def drawn(cases):
    """All of them, or with a sanitizer a quarter."""
    return random.Random(SEED).sample(cases, len(cases) // 4) if SANITIZED else cases


class VerifiedProducts(unittest.TestCase):
    def check(self, ranks, options):
        result = run(ranks, PDGEMM, ["--verify", "--reps", "1", *shlex.split(options)])
        self.assertEqual(result.returncode, 0, f"{ranks} ranks, {options}\n{result.stdout}{result.stderr}")

    def test_every_process_count_and_grid(self):
        for ranks, grid in drawn(GRIDS):
            with self.subTest(ranks=ranks, grid=grid):
                self.check(ranks, f"--m 640 --n 640 --k 640 --nb 40 --grid {grid}")

    def test_awkward_shapes(self):
        for name, ranks, options in drawn(SHAPES):
            with self.subTest(name):
                self.check(ranks, options)

    def test_random_shapes(self):
        random_numbers = random.Random(SEED)
        for number in range(RANDOM_SHAPES):
            ranks, options = random_shape(random_numbers)
            with self.subTest(seed=SEED, number=number):
                self.check(ranks, shlex.join(options))

    def test_results_file_says_what_was_run(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "result.json"
            result = run(4, PDGEMM, ["--m", "70", "--n", "60", "--k", "50", "--nb", "8x9", "--reps", "3", "--verify",
                                     "--json", str(file)])
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            written = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual((written["m"], written["n"], written["k"]), (70, 60, 50))
        self.assertEqual(written["grid"], [2, 2])
        self.assertEqual(written["a"]["block"], [8, 9])
        self.assertEqual(len(written["seconds"]), 3)
        self.assertIs(written["verified"], True)
        self.assertLess(written["residual"], 10)
        self.assertGreater(written["gflops_median"], 0)
        self.assertTrue(0 <= written["comm_share"] <= 1.01, written["comm_share"])

    def test_without_verify_a_completed_run_succeeds(self):
        result = run(2, PDGEMM, ["--m", "64", "--n", "64", "--k", "64", "--reps", "1"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not asked for", result.stdout)


class BadOptions(unittest.TestCase):
    def check(self, options, words):
        result = run(4, PDGEMM, shlex.split(options))
        self.assertEqual(result.returncode, 2, f"{options}\n{result.stdout}{result.stderr}")
        self.assertIn(words, result.stderr)
        self.assertEqual(result.stderr.count("pdgemm: "), 1, "one rank speaks for all:\n" + result.stderr)

    def test_each_is_refused_in_words(self):
        for options, words in [
                ("--grid 3x3", "needs 9 ranks, but the job has 4"),
                ("--grid 2", "--grid '2'"),
                ("--grid 0x4", "--grid '0x4'"),
                ("--m -5", "--m -5: must be at least 0"),
                ("--m many", "many"),
                ("--nb 0", "--nb '0'"),
                ("--nb-b 4x", "--nb-b '4x'"),
                ("--transa X", "--transa 'X'"),
                ("--type q", "--type 'q'"),
                ("--alpha one", "--alpha 'one'"),
                ("--alpha 1,2", "has no imaginary part"),
                ("--offset-c 3", "--offset-c '3'"),
                ("--offset-a 2000000000,0", "more than 2147483647"),
                ("--source-a 2,0", "begins at process 2,0"),
                ("--reps 0", "--reps 0: must be at least 1"),
                ("--colour blue", "--colour"),
        ]:
            with self.subTest(options):
                self.check(options, words)

    def test_help_is_printed_once(self):
        result = run(4, PDGEMM, ["--help"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("--transa"), 1)

    def test_a_results_file_that_cannot_be_written_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = str(pathlib.Path(folder) / "missing" / "result.json")
            result = run(2, PDGEMM, ["--m", "8", "--n", "8", "--k", "8", "--reps", "1", "--json", file])
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"cannot write the results to '{file}': No such file or directory", result.stderr)


@unittest.skipUnless(BAD_ARGUMENT, "PDGEMM_BAD_ARGUMENT is not set")
class BadArguments(unittest.TestCase):
    def check(self, argument, value, number, rank=None):
        arguments = [argument, str(value)] + ([] if rank is None else [str(rank)])
        result = run(2, BAD_ARGUMENT, arguments)
        self.assertNotIn("returned", result.stdout)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        messages = re.findall(r"\{ *\d+, *\d+\}:  On entry to PDGEMM parameter number +\d+ had an illegal value",
                              result.stderr)
        row, column = 0, 0 if rank is None else rank
        self.assertEqual(messages, [f"{{{row:5},{column:5}}}:  On entry to PDGEMM parameter number {number:4} had an "
                                    "illegal value"], result.stderr)

    def test_a_correct_call_returns(self):
        result = run(2, BAD_ARGUMENT, [])
        self.assertEqual((result.returncode, result.stdout), (0, "returned\n"), result.stderr)

    def test_on_all_processes_one_reports(self):
        for argument, value, number in [("transa", "X", 1), ("m", -1, 3), ("ja", 2, 9), ("b.type", 7, 1401),
                                        ("c.context", 99, 1902), ("a.nb", 0, 1006), ("c.lld", 7, 1911)]:
            with self.subTest(argument):
                self.check(argument, value, number)

    def test_on_one_process_only_all_end(self):
        for rank in (0, 1):
            for argument, value, number in [("transb", "Q", 2), ("c.lld", 7, 1911), ("b.rsrc", 4, 1409)]:
                with self.subTest(argument, rank=rank):
                    self.check(argument, value, number, rank)

    def test_a_context_that_does_not_exist(self):
        result = run(2, BAD_ARGUMENT, ["a.context", "99", "1"])
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("parameter number 1002 had an illegal value", result.stderr)

    @unittest.skipUnless(SCALAPACK, "libscalapack is not installed, or cannot be preloaded under a sanitizer")
    def test_beside_scalapack_its_own_words_come(self):
        # The longest words there are: PB_Cwarn has 100 characters for each of its pieces.
        result = run(2, BAD_ARGUMENT, ["b.csrc", "4"],
                     ("--blacs", "--rdma", "none", "-x", f"LD_PRELOAD={SCALAPACK}"))
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("PBLAS ERROR 'DESCB entry 8 (CSRC) is 4; it must be a process column, 0 to 1,", result.stderr)
        self.assertIn("Parameter number 1410 had an illegal value", result.stderr)
        self.assertNotIn("buffer overflow", result.stderr)


if __name__ == "__main__":
    print(f"FMPL_TEST_SEED={SEED} repeats the random choices of this run", flush=True)
    unittest.main(verbosity=2)
