"""Runs a measuring program, and ends everything that it had started."""
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import time

from bench_lib.machine import read

TAIL_LINES = 15
GRACE_SECONDS = 3  # between the request to end and the end


PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None, use_errno=True)


def descendants():
    """The processes that come from this one. As a subreaper it is the parent of those whose parent has died."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            stat = read(entry / "stat")
            if stat:
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, todo = [], [os.getpid()]
    while todo:
        parent = todo.pop()
        children = [pid for pid, its_parent in parents.items() if its_parent == parent]
        found += children
        todo += children
    return found


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def shared_memory_files():
    """What Open MPI names so in /dev/shm and removes when it ends in order."""
    return set(pathlib.Path("/dev/shm").glob("vader_segment.*"))


def end_all(process, files_before):
    """Ends the program and everything it started: first the launcher in its own way, then whatever is left."""
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    for _ in range(100):
        left = descendants()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.poll()
        reap()
        if not left:
            break
        time.sleep(0.05)
    for file in shared_memory_files() - files_before:
        try:
            if file.stat().st_uid == os.geteuid():
                file.unlink()
        except OSError:
            pass


class Failed(Exception):
    def __init__(self, reason, output):
        super().__init__(reason)
        self.tail = "\n".join(output.splitlines()[-TAIL_LINES:])


def run(command, seconds, folder):
    """Runs the command in a session of its own, with folder for its temporary files. Returns what it printed; Failed
    when it takes longer than so many seconds or does not end with status 0."""
    files_before = shared_memory_files()
    with open(folder / "output", "w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   cwd=folder, env={**os.environ, "TMPDIR": str(folder)}, start_new_session=True,
                                   preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM))
        try:
            status, reason = process.wait(seconds), None
        except subprocess.TimeoutExpired:
            status, reason = None, f"did not end within {seconds:g} s"
        except BaseException:
            end_all(process, files_before)
            raise
        if status != 0:
            end_all(process, files_before)
        output.seek(0)
        printed = output.read()
    if reason is None and status < 0:
        reason = f"was ended by signal {signal.Signals(-status).name}"
    elif reason is None and status > 0:
        reason = f"ended with status {status}"
    if reason:
        raise Failed(reason, printed)
    reap()
    return printed


def measure(command, seconds, folder, writes_file=True):
    """The document that the measuring program writes with --json, or the text that it prints where it has no such
    option."""
    if not writes_file:
        return run(command, seconds, folder)
    document = folder / "result.json"
    document.unlink(missing_ok=True)
    printed = run([*command, "--json", str(document)], seconds, folder)
    try:
        return json.loads(document.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failed(f"left no results: {error}", printed) from error
