#!/usr/bin/env python3
"""Every name of MPI-3.1 is there to be linked: the library of each binary interface exports MPI_x and PMPI_x of each
function that its headers declare, and mpi_x_ and pmpi_x_ of each routine of Fortran's; and what an installed MPI of
that interface exports, but for what is listed here.

So a shared object that was built with that MPI is loaded, also by who asks for all of its names at once (RTLD_NOW,
ld -z now), as Python does.

Environment: MPI_LIBRARY_<INTERFACE>, the shim's libraries.
"""
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "mpi_shim"
OURS = {interface: pathlib.Path(os.environ[f"MPI_LIBRARY_{interface.upper()}"])
        for interface in ("mpich", "openmpi", "mpi5")}
FOLDERS = [pathlib.Path(name) for name in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64/openmpi/lib",
                                           "/usr/lib64/mpich/lib", "/usr/lib64")]

FUNCTIONS = re.findall(r"^FMPL_MPI_CALL\(\w+, (MPI_\w+),", (SOURCE / "include/mpi_functions.h").read_text(),
                       re.MULTILINE)
# With those that some interface has as macros.
CONVERSIONS = [f"MPI_{kind}_{way}" for kind in ("Comm", "Type", "Group", "Request", "Message", "Op", "Info",
                                                "Errhandler", "Win", "File") for way in ("c2f", "f2c")]
ROUTINES = re.findall(r"^FMPL_FORTRAN\w*\((mpi_\w+),", (SOURCE / "src/fortran/bindings.def").read_text(), re.MULTILINE)
# In functions.cpp: without ierror, and procedures that programs pass as arguments and do not call.
FORTRAN_FUNCTIONS = ["mpi_wtime", "mpi_wtick", "mpi_aint_add", "mpi_aint_diff", "mpi_pcontrol", "mpi_f_sync_reg"]
FORTRAN_CALLBACKS = ["mpi_conversion_fn_null"] + [f"{kind}_{name}" for kind in ("mpi", "mpi_comm", "mpi_type",
                                                                              "mpi_win")
                                                  for name in ("dup_fn", "null_copy_fn", "null_delete_fn")]

# C. Of MPI-4, and of Fortran 2008 beside the module mpi_f08, which the shim has not.
LATER = re.compile(r"""P?MPI_(
    \w+_c | Session_\w+ | Group_from_session_pset |
    (All|Alltoall|Barrier|Bcast|Ex|Gather|Neighbor|Reduce|Scan|Scatter)\w*_init | P(send|recv)_init |
    Pready\w* | Parrived | Isendrecv(_replace)? | Info_(create_env|get_string) | Comm_create_from_group |
    Intercomm_create_from_groups | Comm_idup_with_info | T_(event|source)_\w+ | T_category_get_(num_)?events |
    Status_\w*f08\w* | F08_STATUS(ES)?_IGNORE )$""", re.VERBOSE)
# Fortran's routines under names in capitals, as some other compilers call them, and as parts of Open MPI's modules.
IN_CAPITALS = re.compile(r"P?MPI_(?!F_STATUS|UNWEIGHTED|WEIGHTS_EMPTY|T_PVAR_ALL_HANDLES)[A-Z0-9_]+$")
# Fortran. What MPICH's module mpi_f08 calls, MPI-4 again, and second names of what programs pass as arguments.
FORTRAN_LATER = re.compile(r"""p?mpi_(
    \w*f08\w* | (\w+_)?(dup|null_copy|null_delete|conversion)_fn(_null)? | session_\w+ | group_from_session_pset |
    (all|alltoall|barrier|bcast|ex|gather|neighbor|reduce|scan|scatter)\w*_init | p(send|recv)_init |
    pready\w* | parrived | isendrecv(_replace)? | info_(create_env|get_string) | comm_create_from_group |
    intercomm_create_from_groups | comm_idup_with_info )_$""", re.VERBOSE)


def installed(name):
    return next((folder / name for folder in FOLDERS if (folder / name).exists()), None)


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}


class ExportedNames(unittest.TestCase):
    maxDiff = None

    def test_every_declared_function_is_there_under_both_names(self):
        self.assertGreater(len(FUNCTIONS), 350)
        names = FUNCTIONS + CONVERSIONS
        for interface, library in OURS.items():
            with self.subTest(interface=interface):
                self.assertEqual({prefix + name for name in names for prefix in ("", "P")} - exported(library), set())

    def test_every_routine_of_fortran_is_there_under_both_names(self):
        self.assertGreater(len(ROUTINES), 350)
        names = {f"{prefix}{name}_" for name in ROUTINES + FORTRAN_FUNCTIONS for prefix in ("", "p")}
        names |= {f"{name}_" for name in FORTRAN_CALLBACKS}
        for interface, library in OURS.items():
            with self.subTest(interface=interface):
                self.assertEqual(names - exported(library), set())

    def test_every_function_has_its_routine_of_fortran(self):
        # C's alone: the tools interface, conversions between C and Fortran.
        of_c = re.compile(r"MPI_(T_\w+|\w+_(c2f|f2c))$")
        routines = set(ROUTINES + FORTRAN_FUNCTIONS)
        self.assertEqual({name for name in FUNCTIONS if not of_c.match(name) and name.lower() not in routines}, set())

    def test_every_name_of_an_installed_mpi_is_there(self):
        for interface, name in (("openmpi", "libmpi.so.40"), ("mpich", "libmpich.so.12")):
            with self.subTest(library=name):
                if (library := installed(name)) is None:
                    self.skipTest(f"{name} is not installed")
                theirs = {name for name in exported(library) if re.match(r"P?MPI_", name)}
                self.assertGreater(len(theirs), 700)
                missing = theirs - exported(OURS[interface])
                self.assertEqual({name for name in missing if not LATER.match(name) and not IN_CAPITALS.match(name)},
                                 set())

    def test_every_fortran_name_of_an_installed_mpi_is_there(self):
        for interface, name in (("openmpi", "libmpi_mpifh.so.40"), ("mpich", "libmpichfort.so.12")):
            with self.subTest(library=name):
                if (library := installed(name)) is None:
                    self.skipTest(f"{name} is not installed")
                # With one underscore behind the name, as gfortran calls them.
                theirs = {name for name in exported(library) if re.match(r"p?mpi_\w*[a-z0-9]_$", name)}
                self.assertGreater(len(theirs), 700)
                missing = theirs - exported(OURS[interface])
                self.assertEqual({name for name in missing if not FORTRAN_LATER.match(name)}, set())


if __name__ == "__main__":
    unittest.main()
