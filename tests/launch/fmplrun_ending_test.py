"""How a job of fmplrun ends by signals and time-outs, and that nothing outlives it."""
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from fmplrun_case import FMPLRUN, LIMIT, PROBE, LaunchTest, processes_of, wait_until


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

    def test_after_a_rank_is_killed_while_another_one_takes_what_it_sends(self):
        for how in ("torn", "torn=poll"):
            with self.subTest(how):
                job = self.start_job("-n", "2", "-x", "FMPL_CPUS=2", PROBE, "init", how)
                _, err = self.ends_with(job, 139)
                self.assertIn("was killed by signal 11", err)

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

    def test_by_a_signal_after_the_guardian_is_stopped(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                job = self.start_job("-n", "2", "sh", "-c", "echo $$; exec sleep 1001")
                ranks = {int(line) for line in self.lines(job, 2)}
                os.kill(self.guardian_of(job, ranks), signal.SIGSTOP)
                begin = time.monotonic()
                job.send_signal(number)
                self.ends_with(job, 128 + number)
                self.assertLess(time.monotonic() - begin, 5)  # far from for ever; a second where the CPUs are free

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

    def ends_without(self, job, pid, status, why, name="sleep"):
        """The job ends and says which process it leaves; which then is put away."""
        try:
            _, err = self.ends_with(job, status)
        finally:
            os.kill(pid, signal.SIGKILL)
        self.assertRegex(err, r"fmplrun: process %d \(%s\) is left behind: %s" % (pid, re.escape(name), why))

    @unittest.skipUnless(os.getuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_but_what_may_not_be_killed_which_is_named(self):
        command = self.changes_its_user()
        sleep = os.path.join(self.folder, "sl\033[7mp")  # printed so it would turn the terminal's colours
        shutil.copy(shutil.which("sleep"), sleep)
        behind = "(setsid %s sh -c 'echo $$; exec \"%s\" 1001' 2>&- &) ; cat" % (command, sleep)
        itself = "exec %s sh -c 'echo $$; exec \"%s\" 1001'" % (command, sleep)
        for script, status in ((behind, 0), (itself, 128 + signal.SIGTERM)):
            with self.subTest(script=script):
                job = self.start_job("-n", "1", "sh", "-c", script, stdin=subprocess.PIPE, user=65534,
                                     group=65534, extra_groups=[])
                pid = int(self.lines(job, 1)[0])
                wait_until(lambda: os.readlink("/proc/%d/exe" % pid) == sleep, "the program of the process")
                if status != 0:
                    job.terminate()
                self.ends_without(job, pid, status, "it runs as user 65533, whom fmplrun may not kill",
                                  "sl\\x1b[7mp")

    @unittest.skipUnless(os.access("/sys/fs/cgroup/freezer/tasks", os.W_OK), "needs a freezer that it may use")
    def test_but_what_does_not_die_which_is_named(self):
        freezer = "/sys/fs/cgroup/freezer/launch_test_%d" % os.getpid()
        os.mkdir(freezer)
        self.addCleanup(lambda: wait_until(lambda: subprocess.run(["rmdir", freezer]).returncode == 0,
                                           "an empty group"))

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
