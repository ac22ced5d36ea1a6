"""Sets up and builds what is measured."""
import os
import re
import shlex
import subprocess
import sys

from bench_lib.contenders import apt_command
from bench_lib.distance import PROGRAM
from bench_lib.machine import ROOT, read

PRESET = "release"


def install(packages):
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*as_root, "apt-get", "update", "-q"], check=True)
    subprocess.run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", *apt_command(packages)], check=True)


def quiet(command):
    """Runs a command whose output is of interest only when it fails."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}failed: {shlex.join(command)}")


def build(programs, peers):
    """Sets up and builds these programs in the release preset. The folder of its programs."""
    if subprocess.run([ROOT / "tools/setup"], check=False).returncode != 0:
        sys.exit(1)
    quiet(["cmake", "--preset", PRESET, *(["-DFMPL_BENCH_PEERS=ON"] if peers else [])])
    command = ["cmake", "--build", "--preset", PRESET, "--target", "fmplrun", "fmpl_rdma_heap", "fmpl_as_mpich",
               "fmpl_scalapack_mend", PROGRAM, *programs]
    if subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False).returncode != 0:
        sys.exit(f"failed: {shlex.join(command)}")
    return ROOT / "build" / PRESET / "bin"


def build_settings(programs):
    cache = read(programs.parent / "CMakeCache.txt", "")

    def value(name):
        found = re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)
        return found.group(1) if found else ""

    kind = value("CMAKE_BUILD_TYPE")
    return {"build_type": kind, "sanitize": value("FMPL_SANITIZE"),
            "flags": f"{value('CMAKE_CXX_FLAGS')} {value('CMAKE_CXX_FLAGS_' + kind.upper())}".strip()}
