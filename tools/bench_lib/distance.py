"""How far apart two CPUs are. The host of a virtual machine may move them from cores that share a cache to cores that
do not, and back, several times a second."""
import math
import statistics
import subprocess
import time

PROGRAM = "cpu-distance"
OPTION = "--nearer-than"  # of the measuring programs
LOOK_SECONDS, LONGER_SECONDS, LIMIT_SECONDS = 1.5, 6, 10
MOST_NS = 1_000_000  # that the option takes
TIMES = 2.5  # so much farther at one time than at another: they are moved


def distance_ns(programs, cpus):
    """Nanoseconds that a cache line takes from one CPU to the other and back, now. None where it cannot be measured."""
    program = programs / PROGRAM
    if len(cpus) != 2 or not program.exists():
        return None
    try:
        done = subprocess.run([program, *map(str, cpus)], capture_output=True, text=True, check=False,
                              timeout=LIMIT_SECONDS)
        return float(done.stdout)
    except (ValueError, OSError, subprocess.TimeoutExpired):
        return None


class Distances:
    """near, far: nanoseconds that a cache line takes from one CPU to the other and back, at different times;
    nearer_than: a limit between the two; where far has not been met, it is taken for 6.25 times near. All None where
    nothing was measured.

    It takes longer while all times are alike: they may all be far, and the limit would be one of others."""

    def __init__(self, programs, cpus):
        found = []
        begin = time.monotonic()

        def goes_on():
            alike = found and max(found) < TIMES * min(found)
            return time.monotonic() - begin < (LONGER_SECONDS if alike else LOOK_SECONDS)

        while goes_on():
            distance = distance_ns(programs, cpus)
            if distance is None:
                break
            found.append(distance)
        self.near, self.far = near_and_far(found) if len(found) > 1 else (None, None)
        self.nearer_than = between(self.near, max(self.far, TIMES**2 * self.near)) if len(found) > 1 else None

    def are_different(self):
        return self.near is not None and self.far > TIMES * self.near

    def document(self):
        return {"near_ns": self.near, "far_ns": self.far, "nearer_than_ns": self.nearer_than}

    def words(self, has_batches):
        """has_batches: the programs themselves look at the distance."""
        return (f"The host moves the CPUs: a cache line takes {self.near:.0f} ns from one to the other and back at one "
                f"time, {self.far:.0f} ns at another."
                + (f" Batches of two ranks were timed again when it took {self.nearer_than} ns or more."
                   if has_batches else ""))


def near_and_far(times):
    """Not the extremes of either. One near time among many far ones counts; one far time may have been interrupted."""
    limit = TIMES * min(times)
    near, far = [ns for ns in times if ns < limit], [ns for ns in times if ns >= limit]

    def tenths(some):
        return statistics.quantiles(some, n=10, method="inclusive") if len(some) > 1 else some

    return tenths(near)[0], tenths(far if len(far) > len(times) / 20 else near)[-1]


def between(near, far):
    """A number well between the two: the same power of four for different measurements of them, if there is one."""
    power = 4 ** round(math.log(near * far, 16))
    return min(power if 1.3 * near < power < far / 1.3 else round(math.sqrt(near * far)), MOST_NS)


def without(command):
    """The command without the option that says at which distance it measures."""
    if OPTION not in command:
        return command
    at = command.index(OPTION)
    return [*command[:at], *command[at + 2:]]
