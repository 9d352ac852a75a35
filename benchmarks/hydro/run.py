"""Hydro's evaluation in kind: whether what suits a narrow model suits a wide one, and what tuning that way is worth.

    python benchmarks/hydro/run.py [--only transfer decay ranking wide searches simulated] [--seeds 3]

One thread each, no GPU. Every part prints its table and keeps it as results/hydro_<part>.json; docs/evaluation-of-surrogates.md
shows all of them beside the paper's figures, and tells every deviation. The ladder of the demo's grid with
surrogates as its last rung is benchmarks/bench_ladder.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import transfer

from hippo.training.environment import pin
from report import keep, read, write_report


def run_transfer(seeds: int, only: str) -> None:
    """Sweep learning rates at all scales."""
    rows, curves = [], []
    for task in (task for task in transfer.TASKS if only in f"{task.name} {task.optimizer}"):
        for kept, found in zip((rows, curves), transfer.transfer_rows(task, seeds), strict=True):
            kept += found
    how = (
        "learning rates swept as fused lanes, half an octave apart, falling on a line; held-out loss, mean over seeds; "
        "regret: what the target loses with a surrogate's best rate"
    )
    write_report("hydro_transfer", rows, how, seeds=f"0 to {seeds - 1}")
    keep("hydro_transfer_curves", curves, f"the curves; {how}", read("hydro_transfer")["made"])


#: name -> what runs it, given how many seeds, and a part of the names of its tasks
PARTS: dict[str, Callable[[int, str], None]] = {"transfer": run_transfer}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="these parts")
    parser.add_argument("--tasks", default="", help="of `transfer`: tasks whose name holds this")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    pin(1)
    for name in arguments.only:
        PARTS[name](arguments.seeds, arguments.tasks)


if __name__ == "__main__":
    main()
