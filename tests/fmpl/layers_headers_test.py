"""The headers for layers (fmpl/include/fmpl/*.h): each can be included alone, in C and in C++, and begins with an
example, which is the one that layers_examples_test compiles and runs."""
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = SOURCE / "fmpl" / "include"
EXAMPLES = pathlib.Path(__file__).resolve().parent / "layers_examples"
ALL = INCLUDE / "fmpl" / "layers.h"
HEADERS = sorted(set((INCLUDE / "fmpl").glob("*.h")) - {ALL})


def example_of(header):
    """The example in the comment at the head of a header; None where there is none."""
    comment = header.read_text().split("*/")[0]
    found = re.search(r"^ \* Example.*:\n \*\n((?: \*(?:     .*)?\n)+)", comment, re.MULTILINE)
    if found is None:
        return None
    return "".join(line[7:] + "\n" for line in found.group(1).splitlines())


class LayersHeaders(unittest.TestCase):
    def test_each_example_is_the_one_that_is_compiled(self):
        self.assertEqual([header.stem for header in HEADERS], sorted(path.stem for path in EXAMPLES.glob("*.c")))
        for header in HEADERS:
            with self.subTest(header.name):
                self.assertEqual(example_of(header), (EXAMPLES / f"{header.stem}.c").read_text())

    def test_each_header_can_be_included_alone_in_c_and_in_cpp(self):
        for header in (*HEADERS, ALL):
            for language, compiler in (("c", ("cc", "-std=c11")), ("c++", ("c++", "-std=c++20"))):
                with self.subTest(header.name, language=language):
                    command = [*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language,
                               f"-I{INCLUDE}", "-"]
                    done = subprocess.run(command, input=f"#include <fmpl/{header.name}>\n" * 2, text=True, timeout=60,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_layers_h_includes_them_all(self):
        included = re.findall(r"#include <fmpl/(.+)>", ALL.read_text())
        self.assertEqual(included, [header.name for header in HEADERS])

    def test_a_header_can_be_read_at_one_glance(self):
        for header in (*HEADERS, ALL):
            lines = header.read_text().splitlines()
            self.assertLessEqual(len(lines), 120, header.name)
            self.assertEqual([line for line in lines if len(line) > 110], [], header.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
