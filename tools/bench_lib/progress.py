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

    def end_of_turn(self, _turn, _seconds, recalled=False):
        """_turn: contender and step, by name; _seconds: None where nothing was run; recalled: an interrupted run has
        measured it."""
        self.done += 1

    def end_of_step(self, words):
        if not self.terminal:
            self.line(f"[{self.done}/{self.total}] {clock(time.monotonic() - self.begin)}  {words}")

    def finish(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class TimedProgress(Progress):
    """Of several suites, with a bar and the time that is left: what is still to be run takes as long as the same did
    before, in this run or in an earlier one of which the times are given; else as long as the mean of what is known.

    turns: [(suite, contender, step)] by name, of the whole run. known: {turn: seconds}."""

    BAR = 24

    def __init__(self, turns, known):
        super().__init__(len(turns))
        self.waiting, self.seconds, self.suite = list(turns), dict(known), None
        self.spent, self.recalled = 0.0, 0.0  # seconds of this run, and of an interrupted one that it goes on with

    def begin_suite(self, name):
        self.suite = name

    def expected(self, turn):
        if turn in self.seconds:
            return self.seconds[turn]
        return sum(self.seconds.values()) / len(self.seconds) if self.seconds else 1.0

    def left(self):
        return sum(map(self.expected, self.waiting))

    def share(self):
        """Of the whole run, done."""
        done, left = self.spent + self.recalled, self.left()
        return done / (done + left) if done + left > 0 else 1.0

    def end_of_turn(self, turn, seconds, recalled=False):
        super().end_of_turn(turn, seconds, recalled)
        turn = (self.suite, *turn)
        self.waiting.remove(turn)
        if seconds is not None:
            self.seconds[turn] = seconds
            if recalled:
                self.recalled += seconds
            else:
                self.spent += seconds
        else:
            self.seconds.setdefault(turn, 0.0)

    def times(self):
        """Of the present suite: [[contender, step, seconds]], to be known in a later run."""
        return [[*turn, round(seconds, 3)] for (suite, *turn), seconds in self.seconds.items() if suite == self.suite]

    def head(self):
        share = self.share()
        bar = "#" * round(self.BAR * share)
        return f"[{bar:<{self.BAR}}] {share:4.0%}, about {clock(self.left())} left"

    def now(self, words):
        if self.terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{f'{self.head()}  {words}'[:width]}\033[K", end="", file=sys.stderr, flush=True)

    def end_of_step(self, words):
        if not self.terminal:
            self.line(f"{self.head()}  {words}")


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
