"""What the ranks of fmplrun write and read: whole lines, nothing lost, nothing held back."""
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

from fmplrun_case import FMPLRUN, LIMIT, LaunchTest, processes_of, wait_until


class Shown:
    """What a job has written so far, lines without their end too: nothing is read ahead where nobody sees it."""

    def __init__(self, pipe):
        self.pipe = pipe.fileno()
        self.text = ""

    def until(self, pattern):
        """Reads until the text matches `pattern`: that match."""
        while not (match := re.search(pattern, self.text)):
            part = os.read(self.pipe, 4096) if select.select([self.pipe], [], [], LIMIT)[0] else b""
            if not part:
                raise AssertionError("%r is not shown, but %r" % (pattern, self.text))
            self.text += part.decode()
        return match


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

    def test_a_line_without_its_end_is_shown_while_the_rank_waits(self):
        job = self.start_job("-n", "2", "--tag-output", "sh", "-c",
                             'test $FMPL_RANK = 0 || exec sleep 1000; printf "number? "; read x; echo got $x; read x',
                             stdin=subprocess.PIPE)
        shown = Shown(job.stdout)
        shown.until(r"^\[0\] number\? $")
        job.stdin.write("7\n")
        job.stdin.flush()
        shown.until(r"^\[0\] number\? got 7\n$")
        job.send_signal(signal.SIGTERM)
        self.ends_with(job, 128 + signal.SIGTERM)

    def test_a_line_without_its_end_is_shown_within_a_tenth_of_a_second(self):
        for stream in ("stdout", "stderr"):
            with self.subTest(stream):
                job = self.start_job("-n", "2", "sh", "-c",
                                     'test $FMPL_RANK = 0 || exec sleep 1000; while read x; do '
                                     'printf "%%s? " $(date +%%s%%N) >&%d; done'
                                     % (2 if stream == "stderr" else 1), stdin=subprocess.PIPE)
                shown = Shown(getattr(job, stream))
                late = []
                for question in range(5):
                    job.stdin.write("next\n")
                    job.stdin.flush()
                    asked = int(shown.until(r"^(?:\d+\? ){%d}(\d+)\? $" % question).group(1))
                    late.append((time.time_ns() - asked) / 1e9)
                self.assertLess(min(late), 0.15)
                self.assertLess(max(late), 5)
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
                             'if test $FMPL_RANK = 0; then printf "number? "; read x; echo $x; else sleep 1000 & '
                             'echo $!; wait; echo hello; fi', stdin=subprocess.PIPE)
        shown = Shown(job.stdout)
        shown.until(r"\[0\] number\? ")
        sleeper = int(shown.until(r"\[1\] (\d+)\n").group(1))
        self.assertRegex(shown.text, r"^(\[0\] number\? \n\[1\] \d+\n|\[1\] \d+\n\[0\] number\? )$")
        os.kill(sleeper, signal.SIGKILL)
        shown.until(r"\n\[1\] hello\n$")
        job.stdin.write("7\n")
        job.stdin.close()
        shown.until(r"\n\[0\] 7\n$")
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
        self.open_terminal("-n", "2", "sh", "-c",
                           'test $FMPL_RANK = 0 && printf "number? " && read n && echo "got $n"; true')
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
