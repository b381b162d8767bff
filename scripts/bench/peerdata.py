# SPDX-License-Identifier: MIT
"""What the comparison with others consists of: experiments, modes, parts; figures of a part, and of several seeds."""
import math
import statistics

from guestbench import percentile, read, read_profile, us

PROFILES = ("mi308x-field", "mi308x")
SEEDS = 3     # 1, 2, 3, by default

# In tests/bench/guest/peers. "alone" is what the others are compared with.
OURS = ("lv2", "lv3", "armed")
PEERS = ("native", "priority", "lv1", "debugtrap", "masks", "cpx")
MODES = ("alone",) + PEERS + OURS

# A P99 of fewer is one of the few longest.
LEAST_REQUESTS = 1000

# The practitioner's three pairs, with the rates that he has (Documentation/calibration.rst). "room": iterations of low
# that its log holds, more than there can be in that time.
EXPERIMENTS = {
    "two-models-b8": {"low": "resnet50-b8", "rate": 10, "requests": 1000, "seconds": 10, "room": 30000},
    "two-models-b256": {"low": "resnet50-b256", "rate": 20, "requests": 1000, "seconds": 10, "room": 4000},
    "two-models-b1024": {"low": "resnet50-b1024", "rate": 20, "requests": 1000, "seconds": 10, "room": 2000},
}

# The design's, for each profile: high's P99 over alone, at most; low's share of what high leaves it, at least.
LIMITS = {"mi308x": {"p99_over_alone": 1.05, "low_of_left": 0.95},
          "mi308x-field": {"p99_over_alone": 1.25, "low_of_left": 0.90}}
JUDGED = ("lv3", "armed")

COLUMNS = {
    "requests": "of the high-priority program",
    "p50_us": "their latency from arrival to answer, with the time in which an earlier one was not answered",
    "p99_us": "likewise",
    "p50_over_alone": "over that of the same requests alone, on the same GPU",
    "p99_over_alone": "likewise",
    "low_of_alone": "throughput of the low-priority program while the other runs, of what it has alone",
    "low_of_left": "the same, of what the high-priority one leaves: (1 - its part of the time alone) x alone",
    "transactions": "UNMAP_QUEUES packets that the firmware got, also when queues were created and destroyed",
    "saves": "how often waves of a queue were saved, as the GPU counts it",
}
RATIOS = ("p50_over_alone", "p99_over_alone", "low_of_alone", "low_of_left")

# Quantiles of Student's t for an interval of 95 %, by degrees of freedom from 1: any table of it.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


class Broken(Exception):
    """What a guest has left is not a whole run."""


def parts(experiments, seeds):
    """(experiment, profile, seed, mode) of each run of a guest, in the order in which they are made."""
    return [(experiment, profile, seed, mode) for experiment in experiments for seed in range(1, seeds + 1)
            for profile in PROFILES for mode in MODES]


def name_of(part):
    return ".".join(map(str, part))


def arguments(part):
    """Of tests/bench/guest/peers."""
    experiment, profile, seed, mode = part
    spec = EXPERIMENTS[experiment]
    return [spec["low"], *(str(spec[key]) for key in ("rate", "requests", "seconds", "room")), str(seed), profile, mode]


def interval(values):
    """Mean, and the ends of its 95 % interval: None if one value is all there is."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, None, None
    if len(values) > len(STUDENT) + 1:
        raise ValueError(f"more than {len(STUDENT) + 1} values")
    half = STUDENT[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


# ---- of a part, from what the guest has sent ------------------------------------------------

ARRIVAL, SUBMITTED, DONE, FIRST, LAST = range(5)


def whole(document, who):
    """The document, if each dispatch of it ran once and in order."""
    account = document["dispatch"]
    if account["executed"] != account["submitted"] or not account["submitted"] or \
       any(account[fault] for fault in ("lost", "duplicated", "out_of_order")):
        raise Broken(f"{who}: not every dispatch ran once and in order: {account}")
    return document


def iterations(document, until):
    """Until then; of the one in progress, the part of its time that had passed."""
    before = document["start_ns"]
    for number, request in enumerate(document["requests"]):
        if request[DONE] > until:
            return number + (until - before) / (request[DONE] - before)
        before = request[DONE]
    return len(document["requests"])


def rate(document, until):
    return iterations(document, until) / (until - document["start_ns"]) * 1e9


def low_rate(documents, until):
    """Of all low processes together, iterations a second; each must have gone on as long as that."""
    for document in documents:
        if document["end_ns"] < until:
            raise Broken(f"{document['name']} ended before high: its log has no room")
    return sum(rate(document, until) for document in documents)


def busy(high):
    span = high["end_ns"] - high["start_ns"]
    return sum(request[LAST] - request[FIRST] for request in high["requests"]) / span


def figures(part, high, lows, before, after):
    """What a part comes to. None of it is a ratio: those are of whole experiments."""
    experiment, _, seed, mode = part
    asked = EXPERIMENTS[experiment]["requests"]
    whole(high, "high")
    if len(high["requests"]) != asked or high["seed"] != seed:
        raise Broken(f"high has {len(high['requests'])} requests of seed {high['seed']}, not {asked} of {seed}")
    if len(lows) != (3 if mode == "cpx" else 1):
        raise Broken(f"{len(lows)} low processes")
    for low in lows:
        whole(low, low["name"])
    took = [request[DONE] - request[ARRIVAL] for request in high["requests"]]
    return {
        "requests": asked,
        "p50_us": us(percentile(took, 50)),
        "p99_us": us(percentile(took, 99)),
        "high_busy": busy(high),
        "low_iter_s": low_rate(lows, lows[0]["end_ns"] if mode == "alone" else high["end_ns"]),
        "transactions": after["unmap_queues"] - before["unmap_queues"],
        "saves": after["saves"] - before["saves"],
    }


def read_part(part, out):
    """The figures of a part, from the directory that a guest has left."""
    mode = part[-1]
    lows = [read(path) for path in sorted(out.glob(f"{mode}-lo*.json"))]
    try:
        return figures(part, read(out / f"{mode}-hi.json"), lows, read_profile(out / "before"),
                       read_profile(out / "after"))
    except (KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        raise Broken(f"what the guest sent is not a result: {error!r}") from error


# ---- of an experiment, from its parts --------------------------------------------------------

def rows(found):
    """A row for each part, with the ratios to "alone": found is the figures of each."""
    result = []
    for (experiment, profile, seed, mode), mine in found.items():
        alone = found[experiment, profile, seed, "alone"]
        low = mine["low_iter_s"] / alone["low_iter_s"]
        result.append({
            "experiment": experiment, "mode": mode, "profile": profile, "seed": seed,
            "requests": mine["requests"], "p50_us": mine["p50_us"], "p99_us": mine["p99_us"],
            "p50_over_alone": round(mine["p50_us"] / alone["p50_us"], 4),
            "p99_over_alone": round(mine["p99_us"] / alone["p99_us"], 4),
            "low_of_alone": round(low, 4),
            "low_of_left": round(low / (1 - alone["high_busy"]), 4),
            "transactions": mine["transactions"], "saves": mine["saves"],
        })
    return result


def over_seeds(all_rows):
    """A row for each experiment, profile and mode: of each ratio its mean and interval over the seeds."""
    groups = {}
    for row in all_rows:
        groups.setdefault((row["experiment"], row["profile"], row["mode"]), []).append(row)
    result = []
    for (experiment, profile, mode), group in groups.items():
        summary = {"experiment": experiment, "profile": profile, "mode": mode,
                   "seeds": [row["seed"] for row in group]}
        for ratio in RATIOS:
            mean, low, high = interval([row[ratio] for row in group])
            summary[ratio] = {"mean": round(mean, 4), "low": low and round(low, 4), "high": high and round(high, 4)}
        result.append(summary)
    return result


def losses(summaries):
    """(experiment, profile, peer, our best mode, both) where a peer has a lower P99; both: and more for low, too."""
    result = []
    cells = {(row["experiment"], row["profile"], row["mode"]): row for row in summaries}
    for experiment, profile in dict.fromkeys(key[:2] for key in cells):
        best = min((cells[experiment, profile, mode] for mode in OURS),
                   key=lambda row: row["p99_over_alone"]["mean"])
        for peer in PEERS:
            row = cells[experiment, profile, peer]
            if row["p99_over_alone"]["mean"] < best["p99_over_alone"]["mean"]:
                both = row["low_of_alone"]["mean"] > best["low_of_alone"]["mean"]
                result.append((experiment, profile, row, best, both))
    return result


def span(value):
    """A mean with its interval, for a reader."""
    ends = "" if value["low"] is None else f" ({value['low']:.3f} to {value['high']:.3f})"
    return f"{value['mean']:.3f}{ends}"


def budgets(summaries):
    """Rows of budgets.json: the design's limits, of our modes that it is for."""
    result = []
    for row in summaries:
        if row["mode"] not in JUDGED:
            continue
        for figure, limit in LIMITS[row["profile"]].items():
            value, least = row[figure]["mean"], figure == "low_of_left"
            ok = value >= limit if least else value <= limit
            result.append({
                "budget": f"{row['experiment']}, {row['mode']}: {figure}", "limit": limit, "measured": value,
                "profile": row["profile"], "ok": ok,
                "why": f"{'kept' if ok else 'missed'}: {span(row[figure])}, at {'least' if least else 'most'} {limit}; "
                       f"mean of {len(row['seeds'])} seeds, 95 % interval",
            })
    return result
