"""Measures everything that takes less than half an hour together, and puts the figures in the pages that cite them.

    python benchmarks/evaluation.py [--only paper tuners ...] [--with-ray]

On a quiet machine with two cores. Says how long each part took, goes on after one that failed, and ends with exit code
1 if any did: its old figures stay. `make evaluation` runs it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
#: name -> the command, in the order in which they run
PARTS = {
    "import": ["bench_import.py"],
    "control": ["bench_control.py"],
    "step": ["bench_step.py"],
    "fork": ["bench_fork.py"],
    "states": ["bench_states.py"],
    "differences": ["bench_differences.py"],
    "requests": ["bench_requests.py"],
    "scale": ["bench_scale.py"],
    "reading": ["bench_reading.py"],
    "takeover": ["bench_takeover.py"],
    "ps": ["bench_ps.py"],
    "tuners": ["bench_tuners.py"],
    "rankings": ["bench_rankings.py"],
    "sharing_aware": ["bench_sharing_aware.py"],
    "packing": ["bench_packing.py"],
    "elastic": ["bench_elastic.py"],
    "paper": ["paper/run.py"],
    "two_processes": ["bench_two_processes.py"],
    "checks": ["bench_checks.py"],
    "sharing": ["bench_sharing.py", "--runs", "3"],
}
#: an hour by itself, and Ray is to be installed
RAY = {"ray_tune": ["bench_ray_tune.py"]}


def run(name: str, command: list[str]) -> bool:
    """Run a part, say how long it took, and return whether it ended well."""
    began = time.perf_counter()
    print(f"\n==== {name}: python {' '.join(['benchmarks/' + command[0], *command[1:]])}", flush=True)
    code = subprocess.run([sys.executable, str(HERE / command[0]), *command[1:]], cwd=HERE.parent).returncode
    print(f"==== {name} {'took' if code == 0 else 'FAILED after'} {time.perf_counter() - began:.0f} s", flush=True)
    return code == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*PARTS, *RAY], help="these parts alone")
    parser.add_argument("--with-ray", action="store_true", help="the comparison with Ray Tune, too")
    arguments = parser.parse_args()
    parts = {**PARTS, **RAY} if arguments.with_ray or arguments.only else PARTS
    chosen = {name: command for name, command in parts.items() if name in (arguments.only or parts)}
    if os.getloadavg()[0] > 0.5:
        print(f"this machine is busy (load {os.getloadavg()[0]:.1f}): seconds will be longer than they need to be")
    began = time.perf_counter()
    failed = [name for name, command in chosen.items() if not run(name, command)]
    print(f"\n==== all of it took {(time.perf_counter() - began) / 60:.1f} minutes", flush=True)
    wrong = subprocess.run([sys.executable, str(HERE / "claims.py"), "--write"]).returncode
    if failed:
        sys.exit(f"failed, and kept their old figures: {', '.join(failed)}")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
