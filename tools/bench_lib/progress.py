"""How far a run is, on standard error."""
import shutil
import sys
import time


class Progress:
    """On a terminal one line that is written again and again, else plain lines; on standard error."""

    def __init__(self, total):
        self.total, self.done, self.begin = total, 0, time.monotonic()
        self.terminal = sys.stderr.isatty()

    def now(self, words):
        if not self.terminal:
            return
        elapsed = time.monotonic() - self.begin
        text = f"[{self.done}/{self.total}] {clock(elapsed)}  {words}"
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]}\033[K", end="", file=sys.stderr, flush=True)

    def line(self, words):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr)
        print(words, file=sys.stderr, flush=True)

    def end_of_turn(self, _turn, _seconds):
        """_turn: contender and step, by name; _seconds: None where nothing was run."""
        self.done += 1

    def end_of_step(self, words):
        if not self.terminal:
            self.line(f"[{self.done}/{self.total}] {clock(time.monotonic() - self.begin)}  {words}")

    def finish(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
