"""fmplrun --rdma heap: the malloc heap of an unmodified program in remote-DMA memory, and that it does no harm.

Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the folder of heap_probe and heap_allocatable,
FMPL_PROGRAMS that of the applications (those that are not there are left out), FMPL_HEAP_LIBRARY the library that is
preloaded. The claims about memory are checked by heap_probe on each rank; see there.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

FMPLRUN = os.environ["FMPLRUN"]
TEST_PROGRAMS = os.environ["FMPL_TEST_PROGRAMS"]
PROGRAMS = os.environ["FMPL_PROGRAMS"]
LIBRARY = os.environ["FMPL_HEAP_LIBRARY"]
PROBE = os.path.join(TEST_PROGRAMS, "heap_probe")
LIMIT = 120  # seconds after which something that should have happened has not


def clean_environment(**changes):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_|LD_PRELOAD", k)}
    environment.update(FMPL_ERRORS="return", **changes)
    return environment


def run(*arguments, launcher=FMPLRUN, **variables):
    return subprocess.run([launcher, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=LIMIT, env=clean_environment(**variables))


class HeapTest(unittest.TestCase):
    def assert_well(self, result):
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_holds(self, case, ranks, mode="heap", errors="", **variables):
        for n in ranks:
            with self.subTest(ranks=n):
                result = run("-n", str(n), "--rdma", mode, PROBE, case, **variables)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stderr, errors and errors + r"\Z" or r"\A\Z")


class Memory(HeapTest):
    def test_of_every_kind_is_remote_dma(self):
        self.assert_holds("every_kind", (1, 2, 4))

    def test_allocated_before_init_is_remote_dma(self):
        self.assert_holds("before_init", (2,))

    def test_of_threads_is_remote_dma(self):
        self.assert_holds("threads", (1, 2))

    def test_a_thread_is_not_cancelled_within_malloc(self):
        self.assert_holds("cancelled_thread", (1,))

    def test_is_ordinary_without_the_option(self):
        self.assert_holds("ordinary_without", (2,), mode="none")
        self.assert_well(run("-n", "2", PROBE, "ordinary_without"))

    def test_of_fortran_is_remote_dma(self):
        result = run("-n", "4", "--rdma", "heap", os.path.join(TEST_PROGRAMS, "heap_allocatable"))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "all right\n", ""))

    def test_beyond_the_range_is_ordinary_and_works(self):
        self.assert_holds("full_range", (2,), FMPL_ARENA_SIZE="64M")

    def test_that_is_not_there_is_refused(self):
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.assert_holds("little_memory", (1, 2), FMPL_ARENA_SIZE=str((physical * 4) // (1 << 21) * (1 << 21)))

    def test_that_is_freed_goes_back_to_the_system(self):
        self.assert_holds("pages_return", (1,), MALLOC_CONF="dirty_decay_ms:0")

    def test_can_be_used_after_finalize_and_at_exit(self):
        self.assert_holds("after_finalize", (1, 3))


class Messages(HeapTest):
    def test_arrive_whole(self):
        self.assert_holds("messages", (2, 4))

    def test_arrive_whole_without_mapped_peers(self):
        self.assert_holds("messages", (2, 4), FMPL_ENGINE="unmapped")

    def test_arrive_whole_wherever_the_job_is_mapped(self):
        self.assert_holds("messages", (2,), FMPL_MAP_ANYWHERE="1")

    def test_are_taken_from_the_senders_buffer(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assert_holds("sender_is_not_needed", (2,), FMPL_TEST_FILE=os.path.join(folder, "taken"))

    def test_of_areas_and_send_buffer_in_the_heap(self):
        self.assert_holds("areas_and_send_buffer", (2,))

    def test_of_pdgemm(self):
        pdgemm = os.path.join(PROGRAMS, "pdgemm.fmpl")
        if not os.path.exists(pdgemm):
            self.skipTest("the applications are not built")
        result = run("-n", "4", "--rdma", "heap", pdgemm, "--m", "320", "--n", "240", "--k", "200", "--nb", "40",
                     "--grid", "2x2", "--reps", "2", "--verify")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Children(HeapTest):
    def test_forked_have_a_heap_of_their_own(self):
        self.assert_holds("forked", (1, 2, 4))

    def test_forked_beside_threads_have_a_heap_of_their_own(self):
        self.assert_holds("forks_beside_threads", (2,))

    def test_forked_that_cannot_have_a_heap_of_their_own_end(self):
        self.assert_holds("hard_forks", (1,), errors=r"fmpl: a forked child of a rank ends: no descriptor [^\n]*\n"
                                                     r"fmpl: a forked child of a rank ends: no memory [^\n]*\n")

    def test_forked_cannot_call_fmpl(self):
        self.assert_holds("calls_in_child", (2,))
        self.assert_holds("calls_in_child", (2,), mode="none")

    def test_that_are_other_programs_work_as_ever(self):
        self.assert_holds("other_programs", (1, 2))


class Wrappers(HeapTest):
    """A shell around the program has no libfmpl, so it is no rank: its program is."""

    def test_that_exec_the_program(self):
        self.assert_well(run("-n", "2", "--rdma", "heap", "sh", "-c", f"exec {PROBE} every_kind"))

    def test_that_start_the_program(self):
        self.assert_well(run("-n", "2", "--rdma", "heap", "sh", "-c", f"{PROBE} messages; status=$?; exit $status"))

    def test_that_start_a_second_one_give_it_an_ordinary_heap(self):
        # shows_preload has libfmpl, and so the heap, but does not join the job; the rank after it cannot have the heap.
        result = run("-n", "2", "--rdma", "heap", "sh", "-c", f"{PROBE} shows_preload >&2; {PROBE} ordinary_without")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_without_fmpl_at_all(self):
        result = run("-n", "3", "--rdma", "heap", "sh", "-c", "echo $((2 + 3)) | cat")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "5\n5\n5\n", ""))


class Launcher(HeapTest):
    def preload(self, *arguments, **variables):
        result = run(*arguments, PROBE, "shows_preload", **variables)
        self.assertEqual(result.stderr, "")
        return result.stdout.strip()

    def test_preloads_nothing_by_default(self):
        self.assertEqual(self.preload(), "- -")
        self.assertEqual(self.preload("--rdma", "none"), "none -")

    def test_keeps_what_the_user_preloads(self):
        other = "libm.so.6"
        self.assertEqual(self.preload("--rdma", "heap", LD_PRELOAD=other), f"heap {LIBRARY}:{other}")
        self.assertEqual(self.preload("--rdma", "heap", "-x", f"LD_PRELOAD={other}"), f"heap {LIBRARY}:{other}")
        self.assertEqual(self.preload("--rdma", "none", LD_PRELOAD=other), f"none {other}")

    def test_takes_the_variable_without_the_option(self):
        self.assertEqual(self.preload(FMPL_RDMA="heap"), f"heap {LIBRARY}")
        self.assertEqual(self.preload("-x", "FMPL_RDMA=heap"), f"heap {LIBRARY}")
        self.assertEqual(self.preload("--rdma", "none", FMPL_RDMA="heap"), "none -")

    def test_frees_an_inner_job_of_the_outer_ones_heap(self):
        self.assertEqual(self.preload("--rdma", "heap", FMPLRUN, "--rdma", "none"), "none")

    def test_refuses_other_words(self):
        result = run("--rdma", "stack", PROBE, "every_kind")
        self.assertEqual(result.returncode, 2)
        self.assertIn('"stack" is neither heap nor none', result.stderr)
        result = run(PROBE, "every_kind", FMPL_RDMA="stack")
        self.assertEqual(result.returncode, 2)
        self.assertIn("FMPL_RDMA=stack is unknown", result.stderr)

    def test_says_that_the_library_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            launcher = os.path.join(folder, "bin", "fmplrun")
            shutil.copy(FMPLRUN, launcher)
            result = run("--rdma", "heap", "true", launcher=launcher)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, r"libfmpl_rdma_heap\.so is not in .*; nothing was started")

    def test_its_library_may_lie_under_a_path_with_a_blank(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "a place")
            os.makedirs(os.path.join(place, "bin"))
            os.makedirs(os.path.join(place, "lib"))
            launcher = os.path.join(place, "bin", "fmplrun")
            shutil.copy(FMPLRUN, launcher)
            shutil.copy(LIBRARY, os.path.join(place, "lib"))
            result = run("-n", "2", "--rdma", "heap", PROBE, "every_kind", launcher=launcher)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_leaves_nothing_when_it_is_killed(self):
        mark = "FMPL_TEST_MARK=%d-%d" % (os.getpid(), time.monotonic_ns())
        environment = clean_environment(**dict([mark.split("=")]))
        job = subprocess.Popen([FMPLRUN, "-n", "3", "--rdma", "heap", PROBE, "hangs"], env=environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(job.stdout.close)
        for _ in range(3):
            self.assertEqual(job.stdout.readline(), "ready\n")
        job.send_signal(signal.SIGKILL)
        job.wait()
        deadline = time.monotonic() + LIMIT
        while left := self.processes_of(mark):
            self.assertLess(time.monotonic(), deadline, f"left behind: {left}")
            select.select([], [], [], 0.01)

    @staticmethod
    def processes_of(mark):
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if name.isdigit() and mark.encode() in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
