"""Slots that walk a lane together, on the virtual clock: SHA of ResNet56, nodes given back, and a deadline.

    python benchmarks/bench_elastic.py

`SHA`: the paper's study on 40 GPUs, five nodes of eight, with steps of 94.3 s. W slots of a node are 1 + e (W - 1)
times as fast as one, `shards` is the most, and e the `efficiency`. `start_s` is what a lane takes to begin with a state
that its slot does not hold, and a sixth of that again where several slots walk it. `target_h` is what we aim at;
`paper_h` is Hippo's end-to-end time in Table 5. `release_s`: nodes on which nothing ran for so long are given back;
`reserved_h` are hours of all slots that were the study's, `device_h` those in which they had work.

`deadline`: 900 s on 4 GPUs, as in Hydro's Figure 13 (Hu et al. 2023): successive halving of 27 configs drawn from the
paper's space for ResNet-18, with epochs of 15 s, cut off at 900 s. `loss` is the best that a model of full size has
then, on a power law that lr and momentum shift: what it says is how far the leaders came, and nothing of networks.
Surrogates are 8 times narrower and walked as one, at what the paper prints of that; curves are the same for all scales.
`to_end_s` is when the search ends without a deadline.

Simulated: the control loop, plan, scheduler and tuners are the real ones, and only training is made up.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "paper"))
sys.path.insert(0, str(Path(__file__).parent / "hydro"))

from experiments import EPOCH_SECONDS, EXTRA_EPOCHS, GPUS, RUNGS, START_S
from published import TABLE_5
from published_hydro import BATCH_SIZES
from simulated import paper_costs
from spaces import single_space

import hippo
from hippo.simulation import PowerLaw, RandomWalk, SimulatedWorkload, simulate
from report import write_report

STUDY = "ResNet56 SHA"
STEP_S = EPOCH_SECONDS[STUDY]
SPACE = single_space("resnet56")[0]
PER_NODE, TARGET_H = 8, 3.2
SEEDS = range(5)

DEADLINE_S, DEADLINE_SLOTS, DEADLINE_STEP_S, SCALE = 900.0, 4, 15.0, 8
DEADLINE_SEEDS = range(10)


def sha(shards: int, efficiency: float, start_s: float, release_s: float | None = None):
    """Return the figures of the paper's study, as means over seeds."""
    costs = SimulatedWorkload(
        seconds_per_step=STEP_S, start_s=start_s, shards=shards, shard_efficiency=efficiency, shard_start_s=start_s / 6
    )
    tuner = hippo.SuccessiveHalving(SPACE, **RUNGS, extra_steps=EXTRA_EPOCHS)
    options = {"slots_per_node": PER_NODE, "release_after_s": release_s, "keep_intervals": False}
    done = [simulate(tuner, costs, slots=GPUS, curve=RandomWalk(seed=seed), **options) for seed in SEEDS]
    assert not any(each.steps_repeated for each in done)
    hours = [each.makespan_s / 3600 for each in done]
    return {
        "study": "SHA",
        "shards": shards,
        "efficiency": efficiency if shards > 1 else None,
        "start_s": start_s,
        "release_s": release_s,
        "makespan_h": round(statistics.mean(hours), 2),
        "longest_h": round(max(hours), 2),
        "target_h": TARGET_H if shards == PER_NODE else None,
        "paper_h": TABLE_5[STUDY].end_to_end_h[2] if shards == 1 else None,
        "device_h": round(statistics.mean(each.device_hours for each in done), 1),
        "reserved_h": round(statistics.mean(each.reserved_s for each in done) / 3600, 1),
        "starts": round(statistics.mean(each.starts for each in done)),
        "way": None,
        "loss": None,
        "to_end_s": None,
    }


def drawn(seed: int):
    """Return configs of Hydro's space for vision, with constant learning rates."""
    chance = np.random.default_rng(seed)
    return [
        {
            "lr": round(10.0 ** chance.uniform(-4, 0), 5),
            "momentum": round(chance.uniform(0.5, 0.999), 3),
            "batch_size": int(chance.choice(BATCH_SIZES)),
        }
        for _ in range(27)
    ]


def shift(values) -> float:
    """Return how far the best loss of these values is from the best of all."""
    return 0.05 * (math.log10(values["lr"]) + 1.5) ** 2 + 0.3 * (values["momentum"] - 0.9) ** 2


class Heard(hippo.Callback):
    """Remembers the best loss that a model of full size was heard to have."""

    def __init__(self):
        self.best = math.inf

    def on_evaluated(self, event):
        if not event.member:
            self.best = min(self.best, event.metrics["loss"])


def searched(seed: int, *, shards: int, is_scaled: bool, is_cut: bool):
    """Return a simulation of one search, and the best loss that was heard of."""
    costs, fused = paper_costs(SCALE), {}
    if is_scaled:
        fused = {"scale_costs": {SCALE: costs.narrow}, "fused": costs.fused}
    workload = SimulatedWorkload(seconds_per_step=DEADLINE_STEP_S, shards=shards, start_s=2.0, **fused)
    tuner = hippo.SuccessiveHalving(drawn(seed), min_steps=3, max_steps=81, reduction=3)
    tuner = hippo.Surrogate(tuner, SCALE) if is_scaled else tuner
    heard = Heard()
    done = simulate(
        hippo.Deadline(tuner, seconds=DEADLINE_S) if is_cut else tuner,
        workload,
        slots=DEADLINE_SLOTS,
        curve=PowerLaw(seed=seed, floor=0.2, scale=2.0, exponent=0.5, noise=0.01, floor_of=shift),
        evaluate_every=1,
        keep_intervals=False,
        callbacks=[heard],
    )
    return done, heard.best


def deadline(way: str, *, shards: int = 1, is_scaled: bool = False):
    """Return the figures of the search with a deadline, as means over seeds."""
    cut, losses = zip(
        *[searched(seed, shards=shards, is_scaled=is_scaled, is_cut=True) for seed in DEADLINE_SEEDS], strict=True
    )
    whole = [searched(seed, shards=shards, is_scaled=is_scaled, is_cut=False)[0] for seed in DEADLINE_SEEDS]
    return {
        "study": f"deadline {DEADLINE_S:.0f} s",
        "shards": shards,
        "efficiency": 0.85 if shards > 1 else None,
        "start_s": 2.0,
        "release_s": None,
        "makespan_h": None,
        "longest_h": None,
        "target_h": None,
        "paper_h": None,
        "device_h": round(statistics.mean(each.device_hours for each in cut), 2),
        "reserved_h": round(statistics.mean(each.reserved_s for each in cut) / 3600, 2),
        "starts": round(statistics.mean(each.starts for each in cut)),
        "way": way,
        "loss": round(statistics.mean(losses), 4),
        "to_end_s": round(statistics.mean(each.makespan_s for each in whole)),
    }


def main():
    """Print and keep."""
    rows = [sha(shards, 0.85, start_s) for start_s in (0.0, START_S) for shards in (1, 2, 4, 8)]
    rows += [sha(PER_NODE, efficiency, 0.0) for efficiency in (0.7, 0.5)]
    rows += [sha(shards, 0.85, START_S, 600.0) for shards in (1, PER_NODE)]
    rows.append(deadline("each trial in one slot"))
    rows.append(deadline("elastic", shards=DEADLINE_SLOTS))
    rows.append(deadline("surrogates in lanes", is_scaled=True))
    seeds = f"0 to {SEEDS[-1]} of SHA, 0 to {DEADLINE_SEEDS[-1]} of the deadline"
    write_report("elastic", rows, "Studies whose leaders have more slots, simulated", seeds=seeds)


if __name__ == "__main__":
    main()
