#!/usr/bin/env python3
"""The table of environment variables (fmpl/src/launch/environment.cpp) and the code of the libraries (under fmpl/,
blacs/, mpi_shim/ and apps/pdgemm/) name the same variables.

The code counts as naming one where a string of it is the variable's name, alone or followed by "=".
"""
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "fmpl/src/launch/environment.cpp"
FMPL_INFO = os.environ.get("FMPL_INFO")
FMPLRUN = os.environ.get("FMPLRUN")

# Names that begin alike and are none: error codes, macros and constants of the API that messages speak of.
API = set(re.findall(r"\bFMPL_[A-Z0-9_]+", (ROOT / "fmpl/include/fmpl.h").read_text())) - {"FMPL_ERRORS"}


def names_in(text):
    without_comments = re.sub(r"//[^\n]*", "", text)
    return set(re.findall(r'"(FMPL_[A-Z0-9_]+)(?:=[^"]*)?"', without_comments)) - API


def calls_in(text):
    """The variables that are read, whatever else is written of them."""
    return set(re.findall(r'(?:getenv|environment|microseconds|number_from_environment)\(\s*"(FMPL_\w+)"', text))


class Environment(unittest.TestCase):
    def setUp(self):
        self.table = set(re.findall(r'^\s*\{"(FMPL_\w+)"', TABLE.read_text(), re.MULTILINE))
        self.sources = [path for folder in ("fmpl", "blacs", "mpi_shim", "apps/pdgemm")
                        for path in sorted((ROOT / folder).rglob("*"))
                        if path.suffix in (".cpp", ".hpp", ".h") and path != TABLE]

    def test_every_variable_that_the_code_names_is_in_the_table(self):
        found = {}
        for path in self.sources:
            text = path.read_text()
            for name in names_in(text) | calls_in(text):
                found.setdefault(name, path.relative_to(ROOT))
        self.assertGreaterEqual(len(found), 10, "the search finds no variables any more")
        missing = {name: str(path) for name, path in found.items() if name not in self.table}
        self.assertFalse(missing, f"add them to {TABLE.relative_to(ROOT)}")

    def test_every_variable_of_the_table_is_named_by_the_code(self):
        named = set().union(*(names_in(path.read_text()) for path in self.sources))
        self.assertFalse(self.table - named, "nothing reads or sets them")

    def test_the_search_finds_a_new_variable(self):
        self.assertEqual(names_in('std::getenv("FMPL_NEW_ONE")'), {"FMPL_NEW_ONE"})
        self.assertEqual(names_in('fmt::format("FMPL_OTHER={}", x); // "FMPL_COMMENT"'), {"FMPL_OTHER"})
        self.assertEqual(names_in('fail("FMPL_ANY_TAG")'), set())

    @unittest.skipUnless(FMPL_INFO and FMPLRUN, "FMPL_INFO or FMPLRUN names no program")
    def test_a_wrong_value_of_any_is_named_and_starts_nothing(self):
        free = re.findall(r'^\s*\{"(FMPL_\w+)", \{\}', TABLE.read_text(), re.MULTILINE)
        checked = self.table - set(free)
        self.assertEqual(set(free), {"FMPL_MAP_ANYWHERE", "FMPL_RANK", "FMPL_SIZE", "FMPL_PROCESS_THREADS",
                                     "FMPL_JOB_FD", "FMPL_JOB_ID"})
        for name in sorted(checked):
            for value in ("anything", "-1", "99999999999999999999999", "auto;"):
                with self.subTest(name=name, value=value):
                    environment = {**os.environ, name: value}
                    started = subprocess.run([FMPLRUN, "-n", "2", "echo", "started"], env=environment,
                                             capture_output=True, text=True, timeout=60)
                    self.assertEqual((started.returncode, started.stdout), (2, ""))
                    self.assertIn(f"{name}={value}", started.stderr)
            shown = subprocess.run([FMPL_INFO, "-n", "2"], env={**os.environ, name: "anything"}, capture_output=True,
                                   text=True, timeout=60)
            self.assertEqual(shown.returncode, 1, name)
            self.assertEqual(shown.stderr.count(f"{name}=anything"), 1, shown.stderr)

    @unittest.skipUnless(FMPL_INFO, "FMPL_INFO names no program")
    def test_a_value_of_a_flag_is_refused_in_words(self):
        refused = subprocess.run([FMPL_INFO, "--json=3x"], capture_output=True, text=True, timeout=60)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("--json takes no value", refused.stderr)

    @unittest.skipUnless(FMPL_INFO, "FMPL_INFO names no program")
    def test_fmpl_info_shows_each_with_its_value(self):
        environment = {**os.environ, "FMPL_SPIN_US": "17"}
        shown = subprocess.run([FMPL_INFO], env=environment, capture_output=True, text=True, timeout=60, check=True)
        for name in self.table:
            self.assertRegex(shown.stdout, rf"(?m)^ +{name}$")
        self.assertRegex(shown.stdout, r"FMPL_SPIN_US\n +now +17\n")


if __name__ == "__main__":
    unittest.main()
