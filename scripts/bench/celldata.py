# SPDX-License-Identifier: MIT
"""What is compared of xsched-sim and of the guest: experiments, modes, figures."""
import itertools

import schema
from guestbench import Verdict
from peerdata import EXPERIMENTS, OURS, PRE, PROFILES

# Those of the modes of tests/bench/guest/peers that xsched-sim has, as it says them.
MODES = {
    "alone": ["policy = none"],
    "native": ["policy = none"],
    "priority": ["policy = none"],
    "lv2": ["policy = hpf", "hold = unmap", "grace = 121 us"],
    "lv3": ["policy = hpf"],
    "armed": ["policy = hpf", "switch = armed"],
    PRE: ["policy = hpf", "switch = armed"],
}
KEY = ("experiment", "profile", "mode", "figure")
FIGURES = ("p50_over_alone", "p99_over_alone", "low_of_alone")

# The pair and the profile from which sim/xsched-sim/scenario/costs.c has its costs: not compared.
FITTED = ("two-models-b1024", "mi308x")

# As scripts/check/compare-sim has it.
NEAR = 0.05


def comparable():
    """Names of experiments: of raw queues; xsched-sim has no percentile of several high-priority processes."""
    return [name for name, spec in EXPERIMENTS.items() if spec.get("tenants") != "hip" and spec.get("highs", 1) == 1]


def modes_of(experiment):
    return [mode for mode in MODES if mode != PRE or EXPERIMENTS[experiment].get("pre")]


def cells_of(experiments):
    """KEY of each cell; of "alone" all figures are 1."""
    return [(experiment, profile, mode, figure) for experiment, profile in itertools.product(experiments, PROFILES)
            if (experiment, profile) != FITTED for mode in modes_of(experiment) if mode != "alone" for figure in FIGURES]


def apart(row):
    """How far the simulator's is from the guest's, of that."""
    return row["sim"] / row["guest"] - 1


def counts(rows):
    """(profile, whose modes, how many are no further apart than that, of how many)."""
    for profile in PROFILES:
        for whose, ours in (("others", False), ("ours", True)):
            found = [row for row in rows if row["profile"] == profile and (row["mode"] in (*OURS, PRE)) == ours]
            yield profile, whose, sum(abs(apart(row)) <= NEAR for row in found), len(found)


def lines_of(rows):
    """Of each experiment, profile and mode: these, and of each figure the guest's, the simulator's and how far apart."""
    for key, group in itertools.groupby(rows, lambda row: (row["experiment"], row["profile"], row["mode"])):
        yield [*key, *(text for row in group
                       for text in (f"{row['guest']:.3f}", f"{row['sim']:.3f}", f"{100 * apart(row):+.1f} %"))]


def check(document):
    """Whether it can be the result of a run, by its schema and by itself."""
    verdict = Verdict()
    verdict.errors += schema.errors("cells", document)
    if not verdict.errors:
        unknown = [name for name in document["guests"] if name not in comparable()]
        verdict.errors += [f"{name}: is not compared" for name in unknown]
        verdict.by_key(document["rows"], lambda row: tuple(row[key] for key in KEY),
                       cells_of([name for name in document["guests"] if name not in unknown]))
    return verdict
