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

def points(document, profile, ours):
    """Rows for gnuplot: low's share, high's P99, the ends of both intervals, the mode."""
    for row in document["over_seeds"]:
        kind = row["mode"] in OURS + (PRE,)
        if (row["profile"], kind) == (profile, ours):
            x, y = row["low_of_alone"], row["p99_over_alone"]
            cells = [x["mean"], y["mean"], x["low"], x["high"], max(y["low"], 0.1), y["high"]]
            yield " ".join(map(str, cells)) + f' "{row["mode"]}"'


def draw_peers(document, path):
    """Of one experiment. Right and below is better."""
    (name,) = document["experiments"]
    text = ("set multiplot layout 1,2\nset logscale y\nset xlabel 'low: part of what it has alone'\n"
            "set ylabel 'high: P99 over alone'\nset grid lc rgb '#d8d8d8'\nset xrange [0:1.15]\nset key top left\n")
    for profile in PROFILES:
        for kind, ours in (("others", False), ("ours", True)):
            text += f"${kind} << END\n" + "\n".join(points(document, profile, ours)) + "\nEND\n"
        text += f"set title '{name}, {profile}' noenhanced\nplot " + ", ".join(
            f"${kind} using 1:2:3:4:5:6 with xyerrorbars pt 7 lc rgb '{colour}' title '{kind}', "
            f"${kind} using 1:2:7 with labels offset 0,1 tc rgb '{colour}' notitle"
            for kind, colour in (("others", "#a05a10"), ("ours", "#1060a0"))) + "\n"
    plot(path, 1100, 480, text + "unset multiplot\n")


DRAWN = {"peers": draw_peers, "anatomy": draw_anatomy}


def draw(document, path):
    """The picture of an experiment, if it has one."""
    if document["experiment"] in DRAWN:
        DRAWN[document["experiment"]](document, path)
