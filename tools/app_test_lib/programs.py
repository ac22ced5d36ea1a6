"""The programs, each with its input and what of its output is its result.

To add one: a Program in PROGRAMS. Its input files lie in inputs, or where its Debian packages have them.
"""
import dataclasses
import platform

from app_test_lib.results import Figure, Lines

LIBRARIES = f"/usr/lib/{platform.machine()}-linux-gnu"
TESTERS = f"{LIBRARIES}/scalapack/openmpi-tests"
PETSC = f"/usr/lib/petscdir/petsc3.18/{platform.machine()}-linux-gnu-real/lib/python3/dist-packages"
PYTHON = "/usr/bin/python3"  # Debian's, whose modules Debian's packages are
WINDOWS = "one-sided communication"
FILES = "files (MPI-IO)"


@dataclasses.dataclass(frozen=True)
class Program:
    """name: on the command line. what: in the table, where the name does not say it.
    packages: Debian's; the first has the program. mpi: whose binary interface it has.
    command: its words; those of prepare run once, without an MPI, in a folder whose files each run then finds.
    inputs: (name in the folder, file), or a file alone: of inputs, or an absolute path, perhaps a pattern; what is
    compressed is expanded where the name says no .gz. stdin: one of the inputs.
    results: one Lines or more, each of which has to find something, and what it expects, over either MPI; none where
    nothing can be compared.
    status: that it ends with; None where that does not matter. figures: of merit.
    timed: whether its time says anything; else it decides itself how long it runs.
    ranks: None for 4, or for programs of MPICH 2, and what the user says; or the number that its input is for.
    not_yet: what FMPL lacks for it. While that is so, its failing is no failure of the test."""
    name: str
    packages: tuple
    command: tuple
    results: tuple
    what: str = ""
    mpi: str = "openmpi"
    prepare: tuple = ()
    inputs: tuple = ()
    stdin: str = ""
    options: tuple = ()  # of fmplrun, besides --mpi
    environment: tuple = ()
    status: int | None = 0
    figures: tuple = ()
    timed: bool = True
    ranks: int | None = None
    not_yet: str = ""

    def title(self):
        return self.what or self.name


def with_blacs(program):
    """The same with BLACS-FMPL in front of its BLACS."""
    return [program, dataclasses.replace(program, name=f"{program.name}-blacs", what=f"{program.title()}, `--blacs`",
                                         options=("--blacs",))]


# ---- What is alike in several ---------------------------------------------------------------------------------------

def f2py(first):
    """A Fortran module of f2py's beside mpi4py, imported before it or after it."""
    order = "before" if first == "f2py" else "after"
    flags = (f"-I{LIBRARIES}/openmpi/include", f"-L{LIBRARIES}/openmpi/lib", "-lmpi_mpifh", "-lmpi")
    return Program(f"f2py-{order}-mpi4py", ("python3-numpy", "python3-mpi4py", "gfortran", "libopenmpi-dev"),
                   (PYTHON, "f2py_calls.py", first), what=f"Fortran of ours by f2py, imported {order} mpi4py",
                   inputs=("f2py_calls.f90", "f2py_calls.py"),
                   prepare=((PYTHON, "-m", "numpy.f2py", "-c", "f2py_calls.f90", "-m", "f2py_calls", *flags),),
                   results=(Lines(r"^rank \d+: .*"),))


def blacs_tester(name):
    """It ends by the abort that it tests last. Whether sums are repeatable without being asked for it is chance; if
    not, it goes on with that test, and makes ranks wait by the clock once more, for six seconds."""
    return with_blacs(Program(
        name, ("scalapack-mpi-test",), (f"{TESTERS}/BLACS/{name}",), what=f"BLACS tester {name}",
        inputs=(f"{TESTERS}/BLACS/*.dat",), status=None, ranks=4, timed=False,
        results=(Lines(r"^.*TESTS; *\d+ PASSED.*$"), Lines(r"^ *(PASSED|FAILED|SKIPPED) +(?:BLACS|LOCALLY)"))))


def scalapack_tester(name, folder=""):
    totals = r"^ *\d+ tests? (?:completed|skipped).*$" if not folder else r"^ *\| +\w+ +\d+ +\d+ +\d+ +\d+ *$"
    return Program(name, ("scalapack-mpi-test",), (f"{TESTERS}/{folder}{name}",), what=f"ScaLAPACK tester {name}",
                   inputs=(f"{TESTERS}/{folder}*.dat",), options=("--blacs",), ranks=4, results=(Lines(totals),))


def mumps_test(letter, kind):
    return Program(f"{letter}simpletest", ("mumps-test",), (f"/usr/lib/mumps/{letter}simpletest",),
                   what=f"MUMPS {letter}simpletest", inputs=(f"/usr/lib/mumps/input_simpletest_{kind}",),
                   stdin=f"input_simpletest_{kind}", results=(Lines(r"^ *Solution is.*$", tolerance=1e-5),))


def netpipe(name, package, mpi, **more):
    return Program(name, (package,), (name, "-p", "0", "-u", "1000000"), (), mpi=mpi, ranks=2, timed=False, figures=(
        Figure("1 byte, us", r"^ *1 +\S+ +(\S+)", "np.out", 1e6, is_time=True),
        Figure("786432 bytes, us", r"^ *786432 +\S+ +(\S+)", "np.out", 1e6, is_time=True)), **more)


def python(name, package, script, line, **more):
    return Program(name, (package,), (PYTHON, script), inputs=(script,), results=(Lines(line, tolerance=1e-8),),
                   **more)


# ---- The table -------------------------------------------------------------------------------------------------------

PROGRAMS = [
    Program("hpcc", ("hpcc",), ("hpcc",), inputs=(("hpccinf.txt", "/usr/share/doc/hpcc/examples/_hpccinf.txt"),),
            results=(Lines(r"^Success=.*", "hpccoutf.txt", expected="Success=1"),
                     Lines(r"^.*\.\.\.\.\. *(PASSED|FAILED)", "hpccoutf.txt", expected="PASSED"),
                     Lines(r"^ *(\d+ tests completed and failed residual checks)", "hpccoutf.txt", expected="0 .*")),
            figures=tuple(Figure(f"{words}", rf"^{key}=(\S+)", "hpccoutf.txt", factor) for words, key, factor in (
                ("HPL, GFlop/s", "HPL_Tflops", 1e3), ("PTRANS, GB/s", "PTRANS_GBs", 1),
                ("MPIRandomAccess, GUP/s", "MPIRandomAccess_GUPs", 1), ("MPIFFT, GFlop/s", "MPIFFT_Gflops", 1))),
            ranks=4),
    *blacs_tester("xCbtest"),
    *blacs_tester("xFbtest"),
    *(scalapack_tester(name) for name in ("xdlu", "xdinv", "xdqr", "xdsep", "xzls")),
    scalapack_tester("dpb3tst", "PBLAS/"),
    *(mumps_test(letter, kind) for letter, kind in zip("sdcz", ("real", "real", "cmplx", "cmplx"))),
    netpipe("NPopenmpi", "netpipe-openmpi", "openmpi"),
    Program("lammps", ("lammps",), ("lmp", "-in", "melt.in"), inputs=("melt.in",),
            results=(Lines(r"^ +\d+ +[-\d.]+(?: +[-\d.]+)+ *$", last=True),)),
    *with_blacs(Program(
        "pw.x", ("quantum-espresso", "quantum-espresso-data"), ("pw.x", "-ndiag", "4", "-in", "silicon.pw"),
        what="Quantum ESPRESSO pw.x", ranks=4, results=(Lines(r"^! +total energy.*$", tolerance=1e-9),),
        inputs=("silicon.pw",
                ("Si.UPF", "/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz")))),
    Program("abinit", ("abinit", "abinit-data"), ("abinit", "silicon.abi"), inputs=("silicon.abi",),
            results=(Lines(r"^ *etotal.*", "silicon.abo", tolerance=1e-10),)),
    *with_blacs(Program("cp2k", ("cp2k",), ("cp2k.psmp", "-i", "water.cp2k"), inputs=("water.cp2k",),
                        results=(Lines(r"ENERGY\| Total.*", tolerance=1e-10),))),
    Program("elk-lapw", ("elk-lapw",), ("elk-lapw",), inputs=(("elk.in", "silicon.elk"),),
            results=(Lines(r"\S+", "TOTENERGY.OUT", tolerance=1e-8),)),
    Program("gromacs", ("gromacs",),
            ("gmx_mpi", "mdrun", "-s", "water.tpr", "-ntomp", "1", "-reprod", "-notunepme", "-dlb", "no"),
            prepare=(("gmx", "genconf", "-f", "/usr/share/gromacs/top/spc216.gro", "-nbox", "2", "-o", "water.gro"),
                     ("gmx", "grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr")),
            inputs=("water.mdp", "water.top"),
            results=(Lines(r"Conserved En\..*\n(.*)", "md.log", tolerance=1e-4),)),
    Program("neuron", ("neuron",), ("nrniv", "-nogui", "-nobanner", "-mpi", "sums.hoc"), inputs=("sums.hoc",),
            results=(Lines(r"^(?:sum|ranks) .*"),)),
    Program("examl", ("examl",), ("/usr/lib/examl/bin/examl-sse3", "-f", "e", "-t", "49.tree", "-m", "GAMMA",
                                  "-s", "49.binary", "-n", "run"),
            prepare=(("parse-examl", "-s", "49", "-m", "DNA", "-n", "49"),),
            inputs=(("49", "/usr/share/doc/examl/testData/49.gz"), "/usr/share/doc/examl/testData/49.tree"),
            results=(Lines(r"^Likelihood tree.*", "ExaML_info.run", tolerance=1e-7),)),
    Program("phyml", ("phyml", "iqtree"), ("phyml-mpi", "-i", "example.phy", "-d", "nt", "-m", "HKY85", "-b", "8",
                                           "--r_seed", "1", "--quiet", "--no_memory_check", "-o", "n"),
            inputs=("/usr/share/doc/iqtree/examples/example.phy",),
            results=(Lines(r"^.*[Ll]og-likelihood.*$", "example.phy_phyml_stats.txt", tolerance=1e-8),
                     Lines(r"^.+$", "example.phy_phyml_boot_trees.txt", in_order=False))),
    Program("tree-ppuzzle", ("tree-ppuzzle",), ("tree-ppuzzle", "mammals.phy"),
            inputs=("mammals.phy", "yes.txt"), stdin="yes.txt",
            results=(Lines(r"log L: .*", "mammals.phy.puzzle", tolerance=1e-6),)),
    Program("mplrs", ("mplrs",), ("mplrs", "cube.ine", "cube.ext"), inputs=("cube.ine",),
            results=(Lines(r"^\*Totals: .*", "cube.ext"), Lines(r"^ 1 .*", "cube.ext", in_order=False))),
    Program("boost-mpi", ("libboost-mpi-dev", "libopenmpi-dev", "g++"), ("./boost_mpi",),
            what="a program of ours over Boost.MPI", inputs=("boost_mpi.cxx",), results=(Lines(r"^.+$"),),
            prepare=(("mpicxx.openmpi", "-O2", "boost_mpi.cxx", "-o", "boost_mpi", "-lboost_mpi",
                      "-lboost_serialization"),)),
    Program("fftw-mpi", ("libfftw3-mpi-dev", "libfftw3-dev", "libopenmpi-dev", "gcc"), ("./fftw_mpi",),
            what="a program of ours over FFTW's MPI library", inputs=("fftw_mpi.c99",),
            results=(Lines(r"^(?:spectrum|difference) .*", tolerance=1e-9),),
            prepare=(("mpicc.openmpi", "-O2", "-x", "c", "fftw_mpi.c99", "-o", "fftw_mpi", "-lfftw3_mpi", "-lfftw3",
                      "-lm"),)),

    Program("mpi4py", ("python3-mpi4py",), (PYTHON, "mpi4py_calls.py"), what="a script of ours over mpi4py",
            inputs=("mpi4py_calls.py",),
            results=(Lines(r"^.+$", tolerance=1e-8), Lines(r"^.+$", last=True, expected="error: True"))),
    f2py("f2py"),
    f2py("mpi4py"),
    Program("dgord", ("ptscotch",), ("dgord", "grid.grf", "order.txt"), inputs=("grid_graph.py",),
            prepare=((PYTHON, "grid_graph.py", "grid.grf"),), what="PT-Scotch dgord, which needs MPI_THREAD_MULTIPLE",
            environment=(("SCOTCH_PTHREAD_NUMBER", "1"),),  # with more threads no two orderings are the same
            results=(Lines(r"^\d.*$", "order.txt"),)),

    netpipe("NPmpich2", "netpipe-mpich2", "mpich"),
    Program("yorick-mpy", ("yorick-mpy-mpich2", "yorick-mpy-common"), ("mpy.mpich2", "-j", "testmp.i"),
            what="Yorick's mpy and its test", mpi="mpich",
            inputs=(("testmp.i", "/usr/share/doc/yorick-mpy-common/examples/testmp.i.gz"), "testmp.txt"),
            stdin="testmp.txt", results=(Lines(r"^.*(?:passed|finished|failed|oops).*$"),)),

    # That of MPICH has a wrong energy on two ranks, over MPICH. With symmetry Debian's build fails over any MPI.
    Program("nwchem", ("nwchem-openmpi", "nwchem-data"), ("nwchem.openmpi", "water.nw"), inputs=("water.nw",), ranks=2,
            not_yet=WINDOWS, results=(Lines(r"Total (?:SCF|MP2) energy.*", tolerance=1e-9),)),
    python("h5py", "python3-h5py-mpi", "hdf5_file.py", r"^squares.*", what="HDF5, by h5py", not_yet=FILES,
           environment=(("H5PY_ALWAYS_USE_MPI", "1"),)),  # or else Debian's h5py looks for variables of mpirun's
    Program("mpb", ("mpb-mpi",), ("mpb-mpi", "rods.ctl"), inputs=("rods.ctl",), not_yet=FILES,
            what="mpb, which links with HDF5", results=(Lines(r"^tmfreqs:, \d.*$", tolerance=1e-4),)),
    Program("petsc", ("python3-petsc4py-real3.18",), (PYTHON, "petsc_poisson.py"), what="PETSc, by petsc4py",
            inputs=("petsc_poisson.py",), environment=(("PYTHONPATH", PETSC),),
            results=(Lines(r"^(?:iterations|norm) .*", tolerance=1e-7),)),
    Program("iqtree", ("iqtree",), ("iqtree2-mpi", "-s", "example.phy", "-m", "HKY+G", "-seed", "1", "-nt", "1",
                                    "-pre", "run"),
            inputs=("/usr/share/doc/iqtree/examples/example.phy",),
            results=(Lines(r"^Log-likelihood of the tree: *(\S+)", "run.iqtree", tolerance=1e-6),)),
    Program("parform", ("form",), ("parform", "powers.frm"), inputs=("powers.frm",),
            results=(Lines(r"^ +F =\n(.*);"), Lines(r"Terms in output.*"))),
    Program("hyphy", ("hyphy-mpi",), ("HYPHYMPI", "products.bf"), inputs=("products.bf",),
            results=(Lines(r"^nodes.*"),)),
]
