"""200 random trials of a wide perceptron on a GPU: one by one, as lanes, and as lanes of a narrower one.

    python benchmarks/hydro/on_gpu.py [--seeds 3] [--max-lanes 256]

Wall seconds of a whole search in one process, the winner's trial on the target included where a surrogate is searched;
what a process needs to begin (imports, the device's start, the first use of each kernel) is spent before, on searches
of two trials. Trial by trial lies on the line through two runs of few trials, as in searches.py. With `--device cpu
--dry-run` it is tried where there is no GPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from models import Perceptron
from searches import SEARCHES
from ways import FEWEST, WAYS, Search, run_search, scaled_up

from cuda_options import parsed
from hippo.training.process.environment import pin
from report import markdown_table, write_report

NAME = "mlp 512, random"
#: of a step, three times as many as on a CPU, where a trial is over in a second on a GPU
UPDATES = 120
#: way -> trials that are run of it
TRIALS = {"trial by trial": 4, "fused": 200, "scaled and fused": 200}


class OnGpu(Perceptron):
    """The same one, on a GPU."""

    device = "cuda"


def timed(search: Search, way: str, seed: int, number: int) -> dict[str, Any]:
    """Run a search in this process, and tell its wall seconds."""
    began_s = time.perf_counter()
    run = run_search(search, WAYS[way], seed, number)
    took_s = time.perf_counter() - began_s
    print(f"{way}, seed {seed}, {number} trials: {took_s:.2f} s", file=sys.stderr, flush=True)
    return {**run, "wall_s": took_s, "cpu_s": 0.0}


def rows_of(search: Search, seed: int) -> list[dict[str, Any]]:
    """Return a row for each way."""
    runs = {}
    for way, number in TRIALS.items():
        runs[way] = timed(search, way, seed, number)
        if number < search.num_trials:
            runs[way] = scaled_up(timed(search, way, seed, FEWEST), runs[way], search.num_trials)
    alone_s = runs["trial by trial"]["wall_s"]
    return [
        {
            "way": way,
            "seed": seed,
            "how": "all run" if TRIALS[way] == search.num_trials else f"scaled from {FEWEST} and {TRIALS[way]}",
            "mean_lanes": round(run["mean_lanes"], 1),
            "wall_s": round(run["wall_s"], 2),
            "times": round(alone_s / run["wall_s"], 2),
            "best": None if run["best"] is None else round(run["best"], 4),
        }
        for way, run in runs.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--max-lanes", type=int, default=256)
    arguments = parsed(parser, devices=["cuda", "cpu"])
    pin(1)  # as in a worker
    OnGpu.device = arguments.device
    search = dataclasses.replace(
        SEARCHES[NAME],
        trainer=OnGpu,
        trainer_args={**SEARCHES[NAME].trainer_args, "updates": UPDATES},
        max_lanes=arguments.max_lanes,
    )
    for way in ("fused", "scaled and fused"):
        timed(search, way, 0, FEWEST)
    rows: list[dict[str, Any]] = []
    for seed in range(arguments.seeds):
        rows += rows_of(search, seed)
        if arguments.dry_run:
            print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]))
        else:  # after each seed, since GPUs are lent by the minute
            device = torch.cuda.get_device_name()
            how = f"wall seconds of searches on one {device}, one slot of {arguments.max_lanes} lanes"
            write_report("hydro_gpu", rows, how, seeds=f"0 to {seed}")


if __name__ == "__main__":
    main()
