"""Measured tables of docs/performance.md and README.md are made of what tools/bench has kept, and of nothing more."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tools"))
from bench_lib import performance_page as page


def row(label, ranks, fmpl, ratio, met=None, **more):
    shown = {"median": fmpl, "quartile1": fmpl, "quartile3": fmpl, "samples": [fmpl], "rounds": [{"median": fmpl}]}
    return {"label": label, "ranks": ranks, "flops": None, "contenders": {"fmpl": shown}, "ratio": ratio, "met": met,
            "mpi": None, "group": "g", **more}


def document(*rows):
    return {"machine": {"cpu": "A (R) CPU", "cpus": 2, "virtual": True, "caches": {"L1d": "48K"}, "kernel": "6.1-x"},
            "date": "2026-01-02T00:00:00", "commit": "0123456789abcdef", "rounds": 5, "warnings": [],
            "commands": ["/somewhere/fmplrun"], "contenders": {"fmpl": "FMPL"}, "figures": list(rows)}


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmpl-page-")
        self.addCleanup(folder.cleanup)
        before = page.FOLDER
        page.FOLDER = pathlib.Path(folder.name)
        self.addCleanup(setattr, page, "FOLDER", before)

    def test_numbers_of_ranks_share_a_line_and_what_is_not_met_is_marked(self):
        page.keep("fmpl", document(row("barrier, 2 ranks", 2, 95e-9, 4.2, True),
                                   row("barrier, 16 ranks", 16, 15.24e-6, 3.9, False)))
        made = page.page_as_measured("words\n<!-- measured: fmpl -->\nold\n<!-- end of measured -->\nmore")
        self.assertIn("| barrier | 2/16 | 0.095/15.2 | 4.20/3.90* |", made)
        self.assertIn("commit 0123456789, 5 rounds.", made)
        self.assertNotIn("old", made)
        self.assertTrue(made.startswith("words\n") and made.endswith("\nmore"))
        self.assertEqual(page.page_as_measured(made), made)

    def test_samples_and_paths_of_the_machine_are_not_kept(self):
        page.keep("fmpl", document(row("barrier, 2 ranks", 2, 1e-6, 2)))
        kept = (page.FOLDER / "fmpl.json").read_text()
        self.assertNotIn("samples", kept)
        self.assertNotIn("somewhere", kept)
        self.assertEqual(json.loads(kept)["rounds"], 5)

    def test_the_table_of_a_suite_that_was_not_measured_stays(self):
        text = "<!-- measured: npb -->\nas it was\n<!-- end of measured -->"
        self.assertEqual(page.page_as_measured(text), text)

    def test_what_is_behind_in_the_mpi_is_named(self):
        def call(label, ratio, heap):
            return row(label, 2, 1e-6, ratio, mpi={"ratio": heap})
        page.keep("mpi", document(call("row: scan 8 B, 2 ranks", 0.8, 1.6), call("row: bcast 8 B, 2 ranks", 1.8, 1.0)))
        made = page.block("mpi")
        self.assertIn("| g | 1.20/1.26; 1/0 of 2 |", made)
        self.assertIn("row: scan 8 B over 2 0.80", made)


class Command(unittest.TestCase):
    def test_a_part_of_a_suite_is_not_recorded(self):
        for option in (["--quick"], ["--only", "barrier"]):
            done = subprocess.run([SOURCE / "tools/bench", "--record", *option], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("a table shows a whole suite", done.stderr)

    def test_the_pages_are_as_measured(self):
        self.assertEqual(page.pages_that_differ(), [])


if __name__ == "__main__":
    unittest.main()
