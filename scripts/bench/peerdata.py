# SPDX-License-Identifier: MIT
"""What the comparison with others consists of: experiments, modes, parts; figures of a part, and of several seeds."""
import json
import math
import statistics

import schema
from guestbench import Broken, Verdict, budget_row, percentile, read, read_profile, us
from kept import name_of

PROFILES = ("mi308x-field", "mi308x")
SEEDS = 3     # 1, 2, 3, by default

# In tests/bench/guest/peers. "alone" is what the others are compared with.
OURS = ("lv2", "lv3", "armed")
PEERS = ("native", "priority", "timeslice", "lv1", "debugtrap", "masks", "cpx")
WORK_CONSERVING = ("native", "priority", "timeslice", "lv1", "debugtrap")
MODES = ("alone",) + PEERS + OURS
# Of HIP programs: neither a client's own level 1, nor a debugger's, nor one process that becomes three.
HIP_MODES = ("alone", "native", "priority", "timeslice", "masks") + OURS
PRE = "pre"   # ours, where the next request is known

# How long before a request "pre" holds: more than the P99 of call to quiet in make demo (README.md).
LEAD_US = {"mi308x": 200, "mi308x-field": 700}

# A part by which two figures may differ and be about the same.
SAME = 0.05

# The design's: of which modes, which figure, for each profile; "low_of_left" and "throughput_of_native" are at least
# that, all others at most.
TWO_MODELS = [(("lv3", "armed"), "p99_over_alone", {"mi308x": 1.05, "mi308x-field": 1.25}),
              (("lv3", "armed"), "low_of_left", {"mi308x": 0.95, "mi308x-field": 0.90})]
PERIODIC = [((PRE,), "p99_over_alone", {"mi308x": 1.05, "mi308x-field": 1.05}),
            ((PRE,), "low_of_left", {"mi308x": 0.95, "mi308x-field": 0.90})]
DISB = [(("lv3", "armed"), "p99_over_alone", {"mi308x": 1.1}),
        (("lv3", "armed"), "throughput_of_native", {"mi308x": 0.886})]
BYSTANDER = [(("lv3", "armed"), "p99_over_alone", {"mi308x": 1.1})]
AT_LEAST = ("low_of_left", "throughput_of_native")

# The practitioner's pairs (Documentation/calibration.rst). Settings are those of tests/bench/guest/peers; "room":
# iterations of low that its log holds, more than there can be.
def two_models(low, rate, room, limits, **more):
    return {"high": "resnet18-b1", "low": low, "rate": rate, "requests": 1000, "seconds": 10, "room": room,
            "limits": limits} | more


# DISB, as GPreempt's table 1 has it: high is VGG-19, 16 convolutions, 5 poolings and 3 linear layers, each with what
# follows it in one kernel; low is ResNet-152, each of its 50 blocks in one kernel, and 2 more. Their 19.6 and 11.5 GMAC
# (torchvision's documentation) at 50 and 13 % of what 80 CUs can do, which is assumed, as is that VGG's kernels fill
# half of these. A kernel of its own for each of the 155 convolutions, 25 us, would be more than the model can do: it
# takes 8 us of the guest's CPU for each, and five low processes have one each at a time. In E ten have, where they come
# together, and the model was late with kernels of 75 us: two layers are one kernel there.
def disb(**more):
    return {"high": "24x320x256x75", "rate": 100, "requests": 1000, "low": "52x160x256x75", "low_arrival": "periodic",
            "low_rate": 100, "arrival": "periodic", "seconds": 10, "room": 8000, "cus": 40, "limits": DISB} | more


EXPERIMENTS = {
    "two-models-b8": two_models("resnet50-b8", 10, 30000, TWO_MODELS),
    "two-models-b256": two_models("resnet50-b256", 20, 4000, TWO_MODELS),
    "two-models-b1024": two_models("resnet50-b1024", 20, 2000, TWO_MODELS),
    "periodic-b1024": two_models("resnet50-b1024", 20, 2000, PERIODIC, arrival="periodic", pre=True),
    # Kernels of HIP programs are carried out word by word. With ResNet-50 as low, batch 1024 or 256, the model was
    # late, natively with seed 1. So low has few workgroups, which take long and leave a fifth of the GPU free: assumed.
    "hip": two_models("54x128x1024x1000", 20, 1500, [], tenants="hip", seconds=3),
    # XSched's figure 9: the same model twice, the one at a fifth of its peak, the other in a closed loop. As many
    # kernels as ResNet-50 has, of 80 us, which is assumed: a request takes 14 ms. ResNet-50 with batch 8 twice, with
    # kernels of 9 us, is more than the software GPU can do: natively it was late.
    "same-model": two_models("174x128x1024x80", 14, 10000, [], high="174x128x1024x80", cus=40),
    # the lengths of its figure 11: a kernel of one wave, beside 64 at a time that fill the GPU once for so many us
    **{f"kernels-{length}us": two_models(f"64x640x256x{length}", 20, 12000, [], high="1x1x64x20")
       for length in (100, 500, 1000, 2000)},
    "disb-a": disb(),
    "disb-b": disb(rate=220, low_rate=220),
    "disb-c": disb(lows=5),
    "disb-d": disb(highs=5, rate=20, requests=200, lows=5),
    "disb-e": disb(highs=5, rate=20, requests=200, lows=5, arrival="poisson", low_arrival="poisson",
                   high="12x320x256x150", low="26x160x256x150"),
    # one of the high class that waits for nobody, while another one has the low one held and released
    "bystander": two_models("resnet50-b1024", 100, 2000, BYSTANDER, high="4x64x256x50", arrival="periodic",
                            requests=2000, burst="resnet18-b1"),
    # XSched's figure 13: production has 5 requests a second of 512 launches each, half of the GPU's time; what is
    # opportunistic always has work, in kernels as long or ten times as long. How long is assumed.
    **{f"pjob-{name}": two_models(low, 5, room, [], high="512x640x256x200", arrival="periodic", cus=40, long=True)
       for name, low, room in (("equal", "64x640x256x200", 20000), ("science", "64x640x256x2000", 3000))},
    # decoding, step after step, always ready: 32 layers of 7 kernels
    "llm-decode": two_models("resnet50-b1024", 0, 2000, [], high="224x80x256x20", arrival="closed", requests=2000),
}

# What is no setting of the guest: limits, the mode "pre", and whether a part takes so long that it is only run by name.
NOT_SETTINGS = ("limits", "pre", "long")

COLUMNS = {
    "requests": "of the high-priority program",
    "mean_us": "their latency from arrival to answer, with the time in which an earlier one was not answered",
    "p50_us": "likewise",
    "p99_us": "likewise",
    "mean_over_alone": "over that of the same requests alone, on the same GPU",
    "p50_over_alone": "likewise",
    "p99_over_alone": "likewise",
    "low_of_alone": "throughput of the low-priority program while the other runs, of what it has alone",
    "low_of_left": "the same, of what the high-priority one leaves: (1 - its part of the time alone) x alone; null: "
                   "that leaves less than a tenth, or the low-priority one does not always have work",
    "throughput_of_native": "requests and iterations of all programs a second, of those natively",
    "transactions": "UNMAP_QUEUES packets that the firmware got, also when queues were created and destroyed",
    "saves": "how often waves of a queue were saved, as the GPU counts it",
}
LATENCIES = ("mean", "p50", "p99")
# And what heads their columns in a table.
RATIOS = {"mean_over_alone": "mean / alone", "p50_over_alone": "P50 / alone", "p99_over_alone": "P99 / alone",
          "low_of_alone": "low, of alone", "low_of_left": "of what is left", "throughput_of_native": "all, of native"}

# Quantiles of Student's t for an interval of 95 %, by degrees of freedom from 1: any table of it.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
MOST_SEEDS = len(STUDENT) + 1


def modes_of(experiment):
    spec = EXPERIMENTS[experiment]
    return (HIP_MODES if spec.get("tenants") == "hip" else MODES) + ((PRE,) if spec.get("pre") else ())


def spec_of(experiment):
    """As it is in a document."""
    return json.loads(json.dumps(EXPERIMENTS[experiment]))


# What a part is named by.
PART = ("experiment", "profile", "seed", "mode")


def parts(experiments, seeds):
    """PART of each run of a guest, in the order in which they are made."""
    return [(experiment, profile, seed, mode) for experiment in experiments for seed in range(1, seeds + 1)
            for profile in PROFILES for mode in modes_of(experiment)]


def arguments(part):
    """Of tests/bench/guest/peers."""
    experiment, profile, seed, mode = part
    settings = {"highs": 1, "lows": 1, "arrival": "poisson", "lead": LEAD_US[profile]} | EXPERIMENTS[experiment]
    return [mode, profile, str(seed),
            *(f"{name}={value}" for name, value in settings.items() if name not in NOT_SETTINGS)]


def interval(values):
    """Mean, and the ends of its 95 % interval, of at least two values; null if one of them is not known."""
    if None in values:
        return {"mean": None, "low": None, "high": None}
    mean = statistics.fmean(values)
    half = STUDENT[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
    return {"mean": round(mean, 4), "low": round(mean - half, 4), "high": round(mean + half, 4)}


# tests/vgpu/engine.c: for so long the model runs at once. If it takes longer, the GPU's time falls behind the guest's.
MODEL_NS = 2000000
# And for so long it may be silent, as tests/bench/guest/peers says: a twentieth of a request of ResNet-18.
SILENT_NS = 80000

# What tests/bench/guest/peers gives the process that is not measured.
BURST_ROOM = 4000


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


def busy(highs, until):
    """Part of the time in which one of them had waves on the GPU."""
    spans = sorted((request[FIRST], request[LAST]) for high in highs for request in high["requests"])
    start = seen = min(high["start_ns"] for high in highs)
    total = 0
    for first, last in spans:
        total += max(0, min(last, until) - max(first, seen))
        seen = max(seen, last)
    return total / (until - start)


def check_highs(highs, spec, seed):
    if len(highs) != spec.get("highs", 1):
        raise Broken(f"{len(highs)} high processes")
    for number, high in enumerate(highs):
        whole(high, high["name"])
        wanted = seed + 100 * number
        if len(high["requests"]) != spec["requests"] or high["seed"] != wanted:
            raise Broken(f"{high['name']} has {len(high['requests'])} requests of seed {high['seed']}, not "
                         f"{spec['requests']} of {wanted}")


def check_others(lows, bursts, spec, mode):
    """They go on until high has ended, if their logs have room for so many iterations."""
    count, divided = spec.get("lows", 1), mode == "cpx" and spec.get("lows", 1) == 1
    if len(lows) != (3 if divided else count) or len(bursts) != ("burst" in spec):
        raise Broken(f"{len(lows)} low processes, and {len(bursts)} more high ones")
    room = spec["room"] // 2 if divided else spec["room"]
    for document in lows + bursts:
        limit = BURST_ROOM if document in bursts else room
        if len(whole(document, document["name"])["requests"]) >= limit:
            raise Broken(f"{document['name']} ended before high: its log has no room")


def check_model(after):
    """Else it is the guest's CPU that the figures hang on."""
    if after["run_max_ns"] >= MODEL_NS:
        raise Broken(f"the software GPU was not in time: once it computed for {after['run_max_ns'] / 1e6:.1f} ms. So "
                     "many kernels, or so short ones, are too much for it")
    if after["silent_max_ns"] >= SILENT_NS:
        raise Broken(f"the software GPU was silent: no timer of the guest fired for {after['silent_max_ns'] / 1e3:.0f} us")


def figures(part, highs, lows, bursts, before, after):
    """What a part comes to. None of it is a ratio: those are of whole experiments."""
    experiment, _, seed, mode = part
    spec = EXPERIMENTS[experiment]
    check_highs(highs, spec, seed)
    check_others(lows, bursts, spec, mode)
    check_model(after)
    first = min(high["end_ns"] for high in highs)
    took = [request[DONE] - request[ARRIVAL] for high in highs for request in high["requests"]]
    return {
        "requests": len(took),
        "mean_us": us(statistics.fmean(took)),
        "p50_us": us(percentile(took, 50)),
        "p99_us": us(percentile(took, 99)),
        "high_req_s": sum(rate(high, first) for high in highs),
        "high_busy": busy(highs + bursts, first),
        "low_iter_s": sum(rate(low, low["end_ns"] if mode == "alone" else first) for low in lows),
        "transactions": after["unmap_queues"] - before["unmap_queues"],
        "saves": after["saves"] - before["saves"],
    }


def by_number(path):
    """lo, lo2, ... lo10"""
    digits = path.stem.split("-", 1)[1].lstrip("hilo")
    return int(digits or 1)


def read_part(part, out):
    """The figures of a part, from the directory that a guest has left."""
    mode = part[-1]
    try:
        sent = [[read(path) for path in sorted(out.glob(f"{mode}-{name}.json"), key=by_number)]
                for name in ("hi*", "lo*")]
        bursts = [read(path) for path in out.glob(f"{mode}-burst.json")]
        return figures(part, *sent, bursts, read_profile(out / "before"), read_profile(out / "after"))
    except (OSError, ValueError, KeyError, IndexError, TypeError, ZeroDivisionError) as error:
        raise Broken(f"what the guest sent is not a result: {error!r}") from error


# ---- of an experiment, from its parts --------------------------------------------------------

def rows(found):
    """A row for each part, with the ratios to "alone": found is the figures of each."""
    result = []
    for (experiment, profile, seed, mode), mine in found.items():
        alone, native = (found[experiment, profile, seed, other] for other in ("alone", "native"))
        low, left = mine["low_iter_s"] / alone["low_iter_s"], 1 - alone["high_busy"]
        always = EXPERIMENTS[experiment].get("low_arrival", "closed") == "closed"
        result.append({
            "experiment": experiment, "mode": mode, "profile": profile, "seed": seed,
            "requests": mine["requests"],
            **{f"{latency}_us": mine[f"{latency}_us"] for latency in LATENCIES},
            **{f"{latency}_over_alone": round(mine[f"{latency}_us"] / alone[f"{latency}_us"], 4)
               for latency in LATENCIES},
            "low_of_alone": round(low, 4),
            "low_of_left": round(low / left, 4) if always and left > 0.1 else None,
            "throughput_of_native": round((mine["high_req_s"] + mine["low_iter_s"]) /
                                          (native["high_req_s"] + native["low_iter_s"]), 4),
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
            summary[ratio] = interval([row[ratio] for row in group])
        result.append(summary)
    return result


def loss(row, best):
    """What is better with the one than with the other; None: nothing that counts."""
    p99, our_p99 = row["p99_over_alone"]["mean"], best["p99_over_alone"]["mean"]
    low, our_low = row["low_of_alone"]["mean"], best["low_of_alone"]["mean"]
    if p99 < our_p99:
        return "a lower P99, and more for low" if low > our_low else "a lower P99"
    if p99 <= our_p99 * (1 + SAME) and low > our_low * (1 + SAME):
        return "about the same P99, and more for low"
    return None


def by_mode(summaries):
    """Rows by experiment, profile and mode."""
    return {(row["experiment"], row["profile"], row["mode"]): row for row in summaries}


def pairs(summaries, peers):
    """(row of one of these peers, that of our best mode) of each experiment and profile."""
    cells = by_mode(summaries)
    for experiment, profile in dict.fromkeys(key[:2] for key in cells):
        best = min((cells[experiment, profile, mode] for mode in OURS), key=lambda row: row["p99_over_alone"]["mean"])
        for peer in peers:
            if peer in modes_of(experiment):
                yield cells[experiment, profile, peer], best


def losses(summaries):
    """(row of a peer, that of our best mode, what is better) wherever we lose to one."""
    return [(row, best, what) for row, best in pairs(summaries, PEERS) if (what := loss(row, best))]


def span(value):
    """A mean with its interval, for a reader."""
    return "\u2013" if value["mean"] is None else f"{value['mean']:.3f} ({value['low']:.3f} to {value['high']:.3f})"


def judged(row, figure, limit, than=""):
    """A row of budgets.json; than: whose figure the limit is."""
    return budget_row(f"{row['experiment']}: {row['mode']}, {figure}{than and f', no more than {than}'}",
                      row[figure]["mean"], limit, row["profile"], figure in AT_LEAST, span(row[figure]))


def limits(summaries):
    """The design's, as rows of budgets.json."""
    cells = by_mode(summaries)
    return [judged(cells[experiment, profile, mode], figure, limit)
            for experiment in dict.fromkeys(key[0] for key in cells)
            for modes, figure, limits_of in EXPERIMENTS[experiment]["limits"]
            for profile, limit in limits_of.items() for mode in modes]


def budgets(summaries):
    """Rows of budgets.json: these, and that our best mode is no worse than another that leaves nothing idle."""
    return limits(summaries) + [judged(best, "p99_over_alone", row["p99_over_alone"]["mean"], row["mode"])
                                for row, best in pairs(summaries, WORK_CONSERVING)]


# ---- of a document ---------------------------------------------------------------------------

def summaries_of(document, experiment):
    return [row for row in document["over_seeds"] if row["experiment"] == experiment]


def check(document):
    """Whether it can be the result of a run, by its schema and by itself; each ratio is computed again."""
    verdict = Verdict()
    verdict.errors += schema.errors("peers", document)
    if verdict.errors:
        return verdict
    names = document["experiments"]
    for name, spec in names.items():
        if name not in EXPERIMENTS:
            verdict.wrong(f"there is no experiment {name}")
        elif spec != spec_of(name):
            verdict.wrong(f"{name} has other settings now")
    found = verdict.by_key(document["rows"], lambda row: tuple(row[key] for key in PART),
                           parts([name for name in names if name in EXPERIMENTS], document["seeds"]))
    for part, row in found.items():
        if not 0 < row["p50_us"] <= row["p99_us"]:
            verdict.wrong(f"{name_of(part)}: p50_us is {row['p50_us']}, p99_us {row['p99_us']}")
    if not verdict.errors:
        check_ratios(verdict, document, found)
    return verdict


def check_ratios(verdict, document, found):
    for part, row in found.items():
        alone = found[part[:3] + ("alone",)]
        for latency in LATENCIES:
            if abs(row[f"{latency}_over_alone"] - row[f"{latency}_us"] / alone[f"{latency}_us"]) > 1e-4:
                verdict.wrong(f"{name_of(part)}: {latency}_over_alone is not that of its figures")
    if document.get("over_seeds") != over_seeds(document["rows"]):
        verdict.wrong("over_seeds is not that of the rows")
