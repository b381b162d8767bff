# SPDX-License-Identifier: MIT
"""The two models of tests/bench/scenarios/two-models.scn, with another low or what else is changed; models by name."""
import pathlib
import re
import sys

SCENARIO = pathlib.Path(__file__).resolve().parent.parent.parent / "tests/bench/scenarios/two-models.scn"

# b1024 is the scenario's; of b8 the kernels of low, as in tests/bench/preset.c: how many, workgroups of 16 waves,
# microseconds. b256 has a quarter of b1024's workgroups.
CASES = {
    "b8": {"images": 8, "rate": 10, "requests": 300,
           "kernels": [(118, 128, 9), (34, 128, 24), (16, 128, 80), (4, 128, 240), (2, 128, 480)]},
    "b256": {"images": 256, "rate": 20, "requests": 1000},
    "b1024": {"images": 1024, "rate": 20, "requests": 1000},
}
KERNEL = re.compile(r"kernels = (\d+) of (\d+) workgroups, \d+ waves, (\d+) us")


def scaled(kernels, count=1.0, workgroups=1.0, length=1.0):
    return [(round(k * count), max(1, round(w * workgroups)), us * length) for k, w, us in kernels]


def equal(kernels, us):
    """As many, with as much to do, all with the same time of a workgroup; None: with as many as the largest has."""
    work = sum(k * w * us for k, w, us in kernels)
    total = sum(k for k, _, _ in kernels)
    us = us or work / total / max(w for _, w, _ in kernels)
    return [(total, max(1, round(work / total / us)), us)]


def kernels(rows, waves):
    return "".join(f"kernels = {k} of {w} workgroups, {waves} waves, {us:g} us\n" for k, w, us in rows)


def replaced(text, before, after):
    if before not in text:
        sys.exit(f"{SCENARIO} has no {before!r}")
    return text.replace(before, after)


def split():
    """The scenario's text in five; the second and the fourth are the kernels of high and of low."""
    parts = re.split(r"((?:^kernels = .*\n)+)", SCENARIO.read_text(encoding="utf-8"), flags=re.M)
    if len(parts) != 5:
        sys.exit(f"{SCENARIO} has not two lists of kernels")
    return parts


def rows_of(part):
    return [tuple(map(int, found)) for found in KERNEL.findall(part)]


def low_rows(spec, part):
    return spec.get("kernels") or scaled(rows_of(part), workgroups=spec["images"] / 1024)


def program(model):
    """The lines of a scenario for a model as in tests/bench/guest/peers: the name of a preset, or the numbers of kernels,
    of workgroups, of threads of each, and microseconds."""
    name, _, case = model.rpartition("-")
    if not name:
        count, workgroups, threads, us = map(int, model.split("x"))
        return kernels([(count, workgroups, us)], threads // 64)
    _, high, _, low, _ = split()
    return high if name == "resnet18" else kernels(low_rows(CASES[case], low), 16)


def scenario(change, case="b1024"):
    """
    The scenario's text. What can be changed: "high" and "low", by the arguments of scaled(); "equal", the time of all of
    low's workgroups; "arrival", "rate", "requests".
    """
    spec = CASES[case] | change
    parts = split()
    high, low = rows_of(parts[1]), low_rows(spec, parts[3])
    low = equal(low, change["equal"]) if "equal" in change else scaled(low, **change.get("low", {}))
    high, low = kernels(scaled(high, **change.get("high", {})), 4), kernels(low, 16)
    text = replaced(parts[0] + high + parts[2] + low + parts[4], "images = 1024", f"images = {spec['images']}")
    text = replaced(text, "arrival = poisson 20", f"arrival = {change.get('arrival', 'poisson')} {spec['rate']}")
    return replaced(text, "requests = 1000", f"requests = {spec['requests']}")
