"""Hydro's evaluation in kind: whether what suits a narrow model suits a wide one, and what tuning that way is worth.

    python benchmarks/hydro/run.py [--only transfer_mlp transfer_cnn decay ...] [--seeds 3]

One thread each, no GPU. Every part prints its table and keeps it as results/hydro_<part>.json; the page
docs/evaluation-of-surrogates.md shows all of them beside the paper's figures, and tells every deviation. The ladder of
the demo's grid with surrogates as its last rung is benchmarks/bench_ladder.py. `characters` takes the longest by far:
half an hour for each seed on a quiet machine.

Parts import what they need when they run: a result counts as stale when code changes that its process had imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hippo.training.process.environment import pin
from report import keep, read, write_report


def run_transfer(name: str, seeds: int) -> None:
    """Sweep learning rates of one model at all scales."""
    import transfer

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
    import decay

    how = "held-out loss by weight decay at one rate, mean over seeds; apart: the loss at S = 8 less the target's"
    write_report("hydro_decay", decay.decay_rows(seeds), how, seeds=f"0 to {seeds - 1}")


def run_forms(_seeds: int) -> None:
    """Compare factors with multipliers."""
    import decay

    how = "weights of a surrogate after 60 updates, against those of the same network with multipliers, of their norm"
    write_report("hydro_forms", decay.form_rows(), how, seeds="0")


def run_ranking(seeds: int) -> None:
    """Order ten configurations at each scale."""
    import ranking

    rows, agreements = ranking.ranking_rows(seeds)
    how = "ten random configs of the paper's space on a convolutional net; held-out loss, mean over seeds, and its rank"
    write_report("hydro_ranking", rows, how, seeds=f"0 to {seeds - 1}, configs drawn with 1")
    keep("hydro_agreement", agreements, f"the orders beside the target's; {how}", read("hydro_ranking")["made"])


def run_searches(name: str, seeds: int) -> None:
    """Run searches in all ways."""
    import searches

    from process_cpu import adopt_orphans

    adopt_orphans()
    rows, parts = searches.search_rows(searches.PARTS[name], range(seeds))
    how = f"CPU-seconds of a process from start to end, one slot, one thread; load {os.getloadavg()[0]:.1f} at the end"
    write_report(f"hydro_{name}", rows, how, seeds=f"0 to {seeds - 1}", also=parts)


def run_simulated(_seeds: int) -> None:
    """Tables 2 and 3, and what scaling and lanes are worth apart, on the virtual clock."""
    import simulated

    write_report("hydro_simulated", simulated.tables(), simulated.how(), seeds="0")
    how = f"ResNet-18 of Table 2, the paper's costs; {simulated.how()}"
    keep("hydro_ablation", simulated.ablation(), how, read("hydro_simulated")["made"])


#: name -> what runs it, given how many seeds; the longest last
PARTS: dict[str, Callable[[int], None]] = {
    "forms": run_forms,
    "simulated": run_simulated,
    "transfer_mlp": partial(run_transfer, "mlp"),
    "transfer_cnn": partial(run_transfer, "cnn"),
    "transfer_wide_cnn": partial(run_transfer, "wide_cnn"),
    "decay": run_decay,
    "ranking": run_ranking,
    "wide": partial(run_searches, "wide"),
    "transfer_transformer": partial(run_transfer, "transformer"),
    "digits": partial(run_searches, "digits"),
    "characters": partial(run_searches, "characters"),
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
