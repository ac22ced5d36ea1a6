"""What a program says: its results, which are compared, and figures of its own."""
import dataclasses
import re

OUTPUT = "output.txt"  # what the program prints, in the folder that it runs in
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")
LONGEST = 60  # columns of a line that is shown where results differ


def text_of(folder, file):
    try:
        return (folder / file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@dataclasses.dataclass(frozen=True)
class Lines:
    """What the regular expression finds in the file, line by line: its group, where it has one. Numbers in it may
    differ by this share of the larger one; anything else is compared as it is. in_order: or else sorted, as ranks print
    when they like. last: only that. expected: what the whole of each line that was found has to match."""
    pattern: str
    file: str = OUTPUT
    tolerance: float = 0
    in_order: bool = True
    last: bool = False
    expected: str = ""

    def read(self, folder):
        found = re.findall(self.pattern, text_of(folder, self.file), re.MULTILINE)
        found = [" ".join((" ".join(line) if isinstance(line, tuple) else line).split()) for line in found]
        return found[-1:] if self.last else found if self.in_order else sorted(found)

    def unexpected(self, found):
        """The first line that is not as it has to be, None where there is none."""
        if not self.expected:
            return None
        return next((line for line in found if not re.fullmatch(self.expected, line)), None)

    def same(self, one, other):
        if not self.tolerance:
            return one == other
        return NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
            abs(a - b) <= self.tolerance * max(abs(a), abs(b)) for a, b in zip(numbers(one), numbers(other)))

    def difference(self, ours, theirs):
        """In words, None where there is none."""
        if len(ours) != len(theirs):
            return f"{len(ours)} lines of results instead of {len(theirs)}"
        for one, other in zip(ours, theirs):
            if not self.same(one, other):
                return f"'{one[:LONGEST]}' instead of '{other[:LONGEST]}'"
        return None


def numbers(text):
    return [float(re.sub("[dD]", "e", word)) for word in NUMBER.findall(text)]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of merit that the program prints: the first group of the first match, times the factor."""
    name: str
    pattern: str
    file: str = OUTPUT
    factor: float = 1
    is_time: bool = False  # less is better

    def read(self, folder):
        found = re.search(self.pattern, text_of(folder, self.file), re.MULTILINE)
        return float(found.group(1)) * self.factor if found else None

    def ratio(self, ours, theirs):
        """Above 1 where FMPL is the better one."""
        if not ours or not theirs:
            return None
        return theirs / ours if self.is_time else ours / theirs
