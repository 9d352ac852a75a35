"""Hydro's evaluation in kind: whether what suits a narrow model suits a wide one, and what tuning that way is worth.

    python benchmarks/hydro/run.py [--only transfer_mlp transfer_cnn decay ...] [--seeds 3]

One thread each, no GPU. Every part prints its table and keeps it as results/hydro_<part>.json; the
page docs/evaluation-of-surrogates.md shows all of them beside the paper's figures, and tells every deviation. The
ladder of the demo's grid with surrogates as its last rung is benchmarks/bench_ladder.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import decay
import ranking
import searches
import simulated
import transfer

from hippo.training.environment import pin
from process_cpu import adopt_orphans
from report import keep, read, write_report


def run_transfer(name: str, seeds: int) -> None:
    """Sweep learning rates of one model at all scales."""
    how = (
        "learning rates swept as fused lanes, half an octave apart, falling on a line; held-out loss, mean over seeds; "
        "regret: what the target loses with a surrogate's best rate"
    )
    rows, curves = [], []
    for task in (task for task in transfer.TASKS if task.name == name):
        for kept, found in zip((rows, curves), transfer.transfer_rows(task, seeds), strict=True):
            kept += found
    write_report(f"hydro_transfer_{name}", rows, how, seeds=f"0 to {seeds - 1}")
    keep(f"hydro_curves_{name}", curves, f"the curves; {how}", read(f"hydro_transfer_{name}")["made"])


def run_decay(seeds: int) -> None:
    """Sweep weight decay."""
    how = "held-out loss by weight decay at one rate, mean over seeds; apart: the loss at S = 8 less the target's"
    write_report("hydro_decay", decay.decay_rows(seeds), how, seeds=f"0 to {seeds - 1}")


def run_forms(_seeds: int) -> None:
    """Compare factors with multipliers."""
    how = "weights of a surrogate after 60 updates, against those of the same network with multipliers, of their norm"
    write_report("hydro_forms", decay.form_rows(), how, seeds="0")


def run_ranking(seeds: int) -> None:
    """Order ten configurations at each scale."""
    rows, agreements = ranking.ranking_rows(seeds)
    how = "ten random configs of the paper's space on a convolutional net; held-out loss, mean over seeds, and its rank"
    write_report("hydro_ranking", rows, how, seeds=f"0 to {seeds - 1}, configs drawn with 1")
    keep("hydro_agreement", agreements, f"the orders beside the target's; {how}", read("hydro_ranking")["made"])


def run_searches(name: str, kinds: Mapping[str, Mapping[str, int]], seeds: int) -> None:
    """Run searches in all ways."""
    adopt_orphans()
    rows, parts = searches.search_rows(kinds, range(seeds))
    how = f"CPU-seconds of a process from start to end, one slot, one thread; load {os.getloadavg()[0]:.1f} at the end"
    write_report(f"hydro_{name}", rows, how, seeds=f"0 to {seeds - 1}", also=parts)


#: name -> what runs it, given how many seeds
PARTS: dict[str, Callable[[int], None]] = {
    **{f"transfer_{name}": partial(run_transfer, name) for name in ("mlp", "cnn", "transformer")},
    "decay": run_decay,
    "forms": run_forms,
    "ranking": run_ranking,
    "wide": partial(run_searches, "wide", searches.WIDE),
    "wide_best": partial(run_searches, "wide_best", searches.WIDE_BEST),
    "digits": partial(run_searches, "digits", searches.DIGITS),
    "characters": partial(run_searches, "characters", searches.CHARACTERS),
    "simulated": lambda _seeds: simulated.main_part(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="these parts")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    pin(1)
    for name in arguments.only:
        PARTS[name](arguments.seeds)


if __name__ == "__main__":
    main()
