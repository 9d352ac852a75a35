"""MLtuner's experiments in kind, on small models: how its paper's claims hold here.

    python benchmarks/mltuner/run.py [--only target long rates variation starts doubled share lanes whole
        requests] [--seeds N]

An hour and a half on one core. Writes results/mltuner_*.json; docs/tuners/mltuner-experiments.md shows them beside the
paper's figures (`python benchmarks/claims.py --write`). Steps are the same on any machine of one kind; CPU-seconds are
those of one thread, evaluations and tuning included.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from experiments import EXPERIMENTS

from provenance import made_by
from report import keep


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS))
    parser.add_argument("--seeds", type=int, help="of each; else as many as each is listed with")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    logging.getLogger("hippo").setLevel(logging.ERROR)
    for name in arguments.only:
        experiment, usual = EXPERIMENTS[name]
        seeds = arguments.seeds or usual
        began, rows = time.perf_counter(), []
        for row in experiment(seeds):
            rows.append(row)
            print(name, row, flush=True)
        how = (experiment.__doc__ or "").splitlines()[0].removeprefix("Yield ").rstrip(".")
        made = made_by(seeds=f"0 to {seeds - 1}" if seeds > 1 else "0", took_s=time.perf_counter() - began)
        keep(f"mltuner_{name}", rows, how, made)


if __name__ == "__main__":
    main()
