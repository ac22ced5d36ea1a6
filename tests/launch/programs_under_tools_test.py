"""Programs of FMPL's and its MPI's under the tools that their authors use, and in PID namespaces, as containers have
them.

Needs python3, valgrind, gdb, strace and unshare. Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the
folder of the programs exchange_probe_LIBRARY_KIND, which are exchange_probe.c.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

FMPLRUN = os.environ.get("FMPLRUN", "fmplrun")
FOLDER = os.environ.get("FMPL_TEST_PROGRAMS", ".")
LIBRARIES = ("fmpl", "mpi")
KINDS = ("pie", "no_pie", "address", "undefined", "thread")
# A leak check that read the holes of the job's memory would back gigabytes by then.
LIMIT = 60


def program(library, kind="pie"):
    return os.path.join(FOLDER, "exchange_probe_%s_%s" % (library, kind))


def run(*words):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FMPL_") and not k.endswith("SAN_OPTIONS")}
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, env=environment, check=False)


def is_possible(*words):
    return run(*words, "true").returncode == 0


class ProgramsTest(unittest.TestCase):
    def check(self, done, ranks=2):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"rank \d: right", done.stdout)),
                         ["rank %d: right" % rank for rank in range(ranks)], done.stdout)


class ToolsTest(ProgramsTest):
    def test_a_program_passes_memcheck_with_its_leak_check(self):
        for library in LIBRARIES:
            for ranks in (1, 2):
                with self.subTest("%s, %d" % (library, ranks)):
                    self.passes_memcheck(library, ranks)

    def passes_memcheck(self, library, ranks):
        done = run(FMPLRUN, "-n", str(ranks), "valgrind", "-q", "--leak-check=full", "--error-exitcode=9",
                   program(library))
        self.check(done, ranks)
        self.assertEqual(done.stderr, "")

    def test_a_program_runs_under_gdb(self):
        for library in LIBRARIES:
            with self.subTest(library):
                done = run(FMPLRUN, "-n", "2", "gdb", "-nx", "-q", "-batch", "-ex", "run", "-ex", "quit $_exitcode",
                           program(library))
                self.check(done)

    def test_a_program_runs_under_strace(self):
        for library in LIBRARIES:
            with self.subTest(library), tempfile.TemporaryDirectory() as folder:
                self.check(run(FMPLRUN, "-n", "2", "strace", "-ff", "-o", folder + "/trace", program(library)))

    def test_a_program_compiled_with_a_sanitizer_runs(self):
        for library in LIBRARIES:
            for kind in KINDS[2:]:
                with self.subTest("%s, %s" % (library, kind)):
                    self.check(run(FMPLRUN, "-n", "2", program(library, kind)))

    def test_a_rank_lets_nobody_trace_it_but_the_job(self):
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "launcher")
            traced = "echo $PPID > %s.$FMPL_RANK; exec strace -f -e trace=prctl -o %s/trace.$FMPL_RANK %s" % (
                launcher, folder, program("fmpl"))
            self.check(run(FMPLRUN, "-n", "2", "sh", "-c", traced))
            for rank in ("0", "1"):
                with open("%s.%s" % (launcher, rank), encoding="ascii") as file:
                    pid = file.read().strip()
                with open("%s/trace.%s" % (folder, rank), encoding="ascii") as file:
                    self.assertEqual(re.findall(r"PR_SET_PTRACER, (\w+)", file.read()), [pid])


class NamespacesTest(ProgramsTest):
    """The numbers of the processes are 1 or 2 for each rank then, and where addresses are not random all ranks have the
    same."""
    EACH = (("unshare", "-fp"), ("unshare", "-Urfp", "--mount-proc"), ("setarch", "-R", "unshare", "-Urfp"))

    def test_each_rank_may_have_a_namespace_of_its_own(self):
        for words in self.EACH:
            if not is_possible(*words):
                continue  # a container that forbids it
            for library in LIBRARIES:
                for kind in ("pie", "no_pie"):
                    with self.subTest("%s %s %s" % (" ".join(words), library, kind)):
                        self.check(run(FMPLRUN, "-n", "4", *words, program(library, kind)), 4)

    def test_one_rank_alone_may_have_one(self):
        words = ("unshare", "-Urfp")
        if not is_possible(*words):
            self.skipTest("unshare is not permitted here")
        for library in LIBRARIES:
            for rank in ("0", "2"):
                script = "[ $FMPL_RANK = %s ] && exec %s %s; exec %s" % (
                    rank, " ".join(words), program(library, "no_pie"), program(library, "no_pie"))
                with self.subTest("%s, rank %s" % (library, rank)):
                    self.check(run(FMPLRUN, "-n", "4", "setarch", "-R", "sh", "-c", script), 4)

    def test_the_whole_job_may_have_one(self):
        for words in self.EACH:
            if not is_possible(*words):
                continue
            for library in LIBRARIES:
                for kind in ("pie", "no_pie"):
                    with self.subTest("%s %s %s" % (" ".join(words), library, kind)):
                        self.check(run(*words, FMPLRUN, "-n", "2", program(library, kind)))

    def test_the_ranks_may_share_one_while_fmplrun_is_outside(self):
        """As in a container that runs already: podman exec, nsenter."""
        for words, enter in ((("unshare", "-fp"), ()), (("unshare", "-Urfp"), ("-U", "--preserve-credentials"))):
            if not is_possible(*words):
                continue
            inside = subprocess.Popen([*words, "sh", "-c", "echo inside; exec sleep %d" % LIMIT],
                                      stdout=subprocess.PIPE)
            try:
                inside.stdout.readline()
                with open("/proc/%d/task/%d/children" % (inside.pid, inside.pid), encoding="ascii") as file:
                    container = file.read().split()[0]
                for library in LIBRARIES:
                    for kind in ("pie", "no_pie"):
                        with self.subTest("%s %s %s" % (" ".join(words), library, kind)):
                            self.check(run(FMPLRUN, "-n", "4", "nsenter", "-t", container, "-p", *enter,
                                           program(library, kind)), 4)
                os.kill(int(container), signal.SIGKILL)
            finally:
                inside.kill()
                inside.wait()
                inside.stdout.close()

    def test_another_user_has_them_too(self):
        user = ("setpriv", "--reuid=65534", "--clear-groups")
        if os.geteuid() != 0 or not is_possible(*user, "unshare", "-Urfp"):
            self.skipTest("neither root nor permitted")
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the build's own may be closed to others
            os.chmod(folder, 0o755)
            lib = os.path.join(os.path.dirname(os.path.dirname(FMPLRUN)), "lib")
            shutil.copytree(lib, folder + "/lib", ignore=shutil.ignore_patterns("*.a"))
            os.mkdir(folder + "/bin")
            names = [FMPLRUN, *(program(library, "no_pie") for library in LIBRARIES)]
            launcher, *programs = [shutil.copy(name, folder + "/bin") for name in names]
            for copied in programs:
                for words in (("unshare", "-Urfp"), ("unshare", "-Urfp", "--mount-proc")):
                    if not is_possible(*user, *words):
                        continue
                    for command in ((launcher, "-n", "2", *words, copied), (*words, launcher, "-n", "2", copied)):
                        with self.subTest(command):
                            self.check(run(*user, "env", "LD_LIBRARY_PATH=%s/lib" % folder, *command))


if __name__ == "__main__":
    unittest.main()
