"""What fmplrun promises, from the outside: exit statuses, messages, output, input, and that nothing outlives a job.

Needs python3 alone. Environment: FMPLRUN is the path of fmplrun, FMPL_TEST_PROGRAMS the folder of launch_probe.
Waits are for conditions, with a generous limit; none of the tests measures time.
"""

import fcntl
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

FMPLRUN = os.environ.get("FMPLRUN", "fmplrun")
PROBE = os.path.join(os.environ.get("FMPL_TEST_PROGRAMS", "."), "launch_probe")
SHARED_PROBE = PROBE + "_shared"  # its ranks may share a process
CPUS = len(os.sched_getaffinity(0))
LIMIT = 60  # seconds after which something that should have happened has not
SANITIZED = "FMPL_TEST_SANITIZED" in os.environ  # then a process takes ten times the memory and time


def clean_environment(**changes):
    environment = {k: v for k, v in os.environ.items() if not re.match(r"FMPL_|OMP_|OPENBLAS_|GLIBC_TUNABLES$", k)}
    environment.update(changes)
    return environment


def run(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("env", clean_environment())
    if "input" in options:
        del options["stdin"]
    return subprocess.run([FMPLRUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=LIMIT, **options)


def start(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("env", clean_environment())
    return subprocess.Popen([FMPLRUN, *arguments], text=True, **options)


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (LIMIT, what))
        select.select([], [], [], 0.01)


def processes_of(mark):
    """The living processes that were started with `mark` in their environment."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as file:
                carries = mark.encode() in file.read().split(b"\0")
            with open("/proc/%s/stat" % name) as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if carries and state not in "ZX":
            found.append(int(name))
    return found


class LaunchTest(unittest.TestCase):
    """Each test's processes carry a mark of their own; at its end, none of them is left."""

    def setUp(self):
        self.mark_name = "LAUNCH_TEST_MARK"
        self.mark_value = "%d-%s" % (os.getpid(), self.id())
        self.mark = "%s=%s" % (self.mark_name, self.mark_value)
        self.environment = clean_environment(**{self.mark_name: self.mark_value})
        self.shared_before = self.shared_objects()
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)
        self.assert_nothing_left()

    def shared_objects(self):
        return sorted(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else []

    def assert_nothing_left(self):
        try:
            wait_until(lambda: not processes_of(self.mark), "the end of all processes of the job")
        except AssertionError:
            left = processes_of(self.mark)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            self.fail("left behind: %s" % left)
        new = [name for name in self.shared_objects() if name not in self.shared_before]
        self.assertEqual([name for name in new if "fmpl" in name], [])

    def run_job(self, *arguments, **options):
        return run(*arguments, env=dict(self.environment, **options.pop("variables", {})), **options)

    def start_job(self, *arguments, **options):
        job = start(*arguments, env=self.environment, **options)
        self.addCleanup(self.put_away, job)
        return job

    def put_away(self, job):
        if job.poll() is None:
            job.kill()
        for stream in (job.stdin, job.stdout, job.stderr):
            if stream is not None and not stream.closed:
                stream.close()
        job.wait()

    def lines(self, job, count):
        """The first `count` lines of the job's output: the ranks have come this far."""
        return [job.stdout.readline().rstrip("\n") for _ in range(count)]

    def ends_with(self, job, status):
        out, err = job.communicate(timeout=LIMIT)
        self.assertEqual(job.returncode, status, err)
        return out, err


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
                        "-n", "2", "sh", "-c", "test $FMPL_RANK = %d && { sleep 0.%d; kill -9 $$; } & exec %s init stream"
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
            "unknown": ["--no-such-option"], "binding": ["--bind-to", "socket"], "deadlock": ["--on-deadlock", "hope"], "timeout": ["--timeout", "soon"],
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
        for option in ("--np", "--bind-to", "-x", "--tag-output", "--timeout", "--on-deadlock", "--crossbar", "--profile", "--stats",
                       "--stats-json", "--trace",
                       "--report-bindings", "--version"):
            self.assertIn(option, help_text.stdout)
        self.assertRegex(self.run_job("--version").stdout, r"^fmplrun \(FMPL\) \d+\.\d+\.\d+\n$")

    def test_a_job_larger_than_the_address_space_is_an_error_in_words(self):
        result = self.run_job("-n", "2", "-x", "FMPL_ARENA_SIZE=1000T", "true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1099511627776000 bytes", result.stderr)


    def test_indices_beyond_the_address_space_are_an_error_in_words(self):
        for program in (PROBE, SHARED_PROBE):
            with self.subTest(program=program):
                result = self.run_job("-n", "4", "-x", "FMPL_ARENA_SIZE=64M", program, "init=1048576", "say=started")
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(result.stdout, "")
                self.assertRegex(result.stderr, r"fmpl_init: no memory for records of pairs of ranks: .*FMPL_ARENA_SIZE")

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
        result = self.run_job("-n", "1024", PROBE, "init", "barrier", "finalize")
        self.assertEqual(result.returncode, 0, result.stderr)


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


class Output(LaunchTest):
    def test_tags(self):
        result = self.run_job("-n", "3", "--tag-output", "sh", "-c", "echo a; echo b; echo c >&2")
        self.assertEqual(sorted(result.stdout.splitlines()), sorted("[%d] %s" % (r, w) for r in range(3) for w in "ab"))
        self.assertEqual(sorted(result.stderr.splitlines()), ["[%d] c" % r for r in range(3)])

    def test_lines_are_never_mixed(self):
        script = "i=0; while [ $i -lt 300 ]; do printf \"<$FMPL_RANK\"; printf \"$FMPL_RANK>\\n\"; i=$((i+1)); done"
        result = self.run_job("-n", "4", "sh", "-c", script)
        self.assertEqual(sorted(result.stdout.splitlines()),
                         sorted("<%d%d>" % (r, r) for r in range(4) for _ in range(300)))

    def test_lines_of_both_streams_are_never_mixed(self):
        script = "i=0; while [ $i -lt 300 ]; do echo %s; echo %s >&2; i=$((i+1)); done" % ("a" * 20, "b" * 20)
        result = subprocess.run([FMPLRUN, "-n", "2", "sh", "-c", script], env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=LIMIT)
        self.assertEqual(set(result.stdout.splitlines()), {"a" * 20, "b" * 20})
        self.assertEqual(len(result.stdout.splitlines()), 1200)

    def test_an_unfinished_last_line_stays_unfinished(self):
        self.assertEqual(self.run_job("printf", "no end").stdout, "no end")

    def test_unfinished_lines_of_several_ranks_are_kept_apart(self):
        result = self.run_job("-n", "3", "--tag-output", "sh", "-c", "printf x$FMPL_RANK")
        self.assertEqual(sorted(result.stdout.splitlines()), ["[0] x0", "[1] x1", "[2] x2"])

    def waiting_bytes(self, pipe):
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)

    def part_of_line(self, job):
        self.assertTrue(select.select([job.stdout], [], [], LIMIT)[0], "nothing is shown")
        return os.read(job.stdout.fileno(), 100).decode()

    def test_a_line_without_its_end_is_shown_while_the_rank_waits(self):
        job = self.start_job("-n", "2", "--tag-output", "sh", "-c",
                             'test $FMPL_RANK = 0 || exec sleep 1000; printf "number? "; read x; echo got $x; read x',
                             stdin=subprocess.PIPE)
        self.assertEqual(self.part_of_line(job), "[0] number? ")
        job.stdin.write("7\n")
        job.stdin.flush()
        self.assertEqual(job.stdout.readline(), "got 7\n")
        job.send_signal(signal.SIGTERM)
        self.ends_with(job, 128 + signal.SIGTERM)

    def test_a_line_stays_whole_whose_beginning_filled_the_programs_buffer(self):
        job = self.start_job("-n", "2", "sh", "-c",
                             'if test $FMPL_RANK = 0; then head -c 4096 /dev/zero | tr "\\0" a; read x; echo end; '
                             'else sleep 0.5; echo other; fi', stdin=subprocess.PIPE)
        self.assertEqual(job.stdout.readline(), "other\n")
        job.stdin.close()
        self.assertEqual(job.stdout.readline(), 4096 * "a" + "end\n")
        self.assertEqual(job.wait(LIMIT), 0)

    def test_a_line_begins_anew_where_another_rank_has_begun_one(self):
        job = self.start_job("-n", "2", "--tag-output", "sh", "-c",
                             'if test $FMPL_RANK = 0; then printf "number? "; read x; echo $x; else sleep 1000 & echo $!; '
                             'wait; echo hello; fi', stdin=subprocess.PIPE)
        first = self.lines(job, 1)[0]
        seen = first + self.part_of_line(job)
        if "number" in first:
            self.assertRegex(seen, r"^\[0\] number\? \[1\] \d+\n")
            sleeper = int(re.search(r"\[1\] (\d+)", seen).group(1))
        else:
            sleeper = int(first.split()[1])
            self.assertTrue(seen.endswith("[0] number? "), seen)
        os.kill(sleeper, signal.SIGKILL)
        self.assertIn("[1] hello\n", [job.stdout.readline() for _ in range(2)])
        job.stdin.write("7\n")
        job.stdin.close()
        self.assertEqual(job.stdout.readline(), "[0] 7\n")
        self.assertEqual(job.wait(LIMIT), 0)

    def test_large_output_arrives_whole(self):
        job = self.start_job("-n", "2", "sh", "-c", "yes | head -c 20M")
        counted = subprocess.run(["wc", "-c"], stdin=job.stdout, stdout=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(int(counted.stdout), 40 << 20)
        self.assertEqual(job.wait(LIMIT), 0)

    def test_a_long_line_arrives_whole(self):
        result = self.run_job("sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x; echo")
        self.assertEqual(result.stdout, "x" * 1000000 + "\n")

    def test_binary_output_arrives_whole(self):
        result = subprocess.run([FMPLRUN, "printf", r"\000\377\n\200"], env=self.environment, stdout=subprocess.PIPE,
                                timeout=LIMIT)
        self.assertEqual(result.stdout, b"\0\xff\n\x80")

    def test_what_a_rank_said_before_it_was_killed_arrives(self):
        result = self.run_job("-n", "2", "sh", "-c", "echo last words $FMPL_RANK; printf end; kill -9 $$")
        self.assertEqual(result.returncode, 137)
        self.assertIn("last words 0\n", result.stdout)

    def test_a_reader_that_leaves_ends_the_job(self):
        job = self.start_job("-n", "2", "yes")
        self.lines(job, 3)
        job.stdout.close()
        self.assertEqual(job.wait(LIMIT), 128 + signal.SIGPIPE)
        job.stderr.close()

    def test_a_reader_that_pauses_does_not_stop_the_watch(self):
        os.mkfifo(self.folder + "/fifo")
        script = "test $FMPL_RANK = 1 && { read x < %s/fifo; kill -9 $$; }; exec yes" % self.folder
        job = self.start_job("-n", "2", "sh", "-c", script)
        self.lines(job, 1)
        with open(self.folder + "/fifo", "w") as fifo:
            fifo.write("go\n")
        wait_until(lambda: len(processes_of(self.mark)) <= 2, "the end of the ranks while nobody reads")
        out, err = job.communicate(timeout=LIMIT)
        self.assertEqual(job.returncode, 137)
        self.assertIn("rank 1", err)

    def test_that_nobody_reads_is_given_up_after_a_time_out(self):
        job = self.start_job("--timeout", "0.5", "yes")
        self.assertEqual(job.wait(LIMIT), 124)
        self.assertRegex(job.stderr.read(), r"time-out after 0.5 s[^~]*of output are given up: nobody has read them")

    def test_that_nobody_reads_is_given_up_after_an_interrupt(self):
        job = self.start_job("yes")
        capacity = fcntl.fcntl(job.stdout, fcntl.F_GETPIPE_SZ)
        wait_until(lambda: self.waiting_bytes(job.stdout) > capacity - select.PIPE_BUF, "a full pipe")
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.wait(LIMIT), 128 + signal.SIGINT)

    def test_of_ranks_that_have_ended_is_given_up_at_the_time_out(self):
        job = self.start_job("--timeout", "0.5", "head", "-c", "500000", "/dev/zero")
        self.assertEqual(job.wait(LIMIT), 124)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("needs /dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([FMPLRUN, "echo", "x"], env=self.environment, stdin=subprocess.DEVNULL, stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)


class Input(LaunchTest):
    def test_goes_to_rank_0(self):
        result = self.run_job("-n", "3", "sh", "-c", "echo $FMPL_RANK $(cat)", input="typed\n")
        self.assertEqual(sorted(result.stdout.splitlines()), ["0 typed", "1", "2"])

    def test_from_a_file(self):
        name = os.path.join(self.folder, "input")
        with open(name, "w") as file:
            file.write("line\n" * 100000)
        with open(name) as file:
            result = self.run_job("-n", "2", "wc", "-l", stdin=file)
        self.assertEqual(sorted(result.stdout.split()), ["0", "100000"])


class Terminal(LaunchTest):
    """fmplrun under a terminal of its own."""

    def open_terminal(self, *arguments):
        pid, terminal = pty.fork()
        if pid == 0:
            attributes = termios.tcgetattr(0)
            attributes[3] &= ~termios.ECHO
            termios.tcsetattr(0, termios.TCSANOW, attributes)
            os.execvpe(FMPLRUN, [FMPLRUN, *arguments], self.environment)
        self.pid, self.terminal, self.seen = pid, terminal, ""
        self.addCleanup(os.close, terminal)

    def read_until(self, text):
        deadline = time.monotonic() + LIMIT
        while text not in self.seen:
            self.assertGreater(deadline, time.monotonic(), "waiting for %r, saw %r" % (text, self.seen))
            if select.select([self.terminal], [], [], 1)[0]:
                try:
                    data = os.read(self.terminal, 4096)
                except OSError:
                    data = b""
                if not data:
                    break
                self.seen += data.decode()
        self.assertIn(text, self.seen)

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def test_what_is_typed_goes_to_rank_0(self):
        self.open_terminal("-n", "2", "sh", "-c", 'test $FMPL_RANK = 0 && read line && echo "got $line"; true')
        os.write(self.terminal, b"hello\n")
        self.read_until("got hello")
        self.assertEqual(self.status(), 0)

    def test_a_question_is_shown_before_it_is_answered(self):
        self.open_terminal("-n", "2", "sh", "-c", 'test $FMPL_RANK = 0 && printf "number? " && read n && echo "got $n"; true')
        self.read_until("number? ")
        os.write(self.terminal, b"7\n")
        self.read_until("got 7")
        self.assertEqual(self.status(), 0)

    def test_the_end_of_input_goes_to_rank_0(self):
        self.open_terminal("sh", "-c", "echo ready; cat; echo done")
        self.read_until("ready")
        os.write(self.terminal, b"text\n\x04")
        self.read_until("done")
        self.assertEqual(self.status(), 0)

    def test_an_interrupt_ends_the_job(self):
        self.open_terminal("-n", "3", "sh", "-c", "echo ready; exec sleep 1000")
        self.read_until("ready\r\nready\r\nready")
        os.write(self.terminal, b"\x03")
        self.read_until("Interrupt")
        for rank in range(3):
            self.read_until("rank %d (pid" % rank)
        self.assertEqual(self.status(), 128 + signal.SIGINT)

    def test_a_second_interrupt_kills_at_once(self):
        self.open_terminal("-n", "2", "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1000; done")
        self.read_until("ready\r\nready")
        os.write(self.terminal, b"\x03")
        self.read_until("Interrupt")
        os.write(self.terminal, b"\x03")
        self.assertEqual(self.status(), 128 + signal.SIGINT)


class Signals(LaunchTest):
    def test_each_ends_the_job_with_its_status(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number):
                job = self.start_job("-n", "2", "sh", "-c", "echo ready; exec sleep 1000")
                self.lines(job, 2)
                job.send_signal(number)
                _, err = self.ends_with(job, 128 + number)
                self.assertIn("rank 1 (pid", err)
                self.assertIn("has not called fmpl_init", err)

    def test_a_hang_up_ignored_from_the_start_stays_ignored(self):
        job = self.start_job("sh", "-c", "echo ready; read x; echo went on", stdin=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.lines(job, 1)
        job.send_signal(signal.SIGHUP)
        out, err = job.communicate("\n", timeout=LIMIT)
        self.assertEqual((job.returncode, out, err), (0, "went on\n", ""))

    def test_usr1_reports_and_goes_on(self):
        job = self.start_job("-n", "2", "sh", "-c", "echo ready; read x; echo went on", stdin=subprocess.PIPE)
        # Rank 1 reads from nothing and is done; rank 0 waits.
        self.lines(job, 3)
        job.send_signal(signal.SIGUSR1)
        self.assertIn("state of the ranks", job.stderr.readline())
        self.assertRegex(job.stderr.readline(), r"rank 0 \(pid \d+\): has not called fmpl_init")
        out, _ = job.communicate("\n", timeout=LIMIT)
        self.assertEqual((job.returncode, out), (0, "went on\n"))

    def test_stop_and_continue_reach_the_ranks(self):
        job = self.start_job("-n", "2", "sh", "-c", "echo $$; exec sleep 1000", preexec_fn=os.setpgrp)
        ranks = [int(line) for line in self.lines(job, 2)]

        def states():
            result = []
            for pid in ranks + [job.pid]:
                with open("/proc/%d/stat" % pid) as file:
                    result.append(file.read().rpartition(")")[2].split()[0])
            return result

        job.send_signal(signal.SIGTSTP)
        wait_until(lambda: states() == ["T"] * 3, "all processes to stop")
        job.send_signal(signal.SIGCONT)
        wait_until(lambda: "T" not in states(), "all processes to go on")
        job.send_signal(signal.SIGTERM)
        self.ends_with(job, 128 + signal.SIGTERM)

    def test_a_time_out_ends_the_job_and_describes_each_rank(self):
        result = self.run_job("-n", "3", "--timeout", "0.2", "sleep", "1000")
        self.assertEqual(result.returncode, 124)
        self.assertIn("time-out after 0.2 s", result.stderr)
        for rank in range(3):
            self.assertRegex(result.stderr, r"rank %d \(pid \d+\): has not called fmpl_init" % rank)

    def test_a_time_out_that_is_not_reached_changes_nothing(self):
        self.assertEqual(self.run_job("-n", "2", "--timeout", "1000", "true").returncode, 0)


class NothingIsLeft(LaunchTest):
    """Whatever kills whom, no process survives (checked at the end of each test)."""

    BUSY = "sleep 1001 & sh -c 'sleep 1002 & exec sleep 1003' & echo ready; wait"
    DETACHED = "setsid sleep 1001 & (setsid sh -c 'sleep 1002 & sleep 1003' &) ; echo ready; wait"

    def guardian_of(self, job, ranks):
        with open("/proc/%d/task/%d/children" % (job.pid, job.pid)) as file:
            guardian = {int(pid) for pid in file.read().split()} - ranks
        self.assertEqual(len(guardian), 1)
        return guardian.pop()

    def test_after_the_launcher_is_killed(self):
        for script in (self.BUSY, self.DETACHED):
            with self.subTest(script=script):
                job = self.start_job("-n", "3", "sh", "-c", script)
                self.lines(job, 3)
                job.kill()
                self.assert_nothing_left()

    def test_after_the_launcher_of_a_job_that_runs_jobs_is_killed(self):
        job = self.start_job("-n", "2", FMPLRUN, "-n", "2", "sh", "-c", self.DETACHED)
        self.lines(job, 4)
        job.kill()
        self.assert_nothing_left()

    def test_after_a_rank_is_killed(self):
        job = self.start_job("-n", "3", "sh", "-c", "echo $FMPL_RANK $$; sleep 1001 & wait")
        pids = dict(line.split() for line in self.lines(job, 3))
        os.kill(int(pids["1"]), signal.SIGKILL)
        _, err = self.ends_with(job, 137)
        self.assertIn("rank 1 (pid %s, sh) was killed by signal 9" % pids["1"], err)

    def test_after_the_guardian_is_killed(self):
        job = self.start_job("-n", "2", "sh", "-c", "echo $$; sleep 1001 & wait")
        ranks = {int(line) for line in self.lines(job, 2)}
        os.kill(self.guardian_of(job, ranks), signal.SIGKILL)
        _, err = self.ends_with(job, 1)
        self.assertIn("guardian", err)

    def test_after_the_guardian_is_stopped(self):
        job = self.start_job("-n", "1", "sh", "-c", "echo $$; exec cat", stdin=subprocess.PIPE)
        rank = {int(line) for line in self.lines(job, 1)}
        os.kill(self.guardian_of(job, rank), signal.SIGSTOP)
        self.assertEqual(self.ends_with(job, 0), ("", ""))

    def changes_its_user(self):
        """The beginning of a command that nobody but root may kill, for jobs of another user."""
        program = os.path.join(self.folder, "changes_its_user")
        shutil.copy(shutil.which("setpriv"), program)
        os.chmod(program, 0o4755)
        os.chmod(self.folder, 0o755)
        words = [program, "--reuid=65533", "--clear-groups"]
        for trial in ([FMPLRUN, "--version"], words + ["true"]):
            try:
                subprocess.run(trial, user=65534, group=65534, extra_groups=[], check=True, stdout=subprocess.DEVNULL)
            except (OSError, subprocess.CalledProcessError) as error:
                self.skipTest("another user cannot do this here: %s" % error)
        return " ".join(words)

    def ends_without(self, job, pid, status, why):
        """The job ends and says which process it leaves; which then is put away."""
        try:
            _, err = self.ends_with(job, status)
        finally:
            os.kill(pid, signal.SIGKILL)
        self.assertRegex(err, r"fmplrun: process %d \(sleep\) is left behind: %s" % (pid, why))

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_but_what_may_not_be_killed_which_is_named(self):
        command = self.changes_its_user()
        behind = "(setsid %s sh -c 'echo $$; exec sleep 1001' 2>&- &) ; cat" % command
        itself = "exec %s sh -c 'echo $$; exec sleep 1001'" % command
        for script, status in ((behind, 0), (itself, 128 + signal.SIGTERM)):
            with self.subTest(script=script):
                job = self.start_job("-n", "1", "sh", "-c", script, stdin=subprocess.PIPE, user=65534,
                                     group=65534, extra_groups=[])
                pid = int(self.lines(job, 1)[0])
                if status != 0:
                    job.terminate()
                self.ends_without(job, pid, status, "it runs as user 65533, whom fmplrun may not kill")

    @unittest.skipUnless(os.access("/sys/fs/cgroup/freezer/tasks", os.W_OK), "needs a freezer that it may use")
    def test_but_what_does_not_die_which_is_named(self):
        freezer = "/sys/fs/cgroup/freezer/launch_test_%d" % os.getpid()
        os.mkdir(freezer)
        self.addCleanup(lambda: wait_until(lambda: subprocess.run(["rmdir", freezer]).returncode == 0, "an empty group"))

        def turn(state):
            with open(freezer + "/freezer.state", "w") as file:
                file.write(state)

        for script in ("(setsid sh -c 'echo $$; exec sleep 1001' &) ; cat", "echo $$; exec sleep 1001"):
            with self.subTest(script=script):
                job = self.start_job("-n", "1", "sh", "-c", script, stdin=subprocess.PIPE)
                pid = int(self.lines(job, 1)[0])
                wait_until(lambda: os.readlink("/proc/%d/exe" % pid).endswith("/sleep"), "the program of the process")
                with open(freezer + "/tasks", "w") as file:
                    file.write(str(pid))
                turn("FROZEN")
                try:
                    wait_until(lambda: job.poll() is not None or job.terminate(), "the end of an interrupted job")
                    self.ends_without(job, pid, 128 + signal.SIGTERM, "it has been killed and has not ended")
                finally:
                    turn("THAWED")

    def test_a_process_that_has_left_everything_behind(self):
        # An environment and a session of its own, and none of the descriptors.
        script = "(setsid env -i sh -c 'echo $$; exec sleep 1001 <&- >&- 2>&-' &) ; sleep 1002"
        for command in (["-n", "1", "sh", "-c", script], ["-n", "1", FMPLRUN, "-n", "1", "sh", "-c", script]):
            with self.subTest(command=command):
                other = self.start_job("-n", "1", "sh", "-c", "echo ready; exec cat", stdin=subprocess.PIPE)
                job = self.start_job(*command)
                pid = int(self.lines(job, 1)[0])
                self.lines(other, 1)
                job.kill()
                wait_until(lambda: not os.path.exists("/proc/%d" % pid), "the end of process %d" % pid)
                self.ends_with(other, 0)

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    @unittest.skipIf("FMPL_TEST_SANITIZED" in os.environ, "the leak check of AddressSanitizer needs /proc")
    def test_where_processes_cannot_be_found_it_says_so_once(self):
        without_proc = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        if subprocess.run(without_proc + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("needs a /proc that it may hide")
        result = subprocess.run(without_proc + [FMPLRUN, "-n", "2", "hostname"], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"\Afmplrun: /proc .*left behind.*\n\Z")

    def test_after_a_normal_end_with_processes_in_the_background(self):
        result = self.run_job("-n", "2", "sh", "-c", "sleep 1001 & setsid sleep 1002 & (setsid sleep 1003 &) ; exit 0")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(processes_of(self.mark), [])

    def test_after_a_failed_start(self):
        self.assertEqual(self.run_job("-n", "3", "no-such-program-here").returncode, 127)
        self.assertEqual(processes_of(self.mark), [])

    def test_other_children_of_the_launcher_are_left_alone(self):
        # The shell becomes fmplrun, which so inherits the shell's child.
        witness = os.path.join(self.folder, "witness")
        os.mkfifo(self.folder + "/fifo")
        script = "(read x < %s/fifo; echo $x > %s) & exec \"$0\" -n 2 true" % (self.folder, witness)
        result = subprocess.run(["sh", "-c", script, FMPLRUN], env=self.environment, stdin=subprocess.DEVNULL,
                                timeout=LIMIT)
        self.assertEqual(result.returncode, 0)
        with open(self.folder + "/fifo", "w") as fifo:
            fifo.write("alive\n")
        wait_until(lambda: os.path.exists(witness) and os.path.getsize(witness) > 0, "the word of the other child")

    def test_descriptors_do_not_run_out_early(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 512:
            self.skipTest("needs 512 descriptors")
        result = self.run_job("-n", "100", "sh", "-c", "ulimit -S -n",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(set(result.stdout.split()), {"128"})


@unittest.skipUnless(os.path.exists(PROBE), "launch_probe is not built")
class RanksOfOneProcess(LaunchTest):
    MANY = CPUS + 5

    def processes(self, *options, ranks=MANY, probe=SHARED_PROBE):
        done = self.run_job("-n", str(ranks), *options, probe, "init", "exchange", "barrier", "pid", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.findall(r"^rank (\d+): (\d+)$", re.sub(r"(?m)^\[\d+\] ", "", done.stdout), re.M)
        self.assertEqual(sorted(int(rank) for rank, _ in found), list(range(ranks)), done.stdout)
        return len({pid for _, pid in found})

    def test_are_those_that_outnumber_the_cpus_if_the_program_says_they_can(self):
        self.assertEqual(self.processes(), 1)
        self.assertEqual(self.processes(ranks=CPUS), CPUS)
        self.assertEqual(self.processes(probe=PROBE), self.MANY)

    def test_are_as_the_user_says(self):
        self.assertEqual(self.processes("--ranks-as", "processes"), self.MANY)
        self.assertEqual(self.processes("--ranks-as", "threads"), 1)
        self.assertEqual(self.processes("--ranks-as", "threads", ranks=CPUS), 1)
        self.assertEqual(self.processes("--ranks-as", "auto"), 1)
        for option in (["--tag-output"], ["--bind-to", "none"]):
            self.assertEqual(self.processes(*option), self.MANY, option)

    def test_what_cannot_be_is_refused(self):
        for words, said in ((["--ranks-as", "threads", PROBE], "does not say that its ranks may share a process"),
                            (["--ranks-as", "threads", "--tag-output", SHARED_PROBE], "does not go with"),
                            (["--ranks-as", "fibres", SHARED_PROBE], "none of auto, processes and threads")):
            done = self.run_job("-n", "2", *words, "pid")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    def test_bindings_are_reported(self):
        done = self.run_job("-n", str(2 * CPUS), "--report-bindings", SHARED_PROBE, "init", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 0 is bound to CPU", done.stderr)

    def test_an_exit_ends_the_job_with_its_status(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "2:exit=7", "barrier", "finalize")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stderr, r"the process of all ranks \(pid \d+, .*launch_probe_shared\) exited with status 7")
        self.assertEqual(done.stderr.count("exited with"), 1)

    def test_a_kill_ends_the_job_with_its_signal(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "3:kill=9", "barrier", "finalize")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"the process of all ranks \(.*\) was killed by signal 9")

    def test_an_abort_names_the_rank(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "4:abort=5", "barrier", "finalize")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertRegex(done.stderr, r"rank 4 \(pid \d+, .*\) ended the job with status 5: the probe was told to")

    def test_one_that_does_not_finalize_is_named_whatever_the_others_do(self):
        for others in ("1:recv=0", "1:wait"):
            done = self.run_job("-n", str(self.MANY), "--timeout", "30", SHARED_PROBE, "init", "barrier", others)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r"rank \d+ \(pid \d+, .*\) ended the job with status 1: rank \d+ returned without "
                                          r"calling fmpl_finalize")

    def test_statistics_and_states_are_by_rank(self):
        done = self.run_job("-n", str(self.MANY), "--stats", SHARED_PROBE, "init", "exchange", "barrier", "finalize")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout + done.stderr, rf"(?m)^ *{self.MANY - 1} ")
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.send_signal(signal.SIGUSR1)
        said = ""
        while f"rank {self.MANY - 1}" not in said:
            line = job.stderr.readline()
            self.assertTrue(line, said)
            said += line
        job.send_signal(signal.SIGTERM)
        self.ends_with(job, 128 + signal.SIGTERM)

    def test_standard_input_is_there(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "finalize", input="nobody reads it")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_deadlock_is_found(self):
        done = self.run_job("-n", str(self.MANY), SHARED_PROBE, "init", "recv=0", "finalize")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("deadlock: all ranks wait for each other", done.stderr)
        self.assertIn("fmpl_recv", done.stderr)

    def test_a_time_out_says_what_each_is_blocked_in(self):
        job = self.run_job("-n", str(self.MANY), "--timeout", "1", SHARED_PROBE, "init", "barrier", "0:wait", "recv=0",
                           "finalize")
        self.assertEqual(job.returncode, 124, job.stderr)
        self.assertIn("time-out after 1 s", job.stderr)
        self.assertIn("fmpl_recv", job.stderr)

    def test_an_interrupt_ends_the_job(self):
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.send_signal(signal.SIGINT)
        _, err = self.ends_with(job, 130)
        self.assertIn("the job ends", err)

    def test_nothing_is_left_when_the_launcher_is_killed(self):
        job = self.start_job("-n", str(self.MANY), SHARED_PROBE, "init", "barrier", "pid", "0:wait", "recv=0")
        self.lines(job, 1)
        job.kill()
        job.wait()
        self.assert_nothing_left()


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
        result = self.run_job("-n", "2", "--stats", "--timeout", "0.5", PROBE, "init", "call=Odd\x1b[31m", "0:recv=1", "wait")
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
