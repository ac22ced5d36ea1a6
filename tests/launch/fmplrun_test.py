"""What fmplrun promises, from the outside: exit statuses, arguments, the ranks' environment, jobs of ranks."""
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

from fmplrun_case import FMPLRUN, LIMIT, MPI_PROBE, PROBE, SANITIZED, SHARED_PROBE, LaunchTest, wait_until


def private_bytes(process):
    """What is its own: without the job's memory and the files that it maps."""
    rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    return int(re.search(r"^Pss_Anon:\s*(\d+) kB", rollup, re.M).group(1)) * 1024


class ExitStatus(LaunchTest):
    def test_of_a_program_without_fmpl_is_its_own(self):
        result = self.run_job("-n", "3", "/bin/hostname")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(len(result.stdout.splitlines()), 3)

    def test_one_rank_is_the_default(self):
        self.assertEqual(self.run_job("sh", "-c", "echo $FMPL_RANK/$FMPL_SIZE").stdout, "0/1\n")

    def test_is_that_of_the_lowest_failing_rank(self):
        result = self.run_job("-n", "4", "sh", "-c", "test $FMPL_RANK = 0 || exit 1$FMPL_RANK")
        self.assertEqual(result.returncode, 11, result.stderr)

    def test_nonzero_names_rank_and_status(self):
        result = self.run_job("-n", "3", "sh", "-c", "test $FMPL_RANK = 1 && exit 3; exec sleep 1000")
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr, r"rank 1 \(pid \d+, sh\) exited with status 3")
        self.assertNotIn("rank 0", result.stderr)

    def test_of_a_killed_rank_is_128_plus_the_signal(self):
        for number, words in ((9, "Killed"), (11, "Segmentation fault"), (15, "Terminated")):
            with self.subTest(signal=number):
                result = self.run_job("-n", "3", "sh", "-c",
                                      "ulimit -c 0; test $FMPL_RANK = 2 && kill -%d $$; exec sleep 1000" % number)
                self.assertEqual(result.returncode, 128 + number)
                self.assertRegex(result.stderr,
                                 r"rank 2 \(pid \d+, sh\) was killed by signal %d \(%s\)" % (number, words))

    def test_of_a_rank_killed_while_another_copies_to_it(self):
        for tenths in range(1, 9):
            for killed in (0, 1):
                with self.subTest(tenths=tenths, killed=killed):
                    result = self.run_job(
                        "-n", "2", "sh", "-c",
                        "test $FMPL_RANK = %d && { sleep 0.%d; kill -9 $$; } & exec %s init stream"
                        % (killed, tenths, PROBE))
                    self.assertEqual(result.returncode, 137, result.stderr)
                    self.assertRegex(result.stderr, r"rank %d \(pid \d+, .*\) was killed by signal 9" % killed)

    def test_program_not_found_is_127(self):
        for program in ("no-such-program-here", "/nonexistent/program"):
            result = self.run_job("-n", "3", program)
            self.assertEqual((result.returncode, result.stdout), (127, ""))
            self.assertIn(program, result.stderr)

    def test_program_not_executable_is_126(self):
        result = self.run_job("-n", "2", "/etc/passwd")
        self.assertEqual(result.returncode, 126)
        self.assertIn("/etc/passwd", result.stderr)

    def test_many_ranks(self):
        self.assertEqual(self.run_job("-n", "64", "true").returncode, 0)

    def test_a_rank_that_resists_sigterm_is_killed(self):
        result = self.run_job("-n", "2", "sh", "-c",
                              "test $FMPL_RANK = 1 && exit 5; trap '' TERM; while :; do sleep 1000; done")
        self.assertEqual(result.returncode, 5)


class Arguments(LaunchTest):
    def test_wrong_ones_start_nothing(self):
        witness = os.path.join(self.folder, "witness")
        wrong = {
            "ranks": ["-n", "0"], "negative": ["-n", "-1"], "text": ["-n", "many"], "huge": ["-n", "1000000"],
            "unknown": ["--no-such-option"], "binding": ["--bind-to", "socket"],
            "deadlock": ["--on-deadlock", "hope"], "timeout": ["--timeout", "soon"],
            "zero timeout": ["--timeout", "0"], "shape": ["--crossbar", "2y2"],
            "small shape": ["-n", "5", "--crossbar", "2x2"], "profile": ["--profile", "sr2201"],
            "no name": ["-x", "=1"], "not set": ["-x", "NOBODY_SETS_THIS"], "reserved": ["-x", "FMPL_RANK=3"],
            "bad variable": ["-x", "FMPL_ARENA_SIZE=much"], "value of a flag": ["--stats=3x"],
            "word of a flag": ["--mpi=abc"], "number of a flag": ["--tag-output=1e999"],
            "value of --help": ["--help=3"],
        }
        for name, arguments in wrong.items():
            with self.subTest(name):
                result = self.run_job(*arguments, "touch", witness)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertTrue(result.stderr.startswith("fmplrun: "), result.stderr)
        self.assertFalse(os.path.exists(witness))

    def test_missing_program(self):
        for arguments in ([], ["-n", "2"], ["--tag-output"], ["--"]):
            result = self.run_job(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("program", result.stderr)

    def test_those_of_the_program_are_left_alone(self):
        words = ["-np", "7", "-n", "3", "--help", "--", "--timeout", "x", "-x", ""]
        result = self.run_job("-np", "1", "printf", "<%s>", *words)
        self.assertEqual(result.stdout.rstrip("\n"), "".join("<%s>" % word for word in words))

    def test_spellings_of_the_number_of_ranks(self):
        for arguments in (["-n", "2"], ["-np", "2"], ["-n2"], ["--np", "2"], ["--np=2"], ["-n", "2", "--"],
                          ["--tag-output", "-np", "2"]):
            with self.subTest(arguments=arguments):
                self.assertEqual(len(self.run_job(*arguments, "echo", "x").stdout.splitlines()), 2)

    def test_help_and_version(self):
        help_text = self.run_job("--help")
        self.assertEqual(help_text.returncode, 0)
        for option in ("--np", "--bind-to", "-x", "--tag-output", "--timeout", "--on-deadlock", "--crossbar",
                       "--profile", "--stats", "--stats-json", "--trace",
                       "--report-bindings", "--version"):
            self.assertIn(option, help_text.stdout)
        self.assertRegex(self.run_job("--version").stdout, r"^fmplrun \(FMPL\) \d+\.\d+\.\d+\n$")

    def test_a_job_larger_than_the_address_space_is_an_error_in_words(self):
        result = self.run_job("-n", "2", "-x", "FMPL_ARENA_SIZE=1000T", "true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1099511627776000 bytes", result.stderr)

    @unittest.skipIf(SANITIZED, "starts too slowly under a sanitizer")
    def test_a_job_larger_than_the_memory_is_refused_at_once(self):
        within = ("unshare", "-Urm", "sh", "-c", 'mount --bind "$0" /proc/meminfo && exec "$@"')
        with tempfile.NamedTemporaryFile("w") as little:
            little.write("MemTotal: 400000 kB\nMemFree: 10000 kB\nMemAvailable: 200000 kB\n")
            little.flush()
            if subprocess.run([*within, little.name, "true"], stderr=subprocess.DEVNULL).returncode != 0:
                self.skipTest("a folder of one's own over /proc is not permitted here")
            for program, call in ((PROBE, "fmpl_init"), (MPI_PROBE, "MPI_Init")):
                began = time.monotonic()
                result = subprocess.run([*within, little.name, FMPLRUN, "-n", "1024", program, "init"], timeout=LIMIT,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                self.assertLess(time.monotonic() - began, 10)
                self.assertNotEqual(result.returncode, 0)
                self.assertRegex(result.stderr, call + r": not enough memory for this job: 1024 ranks need 1\.\d+ GiB "
                                 r"\(\d+ bytes\), and \d+\.\d MiB \(\d+ bytes\) are available; start fewer ranks")

    def test_indices_beyond_the_address_space_are_an_error_in_words(self):
        for program in (PROBE, SHARED_PROBE):
            with self.subTest(program=program):
                result = self.run_job("-n", "4", "-x", "FMPL_ARENA_SIZE=64M", program, "init=1048576", "say=started")
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(result.stdout, "")
                self.assertRegex(result.stderr,
                                 r"fmpl_init: no memory for records of pairs of ranks: .*FMPL_ARENA_SIZE")

    def test_ranks_that_do_not_talk_take_no_memory_for_each_other(self):
        ranks = 32 if SANITIZED else 256
        job = self.start_job("-n", str(ranks), PROBE, "init", "exchange", "barrier", "say=up", "wait")
        for _ in range(ranks):
            self.assertRegex(job.stdout.readline(), r"^rank \d+: up$")
        memory = [link for link in pathlib.Path("/proc/%d/fd" % job.pid).iterdir() if "fmpl-job" in os.readlink(link)]
        backed = os.stat(memory[0]).st_blocks * 512
        self.assertLess(backed, ranks * (384 << 10), "the records of all pairs of ranks would be several times that")
        job.terminate()
        job.wait(LIMIT)

    @unittest.skipIf(SANITIZED, "too large for a sanitizer")
    def test_a_thousand_ranks_start_and_end(self):
        result = self.run_job("-n", "1024", MPI_PROBE, "meet")
        self.assertEqual(result.returncode, 0, result.stderr)

    @unittest.skipIf(SANITIZED, "too large for a sanitizer")
    def test_a_thousand_ranks_take_a_gigabyte_and_end_when_one_is_killed(self):
        job = self.start_job("--timeout", str(LIMIT), "-n", "1024", MPI_PROBE, "meet", "wait")
        self.assertEqual(job.stdout.readline(), "met\n")
        ranks = pathlib.Path("/proc/%d/task/%d/children" % (job.pid, job.pid)).read_text().split()
        ranks = [rank for rank in ranks if "deadlock_probe_mpi" in os.readlink(f"/proc/{rank}/exe")]
        self.assertEqual(len(ranks), 1024)
        memory = [link for link in pathlib.Path("/proc/%d/fd" % job.pid).iterdir() if "fmpl-job" in os.readlink(link)]
        taken = os.stat(memory[0]).st_blocks * 512 + sum(map(private_bytes, ranks))
        self.assertLess(taken, 1.2e9)
        began = time.monotonic()
        os.kill(int(ranks[700]), signal.SIGKILL)
        self.assertEqual(job.wait(LIMIT), 128 + signal.SIGKILL)
        self.assertLess(time.monotonic() - began, 9, "it should take half a second")
        for rank in ranks:
            self.assertFalse(os.path.exists(f"/proc/{rank}"))

    @unittest.skipIf(SANITIZED, "too large for a sanitizer")
    def test_a_thousand_ranks_end_when_their_time_is_over(self):
        began = time.monotonic()
        result = self.run_job("--timeout", "8", "-n", "1024", PROBE, "init", "barrier", "wait")
        self.assertEqual(result.returncode, 124, result.stderr)
        self.assertLess(time.monotonic() - began, 8 + 9, "it should take half a second more than the time")


class Environment(LaunchTest):
    def test_ranks_and_threads(self):
        result = self.run_job("-n", "512", "sh", "-c", "echo $FMPL_SIZE $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS")
        self.assertEqual(set(result.stdout.splitlines()), {"512 1 1"})

    def test_threads_set_by_the_user_stay(self):
        result = self.run_job("-x", "OMP_NUM_THREADS=5", "sh", "-c", "echo $OMP_NUM_THREADS $OPENBLAS_NUM_THREADS",
                              variables={"OPENBLAS_NUM_THREADS": "6"})
        self.assertEqual(result.stdout, "5 6\n")

    def test_openblas_gets_the_kernels_of_this_processor_unless_the_user_says_which(self):
        flags = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\nflags")[2].partition("\n")[0]
                    .split())
        expected = ("SkylakeX" if {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"} <= flags
                    else "Haswell" if {"avx2", "fma"} <= flags else "unset")
        show = ("sh", "-c", 'echo "${OPENBLAS_CORETYPE-unset}"')
        self.assertEqual(self.run_job(*show).stdout, expected + "\n")
        self.assertEqual(self.run_job(*show, variables={"OPENBLAS_CORETYPE": "Zen"}).stdout, "Zen\n")
        self.assertEqual(self.run_job("-x", "OPENBLAS_CORETYPE=", *show).stdout, "\n")

    def test_ranks_that_share_cpus_are_not_registered_for_restartable_sequences_unless_the_user_wants_it(self):
        show = ("sh", "-c", 'echo "${GLIBC_TUNABLES-unset}"')
        alone, crowded = ("-n", "1"), ("-n", str(len(os.sched_getaffinity(0)) + 1))
        tunable, other = "glibc.pthread.rseq", "glibc.malloc.perturb=1"

        def seen(count, **variables):
            return set(self.run_job(*count, *show, variables=variables).stdout.splitlines())
        self.assertEqual(seen(alone), {"unset"})
        self.assertEqual(seen(crowded), {f"{tunable}=0"})
        self.assertEqual(seen(crowded, GLIBC_TUNABLES=""), {f"{tunable}=0"})
        self.assertEqual(seen(alone, GLIBC_TUNABLES=other), {other})
        self.assertEqual(seen(crowded, GLIBC_TUNABLES=other), {f"{other}:{tunable}=0"})
        self.assertEqual(seen(crowded, GLIBC_TUNABLES="glibc.malloc.check="), {f"glibc.malloc.check=:{tunable}=0"})
        self.assertEqual(seen(crowded, GLIBC_TUNABLES=f"{tunable}=1:{other}"), {f"{tunable}=1:{other}"})
        self.assertEqual(seen((*crowded, "-x", f"GLIBC_TUNABLES={other}")), {f"{other}:{tunable}=0"})
        # A job within a rank of another job.
        nested = self.run_job(*crowded, FMPLRUN, *crowded, *show).stdout
        self.assertEqual(set(nested.splitlines()), {f"{tunable}=0"})

    def test_x_sets_variables(self):
        result = self.run_job("-n", "2", "-x", "FIRST=a b=c", "-x", "SECOND", "-x", "EMPTY=", "sh", "-c",
                              'echo "$FIRST|$SECOND|${EMPTY-unset}"', variables={"SECOND": "[2]"})
        self.assertEqual(result.stdout, "a b=c|[2]|\n" * 2)

    def test_x_path_counts_in_the_search_for_the_program(self):
        program = os.path.join(self.folder, "only-here")
        os.symlink("/bin/true", program)
        self.assertEqual(self.run_job("-x", "PATH=" + self.folder, "only-here").returncode, 0)

    def test_signals_are_as_in_a_fresh_process(self):
        script = "grep -E 'Sig(Blk|Ign)' /proc/self/status"
        result = self.run_job("sh", "-c", script, preexec_fn=lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN))
        for line in result.stdout.splitlines():
            # The numbers from 32 on belong to the C library.
            self.assertEqual(int(line.split()[1], 16) & 0x7fffffff, 0, line)

    def test_bindings_are_reported(self):
        cpus = len(os.sched_getaffinity(0))
        result = self.run_job("-n", str(cpus), "--bind-to", "core", "--report-bindings", "true")
        self.assertEqual(result.returncode, 0)
        bound = re.findall(r"rank (\d+) is bound to CPUs? (\S+)", result.stderr)
        self.assertEqual([int(rank) for rank, _ in bound], list(range(cpus)))
        self.assertEqual(len({where for _, where in bound}), cpus)
        free = self.run_job("-n", "2", "--bind-to", "none", "--report-bindings", "true")
        self.assertEqual(len(re.findall(r"rank \d+ is not bound", free.stderr)), 2)

    def test_ranks_that_share_cpus_evenly_are_bound(self):
        cpus = len(os.sched_getaffinity(0))
        shared = self.run_job("-n", str(2 * cpus), "--report-bindings", "true")
        where = [cpu for _, cpu in re.findall(r"rank (\d+) is bound to CPUs? (\S+)", shared.stderr)]
        self.assertEqual(len(where), 2 * cpus, shared.stderr)
        self.assertEqual(where[0::2], where[1::2], "neighbours share a CPU")
        self.assertEqual(len(set(where)), cpus)
        uneven = self.run_job("-n", str(2 * cpus + 1), "--report-bindings", "true")
        self.assertEqual(len(re.findall(r"rank \d+ is (?:not )?bound", uneven.stderr)), 2 * cpus + 1)
        if cpus > 1:
            self.assertEqual(len(re.findall(r"rank \d+ is not bound", uneven.stderr)), 2 * cpus + 1)

    def test_closed_standard_descriptors(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                witness = os.path.join(self.folder, "witness")
                script = '"$0" -n 2 sh -c "echo out; echo err >&2; cat; echo \\$FMPL_RANK >> %s" %s' % (witness, closed)
                result = subprocess.run(["sh", "-c", script, FMPLRUN], env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(witness) as file:
                    self.assertEqual(sorted(file.read().split()), ["0", "1"])
                os.unlink(witness)
                self.assertEqual(result.stdout, "" if ">&-" in closed.replace("2>&-", "") else "out\nout\n")


class Ranks(LaunchTest):
    """Programs that use FMPL."""

    def test_a_job_runs(self):
        for ranks in (1, 2, 3, 4, 7):
            with self.subTest(ranks=ranks):
                result = self.run_job("-n", str(ranks), PROBE, "init", "exchange", "barrier", "say=done", "finalize")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(sorted(result.stdout.splitlines()), ["rank %d: done" % r for r in range(ranks)])

    def test_it_runs_at_different_addresses(self):
        result = self.run_job("-n", "3", "-x", "FMPL_MAP_ANYWHERE=1", PROBE, "init", "exchange", "finalize")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_rank_that_does_not_finalize_is_named(self):
        for others in ("finalize", "recv=2", "barrier", "wait"):
            with self.subTest(others=others):
                result = self.run_job("-n", "4", PROBE, "init", "2:exit=0", others)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr,
                                 r"rank 2 \(pid \d+, .*launch_probe\) exited without calling fmpl_finalize")

    def test_a_rank_that_does_not_come_is_named(self):
        result = self.run_job("-n", "3", PROBE, "1:exit=0", "init", "finalize")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"rank 1 .* exited without calling fmpl_init")

    def test_an_abort_gives_its_status_and_reason(self):
        for others in ("recv=1", "barrier", "wait", "finalize"):
            with self.subTest(others=others):
                result = self.run_job("-n", "4", PROBE, "init", "1:abort=42", others)
                self.assertEqual(result.returncode, 42, result.stderr)
                self.assertRegex(result.stderr,
                                 r"rank 1 \(.*\) called fmpl_abort with status 42: the probe was told to")

    def test_the_reason_of_an_abort_cannot_steer_the_terminal(self):
        result = self.run_job(PROBE, "init", "abort_for=red \x1b[31m\nfmplrun: all is well")
        self.assertEqual(result.returncode, 1)
        self.assertIn("with status 1: red \\x1b[31m\\nfmplrun: all is well\n", result.stderr.splitlines(True)[-1])

    def test_the_name_of_a_call_cannot_steer_the_terminal(self):
        result = self.run_job("-n", "2", "--stats", "--timeout", "0.5", PROBE,
                              "init", "call=Odd\x1b[31m", "0:recv=1", "wait")
        self.assertEqual(result.returncode, 124)
        self.assertIn("blocked in Odd\\x1b[31m", result.stderr)
        self.assertNotIn("\x1b", result.stderr)

    def test_a_rank_killed_anywhere_ends_the_job(self):
        steps = {
            "before init": ["1:kill=9", "init", "finalize"],
            "while others wait in init": ["1:wait", "init", "finalize"],
            "after init": ["init", "1:kill=9", "barrier", "finalize"],
            "while others receive": ["init", "1:kill=9", "recv=1", "finalize"],
            "while others finalize": ["init", "1:kill=9", "finalize"],
        }
        for name, arguments in steps.items():
            with self.subTest(name):
                job = self.start_job("-n", "4", PROBE, "say=ready", *arguments)
                self.lines(job, 4)
                if "1:wait" in arguments:
                    with open("/proc/%d/task/%d/children" % (job.pid, job.pid)) as file:
                        children = [int(pid) for pid in file.read().split()]
                    rank_1 = [pid for pid in children if self.variable_of(pid, "FMPL_RANK") == "1"]
                    os.kill(rank_1[0], signal.SIGKILL)
                _, err = self.ends_with(job, 137)
                self.assertRegex(err, r"rank 1 \(pid \d+, .*\) was killed by signal 9 \(Killed\)")

    def variable_of(self, pid, name):
        with open("/proc/%d/environ" % pid, "rb") as file:
            variables = dict(v.decode().partition("=")[::2] for v in file.read().split(b"\0"))
        return variables.get(name)

    def test_a_time_out_says_what_each_rank_is_blocked_in(self):
        result = self.run_job("-n", "4", "--timeout", "2", PROBE, "0:wait", "init", "finalize")
        self.assertEqual(result.returncode, 124)
        self.assertRegex(result.stderr, r"rank 0 \(pid \d+\): has not called fmpl_init")
        self.assertRegex(result.stderr, r"rank 3 \(pid \d+\): blocked in fmpl_init")
        result = self.run_job("-n", "4", "--timeout", "2", PROBE, "init", "0:wait", "1:recv=3", "barrier")
        self.assertEqual(result.returncode, 124)
        self.assertRegex(result.stderr, r"rank 0 \(pid \d+\): computing")
        self.assertRegex(result.stderr, r"rank 1 \(pid \d+\): blocked in fmpl_recv from rank 3, index 7")
        self.assertRegex(result.stderr, r"rank 2 \(pid \d+\): blocked in fmpl_barrier")

    def test_ranks_that_are_blocked_come_to_use_no_cpu(self):
        job = self.start_job("-n", "4", PROBE, "init", "say=ready", "0:wait", "recv=0")
        self.lines(job, 4)
        with open("/proc/%d/task/%d/children" % (job.pid, job.pid)) as file:
            ranks = [int(pid) for pid in file.read().split() if self.variable_of(int(pid), "FMPL_RANK")]
        self.assertEqual(len(ranks), 4)

        def picture():  # of each rank: state, clock ticks used, times it has left the CPU
            found = []
            for pid in ranks:
                with open("/proc/%d/stat" % pid) as file:
                    fields = file.read().rpartition(")")[2].split()
                with open("/proc/%d/status" % pid) as file:
                    switches = [line for line in file if "ctxt_switches" in line]
                found.append((fields[0], fields[11], fields[12], switches))
            return found

        seen = [None]

        def unchanged():
            seen.append(picture())
            select.select([], [], [], 0.2)
            return picture() == seen[-1] and all(rank[0] == "S" for rank in seen[-1])

        wait_until(unchanged, "the blocked ranks sleep without being woken")
        os.killpg(ranks[0], signal.SIGKILL)
        self.ends_with(job, 137)

    def test_nothing_is_left_when_the_launcher_is_killed_in_the_middle(self):
        for steps in (["init", "say=ready", "recv=0"], ["say=ready", "0:wait", "init"], ["init", "say=ready", "wait"]):
            with self.subTest(steps=steps):
                job = self.start_job("-n", "3", "sh", "-c", '"$0" "$@"; true', PROBE, *steps)
                self.lines(job, 3)
                job.kill()
                self.assert_nothing_left()

    def test_statistics(self):
        result = self.run_job("-n", "2", "--stats", PROBE, "init", "exchange", "barrier", "finalize")
        self.assertEqual(result.returncode, 0)
        self.assertIn("computation", result.stderr)
        for rank in range(2):
            self.assertRegex(result.stderr, r"(?m)^ +%d +fmpl_send +1 +4 " % rank)
            self.assertRegex(result.stderr, r"(?m)^ +%d +fmpl_barrier +1 " % rank)

    def test_a_lone_program_is_a_job_of_one(self):
        result = subprocess.run([PROBE, "init", "exchange", "barrier", "finalize"], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
