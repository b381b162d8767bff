# SPDX-License-Identifier: MIT
"""What the benchmarks share: guest runs, figures, files, verdicts."""
import json
import math
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
RESULTS = BUILD / "results"

sys.path.insert(0, str(TOP / "scripts/lib"))
import records  # noqa: E402  (beside us, not installed)


class Broken(Exception):
    """What a guest has left is not a whole run."""


def percentile(values, percent):
    """Nearest rank, as everywhere here: a value that did occur."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(percent / 100 * len(ordered))) - 1]


def us(nanoseconds):
    return round(nanoseconds / 1000, 3)


def commit():
    def git(*arguments):
        done = subprocess.run(["git", "-C", TOP, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.strip() if not done.returncode else None

    name = git("rev-parse", "--short=12", "HEAD")
    return "unknown" if not name else name + ("-dirty" if git("status", "--porcelain") else "")


def head(experiment, clock, of_commit, paths):
    """What a document begins with that becomes a record; paths: what it hangs on."""
    return {"experiment": experiment, "clock": clock, "commit": of_commit, "went_in": records.contents(paths)}


def run_guest(profile, test, *arguments, timeout, still=120, programs="programs", name=None, options=(), lane=None):
    """Under icount, with these programs and options of tests/vm/run-guest; what the guest sent is in the directory this
    returns, of that name. lane: which of those that run at a time it is; it has a CPU for itself."""
    out = RESULTS / "raw" / (name or f"{test}-{profile}")
    # it ends with us
    done = subprocess.run(["setpriv", "--pdeathsig", "TERM", TOP / "tests/vm/run-guest", "--icount",
                           "--timeout", str(timeout), "--still", str(still), "--out", out,
                           "--vgpu", f"profile={profile}", "--programs", BUILD / f"guest/{programs}.cpio",
                           *options, test, *arguments], check=False,
                          env=os.environ | ({} if lane is None else {"LANE": str(lane)}))
    if done.returncode:
        sys.exit(f"{test} on {profile}: ended with status {done.returncode}, see {out}")
    return out


def read_profile(path):
    """The parameters of the GPU: lines of a name and a value."""
    pairs = (line.split(maxsplit=1) for line in path.read_text(encoding="utf-8").splitlines())
    return {name: value if name == "name" else int(value) for name, value in pairs}


def store(document, path):
    """All of it, or nothing."""
    new = path.with_suffix(".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


def write(document, path):
    store(document, path)
    print(f"\n{path}")


def read(path):
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")


def budget_row(what, measured, limit, profile, at_least=False, why=""):
    ok = measured >= limit if at_least else measured <= limit
    text = f"{'kept' if ok else 'missed'}: {why or measured}, at {'least' if at_least else 'most'} {limit}"
    return {"budget": what, "limit": limit, "measured": measured, "profile": profile, "ok": ok, "why": text}


def keep_budgets(owner, rows):
    """In place of those of the same owner, which is what a budget's name begins with; others' rows stay."""
    path = RESULTS / "budgets.json"
    old = read(path)["rows"] if path.exists() else []
    store({"rows": [row for row in old if row["budget"].split(":")[0] != owner] + rows}, path)


def kept_as(bench):
    """For conclude(): the budgets, all of them of HWS, go into budgets.json."""
    return lambda verdict: verdict.keep(bench, "mi308x")


class Verdict:
    """What is wrong with a file, and which budgets its figures miss."""

    def __init__(self):
        self.errors = []
        self.budgets = []

    def wrong(self, what):
        self.errors.append(what)

    def number(self, row, key, where):
        """The figure, if it is one: finite and not negative; else None."""
        value = row.get(key) if isinstance(row, dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or \
           not math.isfinite(value) or value < 0:
            self.wrong(f"{where}: {key} is {value!r}")
            return None
        return value

    def by_key(self, rows, key_of, wanted):
        """The rows by their keys, tuples, which are to be these, each once."""
        found = {}
        for row in rows:
            key = key_of(row)
            if key in found or key not in wanted:
                self.wrong(f"{', '.join(map(str, key))}: {'is there twice' if key in found else 'does not exist'}")
            found[key] = row
        for key in wanted:
            if key not in found:
                self.wrong(f"{', '.join(map(str, key))}: is missing")
        return found

    def budget(self, what, value, limit):
        self.budgets.append((what, value, limit))

    def keep(self, bench, profile):
        """The budgets, in budgets.json. Each of them is an upper limit."""
        keep_budgets(bench, [budget_row(f"{bench}: {what}", value, limit, profile)
                             for what, value, limit in self.budgets])

    def show(self):
        """Print it; whether all is well."""
        for what, value, limit in self.budgets:
            met = "ok    " if value <= limit else "MISSED"
            print(f"{met} {what:<62}{value:12,.1f}  (at most {limit:,.1f})")
        for what in self.errors:
            print(f"WRONG  {what}")
        missed = sum(value > limit for _, value, limit in self.budgets)
        if self.budgets:
            print(f"{len(self.budgets) - missed} budgets met, {missed} missed")
        print(f"{len(self.errors)} errors in the file")
        return not missed and not self.errors


def conclude(document, check, print_table, then=None):
    """Print a document's table, if it is right, and what is wrong or missed. then(verdict) is for one that is right.
    Exit status."""
    verdict = check(document)
    if not verdict.errors:
        print_table(document)
        if then:
            then(verdict)
    return 0 if verdict.show() else 1
