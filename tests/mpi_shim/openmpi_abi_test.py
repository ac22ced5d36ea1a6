#!/usr/bin/env python3
"""The shim's headers for Open MPI's interface say what Open MPI 4.1's say: one generated program, compiled against
each, prints the same and refers to the same symbols.

It prints the value of every constant, the type of every function, sizes and offsets; a handle is compared by the object
whose address it is. The table of those objects, predefined.def, is compared with libmpi.so.40. Without Open MPI's
headers, only that the shim's compile and that they and the table agree.

Environment: MPI_INCLUDE, the folder of the shim's mpi.h for this interface.
"""
import collections
import pathlib
import re
import tempfile
import unittest

import abi_test
from abi_test import FUNCTIONS_H, KINDS, OURS, SOURCE, STRICT, lines_printed, run

HEADER = (OURS / "mpi.h").read_text()
MPIF = (OURS / "mpif.h").read_text()
FUNCTIONS = re.findall(r"^FMPL_MPI_CALL\(\w+, (MPI_\w+),", FUNCTIONS_H.read_text(), re.MULTILINE)
CONVERSIONS = [f"MPI_{name}_{way}" for name in re.findall(r"^FMPL_MPI_CONVERSIONS\((\w+), MPI_", HEADER, re.MULTILINE)
               for way in ("c2f", "f2c")]
CONSTANTS = re.findall(r"^#define (O?MPI_\w+) ", HEADER, re.MULTILINE)
TYPES = re.findall(r"^(?:typedef [^{;]*?\b|\} \w+, )(MPI_\w+)(?:\)\([^;]*)?;", HEADER + FUNCTIONS_H.read_text(),
                   re.MULTILINE)
ATTRIBUTE_FUNCTIONS = [name for name in CONSTANTS if re.search(r"(COPY|DELETE|DUP)_FN$", name)]
# Of our own: Open MPI has no call by these names, and no such number in C.
MACROS_THERE = {"MPI_Aint_add", "MPI_Aint_diff"}
NOT_THERE = re.compile(r"MPI_F_(STATUS_SIZE|SOURCE|TAG|ERROR)$")
FORTRAN_NAMES = re.findall(r"PARAMETER \((\w+)=", MPIF)


def handles():
    """Each handle of mpi.h: its type and the object whose address it is."""
    found = {name: (kind, symbol) for name, kind, symbol in
             re.findall(r"^#define (MPI_\w+) +FMPL_MPI_OBJECT\((\w+), (\w+)\)", HEADER, re.MULTILINE)}
    second_names = re.findall(r"^#define (MPI_\w+) +(MPI_\w+)$", HEADER, re.MULTILINE)
    return found | {name: found[meant] for name, meant in second_names if meant in found}


HANDLES = handles()

Predefined = collections.namedtuple("Predefined", "kind symbol bytes fortran number")
PREDEFINED = [Predefined(kind, symbol, int(size), int(fortran), number) for kind, symbol, size, fortran, number in
              re.findall(r"^FMPL_OPENMPI\((\w+), (\w+), (\d+), (-?\d+), (.+)\)$",
                         (SOURCE / "src/abi/openmpi/predefined.def").read_text(), re.MULTILINE)]


def openmpi_headers():
    for folder in ("/usr/lib/x86_64-linux-gnu/openmpi/include", "/usr/include/openmpi-x86_64", "/usr/include/openmpi"):
        header = pathlib.Path(folder) / "mpi.h"
        if header.exists() and re.search(r"OMPI_MAJOR_VERSION 4\n#define OMPI_MINOR_VERSION 1\n", header.read_text()):
            return header.parent
    return None


def openmpi_library(name):
    folders = [] if OPENMPI is None else [OPENMPI.parent.parent, OPENMPI.parent / "lib"]
    return next((folder / name for folder in folders if (folder / name).exists()), None)


OPENMPI = openmpi_headers()
LIBMPI = openmpi_library("libmpi.so.40")
needs_headers = unittest.skipIf(OPENMPI is None, "the headers of Open MPI 4.1 are not installed (libopenmpi-dev)")
needs_library = unittest.skipIf(LIBMPI is None, "libmpi.so.40 of Open MPI 4.1 is not installed (libopenmpi3)")

LANGUAGES = (("cc", ".c", "-std=c11"), ("c++", ".cpp", "-std=c++20"))

C = """
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#define VALUE(name) printf(#name " = %#llx\\n", (unsigned long long)(name));
#define FIELD(name) printf(#name " at %zu of %zu\\n", offsetof(MPI_Status, name), sizeof(MPI_Status));
#define TYPE(name) printf(#name " has %zu bytes\\n", sizeof(name));
int main(void) {{
{body}
}}
"""

SYMBOLS = """
#include <mpi.h>
#ifdef __cplusplus
extern "C" {{
#endif
{body}
#ifdef __cplusplus
}}
#endif
"""

SENTINELS = """
      subroutine sentinels
      include 'mpif.h'
      double precision moment
      integer(kind=MPI_ADDRESS_KIND) address
{body}
      moment = MPI_WTIME() + MPI_WTICK() + PMPI_WTIME() + PMPI_WTICK()
      address = MPI_AINT_DIFF(MPI_AINT_ADD(address, address), address)
      call with_times(moment, address)
      end subroutine
"""


class Headers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-openmpi-abi-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.ours = (OURS, f"-I{FUNCTIONS_H.parent}")

    def theirs(self):
        """Open MPI's folder and options. A copy of its mpi.h, as it is where Open MPI is built with what MPI-3 removed:
        the shim has that, and so has Debian's library."""
        text, count = re.subn(r"(#define OMPI_ENABLE_MPI1_COMPAT) 0", r"\1 1", (OPENMPI / "mpi.h").read_text())
        self.assertEqual(count, 1)
        (self.folder / "openmpi").mkdir()
        (self.folder / "openmpi" / "mpi.h").write_text(text)
        return self.folder / "openmpi", f"-I{OPENMPI}", "-DOMPI_SKIP_MPICXX", "-w"

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def assert_same(self, ours, theirs):
        self.assertGreater(len(ours), 100)
        self.assertEqual([pair for pair in zip(ours, theirs) if pair[0] != pair[1]], [])
        self.assertEqual(len(ours), len(theirs))

    def test_mpi_h_compiles_in_every_language_standard(self):
        text = ("#include <mpi.h>\n#include <mpi.h>\nMPI_Status status;\nMPI_Comm comm = MPI_COMM_WORLD;\n"
                "int number(void);\nint number(void) { return MPI_Comm_c2f(comm) + (int)MPI_Aint_add(1, 2); }\n")
        for compiler, suffix, standards in (("cc", ".c", ("c99", "c11", "c17")),
                                            ("c++", ".cpp", ("c++11", "c++14", "c++17", "c++20"))):
            file = self.file(f"uses{suffix}", text)
            for standard in standards:
                with self.subTest(standard=standard):
                    run(compiler, f"-std={standard}", *STRICT, f"-I{OURS}", self.ours[1], "-fsyntax-only", file)

    def test_ignored_statuses_are_compiled_without_a_warning(self):
        file = self.file("ignores.c", abi_test.IGNORES)
        for compiler in ("cc", "c++"):
            run(compiler, "-O2", *STRICT, f"-I{OURS}", self.ours[1], "-c", file, "-o", f"{file}.o")

    def test_mpif_h_compiles_in_fixed_and_free_form(self):
        for suffix in (".f", ".f90"):
            file = self.file(f"uses{suffix}",
                             "      program uses\n      implicit none\n      include 'mpif.h'\n      end program\n")
            run("gfortran", "-Wall", "-Werror", f"-I{OURS}", "-fsyntax-only", file)

    @needs_headers
    def test_constants_types_and_prototypes_of_c_are_those_of_open_mpi(self):
        # Not values: the function-like macros, and what is an address.
        values = [name for name in CONSTANTS if "(" not in name and name not in HANDLES and not NOT_THERE.match(name)
                  and name not in ATTRIBUTE_FUNCTIONS and name not in MACROS_THERE]
        functions = [name for name in FUNCTIONS + CONVERSIONS if name not in MACROS_THERE]
        body = [f"VALUE({name})" for name in values]
        body += [f"TYPE({name})" for name in TYPES if not name.endswith(("_function", "_fn"))]
        body += [f"FIELD({name})" for name in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "_cancelled", "_ucount")]
        of_c = C.format(body="\n".join(body))
        body += [f'type<{name} *>("{name}");' for name in TYPES if name.endswith(("_function", "_fn"))]
        body += [f'type<decltype({name})>("{name}");' for name in HANDLES]
        body += [f'type<decltype(&{name})>("{name}");' for name in functions + [f"P{name}" for name in functions]]
        body += [f'type<decltype(&{name})>("{name}");' for name in ATTRIBUTE_FUNCTIONS]
        body += [f'type<decltype({name})>("{name}");' for name in ("MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE")]
        body += [f"VALUE({name}(MPI_Aint(1000), MPI_Aint(-24))) type<decltype({name}(MPI_Aint(1), MPI_Aint(2)))>(\"\");"
                 for macro in sorted(MACROS_THERE) for name in (macro, f"P{macro}")]
        both = ((*self.ours, *STRICT), self.theirs())
        for (compiler, suffix, standard), source in zip(LANGUAGES, (of_c, abi_test.CPP.format(body="\n".join(body)))):
            with self.subTest(language=standard):
                self.assert_same(*(lines_printed(self.folder, include, compiler, suffix, source, standard, *options)
                                   for include, *options in both))

    @needs_headers
    def test_handles_and_attribute_functions_are_the_addresses_that_they_are_in_open_mpi(self):
        variables = [f"{kind} value_{name} = {name};" for name, (kind, _) in HANDLES.items()]
        for name in ATTRIBUTE_FUNCTIONS:
            of = re.match(r"MPI_(?:(COMM|TYPE|WIN)_)?", name)[1] or "COMM"
            variables.append(f"MPI_{of.capitalize()}_{'delete' if 'DELETE' in name else 'copy'}_attr_function "
                             f"*value_{name} = {name};")
        source = SYMBOLS.format(body="\n".join(variables))
        both = (self.ours, self.theirs())
        for compiler, suffix, standard in LANGUAGES:
            found = []
            for (include, *options), strict in zip(both, (STRICT, ())):
                file = self.file(f"symbols{suffix}", source)
                text = run(compiler, standard, "-O1", *strict, f"-I{include}", *options, "-S", file, "-o", "-")
                found.append(sorted(re.findall(r"^(value_\w+):\n\s+\.quad\s+(\w+)$", text, re.MULTILINE)))
            with self.subTest(language=standard):
                self.assertEqual(len(found[0]), len(variables))
                self.assert_same(*found)
                self.assertEqual({name: symbol for name, (_, symbol) in HANDLES.items()},
                                 {name[len("value_"):]: symbol for name, symbol in found[0]
                                  if name[len("value_"):] in HANDLES})

    @needs_headers
    def test_no_function_is_left_out(self):
        text = (OPENMPI / "mpi.h").read_text()
        theirs = set(re.findall(r"^OMPI_DECLSPEC +\w+ (MPI_\w+) ?\(", text, re.MULTILINE)) | MACROS_THERE
        self.assertGreater(len(theirs), 300)
        ours = set(FUNCTIONS + CONVERSIONS)
        self.assertEqual(theirs - ours, set())
        self.assertEqual(ours - theirs, set())

    @needs_headers
    def test_every_constant_of_c_is_there(self):
        text = (OPENMPI / "mpi.h").read_text()
        theirs = set(re.findall(r"^#\s*define (MPI_[A-Z0-9]+(?:_\w+)?)\s|^ +(O?MPI_[A-Z]+_\w+)(?: *=[^,]*)?,?$", text,
                                re.MULTILINE))
        # The marks that stand in for the removed combiners, and those for MPI_Fint, which is a macro there.
        theirs = {name for names in theirs for name in names if name and not re.match(r"OMPI_WAS_|MPI_Fint$", name)}
        self.assertGreater(len(theirs), 300)
        # No INTEGER*16 on this machine; the numbers of a status as Fortran's array have no names there.
        self.assertEqual(theirs - set(CONSTANTS) - {"MPI_INTEGER16"}, set())

    @needs_headers
    def test_constants_of_fortran_are_those_of_open_mpi(self):
        body = "\n".join(f"  print *, '{name}', {name}, kind({name})" for name in FORTRAN_NAMES)
        source = abi_test.FORTRAN.format(body=body)
        self.assert_same(*(lines_printed(self.folder, include, "gfortran", ".f90", source)
                           for include in (OURS, OPENMPI)))

    @needs_headers
    def test_every_constant_of_fortran_is_there(self):
        text = "".join(file.read_text() for file in OPENMPI.glob("mpif-*.h") if file.name != "mpif-ext.h")
        theirs = {name.upper() for name in re.findall(r"parameter *\((\w+) *=", text, re.IGNORECASE)}
        self.assertGreater(len(theirs), 200)
        self.assertEqual(theirs - set(FORTRAN_NAMES), set())

    @needs_headers
    def test_sentinels_and_external_functions_of_fortran_are_the_symbols_that_they_are_in_open_mpi(self):
        sentinels = re.findall(r"COMMON /\w+/ (MPI_\w+)", MPIF)
        self.assertEqual(len(sentinels), 9)
        functions = [name for names in re.findall(r"^ +EXTERNAL (.*)$", MPIF, re.MULTILINE)
                     for name in re.findall(r"\bMPI_\w+_FN(?:_NULL)?\b", names)]
        # A routine each, since gfortran compares the arguments of two calls.
        body = "\n".join(f"      call with_{name}({name})" for name in sentinels + functions)
        file = self.file("sentinels.f", SENTINELS.format(body=body))
        found = []
        for include in (OURS, OPENMPI):
            run("gfortran", "-w", f"-I{include}", "-c", file, "-o", f"{file}.o")
            found.append(run("nm", f"{file}.o").splitlines())
        self.assertEqual(*found)
        self.assertEqual(len([line for line in found[0] if re.search(r" C mpi_fortran_\w+_$", line)]), 9)

    def test_c_and_fortran_have_the_same_constants(self):
        fortran = set(re.findall(r"\b(O?MPI_\w+)", MPIF))
        # Of C alone: the status of Fortran as C sees it and the tools interface but its errors.
        c_only = re.compile(r"MPI_(F_\w+|T_(?!ERR_(?!INVALID_NAME))\w+)$")
        self.assertEqual({name for name in CONSTANTS if not c_only.match(name)} - fortran, set())

    def test_a_status_of_fortran_is_the_status_of_c(self):
        at = {name: int(value) for name, value in re.findall(r"PARAMETER \(MPI_(\w+)=(\d+)\)", MPIF)}
        body = [f"int {name}_is_there[{of_c} == {of_fortran} ? 1 : -1];" for name, of_c, of_fortran in (
            ("size", "MPI_F_STATUS_SIZE", at["STATUS_SIZE"]), ("source", "MPI_F_SOURCE + 1", at["SOURCE"]),
            ("tag", "MPI_F_TAG + 1", at["TAG"]), ("error", "MPI_F_ERROR + 1", at["ERROR"]),
            ("all", "sizeof(MPI_Status)", 4 * at["STATUS_SIZE"]))]
        run("cc", *STRICT, f"-I{OURS}", self.ours[1], "-fsyntax-only",
            self.file("status.c", SYMBOLS.format(body="\n".join(body))))


class PredefinedObjects(unittest.TestCase):
    maxDiff = None

    def test_the_table_says_what_the_headers_say(self):
        by_symbol = {row.symbol: row for row in PREDEFINED}
        self.assertEqual(len(by_symbol), len(PREDEFINED))
        of_fortran = {name: int(value) for name, value in re.findall(r"PARAMETER \((\w+)=(-?\d+)\)", MPIF)}
        for name, (kind, symbol) in HANDLES.items():
            with self.subTest(handle=name):
                self.assertEqual(KINDS[by_symbol[symbol].kind], kind)
                self.assertEqual(by_symbol[symbol].fortran, of_fortran[name])

    def test_what_both_interfaces_have_the_core_has(self):
        mpich = (SOURCE / "include/mpich/mpi.h").read_text()
        of_mpich = dict(re.findall(r"^#define (MPI_\w+) +\(\((MPI_\w+)\)\w+\)", mpich, re.MULTILINE))
        known = {row.symbol for row in PREDEFINED if row.number != "kNoHandle"}
        self.assertEqual({name for name, (_, symbol) in HANDLES.items()
                          if name in of_mpich and symbol not in known}, set())

    def test_a_number_stands_in_one_row_of_its_kind(self):
        for numbers in ([(row.kind, row.fortran) for row in PREDEFINED if row.fortran != -1],
                        [(row.kind, row.number) for row in PREDEFINED
                         if row.number != "kNoHandle" and row.fortran != -1]):
            self.assertEqual([number for number, times in collections.Counter(numbers).items() if times > 1], [])

    @needs_library
    def test_sizes_are_those_of_the_library(self):
        theirs = self.objects()
        self.assertEqual({row.symbol: row.bytes for row in PREDEFINED},
                         {row.symbol: theirs.get(row.symbol) for row in PREDEFINED})

    @needs_library
    def test_no_object_of_the_library_is_forgotten(self):
        # A handle's object has one of the sizes below. Of those sizes there is also the list of the free messages.
        sizes = {row.bytes for row in PREDEFINED}
        handles = {name for name, size in self.objects().items()
                   if size in sizes and re.match(r"ompi_(mpi|request|message)_", name)}
        self.assertEqual(handles, {row.symbol for row in PREDEFINED})
        declared = re.findall(r"^OMPI_DECLSPEC extern struct ompi_predefined_\w+ (\w+);",
                              (OPENMPI / "mpi.h").read_text(), re.MULTILINE)
        self.assertEqual(set(declared) - handles, set())

    @staticmethod
    def objects():
        rows = [line.split() for line in run("readelf", "-W", "--dyn-syms", LIBMPI).splitlines()]
        return {row[7].split("@")[0]: int(row[2]) for row in rows
                if len(row) > 7 and row[3] == "OBJECT" and row[6] != "UND"}


if __name__ == "__main__":
    unittest.main()
