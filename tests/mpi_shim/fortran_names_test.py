"""The names of the dummy arguments in bindings.def, which programs write as keywords, are those of MPI-3.1: they are
compared with those of the module mpi_f08 that Open MPI brings for gfortran, where it is installed.
"""
import glob
import gzip
import os
import re
import unittest

BINDINGS = os.path.join(os.path.dirname(__file__), "..", "..", "mpi_shim", "src", "fortran", "bindings.def")
MODULES = "/usr/lib/*/fortran/gfortran-mod-*/openmpi/mpi_f08_interfaces.mod"

# Where Open MPI's names are not those of the standard: (routine, place from 0): the name in Open MPI and in MPI-3.1.
DEVIATIONS = {("mpi_win_get_info", 1): ("info", "info_used")}
# What Open MPI's module has not: what was deprecated before there was a module mpi_f08, and second names of mpif.h's.
NOT_IN_THE_MODULE = {"mpi_keyval_create", "mpi_keyval_free", "mpi_attr_put", "mpi_attr_get", "mpi_attr_delete",
                     "mpi_address", "mpi_type_hvector", "mpi_type_hindexed", "mpi_type_struct", "mpi_type_extent",
                     "mpi_type_lb", "mpi_type_ub", "mpi_errhandler_create", "mpi_errhandler_set", "mpi_errhandler_get",
                     "mpi_alloc_mem_cptr", "mpi_win_allocate_cptr", "mpi_win_allocate_shared_cptr",
                     "mpi_win_shared_query_cptr"}


def tokens_of(text):
    return re.findall(r"'(?:[^']|'')*'|[()]|[^\s()']+", text)


def nested(tokens):
    """The lists in a module's text, as lists."""
    stack = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def routines_of_module(path):
    """The names of arguments for each routine in a compiled module of gfortran."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        items = nested(tokens_of(file.read().split("\n", 1)[1]))
    # Symbols are the longest of the lists: number, name, module, binding label, parent, what it is, ...
    symbols = max((item for item in items if isinstance(item, list)), key=len)
    names = {}
    arguments = {}
    for place in range(0, len(symbols) - 5, 6):
        number, name, _, _, _, about = symbols[place:place + 6]
        names[number] = name.strip("'")
        if "SUBROUTINE" in about[0] and "GENERIC" not in about[0]:
            # After the attributes, the components, the type, the namespace and the common block's number.
            arguments[name.strip("'").removesuffix("_f08")] = about[5]
    return {routine: [names[number] for number in numbers] for routine, numbers in arguments.items()}


def routines_of_bindings():
    with open(BINDINGS, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    routines = {}
    for macro, row in re.findall(r"^FMPL_FORTRAN(\w*)\(([^)]*)\)", text, re.MULTILINE):
        words = [word.strip() for word in row.split(",")]
        # Before the arguments: the name, the C function, and who calls it.
        first = 3 if macro.endswith("_BY") else 2
        routines[words[0]] = [*words[first + 1::2], "ierror"]
    return routines


class FortranNames(unittest.TestCase):
    def test_names_are_those_of_open_mpis_module(self):
        found = sorted(glob.glob(MODULES))
        if not found:
            self.skipTest("Open MPI's module mpi_f08 for gfortran is not installed")
        theirs = routines_of_module(found[-1])
        ours = routines_of_bindings()
        self.assertEqual({routine for routine in ours if routine not in theirs}, NOT_IN_THE_MODULE)
        different = {}
        for routine in ours.keys() - NOT_IN_THE_MODULE:
            self.assertEqual(len(ours[routine]), len(theirs[routine]), routine)
            for place, (our, their) in enumerate(zip(ours[routine], theirs[routine])):
                if our != their:
                    different[routine, place] = (their, our)
        self.assertEqual(different, DEVIATIONS)


if __name__ == "__main__":
    unittest.main()
