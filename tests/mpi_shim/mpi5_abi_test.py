#!/usr/bin/env python3
"""The shim's headers for the standard ABI of MPI-5.0 agree with themselves: mpi.h, mpif.h and predefined.def, the table
of the predefined handles. No MPI with a header to compare them with is installed here; of the values, this has those
that other rules of the ABI follow from.

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
CONSTANTS = re.findall(r"^#define (MPI_\w+) ", HEADER, re.MULTILINE)
# Each handle of mpi.h: its type and its number.
HANDLES = {name: (kind, int(value, 16)) for name, kind, value in
           re.findall(r"^#define (MPI_\w+) +\(\((MPI_\w+)\)(0x\w+)\)", HEADER, re.MULTILINE)}
SECOND_NAMES = re.findall(r"^#define (MPI_\w+) +(MPI_\w+)$", HEADER, re.MULTILINE)
FORTRAN = {name: int(value) for name, value in re.findall(r"PARAMETER \((\w+)=(-?\d+)\)", MPIF)}

Predefined = collections.namedtuple("Predefined", "kind name value number")
PREDEFINED = [Predefined(kind, name, int(value, 16), number) for kind, name, value, number in
              re.findall(r"^FMPL_MPI5\((\w+), (\w+), (0x\w+), (.+)\)$",
                         (SOURCE / "src/abi/mpi5/predefined.def").read_text(), re.MULTILINE)]
# Types of Fortran that the core has not.
NO_OBJECT = {"MPI_INTEGER16", "MPI_LOGICAL16", "MPI_REAL2", "MPI_COMPLEX4"}

SIZES = {"MPI_Status": 32, "MPI_Aint": 8, "MPI_Offset": 8, "MPI_Count": 8, "MPI_Fint": 4}

CHECKS = """
#include <mpi.h>
#include <stddef.h>
#ifdef __cplusplus
#define CHECK(name, holds) static_assert(holds, #name);
#else
#define CHECK(name, holds) _Static_assert(holds, #name);
#endif
{body}
"""


class Headers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-mpi5-abi-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.includes = (f"-I{OURS}", f"-I{FUNCTIONS_H.parent}")

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_mpi_h_compiles_in_every_language_standard(self):
        text = ("#include <mpi.h>\n#include <mpi.h>\nMPI_Status status;\nMPI_Comm comm = MPI_COMM_WORLD;\n"
                "int number(void);\nint number(void) { return MPI_Comm_toint(comm) + (int)MPI_Aint_add(1, 2); }\n")
        for compiler, suffix, standards in (("cc", ".c", ("c99", "c11", "c17")),
                                            ("c++", ".cpp", ("c++11", "c++14", "c++17", "c++20"))):
            file = self.file(f"uses{suffix}", text)
            for standard in standards:
                with self.subTest(standard=standard):
                    run(compiler, f"-std={standard}", *STRICT, *self.includes, "-fsyntax-only", file)

    def test_ignored_statuses_are_compiled_without_a_warning(self):
        file = self.file("ignores.c", abi_test.IGNORES)
        for compiler in ("cc", "c++"):
            run(compiler, "-O2", *STRICT, *self.includes, "-c", file, "-o", f"{file}.o")

    def test_mpif_h_compiles_in_fixed_and_free_form(self):
        for suffix in (".f", ".f90"):
            file = self.file(f"uses{suffix}",
                             "      program uses\n      implicit none\n      include 'mpif.h'\n      end program\n")
            run("gfortran", "-Wall", "-Werror", f"-I{OURS}", "-fsyntax-only", file)

    def test_sizes_and_offsets_are_those_of_the_abi(self):
        body = [f"CHECK({name}_has_its_size, sizeof({name}) == {size})" for name, size in SIZES.items()]
        body += [f"CHECK({name}_is_a_pointer, sizeof({name}) == sizeof(void *))" for name in KINDS.values()]
        body += [f"CHECK({name}_lies_there, offsetof(MPI_Status, {name}) == {4 * place})" for place, name in
                 enumerate(("MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal"))]
        body += ["CHECK(abi_is_1_0, MPI_ABI_VERSION == 1 && MPI_ABI_SUBVERSION == 0)"]
        source = CHECKS.format(body="\n".join(body))
        for compiler, suffix, standard in (("cc", ".c", "c11"), ("c++", ".cpp", "c++20")):
            run(compiler, f"-std={standard}", *STRICT, *self.includes, "-fsyntax-only",
                self.file(f"sizes{suffix}", source))

    def test_numbers_with_a_meaning_of_their_own_are_negative_and_differ(self):
        ranks = [FORTRAN[f"MPI_{name}"] for name in ("ANY_SOURCE", "PROC_NULL", "ROOT", "ANY_TAG", "UNDEFINED")]
        self.assertEqual(len(set(ranks)), len(ranks))
        self.assertLess(max(ranks), 0)

    def test_thread_levels_are_in_order_and_modes_are_bits(self):
        levels = [FORTRAN[f"MPI_THREAD_{name}"] for name in ("SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE")]
        self.assertEqual(levels, sorted(set(levels)))
        modes = [value for name, value in FORTRAN.items() if name.startswith("MPI_MODE_")]
        self.assertEqual(len(modes), 14)
        self.assertEqual(sum(modes), sum(set(modes)))
        self.assertEqual([mode for mode in modes if bin(mode).count("1") != 1], [])

    def test_error_classes_differ_and_the_last_code_is_the_largest(self):
        classes = {name: value for name, value in FORTRAN.items()
                   if re.match(r"MPI_(T_)?ERR_|MPI_SUCCESS$", name)}
        self.assertEqual(len(set(classes.values())), len(classes))
        self.assertEqual(max(classes, key=classes.get), "MPI_ERR_LASTCODE")

    def test_constants_of_fortran_are_those_of_c(self):
        # A text of Fortran's has no final zero.
        names = [name for name in FORTRAN if name in CONSTANTS]
        self.assertGreater(len(names), 250)
        values = "\n".join(f'printf("{name} %lld\\n", (long long)(intptr_t){name} - '
                           f'{1 if name.startswith("MPI_MAX_") else 0});' for name in names)
        source = f"#include <mpi.h>\n#include <stdio.h>\nint main(void) {{\n{values}\n}}\n"
        printed = lines_printed(self.folder, OURS, "cc", ".c", source, "-std=c11")
        self.assertEqual([f"{name} {FORTRAN[name]}" for name in names], printed)

    def test_c_and_fortran_have_the_same_constants(self):
        fortran = set(re.findall(r"\b(MPI_\w+)", MPIF))
        # Of C alone: the status of Fortran as C sees it, the tools interface but its errors, and of MPI-4.1.
        c_only = re.compile(r"MPI_(F_\w+|T_(?!ERR_)\w+|BUFFER_AUTOMATIC)$")
        self.assertEqual({name for name in CONSTANTS if not c_only.match(name)} - fortran, set())

    def test_a_status_of_fortran_is_the_status_of_c(self):
        self.assertEqual([FORTRAN[f"MPI_{name}"] for name in ("STATUS_SIZE", "SOURCE", "TAG", "ERROR")], [8, 1, 2, 3])
        checks = ["CHECK(size, MPI_F_STATUS_SIZE * sizeof(MPI_Fint) == sizeof(MPI_Status))",
                  "CHECK(places, MPI_F_SOURCE == 0 && MPI_F_TAG == 1 && MPI_F_ERROR == 2)"]
        run("cc", *STRICT, *self.includes, "-fsyntax-only",
            self.file("status.c", CHECKS.format(body="\n".join(checks))))

    def test_each_sentinel_of_fortran_has_a_block_that_the_library_has(self):
        blocks = re.findall(r"COMMON /(FMPL_MPI_\w+)/ MPI_\w+$", MPIF, re.MULTILINE)
        self.assertEqual(len(blocks), 9)
        self.assertEqual(blocks, re.findall(r"SAVE /(\w+)/", MPIF))
        library = re.findall(r"sentinel\((\w+), \d+, \w+\)", (SOURCE / "src/abi/mpi5/sentinels.cpp").read_text())
        self.assertEqual(sorted(f"{block.lower()}_" for block in blocks), sorted(library))


class PredefinedHandles(unittest.TestCase):
    maxDiff = None

    def test_the_table_says_what_the_headers_say(self):
        self.assertEqual({row.name: (KINDS[row.kind], row.value) for row in PREDEFINED}, HANDLES)
        self.assertEqual({name: FORTRAN[name] for name in HANDLES},
                         {name: value for name, (_, value) in HANDLES.items()})
        for name, meant in SECOND_NAMES:
            self.assertEqual(FORTRAN[name], FORTRAN[meant])

    def test_a_value_stands_in_one_row_and_a_number_in_one_of_its_kind(self):
        for numbers in ([row.value for row in PREDEFINED],
                        [(row.kind, row.number) for row in PREDEFINED if row.number != "kNoHandle"]):
            self.assertEqual([number for number, times in collections.Counter(numbers).items() if times > 1], [])

    def test_values_lie_where_the_abi_has_their_kinds(self):
        # MPI-5.0, section 20.5: the upper bits say the kind; null handles come first.
        first = {"MPI_Op": 0x20, "MPI_Comm": 0x100, "MPI_Group": 0x108, "MPI_Win": 0x110, "MPI_File": 0x118,
                 "MPI_Message": 0x128, "MPI_Info": 0x130, "MPI_Errhandler": 0x140, "MPI_Request": 0x180,
                 "MPI_Datatype": 0x200}
        for kind, null in first.items():
            values = {name: value for name, (of, value) in HANDLES.items() if of == kind}
            name = min(values, key=values.get)
            self.assertEqual((name[-5:], values[name]), ("_NULL", null))
            following = min((value for value in first.values() if value > null), default=0x300)
            self.assertLess(max(values.values()), following)

    def test_fixed_sizes_are_in_the_values(self):
        # Types of one size whatever the machine: 0b10_01_sss_xxx and 0b10_11_sss_xxx hold the binary logarithm of it.
        sizes = {"INT8_T": 1, "UINT16_T": 2, "INT32_T": 4, "UINT64_T": 8, "CHAR": 1, "BYTE": 1, "INTEGER1": 1,
                 "LOGICAL2": 2, "INTEGER4": 4, "REAL4": 4, "COMPLEX8": 8, "REAL8": 8, "LOGICAL8": 8, "COMPLEX16": 16,
                 "REAL16": 16, "COMPLEX32": 32}
        self.assertEqual({name: 1 << (HANDLES[f"MPI_{name}"][1] >> 3 & 7) for name in sizes}, sizes)

    def test_the_core_has_all_but_four(self):
        self.assertEqual({row.name for row in PREDEFINED if row.number == "kNoHandle"}, NO_OBJECT)
        mpich = re.findall(r"^#define (MPI_\w+) +\(\(MPI_\w+\)\w+\)",
                           (SOURCE / "include/mpich/mpi.h").read_text(), re.MULTILINE)
        of_ours = set(HANDLES) | {name for name, _ in SECOND_NAMES}
        # The markers of bounds are not of the ABI.
        self.assertEqual({name for name in mpich if not name.startswith("MPI_T_")} - of_ours, {"MPI_LB", "MPI_UB"})


if __name__ == "__main__":
    unittest.main()
