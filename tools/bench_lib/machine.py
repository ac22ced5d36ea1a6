"""What machine this is, and what else it is doing."""
import os
import pathlib
import platform
import re
import resource
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read(path, default=None):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return default


def two_cpus():
    """Two CPUs that this process may use: of different cores, and of one package, where there are such."""
    allowed = sorted(os.sched_getaffinity(0))

    def place(cpu, what):
        return read(f"/sys/devices/system/cpu/cpu{cpu}/topology/{what}")

    def distance(cpu):
        other_package = place(cpu, "physical_package_id") != place(allowed[0], "physical_package_id")
        same_core = not other_package and place(cpu, "core_id") == place(allowed[0], "core_id") is not None
        return same_core, other_package, cpu

    return [allowed[0], *sorted(allowed[1:], key=distance)[:1]]


def caches():
    found = {}
    for index in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(read(index / "type"), "")
        found[f"L{read(index / 'level')}{kind}"] = read(index / "size")
    return found


def machine(cpus):
    model = re.search(r"^model name\s*:\s*(.*)$", read("/proc/cpuinfo", ""), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", read("/proc/meminfo", ""), re.MULTILINE)
    return {
        "cpu": model.group(1) if model else platform.machine(),
        "cpus": os.cpu_count(),
        "cpus_used": cpus,
        "caches": caches(),
        "memory_bytes": int(memory.group(1)) * 1024 if memory else None,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "governor": read(f"/sys/devices/system/cpu/cpu{cpus[0]}/cpufreq/scaling_governor"),
        "virtual": " hypervisor " in read("/proc/cpuinfo", "").replace("\n", " "),
    }


class CpuTimes:
    """What the CPUs and this script's children have done since the object was made."""

    def __init__(self):
        self.begin, self.clock, self.children = self.now(), time.monotonic(), self.children_seconds()

    @staticmethod
    def now():
        fields = [int(field) for field in read("/proc/stat").splitlines()[0].split()[1:]]
        user, nice, system, idle, iowait, irq, softirq, steal = fields[:8]
        tick = os.sysconf("SC_CLK_TCK")
        return {"busy": (user + nice + system + irq + softirq) / tick, "steal": steal / tick,
                "all": (idle + iowait + user + nice + system + irq + softirq + steal) / tick}

    @staticmethod
    def children_seconds():
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
        return sum(u.ru_utime + u.ru_stime for u in usage)

    def shares(self):
        """Share of one CPU that other processes used, and share of all CPUs' time that the host took away."""
        now = self.now()
        elapsed = max(time.monotonic() - self.clock, 1e-3)
        others = now["busy"] - self.begin["busy"] - (self.children_seconds() - self.children)
        stolen = (now["steal"] - self.begin["steal"]) / max(now["all"] - self.begin["all"], 1e-3)
        return max(0.0, others / elapsed), stolen


def activity_before():
    times = CpuTimes()
    time.sleep(0.3)
    return times.shares()


def git(*words, root=ROOT):
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def changes_of_tree(root=ROOT):
    """What of the tree differs from its commit, as text; None without git. results/ is left out: a run itself writes
    there."""
    return git("diff", "HEAD", "--", ".", ":(exclude)results", root=root)
