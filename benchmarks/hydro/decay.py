"""Does weight decay transfer? And are factors on options the same as multipliers in the network?"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import torch
from models import Perceptron
from sweeps import Task, falling, swept

from hippo.scale import TARGET, Scale
from hippo.training.process.streams import seed_everything
from hippo.training.trainers import new_trainer
from hippo.training.values import HparamValues

#: most that a surrogate's loss may differ from the target's at the same decay
APART = 0.05
#: task, its learning rate, log2 of the decays that are tried
DECAYS = (
    (Task(name="mlp", trainer=Perceptron, optimizer="sgd", updates=60, batch=64), 2.0**-2.5, range(-12, -4)),
    (Task(name="mlp", trainer=Perceptron, optimizer="adamw", updates=60, batch=64), 2.0**-7, range(-3, 4)),
)
#: most that weights may differ, of their norm, in double precision
SAME = 1e-12
UPDATES = 60


def decay_rows(seeds: int) -> list[dict[str, Any]]:
    """Return for each decay the target's held-out loss, and how far those of its surrogates are from it."""
    rows = []
    for task, rate, decays in DECAYS:
        configs = [{"lr": falling(rate), "weight_decay": 2.0**decay} for decay in decays]
        scales = {"target": TARGET, "mup": Scale(8), "standard": Scale(8, parametrization="standard")}
        found = {name: swept(task, scale, seeds, configs).means for name, scale in scales.items()}
        print(f"weight decay of {task.optimizer}: swept", file=sys.stderr, flush=True)
        for place, decay in enumerate(decays):
            target, *others = (found[name][place] for name in scales)
            apart = {
                f"{name}_apart": round(loss - target, 4) for name, loss in zip(("mup", "standard"), others, strict=True)
            }
            rows.append(
                {
                    "task": task.name,
                    "optimizer": task.optimizer,
                    "log2_decay": decay,
                    "loss": round(target, 4),
                    **apart,
                    "target": f"mup at most {APART}",
                    "is_met": abs(apart["mup_apart"]) <= APART,
                }
            )
    return rows


# --------------------------------------------------------------------------------------------- the form by multipliers


class Double(Perceptron):
    """In double precision."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.points = self.points.double()

    def make_model(self) -> torch.nn.Module:
        return super().make_model().double()


def form_rows() -> list[dict[str, Any]]:
    """Return how far a surrogate's weights are from those of the same network with multipliers.

    Yang et al. 2022, lemma J.1: weights a times smaller behind a multiplier a are the same network if their rate is a
    times smaller under Adam, and a^2 times under SGD. With a = the factor on a tensor's rate, or its root, all tensors
    have the target's rate, and what is left of the rule is in the network alone.
    """
    return [form_row(optimizer, rate) for optimizer, rate in (("sgd", 0.1), ("adam", 0.002), ("adamw", 0.002))]


def form_row(optimizer: str, rate: float) -> dict[str, Any]:
    """Train both forms side by side, and compare their weights."""
    trainer = new_trainer(Double, json.dumps({"optimizer": optimizer}), seed=0, scale="1/8")
    trainer.hp = HparamValues({"lr": rate, "weight_decay": 0.0 if optimizer == "adam" else 0.01})
    seed_everything(0, "build", 0)
    trainer.build()
    weights = dict(trainer.model.named_parameters())
    options = {id(each): group for group in trainer.optimizer.param_groups for each in group["params"]}
    power = 2 if optimizer == "sgd" else 1
    by = {name: (options[id(each)]["lr"] / rate) ** (1 / power) for name, each in weights.items()}
    inside = {name: (each.detach() / by[name]).requires_grad_() for name, each in weights.items()}
    groups = [
        {**_moved(options[id(each)], by[name], power), "params": [inside[name]]} for name, each in weights.items()
    ]
    other = type(trainer.optimizer)(groups)
    points, labels = trainer.train_set().tensors
    for update in range(UPDATES):
        batch = slice(update % 18 * 64, update % 18 * 64 + 64)
        for descent, model in (
            (trainer.optimizer, trainer.model),
            (other, lambda x: torch.func.functional_call(trainer.model, {n: by[n] * w for n, w in inside.items()}, x)),
        ):
            descent.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(points[batch]), labels[batch])
            loss.backward()
            descent.step()
    with torch.no_grad():
        apart = max(float((by[name] * inside[name] - each).norm() / each.norm()) for name, each in weights.items())
    return {
        "task": "mlp 512 at 1/8, double precision",
        "optimizer": optimizer,
        "updates": UPDATES,
        "factors": len({round(math.log2(each), 6) for each in by.values()}),
        "rates_by_multipliers": len({round(math.log2(group["lr"]), 6) for group in other.param_groups}),
        "loss": round(loss.item(), 4),
        "farthest": f"{apart:.1e}",
        "target": f"{SAME:.0e}",
        "is_met": apart <= SAME,
    }


def _moved(group: dict[str, Any], by: float, power: int) -> dict[str, Any]:
    """Return a group's options for weights that stand behind a multiplier."""
    moved = {name: value for name, value in group.items() if name != "params"}
    moved |= {"lr": group["lr"] / by**power, "weight_decay": group["weight_decay"] * by**power}
    return moved | ({"eps": group["eps"] * by} if "eps" in group else {})
