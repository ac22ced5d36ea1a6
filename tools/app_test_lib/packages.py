"""Debian's packages of the programs."""
import subprocess

from app_test_lib.running import PACKAGES


def wanted(program):
    return [*program.packages, *PACKAGES[program.mpi]]


def versions(packages):
    """{package: version} of those that are installed; of all, nothing where there is no dpkg."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${db:Status-Status} ${Version}\n", *packages],
                              capture_output=True, text=True, check=False)
    except OSError:
        return {}
    rows = (line.split() for line in done.stdout.splitlines())
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[1] == "installed"}


def missing(programs):
    """{program's name: its packages that are not installed}, of those that lack any."""
    every = list(dict.fromkeys(package for program in programs for package in wanted(program)))
    installed = versions(every)
    lacking = {program.name: [package for package in wanted(program) if package not in installed]
               for program in programs}
    return {name: packages for name, packages in lacking.items() if packages}
