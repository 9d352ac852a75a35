"""Do the best learning rates of narrower models suit the target? Figure 1 of Hydro's paper, and how far rates are off.

Each task is swept at S = 8, 4 and 2, at S = 8 without any rule, and at the target's width; then the target itself is
trained with the rates that were best on its surrogates, which tells what it costs to go by them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from models import Characters, Convolutions, Perceptron
from optimum import Optimum, optimum
from sweeps import Swept, Task, falling, swept

from hippo.scale import TARGET, Scale

RATIOS = (8, 4, 2)
#: octaves between neighbouring rates
GRID = 0.5
#: most that the target may lose by going by a surrogate's best rate
REGRET = 0.05
#: least by which the best rate is off without any rule, under Adam
OFF_WITHOUT = 1.0
TASKS = (
    Task(name="mlp", trainer=Perceptron, optimizer="sgd", updates=60, batch=64, rates=(-6.0, 1.0)),
    Task(name="mlp", trainer=Perceptron, optimizer="adam", updates=60, batch=64, rates=(-10.0, -3.0)),
    Task(name="cnn", trainer=Convolutions, optimizer="sgd", updates=60, batch=32, rates=(-4.0, 1.0)),
    Task(name="cnn", trainer=Convolutions, optimizer="adam", updates=60, batch=32, rates=(-8.0, -3.0)),
    # again where even the narrowest has 32 channels, below which optima drift
    Task(name="wide_cnn", trainer=Convolutions, optimizer="sgd", updates=60, batch=32, width=256, rates=(-4.0, 1.0)),
    Task(name="wide_cnn", trainer=Convolutions, optimizer="adam", updates=60, batch=32, width=256, rates=(-9.0, -4.0)),
    Task(
        name="transformer",
        trainer=Characters,
        optimizer="adamw",
        updates=120,
        batch=4,
        rates=(-9.5, -4.0),
        tolerance=0.8,
    ),
)
#: scales beside the target; without any rule only the narrowest, of which something is asked
SCALES = (*(Scale(ratio) for ratio in RATIOS), Scale(max(RATIOS), parametrization="standard"))


def rates_of(task: Task) -> list[float]:
    """Return log2 of the rates that are tried, rising."""
    least, greatest = task.rates
    return [least + GRID * number for number in range(round((greatest - least) / GRID) + 1)]


def transfer_rows(task: Task, seeds: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what each surrogate's best rate is and costs, and the curves themselves."""
    rates = rates_of(task)
    scales = [TARGET, *SCALES]
    found = {}
    for scale in scales:
        found[scale] = swept(task, scale, seeds, [{"lr": falling(2.0**rate)} for rate in rates])
        print(f"{task.name} {task.optimizer} at {scale}: {found[scale].cpu_s:.0f} CPU-s", file=sys.stderr, flush=True)
    best = {scale: optimum(rates, each.means) for scale, each in found.items()}
    there = swept(task, TARGET, seeds, [{"lr": falling(2.0 ** best[scale].rate)} for scale in scales])
    at_best = dict(zip(scales, there.means, strict=True))
    # the target's own best of the grid, or of all that it was trained with since, if that is better
    least = min(best[TARGET].loss, *at_best.values())
    rows = [transfer_row(task, scale, best, at_best[scale] - least, found[scale]) for scale in scales]
    return rows, [curve_row(task, scale, rates, found[scale]) for scale in scales]


def transfer_row(
    task: Task, scale: Scale, best: Mapping[Scale, Optimum], regret: float, found: Swept
) -> dict[str, Any]:
    """Return where a scale's best rate is, how far from the target's, and what the target loses by it."""
    off = abs(best[scale].rate - best[TARGET].rate)
    return {
        "task": task.name,
        "optimizer": task.optimizer,
        "rule": "target" if scale.is_target else scale.parametrization,
        "S": scale.width,
        "width": (task.width or task.trainer.target_width) // scale.width,
        "best_log2_lr": round(best[scale].rate, 2),
        "off_octaves": round(off, 2),
        "loss": round(best[scale].loss, 4),
        "regret": round(regret, 4),
        "is_at_edge": best[scale].is_at_edge,
        "target": wanted(task, scale),
        "is_met": is_met(task, scale, off, regret),
        "cpu_s": round(found.cpu_s, 1),
    }


def wanted(task: Task, scale: Scale) -> str | None:
    """Return in words what is asked of a scale; only S = 8 is asked anything."""
    if scale.width != max(RATIOS):
        return None
    if scale.parametrization == "mup":
        return f"off by at most {task.tolerance}, regret at most {REGRET}"
    return f"off by at least {OFF_WITHOUT}" if task.optimizer.startswith("adam") else None


def is_met(task: Task, scale: Scale, off: float, regret: float) -> bool | None:
    """Return whether that is so; None if nothing is asked."""
    if wanted(task, scale) is None:
        return None
    if scale.parametrization == "mup":
        return off <= task.tolerance and regret <= REGRET
    return off >= OFF_WITHOUT


def curve_row(task: Task, scale: Scale, rates: Sequence[float], found: Swept) -> dict[str, Any]:
    """Return a curve: the mean over seeds at each rate, infinite ones as None, which JSON can hold."""
    return {
        "task": task.name,
        "optimizer": task.optimizer,
        "rule": "target" if scale.is_target else scale.parametrization,
        "S": scale.width,
        "log2_lr": list(rates),
        "loss": [round(loss, 4) if loss < float("inf") else None for loss in found.means],
        "least": [round(min(column), 4) if min(column) < float("inf") else None for column in columns(found)],
        "greatest": [round(max(column), 4) if max(column) < float("inf") else None for column in columns(found)],
    }


def columns(found: Swept) -> list[tuple[float, ...]]:
    """Return by config its loss with each seed."""
    return list(zip(*found.losses, strict=True))
