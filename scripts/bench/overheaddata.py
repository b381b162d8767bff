# SPDX-License-Identifier: MIT
"""What the benchmark of the overhead consists of: workloads, modes; figures of a guest, and of all of them."""
import statistics

import schema
from guestbench import Broken, Verdict, read, us

PROFILE = "mi308x"
BARE = "bare"
MODES = (BARE, "module", "daemon")

# Requests of the shorter run, and what the time of a request is: all of the run divided, or from arrival to answer.
WORKLOADS = {"launch": (2000, "closed"), "batch": (200, "closed"), "serve": (300, "periodic")}

ARRIVAL, SUBMITTED, DONE = range(3)
ROUNDING = 1e-3


def arguments(part):
    """Of tests/bench/guest/overhead."""
    return [*part, PROFILE]


# ---- of a guest, from what it has sent -------------------------------------------------------

def read_runs(text):
    """Nanoseconds that software took of each run, by workload and requests."""
    found = {}
    for line in text.splitlines():
        name, count, *numbers = line.split()
        now, gpu, idle, now2, gpu2, idle2 = map(int, numbers)
        found[name, int(count)] = (now2 - now) - (gpu2 - gpu) - (idle2 - idle)
    return found


def whole(document, count, arrival):
    account = document["dispatch"]
    if account["executed"] != account["submitted"] or any(account[fault] for fault in
                                                          ("lost", "duplicated", "out_of_order")):
        raise Broken(f"not every dispatch ran once and in order: {account}")
    if len(document["requests"]) != count or document["arrival"] != arrival:
        raise Broken(f"{len(document['requests'])} requests, {document['arrival']}, are not {count}, {arrival}")
    return document


def time_of(short, long, count, arrival):
    """Nanoseconds of a request."""
    if arrival == "closed":
        return ((long["end_ns"] - long["start_ns"]) - (short["end_ns"] - short["start_ns"])) / count
    return statistics.fmean(request[DONE] - request[ARRIVAL] for request in long["requests"][count:])


def read_part(_, out):
    """Of each workload time and software of a request, from the directory that a guest has left."""
    figures = {}
    try:
        software = read_runs((out / "runs").read_text(encoding="utf-8"))
        for name, (count, arrival) in WORKLOADS.items():
            short, long = (whole(read(out / f"{name}-{n}.json"), n, arrival) for n in (count, 2 * count))
            took = time_of(short, long, count, arrival)
            cpu = (software[name, 2 * count] - software[name, count]) / count
            if took <= 0 or cpu <= 0:
                raise Broken(f"{name}: a request takes {took} ns, and {cpu} ns of software")
            figures[name] = {"time_us": us(took), "cpu_us": us(cpu)}
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise Broken(f"what the guest sent is not a result: {error!r}") from error
    return figures


# ---- of all parts ----------------------------------------------------------------------------

def rows(found):
    """A row for each workload and mode: found is the figures of each mode."""
    return [{"workload": name, "mode": mode, "profile": PROFILE, "requests": count, **found[mode][name],
             **{f"{figure}_over_bare": round(found[mode][name][f"{figure}_us"] / found[BARE][name][f"{figure}_us"], 4)
                for figure in ("time", "cpu")}}
            for name, (count, _) in WORKLOADS.items() for mode in MODES]


def check(document):
    verdict = Verdict()
    verdict.errors += schema.errors("overhead", document)
    if verdict.errors:
        return verdict
    found = verdict.by_key(document["rows"], lambda row: (row["workload"], row["mode"]),
                           [(name, mode) for name in WORKLOADS for mode in MODES])
    for (name, mode), row in {} if verdict.errors else found.items():
        check_row(verdict, f"{name}, {mode}", row, found[name, BARE])
    return verdict


def check_row(verdict, where, row, bare):
    if row["requests"] != WORKLOADS[row["workload"]][0]:
        verdict.wrong(f"{where}: {row['requests']} requests")
    for figure in ("time", "cpu"):
        value, of_bare = row[f"{figure}_us"], bare[f"{figure}_us"]
        if not value > 0 or not of_bare > 0:
            verdict.wrong(f"{where}: {figure}_us is {value}, bare {of_bare}")
        elif abs(row[f"{figure}_over_bare"] - value / of_bare) > ROUNDING:
            verdict.wrong(f"{where}: {figure}_over_bare is not that of its figures")
