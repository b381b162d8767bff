# SPDX-License-Identifier: MIT
"""Parts of an experiment, a guest each, that are kept until this tree's guests get something else."""
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import sys
import threading
import time
import typing

from guestbench import BUILD, RESULTS, TOP, Broken, commit, conclude, head, read, read_profile, run_guest, store, write

sys.path.insert(0, str(TOP / "scripts/lib"))
import records  # noqa: E402  (beside us, not installed)

MINUTES = 25
TIMEOUT_S = 1500
MOST_MINUTES = 24 * 60
MOST_LANES = 8
TIME_IS_OVER = 3


def say(text):
    """A line; in one piece, as several threads may say one."""
    print(text + "\n", end="", flush=True)


def die(*lines):
    name = pathlib.Path(sys.argv[0]).name
    sys.exit("\n".join(f"bench/{name}: {line}" for line in lines))


def number_of(variable, least, most, default):
    """A number in the environment."""
    text = os.environ.get(variable) or str(default)
    if not text.isdigit() or not least <= int(text) <= most:
        die(f"{variable} is {text!r}, not a number from {least} to {most}")
    return int(text)


def name_of(part):
    return ".".join(map(str, part))


# Of each thread that measures: its lane.
MINE = threading.local()


class Machine(typing.NamedTuple):
    """The guest of a part; gpu: parameters of drivers come after it; programs, initramfs: names in BUILD/guest."""
    gpu: str = "mi308x"
    programs: str = "programs"
    initramfs: str = "initramfs"
    options: tuple = ()

    def all_options(self):
        """Of tests/vm/run-guest."""
        return ("--initramfs", BUILD / f"guest/{self.initramfs}.cpio", *self.options)


class Kept:
    """Parts are tuples; each is a file in BUILD/results/NAME, with the commit, and with a sum of all that its guest,
    which is tests/bench/guest/NAME, gets, of machine(part) and of arguments(part). Under icount what it comes to hangs
    on nothing else, so a part of another commit is as good if that sum is the same."""

    def __init__(self, name, arguments, machine=lambda part: Machine()):
        self.name, self.arguments, self.machine = name, arguments, machine
        self.commit = commit()
        self.sums = {}

    def sum_of(self, name):
        if name not in self.sums:
            path = BUILD / f"guest/{name}.cpio"
            if not path.exists():
                die(f"no {path}: run make guest first")
            self.sums[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self.sums[name]

    def path(self, part):
        return RESULTS / self.name / f"{name_of(part)}.json"

    def inputs(self, part):
        machine = self.machine(part)
        sums = [self.sum_of(name) for name in (machine.initramfs, machine.programs, "modules")]
        text = "\n".join([*sums, machine.gpu, *machine.options, *self.arguments(part)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def refuses(self, part):
        """Why the part that is kept is not one of this tree; None: it is."""
        if not self.path(part).exists():
            return "missing"
        try:
            document = json.loads(self.path(part).read_text(encoding="utf-8"))
            found = document["commit"], document["inputs"], document["figures"]
        except (OSError, ValueError, KeyError, TypeError):
            return "not a result"
        return None if found[1] == self.inputs(part) else f"of {found[0]}, with other programs or modules"

    def measure(self, part, profile, read_part, seconds=TIMEOUT_S):
        """Run its guest, whose GPU is to have the costs of that profile; read_part(part, directory) is what it came to.
        It may say nothing until it is over."""
        machine = self.machine(part)
        out = run_guest(machine.gpu, self.name, *self.arguments(part), timeout=seconds, still=seconds,
                        programs=machine.programs, options=machine.all_options(), name=f"{self.name}-{name_of(part)}",
                        lane=MINE.lane)
        try:
            figures = read_part(part, out)
        except Broken as error:
            die(f"{name_of(part)}: {error}; see {out}")
        costs = read_profile(out / "profile")
        if costs["name"] != profile:
            die(f"{name_of(part)}: the GPU was a {costs['name']}")
        store({**records.LICENCE, "commit": self.commit, "inputs": self.inputs(part), "costs": costs, "figures": figures},
              self.path(part))
        shutil.rmtree(out)

    def missing(self, asked):
        """Of these parts, which are to be run, and why."""
        return {part: why for part in asked if (why := self.refuses(part))}

    def run(self, asked, run_part):
        """Make what is missing, LANES at a time, from LANE on, for as long as MINUTES says. Exit status."""
        until = time.monotonic() + 60 * number_of("MINUTES", 0, MOST_MINUTES, MINUTES)
        count, numbers = number_of("LANES", 1, MOST_LANES, 1), itertools.count(number_of("LANE", 0, MOST_LANES, 0))

        def begin():
            MINE.lane = next(numbers)

        def run_in_time(part, why):
            if time.monotonic() > until:
                return
            what = "" if why == "missing" else f" (what is kept is {why})"
            say(f"{asked.index(part) + 1} of {len(asked)}: {name_of(part)}{what}")
            run_part(part, self)

        with concurrent.futures.ThreadPoolExecutor(count, initializer=begin) as lanes:
            try:
                for done in [lanes.submit(run_in_time, part, why) for part, why in self.missing(asked).items()]:
                    done.result()
            except BaseException:
                lanes.shutdown(cancel_futures=True)
                raise
        left = len(self.missing(asked))
        say(f"{left} of {len(asked)} parts are missing: the same command goes on" if left else
            f"all {len(asked)} parts are there")
        return TIME_IS_OVER if left else 0

    def collect(self, asked):
        """What a document begins with, and the figures of each part. Ends here if a part cannot be used."""
        refused = [f"{name_of(part)}: {why}" for part, why in self.missing(asked).items()]
        if refused:
            die(f"{len(refused)} of {len(asked)} parts cannot be used", *refused)
        found = {part: read(self.path(part)) for part in asked}
        return ({**head(self.name, "icount", self.commit, records.IN_GUESTS),
                 "profiles": {document["costs"]["name"]: document["costs"] for document in found.values()}},
                {part: document["figures"] for part, document in found.items()})


def report(path, collect, check, print_table, then=None):
    """The document, at that path, if it is right: of an earlier one nothing stays. then(document, path) is for what
    comes of it. Exit status."""
    path.unlink(missing_ok=True)
    document = collect()

    def publish(_):
        write(document, path)
        if then:
            then(document, path)

    return conclude(document, check, print_table, publish)
