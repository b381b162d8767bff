# SPDX-License-Identifier: MIT
"""A good result, and ways to break it that its checker must notice. TAP."""
import copy
import json
import pathlib
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent.parent


class Breakage:
    """Tests of `scripts/bench/NAME --check FILE`, which says which budgets are missed, if it has any."""

    def __init__(self, name, good, budgets=True):
        self.name, self.budgets = name, budgets
        self.command = [TOP / "scripts/bench" / name, "--check"]
        self.good = good
        self.count = self.failed = 0

    def run(self, document):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "result.json"
            if document is not None:
                path.write_text(json.dumps(document), encoding="utf-8")
            try:
                return subprocess.run([*self.command, path], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
            except subprocess.TimeoutExpired as late:
                return subprocess.CompletedProcess(late.cmd, 124, str(late))

    def tap(self, what, passed, output):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - bench-{self.name}: {what}")
        if not passed:
            print("".join(f"# {line}\n" for line in output.splitlines()), end="")

    def noticed(self, what, change, *words):
        """The checker must fail, and one line of what it says have all the words."""
        document = copy.deepcopy(self.good)
        change(document)
        done = self.run(document)
        said = any(all(word in line for word in words) for line in done.stdout.splitlines())
        self.tap(f"{what} is noticed", done.returncode == 1 and said, done.stdout)

    def all(self, cases):
        """Exit status for all of them."""
        done = self.run(self.good)
        self.tap("a good result passes", not done.returncode and
                 (" budgets met, 0 missed\n" in done.stdout) == self.budgets and
                 done.stdout.endswith("\n0 errors in the file\n"), done.stdout)
        for what, change, *words in cases:
            self.noticed(what, change, *words)
        done = self.run(None)
        self.tap("no file is noticed", done.returncode == 1 and "No such file" in done.stdout,
                 done.stdout)
        print(f"1..{self.count}")
        return self.failed > 0
