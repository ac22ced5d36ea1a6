#!/usr/bin/env python3
"""The shim's headers say what MPICH's say: one generated program, compiled against each, prints the same.

It prints the value of every constant, the type of every function and data object, sizes and offsets. What is left out
of the shim is listed here, so that nothing is missing by mistake. Without MPICH's headers, only that the shim's
compile.

Environment: MPI_INCLUDE, the folder of the shim's mpi.h.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

OURS = pathlib.Path(os.environ["MPI_INCLUDE"])
# The functions lie beside mpi.h where the shim is installed, one folder up in the source tree.
FUNCTIONS_H = next(file for file in (OURS / "mpi_functions.h", OURS.parent / "mpi_functions.h") if file.exists())
INCLUDES = [f"-I{OURS}", f"-I{FUNCTIONS_H.parent}"]
HEADER = (OURS / "mpi.h").read_text() + FUNCTIONS_H.read_text()
FUNCTIONS = re.findall(r"^FMPL_MPI_CALL\(\w+, (MPI_\w+),", HEADER, re.MULTILINE)
CONSTANTS = re.findall(r"^#define (MPI_\w+) ", HEADER, re.MULTILINE)
TYPES = re.findall(r"^(?:typedef [^{;]*?\b|\} )(MPI_\w+)(?:\)\([^;]*)?;", HEADER, re.MULTILINE)
OBJECTS = ["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_T_PVAR_ALL_HANDLES", "MPI_F_STATUS_IGNORE",
           "MPI_F_STATUSES_IGNORE"]

# For the tests of the interfaces whose handles are pointers.
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "mpi_shim"
KINDS = {"communicator": "MPI_Comm", "group": "MPI_Group", "datatype": "MPI_Datatype", "operation": "MPI_Op",
         "errhandler": "MPI_Errhandler", "info": "MPI_Info", "request": "MPI_Request", "message": "MPI_Message",
         "window": "MPI_Win", "file": "MPI_File"}
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

# The version of the standard is the one that we implement.
OF_THE_VERSION = {"MPI_VERSION", "MPI_SUBVERSION"}
# What MPICH has beyond MPI-3.1.
OF_MPI_4 = re.compile(r"""MPI_(
    \w+_c | Session_\w+ | Group_from_session_pset |
    (All|Alltoall|Barrier|Bcast|Ex|Gather|Neighbor|Reduce|Scan|Scatter)\w*_init | P(send|recv)_init |
    Pready\w* | Parrived | Isendrecv(_replace)? | Info_(create_env|get_string) | Comm_create_from_group |
    Intercomm_create_from_groups | Comm_idup_with_info |
    T_(event|source)_\w+ | T_category_get_(num_)?events )$""", re.VERBOSE)
# Constants of MPI-4, and what is MPICH's own: formats and marks of its header, and an object of the tools interface.
OTHER_CONSTANTS = re.compile(r"""MPI_(
    COMM_TYPE_HW_(UN)?GUIDED | CONVERSION_FN_NULL_C | MAX_(PSET_NAME|STRINGTAG)_LEN | SESSION_NULL |
    ERR_(SESSION|PROC_ABORTED|VALUE_TOO_LARGE) | T_ERR_NOT_SUPPORTED | T_CB_REQUIRE_\w+ | T_SOURCE_(UN)?ORDERED |
    AINT_FMT_\w+ | FILE_DEFINED )$""", re.VERBOSE)
# Of the form of the interface for Fortran 2008, which the shim has not.
OF_FORTRAN_2008 = re.compile(r"MPI_Status_(\w*f08\w*)$")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def mpich_headers():
    for folder in ("/usr/include/x86_64-linux-gnu/mpich", "/usr/include/mpich"):
        if (pathlib.Path(folder) / "mpi_proto.h").exists():
            return pathlib.Path(folder)
    found = subprocess.run(["pkg-config", "--variable=includedir", "mpich"], capture_output=True, text=True)
    folder = pathlib.Path(found.stdout.strip() or "/nonexistent")
    return folder if (folder / "mpi_proto.h").exists() else None


MPICH = mpich_headers()

IGNORES = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int to = 0, from = 0, flag, done, which[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Irecv(&to, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&from, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Testsome(2, requests, &done, which, MPI_STATUSES_IGNORE);
    MPI_Waitsome(2, requests, &done, which, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
"""

CPP = """
#include <mpi.h>
#include <cstddef>
#include <cstdio>
template <class T> void type(const char *name) {{ std::printf("%s: %s\\n", name, __PRETTY_FUNCTION__); }}
#define VALUE(name) std::printf(#name " = %#llx\\n", (unsigned long long)(name));
#define FIELD(name) std::printf(#name " at %zu of %zu\\n", offsetof(MPI_Status, name), sizeof(MPI_Status));
#define TYPE(name) std::printf(#name " has %zu bytes\\n", sizeof(name)); type<name>(#name);
int main() {{
{body}
}}
"""

FORTRAN = """
program values
  implicit none
  include 'mpif.h'
{body}
end program
"""


def lines_printed(folder, include, compiler, suffix, source, *options):
    program = pathlib.Path(folder) / "program"
    (file := program.with_suffix(suffix)).write_text(source)
    run(compiler, f"-I{include}", *INCLUDES[1:], *options, file, "-o", program)
    return run(program).splitlines()


class Headers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="fmpl-abi-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_mpi_h_compiles_in_every_language_standard(self):
        for compiler, suffix, standards in (("cc", ".c", ("c99", "c11", "c17")),
                                            ("c++", ".cpp", ("c++11", "c++14", "c++17", "c++20"))):
            file = pathlib.Path(self.folder) / f"uses{suffix}"
            file.write_text("#include <mpi.h>\n#include <mpi.h>\nMPI_Status status;\nMPI_Comm comm = MPI_COMM_WORLD;\n")
            for standard in standards:
                with self.subTest(standard=standard):
                    run(compiler, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", *INCLUDES,
                        "-fsyntax-only", file)

    # A compiler that optimises takes MPI_STATUSES_IGNORE for an array without room where the header declares arrays.
    def test_ignored_statuses_are_compiled_without_a_warning(self):
        file = pathlib.Path(self.folder) / "ignores.c"
        file.write_text(IGNORES)
        for compiler in ("cc", "c++"):
            run(compiler, "-O2", "-Wall", "-Wextra", "-Werror", *INCLUDES, "-c", file, "-o", f"{file}.o")

    def test_mpif_h_compiles_in_fixed_and_free_form(self):
        for suffix in (".f", ".f90"):
            file = pathlib.Path(self.folder) / f"uses{suffix}"
            file.write_text("      program uses\n      implicit none\n      include 'mpif.h'\n      end program\n")
            run("gfortran", "-Wall", "-Werror", *INCLUDES, "-fsyntax-only", file)

    def assert_same(self, ours, mpichs):
        self.assertGreater(len(ours), 100)
        self.assertEqual([pair for pair in zip(ours, mpichs) if pair[0] != pair[1]], [])
        self.assertEqual(len(ours), len(mpichs))

    @unittest.skipIf(MPICH is None, "MPICH's headers are not installed (libmpich-dev)")
    def test_constants_types_and_prototypes_of_c_are_those_of_mpich(self):
        not_values = OF_THE_VERSION | {"MPI_INCLUDED", "MPI_DUP_FN", "MPI_COMM_DUP_FN", "MPI_TYPE_DUP_FN",
                                         "MPI_WIN_DUP_FN"}
        values = [name for name in CONSTANTS if name not in not_values and "(" not in name]
        body = [f"VALUE({name})" for name in values]
        body += [f"TYPE({name})" for name in TYPES if not name.endswith(("_function", "_fn"))]
        body += [f'type<{name} *>("{name}");' for name in TYPES if name.endswith(("_function", "_fn"))]
        body += [f"FIELD({name})"
                 for name in ("count_lo", "count_hi_and_cancelled", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR")]
        body += [f'type<decltype(&{name})>("{name}");' for name in FUNCTIONS + [f"P{name}" for name in FUNCTIONS]]
        body += [f'type<decltype({name})>("{name}");' for name in OBJECTS]
        source = CPP.format(body="\n".join(body))
        options = ("-std=c++17", "-DMPICH_SKIP_MPICXX", "-w")
        self.assert_same(*(lines_printed(self.folder, include, "c++", ".cpp", source, *options)
                           for include in (OURS, MPICH)))

    @unittest.skipIf(MPICH is None, "MPICH's headers are not installed (libmpich-dev)")
    def test_only_what_is_said_to_be_is_left_out(self):
        text = "".join((MPICH / name).read_text() for name in ("mpi_proto.h", "mpio.h"))
        # Those of info objects are macros elsewhere in that MPICH, too.
        theirs = set(re.findall(r"^\w+ (MPI_\w+)\(", text, re.MULTILINE)) - {"MPI_DUP_FN"}
        theirs -= {"MPI_Info_c2f", "MPI_Info_f2c"}
        missing = {name for name in theirs - set(FUNCTIONS)
                   if not any(pattern.match(name) for pattern in (OF_MPI_4, OF_FORTRAN_2008))}
        self.assertEqual(missing, set())
        self.assertEqual({name for name in FUNCTIONS if OF_MPI_4.match(name)}, set())
        self.assertEqual(set(FUNCTIONS) - theirs, set())

    @unittest.skipIf(MPICH is None, "MPICH's headers are not installed (libmpich-dev)")
    def test_every_constant_of_c_is_there(self):
        text = "".join((MPICH / name).read_text() for name in ("mpi.h", "mpio.h"))
        theirs = set(re.findall(r"^#\s*define (MPI_[A-Z]\w*)\s|^ +(MPI_[A-Z]\w*)(?: *=[^,]*)?,?$", text, re.MULTILINE))
        theirs = {name for names in theirs for name in names if name} - {"MPI_INCLUDED"}
        self.assertGreater(len(theirs), 300)
        self.assertEqual({name for name in theirs - set(CONSTANTS) if not OTHER_CONSTANTS.match(name)}, set())

    @unittest.skipIf(MPICH is None, "MPICH's headers are not installed (libmpich-dev)")
    def test_every_constant_of_fortran_is_there(self):
        theirs, ours = (set(re.findall(r"PARAMETER *\((\w+) *=", (folder / "mpif.h").read_text()))
                        for folder in (MPICH, OURS))
        self.assertGreater(len(theirs), 200)
        self.assertEqual({name for name in theirs - ours if not OTHER_CONSTANTS.match(name)}, set())

    @unittest.skipIf(MPICH is None, "MPICH's headers are not installed (libmpich-dev)")
    def test_constants_of_fortran_are_those_of_mpich(self):
        text = (OURS / "mpif.h").read_text()
        names = [name for name in re.findall(r"PARAMETER \((\w+)=", text) if name not in OF_THE_VERSION]
        body = "\n".join(f"  print *, '{name}', {name}" for name in names)
        self.assert_same(*(lines_printed(self.folder, include, "gfortran", ".f90", FORTRAN.format(body=body))
                           for include in (OURS, MPICH)))

    def test_c_and_fortran_have_the_same_constants(self):
        fortran = set(re.findall(r"\b(MPI_\w+)", (OURS / "mpif.h").read_text()))
        # Of C alone: the status of Fortran as C sees it, the tools interface, and what MPICH's mpif.h has not.
        c_only = re.compile(r"MPI_(F_\w+|T_\w+|INCLUDED|FILE_NULL|ERRORS_ABORT)$")
        self.assertEqual({name for name in CONSTANTS if not c_only.match(name)} - fortran, set())


if __name__ == "__main__":
    unittest.main()
