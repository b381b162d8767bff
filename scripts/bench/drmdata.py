# SPDX-License-Identifier: MIT
"""What the benchmark of drm/sched's workloads consists of: cases, policies; what a document must have."""
import itertools
import math

import schema
from guestbench import Verdict

LOW, NORMAL, HIGH = "low", "normal", "high"

# Each client: priority, jobs of a cycle, microseconds of a job, whether it waits for its jobs, and how long it sleeps
# then. It does as many cycles as make up a second (SECOND_US) alone.
CASES = {
    "Normal priority and normal priority": ((NORMAL, 1, 8000, False, 0), (NORMAL, 1, 8000, False, 0)),
    "Normal priority and low priority": ((NORMAL, 1, 8000, False, 0), (LOW, 1, 8000, False, 0)),
    "High priority and normal priority": ((HIGH, 1, 8000, False, 0), (NORMAL, 1, 8000, False, 0)),
    "High priority and low priority": ((HIGH, 1, 8000, False, 0), (LOW, 1, 8000, False, 0)),
    "50% and 50%": ((NORMAL, 1, 1500, True, 1500), (NORMAL, 1, 2500, True, 2500)),
    "50% and 50% low priority": ((NORMAL, 1, 1500, True, 1500), (LOW, 1, 2500, True, 2500)),
    "50% high priority and 50%": ((HIGH, 1, 1500, True, 1500), (NORMAL, 1, 2500, True, 2500)),
    "Low priority hog and interactive client": ((LOW, 3, 2500, False, 500), (NORMAL, 1, 500, True, 10000)),
    "Heavy rendering and interactive client": ((NORMAL, 3, 2500, True, 2500), (NORMAL, 1, 1000, True, 9000)),
    "Very heavy rendering and interactive client": ((NORMAL, 4, 50000, True, 1), (NORMAL, 1, 1000, True, 9000)),
}
SECOND_US = 1000000
KEY = ("case", "profile", "policy", "client")
FIELDS = ("priority", "jobs", "job_us", "sync", "wait_us")

# Policies that decide by what a client says of itself here. Those of deadlines, laxity and windows do not.
POLICIES = ("none", "hpf", "hhpf", "chpf", "up", "pup", "cfs", "mlfq")
ALONE = "alone"
PROFILES = ("mi308x-field", "mi308x")

# drm/sched's fair policy gives high about four times, low about an eighth of what normal gets. CFS here has a weight of
# 1.2 ^ priority, up and pup a share of the GPU, chpf the nice value.
WEIGHTS = {HIGH: 4, NORMAL: 1, LOW: 1 / 8}
PRIORITIES = {name: round(math.log(weight, 1.2)) for name, weight in WEIGHTS.items()}
NICE = {name: max(-20, min(19, -priority)) for name, priority in PRIORITIES.items()}

# A job has the whole GPU, as in the mock scheduler: workgroups that fill it once.
JOB = "640 workgroups, 4 waves"

# What does not wait for its jobs is always ahead of the GPU: as many cycles in flight as xsched-sim takes.
AHEAD = 64

# Of the cycles that its jobs and sleeps would allow, a client does so many alone: launches, and workgroups that differ
# (workgroup_spread), so that the last one of a job ends later.
ALONE_LEAST = 0.85


def cycles_of(client):
    _, jobs, job_us, _, wait_us = client
    return math.ceil(SECOND_US / (jobs * job_us + wait_us))


def ideal(client):
    """Cycles a second of a client that has the GPU whenever it wants it."""
    _, jobs, job_us, _, wait_us = client
    return SECOND_US / (jobs * job_us + (wait_us if client[3] else 0))


def name_of(row):
    return f"{row['case']}, {row['profile']}, {row['policy']}, client {row['client']}"


def check_row(verdict, row, alone):
    client = CASES[row["case"]][row["client"]]
    if tuple(row[field] for field in FIELDS) != client:
        verdict.wrong(f"{name_of(row)}: is another client")
        return
    if row["cycles"] != cycles_of(client):
        verdict.wrong(f"{name_of(row)}: has done {row['cycles']} of {cycles_of(client)} cycles")
    if abs(row["of_alone"] - row["cycles_s"] / alone["cycles_s"]) > 1e-3:
        verdict.wrong(f"{name_of(row)}: of_alone is not that of its figures")
    if {row["p50_ms"] is None, row["max_ms"] is None} != {not client[3]}:
        verdict.wrong(f"{name_of(row)}: a latency is of a client that waits for its jobs")
    elif client[3] and not row["p50_ms"] <= row["max_ms"]:
        verdict.wrong(f"{name_of(row)}: p50_ms is {row['p50_ms']}, max_ms {row['max_ms']}")
    if row is alone and row["cycles_s"] < ALONE_LEAST * ideal(client):
        verdict.wrong(f"{name_of(row)}: {row['cycles_s']} cycles a second are few, of {ideal(client):.2f}")


def check(document):
    verdict = Verdict()
    verdict.errors += schema.errors("drm-sched", document)
    if verdict.errors:
        return verdict
    found = verdict.by_key(document["rows"], lambda row: tuple(row[field] for field in KEY),
                           list(itertools.product(CASES, PROFILES, (ALONE, *POLICIES), range(2))))
    for key, row in {} if verdict.errors else found.items():
        check_row(verdict, row, found[(*key[:2], ALONE, key[3])])
    return verdict


def told(client):
    priority, jobs, job_us, sync, wait_us = client
    return f"{priority}, {jobs} x {job_us} us{'' if sync else ', async'}, sleeps {wait_us} us"
