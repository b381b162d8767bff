# SPDX-License-Identifier: MIT
"""xsched-sim, as benchmarks run it."""
import json
import pathlib
import subprocess
import sys

TIMEOUT_S = 600


def simulate(simulator, scenario, *options):
    """What it says, with --json, of a scenario: a path, or a text. Ends the script, with both, if it fails."""
    path, text = (scenario, None) if isinstance(scenario, pathlib.Path) else ("/dev/stdin", scenario)
    command = [str(simulator), "--json", *options, str(path)]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}" + (f" of:\n{text}" if text else ""))
    return json.loads(done.stdout)
