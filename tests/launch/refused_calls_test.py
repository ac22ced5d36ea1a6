"""Where something forbids a system call (a seccomp filter of a container, as EPERM or as ENOSYS), jobs run by another
one: their memory is backed without madvise, their ends are seen without waitid, and private memory goes through library
buffers where no process may copy from another one.

Environment: FMPLRUN is the path of fmplrun, beside which mpi-bench.mpi may lie, FMPL_TEST_PROGRAMS the folder of
launch_probe and heap_probe.
"""

import ctypes
import errno
import os
import platform
import re
import struct
import subprocess
import unittest

FMPLRUN = os.environ["FMPLRUN"]
TEST_PROGRAMS = os.environ["FMPL_TEST_PROGRAMS"]
NUMBERS = {"x86_64": {"madvise": [28], "waitid": [247], "process_vm": [310, 311]},
           "aarch64": {"madvise": [233], "waitid": [95], "process_vm": [270, 271]}}.get(platform.machine())
LIMIT = 60  # seconds after which something that should have happened has not


def forbids(call, error):
    """For the child before exec: from now on the calls of that name fail with the error, in all its descendants."""
    load, equal, answer = 0x20, 0x15, 0x06  # BPF: load a word of the call's data, jump if equal, return
    allow, fail = 0x7fff0000, 0x00050000
    refusals = [step for number in NUMBERS[call] for step in ((equal, 0, 1, number), (answer, 0, 0, fail | error))]
    program = [(load, 0, 0, 0), *refusals, (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2

    def forbid():
        filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, filter_mode, filter_, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")

    return forbid


def run(call, error, *arguments):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|LD_PRELOAD", k)}
    return subprocess.run([FMPLRUN, "--timeout", "50", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT, env=environment,
                          preexec_fn=forbids(call, error))


@unittest.skipIf(NUMBERS is None, "the numbers of the calls on this processor are not known here")
class RefusedMadvise(unittest.TestCase):
    def assert_runs(self, *arguments):
        for error in (errno.EPERM, errno.ENOSYS):
            with self.subTest(error=errno.errorcode[error]):
                result = run("madvise", error, *arguments)
                self.assertEqual((result.returncode, result.stdout), (0, ""))

    def probe(self, name):
        path = os.path.join(TEST_PROGRAMS, name)
        if not os.path.exists(path):
            self.skipTest(f"{name} is not built")
        return path

    def test_ranks_as_processes_and_as_threads_have_their_memory(self):
        for ranks_as in ("processes", "threads"):
            with self.subTest(ranks_as=ranks_as):
                self.assert_runs("-n", "2", "--ranks-as", ranks_as, self.probe("launch_probe_shared"), "init",
                                 "exchange", "finalize")

    def test_a_heap_in_remote_dma_memory_is_backed_and_given_back(self):
        probe = self.probe("heap_probe")
        for case in ("every_kind", "pages_return"):
            with self.subTest(case=case):
                self.assert_runs("-n", "2", "--rdma", "heap", probe, case)


@unittest.skipIf(NUMBERS is None, "the numbers of the calls on this processor are not known here")
class RefusedWaitid(unittest.TestCase):
    def test_the_ends_of_ranks_are_seen_and_those_that_they_leave_behind_are_killed(self):
        script = "sleep 1001 & (setsid sleep 1002 &) ; test $FMPL_RANK = 1 && exit 5; exit 0"
        for error in (errno.EPERM, errno.ENOSYS):
            with self.subTest(error=errno.errorcode[error]):
                result = run("waitid", error, "-n", "2", "sh", "-c", script)
                self.assertEqual(result.returncode, 5, result.stdout)
                self.assertRegex(result.stdout, r"^fmplrun: rank 1 \(pid \d+, sh\) exited with status 5\b")


@unittest.skipIf(NUMBERS is None, "the numbers of the calls on this processor are not known here")
class RefusedProcessVm(unittest.TestCase):
    def test_collective_calls_of_private_memory_have_right_results(self):
        bench = os.path.join(os.path.dirname(FMPLRUN), "mpi-bench.mpi")
        if not os.path.exists(bench):
            self.skipTest("mpi-bench.mpi is not built")
        calls = "bcast,reduce,allreduce,gather,alltoall,reduce_scatter,scan"
        for ranks in ("2", "3"):
            with self.subTest(ranks=ranks):  # it looks at each result once
                result = run("process_vm", errno.EPERM, "-n", ranks, bench, "collectives", "--calls", calls, "--sizes",
                             "32K,96K,160K,1M")
                self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
