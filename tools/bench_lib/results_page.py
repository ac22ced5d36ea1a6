"""The folder of results: raw data, pictures, and the page that shows all. The page and the pictures are made of the raw
data alone, so that check() can tell whether they belong together.

  raw/<suite>.json     a document of session.SuiteRun
  figures/fig6.svg ... and .png
  README.md
"""
import hashlib
import json
import pathlib
import subprocess
import sys

from bench_lib import paper
from bench_lib.exhibits import EXHIBITS, SHARED, Data, markdown
from bench_lib.figures import list_of
from bench_lib.machine import ROOT
from bench_lib.progress import clock

CHARTS = pathlib.Path(__file__).with_name("charts.py")
SYSTEM_PYTHON = "/usr/bin/python3"  # whose modules Debian's packages are
FORMATS = ("svg", "png")


def python_with_matplotlib():
    """The interpreter that can draw, None where there is none."""
    for python in dict.fromkeys((sys.executable, SYSTEM_PYTHON)):
        try:
            if subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            pass
    return None


def read_raw(folder):
    """{suite: Data} of what has been measured."""
    found = {}
    for file in sorted((folder / "raw").glob("*.json")):
        found[file.stem] = Data(json.loads(file.read_text(encoding="utf-8")))
    return found


def write_raw(folder, suite, document):
    """Paths in the commands are relative to the tree, as its user has it somewhere else."""
    raw = folder / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    written = raw / f"{suite}.json.new"
    written.write_text(json.dumps(document, indent=1).replace(f"{ROOT}/", "") + "\n", encoding="utf-8")
    written.replace(raw / f"{suite}.json")


def shown(data):
    """The exhibits whose suite has been measured, with their data."""
    return [(exhibit, data[exhibit.suite]) for exhibit in EXHIBITS if exhibit.suite in data]


def charts(data):
    """{key: chart}"""
    found = {}
    for exhibit, of_suite in shown(data):
        chart = exhibit.chart(of_suite)
        if chart and chart["series"]:
            chart["title"] = f"{exhibit.name()}. {exhibit.title}"
            chart["digest"] = hashlib.sha256(json.dumps(chart, sort_keys=True).encode()).hexdigest()
            found[exhibit.key] = chart
    return found


def draw(folder, data):
    """Raises RuntimeError, in words, where that fails."""
    python = python_with_matplotlib()
    if python is None:
        raise RuntimeError("no Python with matplotlib; Debian's package is python3-matplotlib")
    order = {"folder": str(folder / "figures"), "charts": charts(data)}
    done = subprocess.run([python, CHARTS], input=json.dumps(order), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the figures cannot be drawn:\n{done.stderr}")


# ---- The page --------------------------------------------------------------------------------------------------------

def machine_words(about):
    machine = about["machine"]
    memory = f", {machine['memory_bytes'] / 2**30:.0f} GiB" if machine["memory_bytes"] else ""
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
    virtual = ", a virtual machine" if machine["virtual"] else ""
    return (f"{machine['cpu']}, {machine['cpus']} CPUs{memory}{virtual}; {caches}; Linux {machine['kernel']}; CPUs "
            f"used: {list_of(machine['cpus_used'])}")


def run_lines(data):
    """A line for each suite: when, of what commit, how."""
    lines = []
    for suite, of_suite in data.items():
        about = of_suite.document
        commit = f"`{(about['commit'] or 'unknown')[:12]}`{' and changes' if about['dirty'] else ''}"
        rounds = f"{about['rounds']} round{'' if about['rounds'] == 1 else 's'}"
        notes = "; ".join([*about["warnings"], *(f"{failure['contender']}, {failure['step']}: it {failure['reason']}"
                                                 for failure in about["failures"])])
        lines.append([f"[{suite}](raw/{suite}.json)", about["date"], commit, rounds, clock(about["elapsed_seconds"]),
                      notes or "-"])
    return lines


def page(data):
    pairs = shown(data)
    machines = list(dict.fromkeys(machine_words(of_suite.document) for of_suite in data.values()))
    libraries = list(dict.fromkeys(name for of_suite in data.values()
                                   for name in of_suite.document["libraries"].values()))
    compilers = list(dict.fromkeys(f"{of_suite.document['compiler']} {of_suite.document['flags']}"
                                   for of_suite in data.values()))
    pictures = charts(data)
    parts = [
        "# Results",
        "The tables and figures of section 5 of the FMPL paper, measured on this machine and shown beside the paper's "
        f"own numbers ({paper.MACHINE}). This page is made by `tools/reproduce`, of the raw data in `raw/` alone; "
        "nothing in it is written by hand. `tools/reproduce --check` tells whether page, pictures and data agree.",
        f"**Machine.** {'; '.join(machines)}.",
        f"**Programs.** {'; '.join(libraries)}; compiled by {'; '.join(compilers)}.",
        "**How.** All libraries take turns, round after round; shown are medians over the rounds, and in the line "
        f"charts the quartiles as a band. Ranks that fit the CPUs are bound to one each. {SHARED}: more ranks than "
        "CPUs, which share these.",
        markdown(["suite", "begun", "commit", "rounds", "minutes", "notes"], run_lines(data)),
        " · ".join(f"[{exhibit.name()}](#{exhibit.key})" for exhibit, _ in pairs),
    ]
    for exhibit, of_suite in pairs:
        parts.append(f"<a id=\"{exhibit.key}\"></a>\n\n## {exhibit.name()}. {exhibit.title}")
        if exhibit.key in pictures:
            parts.append(f"![{exhibit.name()}. {exhibit.title}](figures/{exhibit.key}.svg)")
        parts += [exhibit.table(of_suite), f"**The paper has:**\n\n{exhibit.of_paper()}",
                  f"**What to look at.** {exhibit.look}", f"**Where this machine differs, and why.** {exhibit.differs}"]
    return "\n\n".join(parts) + "\n"


def write_page(folder, data):
    (folder / "README.md").write_text(page(data), encoding="utf-8")


def check(folder):
    """What does not agree, in words; nothing where all does."""
    try:
        data = read_raw(folder)
    except (OSError, ValueError, KeyError) as error:
        return [f"the raw data cannot be read: {error}"]
    if not data:
        return [f"there is no raw data in {folder / 'raw'}"]
    wrong = []
    file = folder / "README.md"
    if not file.is_file() or file.read_text(encoding="utf-8") != page(data):
        wrong.append(f"{file} is not the page of the raw data")
    for name, chart in charts(data).items():
        for ending in FORMATS:
            picture = folder / "figures" / f"{name}.{ending}"
            if not picture.is_file() or chart["digest"].encode() not in picture.read_bytes():
                wrong.append(f"{picture} is not drawn of the raw data")
    return wrong
