"""tools/memory-layout makes the tables of the shared records, and finds what a header does not say."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

HEADER = """\
#pragma once
inline constexpr std::size_t kLine = 64;
struct Part {
    std::uint16_t low;
    std::uint16_t high;
};
// What one rank tells another. Writer: the source. Ordering: plain, under `stamp`; again after a credit.
struct alignas(kLine) Cell {
    // The number. Ordering: release, after the rest; acquire in Ring::take.
    std::atomic<std::uint64_t> stamp;
    std::uint8_t kind;
    union {
        std::uint64_t word;
        Part parts[2];  // Writer: both sides.
    };
    std::uint8_t pad[kLine - 24];

    bool is_empty() const { return kind == 0; }
};
static_assert(sizeof(Cell) == kLine);
struct Ring {
    bool take();
};
"""
BEGIN, END = "<!-- fields of fmpl/src/cell.hpp: Cell -->\n", "<!-- end of fields -->\n"
TABLE = """\
| record, bytes | at | field | writer | ordering and partner |
|---|---|---|---|---|
| `Cell`, 64 | 0 | `stamp` | the source | release, after the rest; acquire in Ring::take |
|  | 8 | `kind`, `word` | the source | plain, under `stamp`; again after a credit |
|  | 16 | `parts` | both sides | plain, under `stamp`; again after a credit |
"""


class MemoryLayout(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-memory-layout-"))
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("tools", "docs", "fmpl/src"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(SOURCE / "tools/memory-layout", self.root / "tools")
        self.document = self.root / "docs/memory_layout.md"
        self.document.write_text("Words.\n" + BEGIN + TABLE + END + "More.\n")

    def violations(self, header, *options):
        (self.root / "fmpl/src/cell.hpp").write_text(header)
        done = subprocess.run([sys.executable, self.root / "tools/memory-layout", *options], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout

    def test_a_table_is_made_where_it_belongs(self):
        self.document.write_text("Words.\n" + BEGIN + "| old |\n" + END + "More.\n")
        self.assertEqual(self.violations(HEADER), "")
        self.assertEqual(self.document.read_text(), "Words.\n" + BEGIN + TABLE + END + "More.\n")

    def test_a_table_that_differs_is_found_and_left(self):
        self.assertEqual(self.violations(HEADER, "--check"), "")
        self.assertIn("not as fmpl/src/cell.hpp has it", self.violations(HEADER.replace("both", "two"), "--check"))
        self.assertIn("both sides", self.document.read_text())

    def test_a_field_without_a_writer_is_found(self):
        self.assertIn("Cell::stamp: its comment, and that of the record, say no Writer",
                      self.violations(HEADER.replace("Writer: the source. ", ""), "--check"))

    def test_an_atomic_field_without_a_partner_is_found(self):
        self.assertIn("Cell::stamp: names no function",
                      self.violations(HEADER.replace("; acquire in Ring::take", ""), "--check"))

    def test_a_partner_that_is_gone_is_found(self):
        self.assertIn("the sources have no Ring::take", self.violations(HEADER.replace("bool take();", ""), "--check"))

    def test_a_size_that_disagrees_is_found(self):
        self.assertIn("Cell has 32 bytes, its fields 64",
                      self.violations(HEADER.replace("sizeof(Cell) == kLine", "sizeof(Cell) == 32"), "--check"))

    def test_a_record_that_no_table_has_is_found(self):
        self.assertIn("Other is in no table", self.violations(
            HEADER + "struct Other {\n    std::atomic<std::uint64_t> word;\n};\n", "--check"))


if __name__ == "__main__":
    unittest.main()
