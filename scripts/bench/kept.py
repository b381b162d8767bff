# SPDX-License-Identifier: MIT
"""Parts of an experiment, a guest each, that are kept until this tree's guests get something else."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import sys
import time

from guestbench import BUILD, RESULTS, TOP, commit, read, store

sys.path.insert(0, str(TOP / "scripts/lib"))
import records  # noqa: E402  (beside us, not installed)

# What the figures of guests hang on, as a record names it.
WENT_IN = ("kmod", "uapi", "patches/linux-6.12", "libxsched", "tools", "tests/vgpu", "tests/bench/guest",
           "tests/bench/peers")
PAYLOADS = ("initramfs", "programs", "modules")
MINUTES = 25
MOST_MINUTES = 24 * 60
MOST_LANES = 8
TIME_IS_OVER = 3


def say(text):
    print(text, flush=True)


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


class Kept:
    """Parts are tuples; each is a file in a directory of BUILD/results, with the commit, and with a sum of all that its
    guest gets and of arguments(part). Under icount what it comes to hangs on nothing else, so a part of another commit
    is as good if that sum is the same."""

    def __init__(self, directory, arguments):
        self.directory = RESULTS / directory
        self.arguments = arguments
        self.commit = commit()
        self.sums = []
        for name in PAYLOADS:
            path = BUILD / f"guest/{name}.cpio"
            if not path.exists():
                die(f"no {path}: run make guest first")
            self.sums.append(hashlib.sha256(path.read_bytes()).hexdigest())

    def path(self, part):
        return self.directory / f"{name_of(part)}.json"

    def inputs(self, part):
        return hashlib.sha256("\n".join([*self.sums, *self.arguments(part)]).encode()).hexdigest()[:16]

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

    def store(self, part, out, **content):
        """Content has "figures", what the part came to; out is where its guest's files were."""
        store({"commit": self.commit, "inputs": self.inputs(part)} | content, self.path(part))
        shutil.rmtree(out)

    def missing(self, asked):
        """Of these parts, which are to be run, and why."""
        return {part: why for part in asked if (why := self.refuses(part))}

    def run(self, asked, run_part):
        """Make what is missing, LANES at a time, for as long as MINUTES says. Exit status."""
        until = time.monotonic() + 60 * number_of("MINUTES", 0, MOST_MINUTES, MINUTES)

        def run_in_time(part, why):
            if time.monotonic() > until:
                return
            what = "" if why == "missing" else f" (what is kept is {why})"
            say(f"{asked.index(part) + 1} of {len(asked)}: {name_of(part)}{what}")
            run_part(part, self)

        with concurrent.futures.ThreadPoolExecutor(number_of("LANES", 1, MOST_LANES, 1)) as lanes:
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

    def head(self, experiment):
        """What a document begins with."""
        return {"experiment": experiment, "clock": "icount", "commit": self.commit,
                "went_in": records.contents(WENT_IN)}

    def collect(self, asked):
        """The document of each part. Ends here if one cannot be used."""
        refused = [f"{name_of(part)}: {why}" for part, why in self.missing(asked).items()]
        if refused:
            die(f"{len(refused)} of {len(asked)} parts cannot be used", *refused)
        return {part: read(self.path(part)) for part in asked}
