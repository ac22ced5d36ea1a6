"""tools/check finds what it is meant to find: each test breaks one rule in a small tree that breaks none."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

TREE = {
    "README.md": "Read [the layers](docs/architecture.md) and `low/low.hpp`.\n",
    "docs/architecture.md": "<!-- include-rules: begin -->\n| layer | files | may include |\n|---|---|---|\n"
                            "| low | `low` | - |\n| high | `high` | low |\n| tests | `tests` | low, high |\n"
                            "<!-- include-rules: end -->\n",
    "low/low.hpp": "#pragma once\n#include <vector>\n",
    "high/high.hpp": "#pragma once\n#include \"low/low.hpp\"\n",
    "high/high.cpp": "#include \"high.hpp\"\n",
    "tests/CMakeLists.txt": "add_executable(low_test low_test.cpp)\n",
    "tests/low_test.cpp": "#include \"low/low.hpp\"\n",
}


class Check(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-check-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in TREE.items():
            self.write(name, text)
        (self.root / "tools").mkdir()
        shutil.copy(SOURCE / "tools/check", self.root / "tools/check")
        shutil.copy(SOURCE / ".clang-format", self.root)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assert_found(self, *starts):
        """tools/check reports violations that begin with these words, in this order, and no others."""
        done = subprocess.run([sys.executable, self.root / "tools/check"], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if starts else 0, done.stdout + done.stderr)
        self.assertEqual(len(lines[:-1]), len(starts), done.stdout)
        for line, start in zip(lines, starts):
            self.assertTrue(line.startswith(start), f"{line!r} does not begin with {start!r}")

    def test_a_tree_in_order_passes(self):
        self.assert_found()

    def test_a_file_out_of_format_is_found_once(self):
        self.write("low/low.hpp", "#pragma once\nint  f( );\nint  g( );\n")
        self.assert_found("low/low.hpp:2: not formatted")

    def test_an_include_against_the_arrows_is_found(self):
        self.write("low/low.hpp", "#pragma once\n#include \"high/high.hpp\"\n")
        self.assert_found("low/low.hpp:2: layer low may not include high/high.hpp, which is in layer high")

    def test_an_include_by_bare_name_is_found_too(self):
        self.write("low/low.hpp", "#pragma once\n#include <high.hpp>\n")
        self.assert_found("low/low.hpp:2: layer low may not include")

    def test_an_include_through_the_parent_folder_is_found(self):
        self.write("low/low.hpp", "#pragma once\n#include \"../high/high.hpp\"\n")
        self.assert_found("low/low.hpp:2: layer low may not include ../high/high.hpp")

    def test_a_source_outside_all_layers_is_found(self):
        self.write("other/other.c", "int f(void);\n")
        self.assert_found("other/other.c:1: belongs to no layer")

    def test_a_missing_table_is_found(self):
        self.write("docs/architecture.md", "# Architecture\n")
        self.assert_found("docs/architecture.md:1: the table of include rules")

    def test_a_test_that_nobody_runs_is_found(self):
        self.write("tests/high_test.cpp", "#include \"high/high.hpp\"\n")
        self.assert_found("tests/high_test.cpp:1: this test is in no CMakeLists.txt")
        self.write("tests/high.cmake", "fmpl_add_test(high_test high_test.cpp)\n")
        self.assert_found()

    def test_a_path_in_a_document_that_does_not_exist_is_found(self):
        self.write("docs/more.md", "See `low/gone.hpp`\nand [this](gone.md).\n")
        self.assert_found("docs/more.md:1: there is no low/gone.hpp", "docs/more.md:2: the link gone.md")

    def test_a_wide_line_of_markdown_is_found(self):
        words = "word " * 24
        self.write("low/README.md", f"{words.strip()}\n\n{words}words\n- {words}\n")
        self.assert_found("low/README.md:3: 125 columns; a line has at most 120", "low/README.md:4: 122 columns")

    def test_a_row_of_a_table_may_be_wider(self):
        self.write("low/README.md", f"| {'x' * 156} |\n| {'x' * 157} |\n")
        self.assert_found("low/README.md:2: 161 columns; a row of a table has at most 160")

    def test_code_addresses_and_what_is_marked_may_be_wide(self):
        wide = "word " * 30 + "\n"
        self.write("low/README.md", f"```sh\n{wide}```\n[see](https://example.org/{'x' * 120}) here\n"
                                    f"<!-- wide: begin -->\n{wide}<!-- wide: end -->\n\n    {wide}\n{wide}    {wide}")
        self.assert_found("low/README.md:11: 150 columns", "low/README.md:12: 154 columns")

    def test_a_mark_of_wide_lines_without_its_end_is_found(self):
        self.write("low/README.md", "<!-- wide: begin -->\nwords\n")
        self.assert_found("low/README.md:2: <!-- wide: begin --> without")

    def test_the_page_of_results_may_be_wide(self):
        self.write("results/README.md", "word " * 30 + "\n")
        self.assert_found()

    def test_wide_lines_of_sources_and_scripts_are_found(self):
        wide = "word " * 30
        self.write("low/low.hpp", f"#pragma once\n// {wide.strip()}\n/* {wide.strip()}\n{wide.strip()}*/\n"
                                  "int f();  // short\n")
        self.write("tests/low.cmake", f"# {wide}\n# {'w' * 130}\n")
        self.assert_found("low/low.hpp:2: 152 columns; a line has at most 120", "low/low.hpp:3: 152 columns",
                          "low/low.hpp:4: 151 columns", "tests/low.cmake:1: 152 columns")

    def test_a_word_of_the_glossary_outside_of_its_folders_is_found(self):
        table = "<!-- words: begin -->\n| word | sense | only in |\n|---|---|---|\n| rank | of a job | |\n" \
                "| pair cell | a line | `low` |\n<!-- words: end -->\n"
        self.write("docs/architecture.md", TREE["docs/architecture.md"] + table)
        self.write("low/low.hpp", "#pragma once\n#include <vector>\nclass PairCell;  // a pair cell\n")
        self.write("high/high.cpp", "#include \"high.hpp\"\n// The rank's pair cell.\nint repair_cell();\n"
                                    "struct PairCells;\n")
        self.assert_found("high/high.cpp:2: 'pair cell' is used in low/ only", "high/high.cpp:4: 'pair cell'")

    def test_a_path_of_one_machine_is_found(self):
        self.write("low/notes.txt", "look in /" + "home/somebody\n")
        self.assert_found("low/notes.txt:1: ")

    def test_a_large_file_is_found(self):
        self.write("low/data.txt", "x" * ((1 << 20) + 1))
        self.assert_found("low/data.txt:1: 1048577 bytes")

    def test_a_script_with_a_syntax_error_or_not_executable_is_found(self):
        self.write("tools/run", "#!/usr/bin/env bash\nif true; then\n")
        self.assert_found("tools/run:1: has a #! line", "tools/run:3: ")


if __name__ == "__main__":
    unittest.main()
