# SPDX-License-Identifier: MIT
"""Parts of an experiment, a guest each, that are kept until they are not of this tree any more."""
import hashlib
import json
import os
import pathlib
import sys
import time

from guestbench import BUILD, RESULTS, commit, read

PAYLOADS = ("initramfs", "programs", "modules")
MINUTES = 25
MOST_MINUTES = 24 * 60
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


def store(document, path):
    """All of it, or nothing."""
    new = path.with_suffix(".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


class Kept:
    """Parts are tuples; each is a file in a directory of BUILD/results, with the commit, and with a sum of all that its
    guest gets and of arguments(part)."""

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
        if found[0] != self.commit:
            return f"of {found[0]}, not of {self.commit}"
        return None if found[1] == self.inputs(part) else "of other programs or modules"

    def store(self, part, **content):
        """Content has "figures", what the part came to."""
        store({"commit": self.commit, "inputs": self.inputs(part)} | content, self.path(part))

    def run(self, asked, run_part):
        """Make what is missing, for as long as MINUTES says. Exit status."""
        until = time.monotonic() + 60 * number_of("MINUTES", 0, MOST_MINUTES, MINUTES)
        for number, part in enumerate(asked, 1):
            why = self.refuses(part)
            if not why:
                continue
            if time.monotonic() > until:
                left = sum(1 for part in asked if self.refuses(part))
                say(f"{left} of {len(asked)} parts are missing: the same command goes on")
                return TIME_IS_OVER
            what = "" if why == "missing" else f" (what is kept is {why})"
            say(f"{number} of {len(asked)}: {name_of(part)}{what}")
            run_part(part, self)
        say(f"all {len(asked)} parts are there")
        return 0

    def collect(self, asked):
        """The document of each part. Ends here if one cannot be used."""
        refused = [f"{name_of(part)}: {why}" for part in asked if (why := self.refuses(part))]
        if refused:
            die(f"{len(refused)} of {len(asked)} parts cannot be used", *refused)
        return {part: read(self.path(part)) for part in asked}
