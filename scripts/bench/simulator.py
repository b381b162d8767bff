# SPDX-License-Identifier: MIT
"""xsched-sim, as benchmarks run it."""
import json
import subprocess
import sys

TIMEOUT_S = 600


def simulate(simulator, scenario, *options):
    """What it says, with --json, of the text of a scenario. Ends the script, with that text, if it fails."""
    command = [str(simulator), "--json", *options, "/dev/stdin"]
    done = subprocess.run(command, input=scenario, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode} of:\n{scenario}")
    return json.loads(done.stdout)
