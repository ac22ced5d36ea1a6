"""fmplrun --mpi: a program that was linked with an MPI of MPICH's or Open MPI's binary interface runs on FMPL's.
mpiexec.fmpl starts it so, and understands what mpiexec understands elsewhere.

The other MPIs are stand-ins that are built here, with the names of real ones.

Environment: FMPLRUN, the launcher, beside which the wrappers lie.
"""

import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import unittest

FMPLRUN = pathlib.Path(os.environ["FMPLRUN"])
MPIEXEC = FMPLRUN.parent / "mpiexec.fmpl"
MPICC = FMPLRUN.parent / "mpicc.fmpl"
LIMIT = 120  # seconds after which something that should have happened has not

STAND_IN = """
#include <string.h>
#ifdef OF_OPEN_MPI
typedef void *HANDLE;
char ompi_mpi_comm_world[512];
#else
typedef int HANDLE;
#endif
static int up, down;
int MPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; up = 1; return 0; }
int MPI_Finalize(void) { down = 1; return 0; }
int MPI_Initialized(int *flag) { *flag = up; return 0; }
int MPI_Finalized(int *flag) { *flag = down; return 0; }
int MPI_Comm_rank(HANDLE comm, int *rank) { (void)comm; *rank = 0; return 0; }
int MPI_Comm_size(HANDLE comm, int *size) { (void)comm; *size = 1; return 0; }
int MPI_Get_library_version(char *text, int *length) { strcpy(text, "another MPI"); *length = 11; return 0; }
"""
# Says which MPI it runs on, and where its heap lies.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, size, length;
    int (*is_remote)(const void *, size_t);
    void *block = malloc(100000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(version, &length);
    *(void **)&is_remote = dlsym(RTLD_DEFAULT, "fmpl_is_remote_dma");
    printf("rank %d of %d, %.16s, heap %s, %s\\n", rank, size, version,
           is_remote != NULL && is_remote(block, 100000) ? "remote" : "ordinary",
           getenv("WORD") ? getenv("WORD") : "-");
    free(block);
    MPI_Finalize();
    return 0;
}
"""
# Says so of MPI and of the BLACS, its own of which stand for those that come with ScaLAPACK.
PROGRAM_OF_BOTH = """
#include <mpi.h>
#include <stdio.h>
void Cblacs_pinfo(int *number, int *count);
void Cblacs_exit(int go_on);
int Csys2blacs_handle(MPI_Comm comm);
int main(int argc, char **argv)
{
    int rank, size, number, count;
    const int starts_mpi = argc != 2;
    if (starts_mpi) MPI_Init(&argc, &argv);
    Cblacs_pinfo(&number, &count);
    if (argc == 3) Csys2blacs_handle(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("process %d of %d is rank %d of %d\\n", number, count, rank, size);
    Cblacs_exit(starts_mpi);
    if (starts_mpi) MPI_Finalize();
    return 0;
}
"""
OWN_BLACS = """
void Cblacs_pinfo(int *number, int *count) { *number = -1; *count = -1; }
void Cblacs_exit(int go_on) { (void)go_on; }
int Csys2blacs_handle(int comm) { (void)comm; return -1; }
"""
OTHER = "rank 0 of 1, another MPI, heap ordinary, -"


def ours(rank, size, heap="ordinary", word="-"):
    return f"rank {rank} of {size}, MPI 3.1 over FMP, heap {heap}, {word}"


def run(*command, **variables):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_|LD_", k)}
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT, env={**environment, **variables})


class MpiPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-mpi-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "program.c").write_text(PROGRAM)
        (cls.folder / "stand_in.c").write_text(STAND_IN)
        (cls.folder / "both.c").write_text(PROGRAM_OF_BOTH)
        (cls.folder / "own_blacs.c").write_text(OWN_BLACS)
        own = cls.folder / "own_blacs"
        own.mkdir()
        cls.built("cc", "-shared", "-fPIC", cls.folder / "own_blacs.c", "-o", own / "libown_blacs.so")
        cls.of_mpich = cls.program("of_mpich", "libmpich.so.12")
        cls.of_both = cls.program("of_both", "libmpich.so.12", own / "libown_blacs.so", f"-Wl,-rpath,{own}",
                                  source="both.c")
        cls.of_intel = cls.program("of_intel", "libmpi.so.12")
        cls.of_openmpi = cls.program("of_openmpi", "libmpi.so.40")
        cls.of_old_openmpi = cls.program("of_old_openmpi", "libmpi.so.20")
        cls.openmpi_with_rpath = cls.program("openmpi_with_rpath", "libmpi.so.40", "-Wl,--disable-new-dtags")
        cls.openmpi_of_both = cls.program("openmpi_of_both", "libmpi.so.40", own / "libown_blacs.so",
                                          f"-Wl,-rpath,{own}", source="both.c")
        cls.with_rpath = cls.program("with_rpath", "libmpich.so.12", "-Wl,--disable-new-dtags")
        cls.of_ours = cls.folder / "of_ours"
        cls.built(MPICC, cls.folder / "program.c", "-o", cls.of_ours, "-ldl")

    @classmethod
    def built(cls, *command):
        result = run(*command)
        if result.returncode != 0:
            raise AssertionError(result.stderr)

    @classmethod
    def program(cls, name, library, *options, source="program.c"):
        """Linked with a stand-in of that name, which it finds in a folder that is written into it."""
        folder = cls.folder / library
        folder.mkdir(exist_ok=True)
        abi, *define = ("mpich",) if library.endswith(".12") else ("openmpi", "-DOF_OPEN_MPI")
        cls.built("cc", "-shared", "-fPIC", *define, f"-Wl,-soname,{library}", cls.folder / "stand_in.c", "-o",
                  folder / library)
        include = shlex.split(run(MPICC, "--abi", abi, "-showme:compile").stdout)
        cls.built("cc", *include, cls.folder / source, "-o", cls.folder / name, *options, folder / library,
                  f"-Wl,-rpath,{folder}", "-ldl")
        return cls.folder / name

    def test_a_program_of_another_mpi_without_the_option_is_warned_of(self):
        for program, mpi, advice in (
                (self.of_openmpi, r"Open MPI \(it needs libmpi\.so\.40\)", "fmplrun --mpi"),
                (self.of_old_openmpi, r"Open MPI \(it needs libmpi\.so\.20\)", "compile it with mpicc.fmpl"),
                (self.of_mpich, r"MPICH or .* \(it needs libmpich\.so\.12\)", "fmplrun --mpi"),
                (self.of_intel, r"MPICH or .* \(it needs libmpi\.so\.12\)", "fmplrun --mpi")):
            with self.subTest(program=program.name):
                result = run(FMPLRUN, "-n", 3, program)
                self.assertEqual((result.returncode, result.stdout.splitlines()), (0, [OTHER] * 3))
                self.assertRegex(result.stderr,
                                 r"^fmplrun: warning: \S+%s was built with %s, .* 3 times, each alone; .*%s"
                                 % (program.name, mpi, advice))
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assert_prints([OTHER], FMPLRUN, "-n", 1, program)

    def test_a_program_of_ours_is_not_warned_of(self):
        self.assert_prints([ours(rank, 3) for rank in range(3)], FMPLRUN, "-n", 3, self.of_ours)

    def assert_prints(self, lines, *command, **variables):
        result = run(*command, **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertEqual(sorted(result.stdout.splitlines()), lines)

    def assert_refused(self, words, *command):
        result = run(*command)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, words)
        self.assertIn("nothing was started", result.stderr)

    def test_the_shim_takes_the_place_of_the_programs_mpi_only_when_asked_for(self):
        for program in (self.of_mpich, self.of_intel, self.with_rpath, self.of_openmpi, self.openmpi_with_rpath):
            with self.subTest(program=program.name):
                self.assert_prints([OTHER], FMPLRUN, program)
                self.assert_prints([ours(rank, 2) for rank in range(2)], FMPLRUN, "-n", 2, "--mpi", program)

    def test_a_program_of_ours_runs_with_it_and_without(self):
        self.assert_prints([ours(0, 2), ours(1, 2)], FMPLRUN, "-n", 2, self.of_ours)
        self.assert_prints([ours(0, 2), ours(1, 2)], FMPLRUN, "-n", 2, "--mpi", self.of_ours)

    def test_reaches_a_program_within_a_shell(self):
        for program in (self.of_mpich, self.of_openmpi):
            self.assert_prints([ours(0, 1)], FMPLRUN, "--mpi", "sh", "-c", f"{program}; true")

    def test_combines_with_the_heap_in_remote_dma_memory(self):
        if not list((FMPLRUN.parent / "..").glob("lib*/**/libfmpl_rdma_heap.so")):
            self.skipTest("built without libfmpl_rdma_heap")
        for program in (self.of_mpich, self.with_rpath, self.of_openmpi, self.openmpi_with_rpath, self.of_ours):
            with self.subTest(program=program.name):
                self.assert_prints([ours(rank, 2, "remote") for rank in range(2)], FMPLRUN, "-n", 2, "--mpi", "--rdma",
                                   "heap", program)
        for program in (self.of_mpich, self.of_openmpi):
            self.assert_prints([ours(0, 1, "remote")], FMPLRUN, "--mpi", "--rdma", "heap", "sh", "-c",
                               f"{program}; true")

    def test_combines_with_the_blacs(self):
        if not list((FMPLRUN.parent / "..").glob("lib*/**/libpdgemm_fmpl.so")):
            self.skipTest("built without libpdgemm_fmpl")
        lines = [f"process {rank} of 2 is rank {rank} of 2" for rank in range(2)]
        for program in (self.of_both, self.openmpi_of_both):
            self.assert_prints(lines, FMPLRUN, "-n", 2, "--mpi", "--blacs", program)
            self.assert_prints(lines, FMPLRUN, "-n", 2, "--mpi", "--blacs", program, "the BLACS start MPI")
            self.assert_prints(lines, FMPLRUN, "-n", 2, "--mpi", "--blacs", "--rdma", "none", program)
            self.assert_prints(lines, FMPLRUN, "-n", 2, "--mpi", "--blacs", program, "a grid", "of a communicator")

    def test_the_blacs_refuse_an_mpi_in_which_each_process_is_alone(self):
        if not list((FMPLRUN.parent / "..").glob("lib*/**/libpdgemm_fmpl.so")):
            self.skipTest("built without libpdgemm_fmpl")
        result = run(FMPLRUN, "-n", 2, "--blacs", self.of_both)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, "Cblacs_pinfo.*an MPI that is not FMPL's.*each of the 2 processes is alone.*"
                                        "fmplrun --mpi --blacs")
        self.assertNotIn("--blacs had no effect", result.stderr)
        # Where there is one process, all agree about it.
        self.assert_prints(["process 0 of 1 is rank 0 of 1"], FMPLRUN, "--blacs", self.of_both)
        result = run(FMPLRUN, "--blacs", self.of_both, "a grid", "of a communicator")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, "Csys2blacs_handle.*1140850688 is a communicator of an MPI that is not FMPL's")

    def test_keeps_the_users_own_library_path_behind(self):
        result = run(FMPLRUN, "--mpi", "sh", "-c", "echo $LD_LIBRARY_PATH; echo ${LD_PRELOAD-none}",
                     LD_LIBRARY_PATH="/somewhere")
        self.assertRegex(result.stdout, r"^/.*/fmpl/mpi-abi:/somewhere\nnone\n$")

    def test_a_program_of_an_older_open_mpi_is_refused(self):
        self.assert_refused("needs libmpi.so.20, of a version of Open MPI whose.*mpicc.fmpl",
                            FMPLRUN, "--mpi", self.of_old_openmpi)

    def test_a_program_of_a_part_of_open_mpi_that_is_not_there_is_refused(self):
        for name in ("libmpi_usempi.so.40", "libmpi_java.so.40"):
            program = self.program(f"of_{name}", name)
            self.assert_refused(rf"needs {name}, a library of Open MPI 4 that FMPL's MPI has no counterpart of; .*"
                                "mpifort.fmpl", FMPLRUN, "--mpi", program)

    def test_mpiexec_understands_what_mpiexec_understands(self):
        lines = [ours(0, 2, word="a b"), ours(1, 2, word="a b")]
        for options in (("-n", 2, "-env", "WORD", "a b"), ("-np", 2, "-genv", "WORD", "a b"),
                        ("--oversubscribe", "-x", "WORD=a b", "-n", 2),
                        ("-host", "localhost:2", "-n", 2, "-x", "WORD=a b")):
            with self.subTest(options=options):
                self.assert_prints(lines, MPIEXEC, *options, self.of_mpich)
        self.assert_prints(["[0] " + ours(0, 1)], MPIEXEC, "-l", "-n", 1, self.of_mpich)
        self.assert_prints(["n 2 a  b"], MPIEXEC, "-n", 1, "echo", "n 2", "a  b")
        self.assert_prints([str(self.folder)], MPIEXEC, "-wdir", self.folder, "pwd")

    def test_mpirun_is_the_same_program(self):
        result = run(MPIEXEC.parent / "mpirun.fmpl", "--allow-run-as-root", "--mca", "btl", "self,vader", "--map-by",
                     "core", "-np", 2, self.of_openmpi)
        self.assertEqual((result.returncode, sorted(result.stdout.splitlines())), (0, [ours(0, 2), ours(1, 2)]))
        self.assertEqual(result.stderr.splitlines(), [
            "mpirun.fmpl: --mca btl self,vader is ignored: parameters of Open MPI have no meaning here",
            "mpirun.fmpl: --map-by core is ignored: all ranks run on this host"])

    def test_mpiexec_passes_the_environment_byte_by_byte(self):
        odd = {"BASH_FUNC_greet%%": "() { echo hello\n}", "a.b-c": "1", "with blank": " x ", "1": "one", "EMPTY": "",
               "LINES_OF": "a\nb\n"}
        show = "import os, sys; sys.stdout.buffer.write(open('/proc/self/environ', 'rb').read())"
        by_fmplrun = run(FMPLRUN, "--mpi", "python3", "-c", show, **odd).stdout.split("\0")
        by_mpiexec = run(MPIEXEC, "python3", "-c", show, **odd).stdout.split("\0")
        without_job = [[entry for entry in entries if not entry.startswith(("FMPL_", "LD_LIBRARY_PATH="))]
                       for entries in (by_fmplrun, by_mpiexec)]
        self.assertEqual(without_job[0], without_job[1])
        for name, value in odd.items():
            self.assertIn(f"{name}={value}", by_mpiexec)
        self.assert_prints(["hello"], MPIEXEC, "bash", "-c", "greet", **{"BASH_FUNC_greet%%": "() { echo hello\n}"})

    def test_mpiexec_refuses_what_it_cannot_do(self):
        for words, command in ((r'":" between programs', ("-n", 1, "true", ":", "-n", 1, "true")),
                               ("FMPL runs all ranks on this host", ("-hosts", "elsewhere", "true")),
                               ("the option --frobnicate is unknown", ("--frobnicate", "true")),
                               ("the program to run is missing", ("-n", 2)),
                               ("-n is the last word", ("-n",))):
            with self.subTest(words=words):
                self.assert_refused(words, MPIEXEC, *command)

    def test_mpiexec_reads_the_hosts_of_a_file(self):
        hosts = self.folder / "hosts"
        hosts.write_text(f"# this one alone\n\nlocalhost slots=4\n  {socket.gethostname()}:2 # again\n127.0.0.1")
        for option in ("-hostfile", "--hostfile", "-machinefile", "-f"):
            result = run(MPIEXEC, option, hosts, "-n", 2, "echo", "x")
            self.assertEqual((result.returncode, result.stdout), (0, "x\nx\n"))
            self.assertEqual(result.stderr,
                             f"mpiexec.fmpl: {option} {hosts} is ignored: all ranks run on this host\n")
        hosts.write_text("localhost\nelsewhere slots=2\n")
        self.assert_refused("runs all ranks on this host, not on elsewhere", MPIEXEC, "-hostfile", hosts, "true")
        for nothing in (self.folder / "nothing", self.folder):
            self.assert_refused("the file cannot be read: ", MPIEXEC, "-hostfile", nothing, "true")

    def test_mpiexec_takes_the_ranks_of_a_host_for_those_of_the_job(self):
        for option in ("-npernode", "--npernode", "-N", "-ppn", "--ppn"):
            self.assert_prints(["x"] * 3, MPIEXEC, option, 3, "echo", "x")
            self.assert_prints(["x"] * 2, MPIEXEC, option, 3, "-n", 2, "echo", "x")
            self.assert_prints(["x"] * 2, MPIEXEC, "-np", 2, option, 3, "echo", "x")


class UnderAPathWithABlank(MpiPrograms):
    """The same with FMPL in a folder whose name has what separates the names in LD_PRELOAD and LD_LIBRARY_PATH."""

    @classmethod
    def setUpClass(cls):
        place = pathlib.Path(tempfile.mkdtemp(prefix="fmpl-mpi-")).resolve()
        cls.addClassCleanup(shutil.rmtree, place)
        cls.addClassCleanup(globals().update, {name: globals()[name] for name in ("FMPLRUN", "MPIEXEC", "MPICC")})
        build = FMPLRUN.resolve().parent.parent
        there = place / "a b;c$d"
        for program in (FMPLRUN, MPIEXEC, MPIEXEC.parent / "mpirun.fmpl", MPICC):
            (there / "bin").mkdir(parents=True, exist_ok=True)
            shutil.copy2(program, there / "bin" / program.name)
        shutil.copytree(build / "lib", there / "lib", symlinks=True, ignore=shutil.ignore_patterns("*.a"))
        shutil.copytree(build / "include", there / "include")
        globals().update(FMPLRUN=there / "bin" / FMPLRUN.name, MPIEXEC=there / "bin" / MPIEXEC.name,
                         MPICC=there / "bin" / MPICC.name)
        super().setUpClass()

    def test_keeps_the_users_own_library_path_behind(self):
        result = run(FMPLRUN, "--mpi", "sh", "-c", "echo $LD_LIBRARY_PATH; echo ${LD_PRELOAD-none}",
                     LD_LIBRARY_PATH="/somewhere")
        self.assertRegex(result.stdout, r"^/proc/\d+/fd/\d+/fmpl/mpi-abi:/somewhere\nnone\n$")

    def test_a_killed_job_leaves_nothing_there(self):
        before = sorted(os.listdir(FMPLRUN.parent.parent / "lib"))
        job = subprocess.Popen([FMPLRUN, "-n", "2", "--mpi", "--blacs", "--rdma", "none",
                                "sh", "-c", "echo up; exec sleep 1000"],
                               stdout=subprocess.PIPE, text=True)
        with job:
            job.stdout.readline()
            job.kill()
            self.assertEqual(job.stdout.read().replace("up\n", ""), "")  # until the last process has ended
        self.assertEqual(sorted(os.listdir(FMPLRUN.parent.parent / "lib")), before)

    def test_children_of_a_rank_that_closes_its_descriptors_say_nothing(self):
        program = "import subprocess; print(subprocess.run(['echo', 'x'], capture_output=True, close_fds=True))"
        result = run(FMPLRUN, "--mpi", "--blacs", "--rdma", "none", "python3", "-c", program)
        self.assertIn("stderr=b''", result.stdout)


if __name__ == "__main__":
    unittest.main()
