"""Draws the charts of tools/reproduce as SVG and PNG with matplotlib, which may be that of another Python: this file is
run as a program of its own. Reads from standard input {"folder": where to, "charts": {name: chart}}; exhibits.py makes
the charts.

A file carries the digest of the chart that it shows, so that --check can tell whether it is of the data beside it.
"""
import json
import math
import pathlib
import sys

DPI = 110
FAR, TALL, WIDE = 30, 4, 5  # times all other lines; times the median of the bars; times the lower edge of a band
WIDTH, HEIGHT = 9.0, 5.2  # inches: the width of a page

# The same everywhere: (colour, marker, line).
LOOKS = {
    "fmpl": ("#0b5fa5", "o", "-"),
    "fmpl-tree": ("#7db8e8", "o", "--"),
    "raw": ("#222222", "", ":"),
    "blacs": ("#12867b", "s", "-"),
    "mpi": ("#e07b00", "D", "-"),
    "mpi-plain": ("#f3b562", "D", "--"),
    "mpiblacs": ("#8c5a2b", "v", "-"),
    "mpiblacs-plain": ("#c9a27e", "v", "--"),
    "pdgemm-mpi": ("#8c5a2b", "v", "-"),
    "openmpi": ("#c2233b", "^", "-"),
    "mpiblacs-openmpi": ("#e78c9a", "^", "--"),
    "pdgemm-openmpi": ("#e78c9a", "^", "--"),
    "mpich": ("#7a3fa0", "x", "-"),
    "pdgemm-mpich": ("#b894d0", "x", "--"),
    "limit": ("#888888", "", ":"),
}


def bytes_words(value):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit:
            return f"{value / unit:g} {name}"
    return f"{value:g} B"


def keep_in_sight(axes, series):
    """A line that goes far beyond all others would leave nothing to be seen of them: it leaves the chart then, and the
    legend says so."""
    def ends(some):
        values = [value for one in some for value in one["y"]]
        return min(values), max(values)

    for number, one in enumerate(series):
        others = series[:number] + series[number + 1:]
        if not others:
            return
        (low, high), (own_low, own_high) = ends(others), ends([one])
        if own_high > FAR * high or own_low < low / FAR:
            axes.set_ylim(low / 1.5 if own_low < low / FAR else min(low, own_low) / 1.5,
                          high * 1.5 if own_high > FAR * high else max(high, own_high) * 1.5)
            axes.get_lines()[number].set_label(f"{one['label']}\n(beyond the chart: see the table)")


def draw_lines(axes, chart):
    for series in chart["series"]:
        colour, marker, line = LOOKS[series["contender"]]
        axes.plot(series["x"], series["y"], color=colour, marker=marker, linestyle=line, linewidth=1.8, markersize=5,
                  label=series["label"], zorder=3)
        if "low" in series:
            low, high = ([min(pair) for pair in zip(series["low"], series["high"])],
                         [max(pair) for pair in zip(series["low"], series["high"])])
            if all(h <= WIDE * l for l, h in zip(low, high)):  # else it would cover the chart
                axes.fill_between(series["x"], low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted({x for series in chart["series"] for x in series["x"]})
    axes.set_xticks(ticks, [bytes_words(x) if chart["x_bytes"] else f"{x:g}" for x in ticks],
                    rotation=35 if chart["x_bytes"] else 0)
    keep_in_sight(axes, chart["series"])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _position: f"{value:g}")
    axes.grid(True, which="both", color="#dddddd", linewidth=0.6)
    axes.set_xlabel(chart["x_label"])
    axes.set_ylabel(chart["y_label"])
    if chart.get("cpus") and ticks[-1] > chart["cpus"]:
        begin = math.sqrt(chart["cpus"] * min(x for x in ticks if x > chart["cpus"]))
        axes.axvspan(begin, ticks[-1] * 1.15, color="#f4efe3", zorder=0)
        axes.text(begin * 1.02, 0.985, f" ranks share {chart['cpus']} CPUs", transform=axes.get_xaxis_transform(),
                  va="top", fontsize=9, color="#7a6a3a")


def draw_bars(axes, chart):
    """A group of bars for each number of ranks; communication stands on computation, paler and hatched."""
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke
    groups, series = chart["groups"], chart["series"]
    width = 0.8 / len(series)
    heights = sorted(sum(pair) for one in series for pair in zip(one["computation"], one["communication"])
                     if pair[0] is not None)
    # Bars that would leave nothing to be seen of the others end at the top, with their height as a number.
    top = max(height for height in heights if height <= TALL * heights[len(heights) // 2])
    for number, one in enumerate(series):
        colour = LOOKS[one["contender"]][0]
        for group in range(len(groups)):
            below, above = one["computation"][group], one["communication"][group]
            if below is None:
                continue
            at = group - 0.4 + width * (number + 0.5)
            axes.bar(at, below, width * 0.92, color=colour, zorder=3)
            axes.bar(at, above, width * 0.92, bottom=below, color=colour, alpha=0.45, hatch="///", edgecolor="white",
                     linewidth=0, zorder=3)
            share = f"{above / (below + above):.0%}"
            if below + above <= top:
                axes.text(at, below + above, share, ha="center", va="bottom", fontsize=7.5, zorder=6,
                          path_effects=[withStroke(linewidth=2.5, foreground="white")])
            else:
                axes.text(at, top * 1.1, f"{below + above:.3g} s, {share} ", ha="center", va="top", fontsize=8,
                          rotation=90, zorder=4)
    handles = [Patch(color=LOOKS[one["contender"]][0], label=one["label"]) for one in series]
    if chart["limit"]:
        for group, height in enumerate(chart["limit"]["y"]):
            drawn = axes.plot([group - 0.45, group + 0.45], [height, height], color="#222222", linestyle=":",
                              linewidth=2, zorder=5, label=chart["limit"]["label"])
        handles += drawn
    axes.set_ylim(0, top * 1.12)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(True, axis="y", color="#dddddd", linewidth=0.6)
    axes.set_ylabel(chart["y_label"])
    if chart["shared"]:
        axes.set_xlabel("* ranks share CPUs")
    handles += [Patch(facecolor="#666666", label="computation"),
                Patch(facecolor="#666666", alpha=0.45, hatch="///", edgecolor="white",
                      label="communication, its share above")]
    return handles


def draw(chart, folder, name):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = name  # the same chart gives the same file
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(WIDTH, HEIGHT))
    handles = draw_lines(axes, chart) if chart["kind"] == "lines" else draw_bars(axes, chart)
    axes.set_title(chart["title"], fontsize=12)
    axes.legend(**({"handles": handles} if handles else {}), loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9,
                frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Description": chart["digest"], "Date": None})
    figure.savefig(folder / f"{name}.png", bbox_inches="tight", dpi=DPI, metadata={"Description": chart["digest"]})
    pyplot.close(figure)


def main():
    order = json.load(sys.stdin)
    folder = pathlib.Path(order["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in order["charts"].items():
        draw(chart, folder, name)


if __name__ == "__main__":
    main()
