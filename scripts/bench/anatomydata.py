# SPDX-License-Identifier: MIT
"""What a preemption consists of: moments of it, parts between them, and figures of many preemptions."""
import base64
import bisect
import json
import statistics

import schema
from guestbench import Broken, Verdict, percentile, read, us
from tracefile import BadTrace, check_stats, read_events, read_formats

MODES = ("daemon", "armed")
PROFILES = ("mi308x-field", "mi308x")
REQUESTS = 400
LEAST = 300         # preemptions of a part
ROUNDING_US = 0.05  # of a sum of so many parts

# Packets of the HIQ, as the kernel's kfd_pm4_opcodes.h has them.
RUN_LIST = 0xa5

# Moments, in their order, and where each is known from.
LOG, MODULE, GPU, TRACE = "high's log", "kfd_xsched", "vgpu", "xschedd's trace"

MOMENTS = {
    "ring": f"high has written its packets, and is about to ring: {LOG}",
    "tap": f"the page fault of the doorbell: {MODULE}:doorbell",
    "decision": f"xschedd is about to call the kernel: {TRACE}, t_ns; armed: the kernel begins: {MODULE}:armed_run",
    "transaction": f"the module calls amdkfd: {MODULE}:switch_begin",
    "unmap": f"amdkfd rings for the firmware: {GPU}:hiq_ring",
    "stop": f"low's waves stop: {GPU}:saving",
    "quiet": f"low is saved, and off the hardware: {GPU}:quiet",
    "map": f"amdkfd rings for the runlist without low: {GPU}:hiq_ring, before the RUN_LIST of {GPU}:hiq_packet",
    "first": f"high's first wave: {LOG}, and the same in {GPU}:first_wave",
    "last": f"high's last wave: {LOG}",
    "idle": f"the module sees that high is idle: {MODULE}:queue_idle",
    "release": "as decision",
    "transaction2": "as transaction",
    "unmap2": "as unmap",
    "quiet2": f"high is off the hardware, too: {GPU}:quiet",
    "map2": "as map, with low",
    "refill": f"low's first wave: {GPU}:first_wave",
}

MEASURED, PARAMETER = "measured", "parameter"

# Each part ends where the next one begins: its name, the moment with which it ends, what sets it.
PARTS = (
    ("fault", "tap", MEASURED, "instructions: the kernel's page fault, and the module's"),
    ("decide", "decision", MEASURED, "instructions: the event, xschedd's wake-up and plan; armed: the module's"),
    ("begin", "transaction", MEASURED, "instructions: the call, the module's worker"),
    ("to unmap", "unmap", MEASURED, "instructions: amdkfd"),
    ("stop", "stop", PARAMETER, "hiq_packet_ns, xcc_ns"),
    ("save", "quiet", PARAMETER, "save_ns, save_bytes_per_us, unmap_queue_ns"),
    ("to map", "map", MEASURED, "instructions: amdkfd sees the firmware's answer, and writes a runlist"),
    ("start", "first", PARAMETER, "hiq_packet_ns, xcc_ns, runlist_entry_ns, map_queue_ns, packet_ns"),
    ("request", "last", MEASURED, "the work itself: high's kernels, without anything beside them"),
    ("settle", "idle", MEASURED, "settle_us of xschedd's configuration, and the module's next look"),
    ("release", "release", MEASURED, "instructions, as decide"),
    ("begin 2", "transaction2", MEASURED, "instructions, as begin"),
    ("to unmap 2", "unmap2", MEASURED, "instructions: amdkfd"),
    ("leave", "quiet2", PARAMETER, "hiq_packet_ns, xcc_ns, unmap_queue_ns"),
    ("to map 2", "map2", MEASURED, "instructions: amdkfd"),
    ("restore", "refill", PARAMETER, "hiq_packet_ns, xcc_ns, runlist_entry_ns, map_queue_ns, restore_ns, "
                                     "save_bytes_per_us"),
)

# What parts have to add up to. The first two are known without the trace.
SPANS = {
    ("ring", "first"): LOG,
    ("first", "last"): LOG,
    ("ring", "refill"): f"{LOG}, and {GPU}:first_wave",
}


def parts():
    """(profile, mode) of each run of a guest, in the order in which they are made."""
    return [(profile, mode) for profile in PROFILES for mode in MODES]


def arguments(part):
    """Of tests/bench/guest/anatomy."""
    profile, mode = part
    return [mode, profile, str(REQUESTS)]


# ---- of a guest, from what it has sent -------------------------------------------------------

SUBMITTED, FIRST, LAST, RING = 1, 3, 4, 5


class Missing(Exception):
    """That request was no preemption of its own; says why."""


class Times:
    """Moments of one kind, in order."""

    def __init__(self, what, values):
        self.what = what
        self.values = sorted(values)

    def after(self, moment, until):
        """The first at or after that moment, before the end."""
        at = bisect.bisect_left(self.values, moment)
        if at == len(self.values) or self.values[at] >= until:
            raise Missing(f"no {self.what}")
        return self.values[at]

    def before(self, moment):
        """The last at or before that moment."""
        at = bisect.bisect_right(self.values, moment)
        if not at:
            raise Missing(f"no {self.what}")
        return self.values[at - 1]


class Run:
    """All moments that a run has left, by kind."""

    def __init__(self, mode, events, high, lines):
        self.requests = high["requests"]
        self.high = {request[FIRST] for request in self.requests}
        waves = [(fields["doorbell"], fields["at"]) for _, name, fields in events if name == "first_wave"]
        mine = {doorbell for doorbell, at in waves if at in self.high}
        if len(mine) != 1:
            raise Broken(f"high's first waves, as its log has them, are in the trace of {len(mine)} queues")
        self.first = Times("first wave of high", [at for doorbell, at in waves if doorbell in mine])
        self.refill = Times("first wave of low", [at for doorbell, at in waves if doorbell not in mine])

        def when(name, field=None, **wanted):
            return Times(name, [fields[field] if field else now for now, found, fields in events if found == name and
                                all(fields[key] == value for key, value in wanted.items())])

        self.tap = when("doorbell", pid=high["pid"])
        self.idle = when("queue_idle", pid=high["pid"])
        self.transaction = when("switch_begin")
        self.ring, self.saving, self.quiet = (when(name, "at") for name in ("hiq_ring", "saving", "quiet"))
        self.list = when("hiq_packet", "at", opcode=RUN_LIST)
        if mode == "armed":
            self.decision, self.release = when("armed_run", ready=1), when("armed_run", ready=0)
        else:
            self.decision, self.release = (Times(f"{what} of xschedd", [line["t_ns"] for line in lines if line[what]])
                                           for what in ("hold", "release"))

    def map(self, quiet, until):
        """When amdkfd rang for the next runlist."""
        return self.ring.before(self.list.after(quiet, until))

    def preemption(self, number):
        """Its moments, in their order."""
        request = self.requests[number]
        until = self.requests[number + 1][RING]
        tap = self.tap.after(request[RING], request[FIRST])
        decision = self.decision.after(tap, request[FIRST])
        begin = self.transaction.after(decision, request[FIRST])
        unmap = self.ring.after(begin, request[FIRST])
        stop = self.saving.after(unmap, request[FIRST])
        quiet = self.quiet.after(stop, request[FIRST])
        mapped = self.map(quiet, request[FIRST])
        first = self.first.after(mapped, request[LAST])
        idle = self.idle.after(request[LAST], until)
        release = self.release.after(idle, until)
        begin2 = self.transaction.after(release, until)
        unmap2 = self.ring.after(begin2, until)
        quiet2 = self.quiet.after(unmap2, until)
        map2 = self.map(quiet2, until)
        found = [request[RING], tap, decision, begin, unmap, stop, quiet, mapped, first, request[LAST], idle, release,
                 begin2, unmap2, quiet2, map2, self.refill.after(map2, until)]
        if first != request[FIRST]:
            raise Missing("first wave of high when its log says")
        return dict(zip(MOMENTS, found))

    def preemptions(self):
        """(number of the request, moments) of each, and how many requests were none, by reason. The first one finds
        caches cold, and after the last one programs end: these do not count."""
        found, left_out = [], {}
        for number in range(1, len(self.requests) - 1):
            try:
                found.append((number, self.preemption(number)))
            except Missing as why:
                left_out[str(why)] = left_out.get(str(why), 0) + 1
        return found, left_out


def check_order(preemptions):
    for number, moments in preemptions:
        times = list(moments.values())
        if times != sorted(times):
            raise Broken(f"moments of request {number} are out of order: {moments}")


def figures(mode, events, high, lines, plain):
    """What a run comes to: of each preemption its moments, less that of the ring."""
    run = Run(mode, events, high, lines)
    found, left_out = run.preemptions()
    if len(found) < LEAST:
        raise Broken(f"{len(found)} preemptions are less than {LEAST}: {json.dumps(left_out)}")
    check_order(found)
    if len(plain["requests"]) != len(high["requests"]):
        raise Broken(f"without a trace there were {len(plain['requests'])} requests, with one {len(high['requests'])}")

    def logged(document):
        requests = [document["requests"][number] for number, _ in found]
        return [[request[FIRST] - request[RING], request[LAST] - request[FIRST]] for request in requests]

    return {"moments": [[at - moments["ring"] for at in moments.values()] for _, moments in found],
            "log": logged(high), "untraced": logged(plain), "left_out": left_out}


def read_part(part, out):
    """The figures of a part, from the directory that a guest has left."""
    mode = part[-1]
    try:
        events = read_events(base64.b64decode((out / "trace-pages").read_bytes()),
                             read_formats((out / "formats").read_text(encoding="utf-8")))
        check_stats((out / "trace-stats").read_text(encoding="utf-8"), len(events))
        lines = [json.loads(line) for line in (out / f"{mode}-trace").read_text(encoding="utf-8").splitlines()]
        return figures(mode, events, read(out / f"{mode}-hi.json"), lines, read(out / "untraced-hi.json"))
    except (BadTrace, OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise Broken(f"what the guest sent is not a result: {error!r}") from error


# ---- of all parts ----------------------------------------------------------------------------

def summary(values):
    return {"p50_us": us(percentile(values, 50)), "p99_us": us(percentile(values, 99)),
            "mean_us": us(statistics.fmean(values))}


def between(moments, begin, end):
    names = list(MOMENTS)
    first, last = names.index(begin), names.index(end)
    return [one[last] - one[first] for one in moments]


def rows(found):
    """A row for each part of each run: found is the figures of each."""
    result = []
    for (profile, mode), one in found.items():
        begin = "ring"
        for name, end, kind, source in PARTS:
            result.append({"mode": mode, "profile": profile, "part": name, "from": begin, "to": end,
                           **summary(between(one["moments"], begin, end)), "kind": kind, "source": source})
            begin = end
    return result


def spans(found):
    """From end to end, and the first of them without a trace, of the same requests."""
    result = []
    for (profile, mode), one in found.items():
        logged = [list(column) for column in zip(*one["log"])]
        values = dict(zip(SPANS, [*logged, between(one["moments"], "ring", "refill")]))
        for (begin, end), source in SPANS.items():
            result.append({"mode": mode, "profile": profile, "from": begin, "to": end, "traced": True,
                           **summary(values[begin, end]), "source": source})
        result.append({"mode": mode, "profile": profile, "from": "ring", "to": "first", "traced": False,
                       **summary([until_first for until_first, _ in one["untraced"]]), "source": LOG})
    return result


def runs(found):
    return [{"mode": mode, "profile": profile, "preemptions": len(one["moments"]), "left_out": one["left_out"]}
            for (profile, mode), one in found.items()]


# ---- of a document ---------------------------------------------------------------------------

def check(document):
    """Whether it can be the result of a run, by its schema and by itself: parts add up to what they are part of."""
    verdict = Verdict()
    verdict.errors += schema.errors("anatomy", document)
    if not verdict.errors:
        check_names(verdict, document)
    if not verdict.errors:
        check_sums(verdict, document)
    return verdict


def check_names(verdict, document):
    wanted, begin = {}, "ring"
    for name, end, kind, source in PARTS:
        wanted[name] = (begin, end, kind, source)
        begin = end
    found = verdict.by_key(document["rows"], lambda row: (row["profile"], row["mode"], row["part"]),
                           [(*part, name) for part in parts() for name in wanted])
    for key, row in found.items():
        where = ", ".join(key)
        if wanted.get(row["part"]) != (row["from"], row["to"], row["kind"], row["source"]):
            verdict.wrong(f"{where}: is not that part")
        if not row["p50_us"] <= row["p99_us"]:
            verdict.wrong(f"{where}: p50_us is {row['p50_us']}, p99_us {row['p99_us']}")
    for part in parts():
        if not any((run["profile"], run["mode"]) == part for run in document["runs"]):
            verdict.wrong(f"{', '.join(part)}: how many preemptions is missing")


def check_sums(verdict, document):
    names = list(MOMENTS)
    for part in parts():
        mine = [span for span in document["spans"] if (span["profile"], span["mode"]) == part]
        found = {(span["from"], span["to"]): span for span in mine if span["traced"]}
        if set(found) != set(SPANS) or len(mine) != len(SPANS) + 1:
            verdict.wrong(f"{', '.join(part)}: not all spans are there, each once")
            continue
        for (begin, end), span in found.items():
            inside = names[names.index(begin) + 1:names.index(end) + 1]
            sum_us = sum(row["mean_us"] for row in document["rows"]
                         if (row["profile"], row["mode"]) == part and row["to"] in inside)
            if abs(sum_us - span["mean_us"]) > ROUNDING_US:
                verdict.wrong(f"{', '.join(part)}: parts from {begin} to {end} are {sum_us:.3f} us together, not "
                              f"{span['mean_us']}")
