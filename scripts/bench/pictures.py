# SPDX-License-Identifier: MIT
"""The pictures of results, by gnuplot."""
import subprocess

from anatomydata import MEASURED, MODES, PARTS
from peerdata import OURS, PRE, PROFILES

# What is drawn: from the ring to high's first wave, and from its last wave to low's first.
TITLES = ("until high runs", "until low runs again")
COLOURS = ("#1f4e79", "#2e75b6", "#9dc3e6", "#548235", "#a05a10", "#c00000", "#7f6000", "#7030a0")


# How gnuplot calls what makes a file of that name.
TERMINALS = {".png": "pngcairo", ".svg": "svg"}


def plot(path, width, height, text):
    """By gnuplot, into that file, so many pixels."""
    head = (f"set terminal {TERMINALS[path.suffix]} size {width},{height} font 'DejaVu Sans,10' background '#ffffff'\n"
            f"set output '{path}'\n")
    subprocess.run(["gnuplot"], input=head + text, text=True, check=True)


# ---- the anatomy of a preemption ---------------------------------------------------------------

def halves():
    """Parts of each, in their order; the request itself is in neither."""
    names, request = [name for name, *_ in PARTS], [end for _, end, *_ in PARTS].index("last")
    return names[:request], names[request + 1:]


def panel(document, profile, half, title):
    """A bar for each mode, of means, which add up; what the profile's parameters set is hatched."""
    mean = {(row["mode"], row["part"]): row["mean_us"] for row in document["rows"] if row["profile"] == profile}
    kinds = {name: kind for name, _, kind, _ in PARTS}
    data = "\n".join(" ".join([mode, *(str(mean[mode, part]) for part in half)]) for mode in MODES)
    plots = ", ".join(
        f"$data using {column}:xtic(1) fs {'solid 0.9' if kinds[part] == MEASURED else 'pattern 4'} "
        f"lc rgb '{COLOURS[column - 2]}' title '{part}'" for column, part in enumerate(half, 2))
    return f"$data << END\n{data}\nEND\nset title '{profile}: {title}' noenhanced\nplot {plots}\n"


def draw_anatomy(document, path):
    text = ("set multiplot layout 2,2\nset style data histograms\nset style histogram rowstacked\nset boxwidth 0.5\n"
            "set ylabel 'us, mean'\nset yrange [0:*]\nset grid y lc rgb '#d8d8d8'\n"
            "set key outside right invert noenhanced\n")
    for profile in PROFILES:
        for half, title in zip(halves(), TITLES):
            text += panel(document, profile, half, title)
    plot(path, 1200, 900, text + "unset multiplot\n")


# ---- modes beside each other ----------------------------------------------------------------------

# Where the axis begins.
LEAST = {"p99_over_alone": 0.5, "low_of_alone": 0}


def points(rows, figure, ours):
    """Lines for gnuplot: a mode's number, the mean, the ends of its interval, as far as they are seen, the mode."""
    for number, row in enumerate(rows):
        if (row["mode"] in OURS + (PRE,)) == ours:
            value = row[figure]
            yield f"{number} {value['mean']} {max(value['low'], LEAST[figure])} {value['high']} {row['mode']}"


def beside(rows, figure, title):
    """A point for each mode, with its interval."""
    text = f"set title '{title}' noenhanced\n"
    for kind, ours in (("others", False), ("ours", True)):
        text += f"${kind} << END\n" + "\n".join(points(rows, figure, ours)) + "\nEND\n"
    return text + "plot " + ", ".join(
        f"${kind} using 1:2:3:4:xtic(5) with yerrorbars pt 7 lc rgb '{colour}' title '{kind}'"
        for kind, colour in (("others", "#a05a10"), ("ours", "#1060a0"))) + "\n"


def draw_peers(document, path):
    """Of one experiment: above, what is best for high is below; below, what is best for low is above."""
    (name,) = document["experiments"]
    text = ("set multiplot layout 2,2\nset grid lc rgb '#d8d8d8'\nset xtics rotate by -35 noenhanced\n"
            "set offsets 0.5, 0.5, 0, 0\nset key above\nset logscale y\n"
            f"set yrange [{LEAST['p99_over_alone']}:*]\n")
    rows = {profile: [row for row in document["over_seeds"] if row["profile"] == profile] for profile in PROFILES}
    for profile in PROFILES:
        text += beside(rows[profile], "p99_over_alone", f"{name}, {profile}: P99 of high, over alone")
    text += f"unset logscale y\nset yrange [{LEAST['low_of_alone']}:1.15]\n"
    for profile in PROFILES:
        text += beside(rows[profile], "low_of_alone", f"{name}, {profile}: low, of what it has alone")
    plot(path, 1100, 760, text + "unset multiplot\n")


DRAWN = {"peers": draw_peers, "anatomy": draw_anatomy}


def draw(document, path):
    """The picture of an experiment, if it has one."""
    if document["experiment"] in DRAWN:
        DRAWN[document["experiment"]](document, path)
