"""Draws what one run of MLTuner forked, freed and kept: the training loss, with branches as a tree.

    python benchmarks/mltuner/picture.py [--seed 6]

Writes docs/images/mltuner_tree.png. The perceptron on digits, as in `run.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from experiments import MOST_STEPS, NEVER
from tasks import CHECK_EVERY, DIGITS_SPACE, NoisyDigits

import hippo
from provenance import ROOT

KEPT, FREED, DIVERGED = "#1f77b4", "#b0b0b0", "#d62728"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=6)
    seed = parser.parse_args().seed
    torch.set_num_threads(1)
    study = hippo.create_study(
        "tree", trainer=NoisyDigits, storage="memory://", engine=hippo.InlineEngine(), metric="accuracy", mode="max",
        seed=seed, evaluate_every=NEVER, nan="worst",
    )  # fmt: skip
    study.optimize(hippo.MLTuner(DIGITS_SPACE, MOST_STEPS, check_every=CHECK_EVERY, seed=seed))
    draw(study, ROOT / "docs" / "images" / "mltuner_tree.png")
    study.close()


def draw(study: Any, place: Path) -> None:
    """Draw the live path of a study, and all that left it."""
    from matplotlib.figure import Figure

    path = next(trial for trial in study.trials if trial.state is hippo.TrialState.COMPLETE)
    live = losses(path)
    most = 1.3 * max(live.values())
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.add_subplot()
    branches = [trial for trial in study.trials if trial is not path and trial.config["lr"](0) > 0]  # without the probe
    for trial in branches:
        fork, all_losses = forked_at(trial), losses(trial)
        # a branch begins where its parent was
        points = [(fork, live.get(fork, live[1]))] + [(t, loss) for t, loss in all_losses.items() if t > fork]
        has_blown_up = not all(loss <= most for _, loss in points)
        axes.plot(
            [t for t, _ in points], [min(loss, most) if loss == loss else most for _, loss in points],
            color=DIVERGED if has_blown_up else FREED, linewidth=0.7, alpha=0.7, zorder=1,
        )  # fmt: skip
    axes.plot(list(live), list(live.values()), color=KEPT, linewidth=2, zorder=2)
    # the live path was one of the branches of each search after which its values changed, and is not counted
    for fork, number in sorted(Counter(map(forked_at, branches)).items()):
        axes.axvline(fork, color="#808080", linewidth=0.6, linestyle=":", zorder=0)
        axes.text(fork + 0.5, 0.03, f"{number} freed", fontsize=8, va="bottom", color="#606060")
    for colour, label in ((KEPT, "live path"), (FREED, "freed"), (DIVERGED, "blown up, and freed")):
        axes.plot([], [], color=colour, label=label, linewidth=2 if colour == KEPT else 1)
    accuracies = {step: metrics["accuracy"] for step, metrics in path.history.items()}
    best = max(accuracies, key=lambda step: accuracies[step])
    axes.set_title(f"digits: {accuracies[best]:.1%} after {best} of {path.step} steps of the live path", fontsize=10)
    axes.set(xlabel="step", ylabel="training loss", ylim=(0, most * 1.02), xlim=(0, None))
    axes.legend(loc="center right", frameon=False)
    place.parent.mkdir(exist_ok=True)
    figure.savefig(place, dpi=110)


def losses(trial: Any) -> dict[int, float]:
    """Return what `train` said in each step."""
    return {step: float(metrics["loss"]) for step, metrics in sorted(trial.train_metrics.items())}


def forked_at(trial: Any) -> int:
    """Return the step at which a trial's values changed last, 0 if they never did."""
    values = [trial.config.values_at(step) for step in range(trial.step)]
    return max((step for step in range(1, trial.step) if values[step] != values[step - 1]), default=0)


if __name__ == "__main__":
    main()
