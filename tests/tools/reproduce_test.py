"""tools/reproduce measures, shows and checks; it goes on after an interrupt, and page and pictures are those of the raw
data.

Environment: FMPL_BENCH_PROGRAMS, the folder of fmplrun, fmpl-bench, blacs-bench.fmpl and mpi-bench.mpi. The pictures
are tested where there is a matplotlib.
"""
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("FMPL_BENCH_PROGRAMS")
LIMIT_SECONDS = 100
sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True

from bench_lib import exhibits, paper_suites, results_page  # noqa: E402
from bench_lib.machine import changes_of_tree  # noqa: E402
from bench_lib.progress import TimedProgress  # noqa: E402
from bench_lib.turn_store import TurnStore  # noqa: E402

CAN_DRAW = results_page.python_with_matplotlib() is not None


def shown(seconds, **more):
    return {"median": seconds, "quartile1": seconds * 0.9, "quartile3": seconds * 1.2, "rounds": [], **more}


def row(contenders, **about):
    return {"floor": None, "flops": None, "label": "a label", "contenders": contenders, **about}


def document(rows, names):
    return {"figures": rows, "contenders": {name: f"the library {name}" for name in names},
            "warnings": [], "failures": [],
            "machine": {"cpu": "a processor", "cpus": 2, "cpus_used": [0, 1], "memory_bytes": 2**34, "virtual": False,
                        "caches": {"L1d": "32K"}, "kernel": "6.1"},
            "libraries": {"fmpl": "FMPL"}, "compiler": "a compiler", "flags": "-O3", "commit": "0123456789abcdef",
            "dirty": False, "date": "2026-01-01T00:00:00+00:00", "rounds": 3, "elapsed_seconds": 61}


def barriers():
    names = ("fmpl", "fmpl-tree", "openmpi", "mpich")
    rows = [row({"fmpl": shown(1e-6 * ranks), "fmpl-tree": shown(2e-6 * ranks), "openmpi": shown(3.21e-6 * ranks),
                 "mpich": shown(1e-2) if ranks > 2 else None}, ranks=ranks) for ranks in (2, 4, 16)]
    return document(rows, names)


def kernels():
    rows = [row({"fmpl": shown(0.5, comm_seconds=0.125, comm_share=0.25), "mpi": None,
                 "openmpi": shown(0.75, comm_seconds=0.5, comm_share=2 / 3)}, ranks=ranks, **{"class": "A"})
            for ranks in (2, 4)]
    return document(rows, ("fmpl", "mpi", "openmpi"))


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-reproduce-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "results"

    def reproduce(self, *words, status=0):
        done = subprocess.run([sys.executable, SOURCE / "tools/reproduce", "--output", self.folder, *words],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Page(Folder):
    def write(self, **documents):
        for suite, of_suite in documents.items():
            results_page.write_raw(self.folder, suite, of_suite)
        data = results_page.read_raw(self.folder)
        results_page.write_page(self.folder, data)
        return (self.folder / "README.md").read_text(encoding="utf-8")

    def test_a_row_has_the_medians_and_how_much_faster_fmpl_is_than_the_better_peer(self):
        page = self.write(barrier=barriers())
        self.assertIn("| 2 | 2.00 | 4.00 | 6.42 | - | 3.21 |", page)
        self.assertIn("| 16* | 16.0 | 32.0 | 51.4 | 10000 | 3.21 |", page)
        self.assertIn("the library fmpl-tree, us", page)

    def test_communication_is_shown_beside_computation(self):
        page = self.write(ft=kernels())
        self.assertIn("| 2 | 0.375 + 0.125 (25%) | 0.250 + 0.500 (67%) |", page)

    def test_only_what_was_measured_is_shown(self):
        page = self.write(barrier=barriers())
        self.assertIn("## Figure 7", page)
        self.assertNotIn("## Figure 8", page)
        self.assertIn("`0123456789ab`", page)

    def test_raw_data_names_no_folder_of_the_machine(self):
        of_tree = {**barriers(), "commands": {"fmpl": f"taskset -c 0,1 {SOURCE}/build/release/bin/fmplrun -n 2"}}
        self.write(barrier=of_tree)
        raw = (self.folder / "raw/barrier.json").read_text(encoding="utf-8")
        self.assertIn('"taskset -c 0,1 build/release/bin/fmplrun -n 2"', raw)

    def test_every_exhibit_shows_the_papers_numbers(self):
        for exhibit in exhibits.EXHIBITS:
            with self.subTest(exhibit.key):
                self.assertRegex(exhibit.of_paper(), r"\w")
                self.assertIn(exhibit.suite, paper_suites.SUITES)

    def test_the_check_finds_a_page_that_is_not_of_the_data(self):
        self.write(barrier=barriers())
        page = self.folder / "README.md"
        page.write_text(page.read_text(encoding="utf-8").replace("3.21", "4.21"), encoding="utf-8")
        self.assertIn("README.md is not the page of the raw data", self.reproduce("--check", status=1))

    @unittest.skipUnless(CAN_DRAW, "there is no matplotlib")
    def test_the_check_finds_a_picture_that_is_not_of_the_data(self):
        self.write(barrier=barriers(), ft=kernels())
        self.reproduce("--draw")
        self.assertIn("agree", self.reproduce("--check"))
        for ending in ("svg", "png"):
            self.assertGreater((self.folder / f"figures/fig7.{ending}").stat().st_size, 5000)
        other = copy.deepcopy(barriers())
        other["figures"][1]["contenders"]["fmpl"]["median"] *= 2
        self.write(barrier=other)
        said = self.reproduce("--check", status=1)
        self.assertIn("fig7.svg is not drawn of the raw data", said)
        self.assertIn("fig7.png is not drawn of the raw data", said)
        self.assertNotIn("fig11", said)

    def test_without_raw_data_there_is_nothing_to_check_or_draw(self):
        self.assertIn("there is no raw data", self.reproduce("--check", status=1))

    def test_an_unknown_exhibit_is_refused(self):
        self.assertIn("'fig99' is none of", self.reproduce("--only", "fig99", status=2))


class ChangesOfTree(Folder):
    def test_a_source_counts_and_what_a_run_writes_does_not(self):
        self.folder.mkdir(parents=True)
        root, result, source = self.folder.parent, self.folder / "README.md", self.folder.parent / "source.cpp"
        result.write_text("page\n")
        source.write_text("code\n")
        for words in (["init", "-q"], ["add", "."],
                      ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all"]):
            subprocess.run(["git", *words], cwd=root, check=True)
        result.write_text("another page\n")
        self.assertEqual(changes_of_tree(root), "")
        source.write_text("other code\n")
        self.assertIn("+other code", changes_of_tree(root))


class TimeLeft(unittest.TestCase):
    def test_what_is_known_counts_and_the_mean_for_the_rest(self):
        a, b, c = ("s", "a", "x"), ("s", "b", "x"), ("s", "c", "x")
        progress = TimedProgress([a, b, c, a, b, c], {a: 2.0, b: 4.0})
        progress.begin_suite("s")
        self.assertEqual(progress.left(), 2 * (2 + 4 + 3))
        progress.end_of_turn(a[1:], 3.0)
        progress.end_of_turn(c[1:], 1.0)
        self.assertEqual(progress.left(), 3 + 2 * 4 + 1)

    def test_what_an_interrupted_run_has_measured_is_done_and_tells_of_the_rest(self):
        a = ("s", "a", "x")
        progress = TimedProgress([a, a, a, a], {})
        progress.begin_suite("s")
        progress.end_of_turn(a[1:], 5.0, recalled=True)
        self.assertEqual(progress.left(), 15)
        self.assertEqual(progress.share(), 0.25)
        self.assertEqual(progress.spent, 0)
        progress.end_of_turn(a[1:], 5.0)
        self.assertEqual(progress.share(), 0.5)
        self.assertEqual(progress.spent, 5)

    def test_what_is_not_run_takes_no_time(self):
        a, b = ("s", "a", "x"), ("s", "b", "x")
        progress = TimedProgress([a, a, b], {})
        progress.begin_suite("s")
        progress.end_of_turn(a[1:], None)
        self.assertEqual(progress.left(), 0)


class Store(Folder):
    def test_a_turn_is_found_again_in_a_run_of_the_same_identity_alone(self):
        file = self.folder / "turns"
        TurnStore(file, {"commit": "a"}).keep([1, "program"], {"results": [2]}, 3.5)
        self.assertEqual(TurnStore(file, {"commit": "a"}).recall([1, "program"]), ({"results": [2]}, 3.5))
        self.assertEqual(TurnStore(file, {"commit": "a"}).recall([2, "program"]), (None, None))
        self.assertEqual(TurnStore(file, {"commit": "b"}).recall([1, "program"]), (None, None))

    def test_a_line_that_was_cut_off_is_measured_again(self):
        file = self.folder / "turns"
        store = TurnStore(file, {})
        store.keep([1], {"results": []}, 1.0)
        with open(file, "a", encoding="utf-8") as lines:
            lines.write('{"key": [2], "docum')
        store = TurnStore(file, {})
        self.assertEqual(store.recall([2]), (None, None))
        store.keep([3], {"results": []}, 1.0)
        self.assertEqual(TurnStore(file, {}).recall([3]), ({"results": []}, 1.0))


@unittest.skipUnless(PROGRAMS, "FMPL_BENCH_PROGRAMS is not set")
class Measured(Folder):
    WORDS = ("--quick", "--only", "fig7", "--peers", "none", "--programs", PROGRAMS or "")

    def test_an_interrupted_run_goes_on(self):
        with subprocess.Popen([sys.executable, SOURCE / "tools/reproduce", "--output", self.folder, *self.WORDS],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if "round 1" in line:
                    break
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            self.assertEqual(process.wait(LIMIT_SECONDS), 130)
        said = self.reproduce(*self.WORDS, status=0 if CAN_DRAW else 1)
        self.assertRegex(said, r"going on with an interrupted run: [1-9]")

        written = json.loads((self.folder / "raw/barrier.json").read_text(encoding="utf-8"))
        self.assertEqual([figure["ranks"] for figure in written["figures"]], [2, 4, 16])
        for figure in written["figures"]:
            self.assertEqual(set(figure["contenders"]), {"fmpl", "fmpl-tree", "blacs", "mpi"})
            self.assertTrue(all(one["median"] > 0 for one in figure["contenders"].values()))
        self.assertIn("FMPL_COLLECTIVES=tree", written["commands"]["fmpl-tree"]["barrier, 2 ranks"])
        for key in ("machine", "compiler", "flags", "commit", "arguments", "turn_seconds"):
            self.assertIn(key, written)
        if CAN_DRAW:
            self.assertIn("agree", self.reproduce("--check"))
        self.assertNotIn("going on", self.reproduce(*self.WORDS, status=0 if CAN_DRAW else 1))


class Committed(unittest.TestCase):
    def test_the_results_of_this_tree_agree_with_their_raw_data(self):
        if (SOURCE / "results/raw").is_dir():
            self.assertEqual(results_page.check(SOURCE / "results"), [])


if __name__ == "__main__":
    unittest.main()
