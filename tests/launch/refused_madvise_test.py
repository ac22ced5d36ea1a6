"""Where something forbids madvise (a seccomp filter of a container, as EPERM or as ENOSYS), jobs run as on a kernel that
lacks the advice: the memory is backed by another call.

Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the folder of launch_probe and heap_probe.
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
MADVISE = {"x86_64": 28, "aarch64": 233}.get(platform.machine())
LIMIT = 60  # seconds after which something that should have happened has not


def forbids_madvise(error):
    """For the child before exec: from now on madvise fails with the error, in all its descendants."""
    load, equal, answer = 0x20, 0x15, 0x06  # BPF: load a word of the call's data, jump if equal, return
    allow, fail = 0x7fff0000, 0x00050000
    program = [(load, 0, 0, 0), (equal, 0, 1, MADVISE), (answer, 0, 0, fail | error), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2

    def forbid():
        filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
        if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, filter_mode, filter_, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")

    return forbid


def run(error, *arguments):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|LD_PRELOAD", k)}
    return subprocess.run([FMPLRUN, "--timeout", "50", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT, env=environment,
                          preexec_fn=forbids_madvise(error))


@unittest.skipIf(MADVISE is None, "the number of madvise on this processor is not known here")
class RefusedMadvise(unittest.TestCase):
    def assert_runs(self, *arguments):
        for error in (errno.EPERM, errno.ENOSYS):
            with self.subTest(error=errno.errorcode[error]):
                result = run(error, *arguments)
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


if __name__ == "__main__":
    unittest.main()
