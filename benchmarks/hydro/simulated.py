"""Hydro's Tables 2 and 3, and its Figures 12 and 13, on the virtual clock: the paper's spaces and numbers of GPUs.

Real are hippo's control loop, plan, scheduler and tuners. Simulated are GPUs. Seconds of a step are functions of the
scale and of F lanes: `paper` follows what the paper prints of ResNet-18 on an A100, `here` what was measured of the
demo's net on a CPU thread (results/fusion.json). Losses are random walks: no config is better than another, so that
nothing is said of quality.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from published_hydro import ASHA_RUNGS, BATCH_SIZES, MOST_FUSED, PEAK_THROUGHPUT, TUNED, Tuned

import hippo
from hippo.simulation import SimulatedWorkload, simulate
from report import read

#: of a trial: the last rung of ASHA from 3 by 3. The paper does not print how long trials are
STEPS = 81
#: a target's step takes as long as this; ratios do not depend on it but through the starts
STEP_S, START_S = 300.0, 10.0
REDUCTION = ASHA_RUNGS[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds of a step of F lanes at a scale, by those of a target's: `narrow` (a + b F)."""

    source: str
    #: of a surrogate's step by itself
    narrow: float
    #: a and b of what F lanes take, by a surrogate's by itself
    fused: tuple[float, float]
    most_lanes: int


def paper_costs(ratio: int) -> Costs:
    """Return what the paper prints of ResNet-18: a narrow model by itself is hardly faster, and F at once are.

    "Hydro can only achieve very limited improvement over Ray if inter-trial fusion is disabled": taken as none.
    "Over 10 x" the throughput at S = 8, "peak throughput increases linearly along with S". Memory grows with F, so
    that the 676 models which fit at S = 8 are taken as growing with S as well.
    """
    per_lane = 8 / (PEAK_THROUGHPUT * ratio)
    return Costs(source="paper", narrow=1.0, fused=(1 - per_lane, per_lane), most_lanes=max(1, MOST_FUSED * ratio // 8))


def costs_here() -> Costs:
    """Return what was measured on a CPU thread of the demo's net, 24 channels wide and 3: a line through all F."""
    rows = [row for row in read("fusion")["rows"] if row["way"] == "fused"]
    wide = _alone_ms(rows, "digits 24, python")
    narrow = _alone_ms(rows, "digits 3, python")
    mine = [row for row in rows if row["model"] == "digits 3, python" and row["lanes"] > 1]
    slope, start = np.polyfit([row["lanes"] for row in mine], [row["ms"] / narrow for row in mine], 1)
    return Costs(source="here", narrow=narrow / wide, fused=(max(float(start), 0.0), float(slope)), most_lanes=64)


def _alone_ms(rows: Sequence[dict[str, Any]], model: str) -> float:
    """Return the mean of what a step of one lane takes by itself."""
    return float(np.mean([row["one_by_one_ms"] / row["lanes"] for row in rows if row["model"] == model]))


def drawn(tuned: Tuned, seed: int) -> list[dict[str, Any]]:
    """Return configs of the space of Table 2."""
    chance = np.random.default_rng(seed)
    least, quantum = (-5, 1e-5) if tuned.is_language else (-4, 1e-4)
    greatest = -1 if tuned.is_language else 0
    found = []
    for _ in range(tuned.num_trials):
        rate = max(quantum, round(10.0 ** chance.uniform(least, greatest) / quantum) * quantum)
        config: dict[str, Any] = {"lr": hippo.Step(rate, STEPS // 3, round(chance.uniform(0.01, 0.9), 2))}
        if not tuned.is_language:
            config |= {"batch_size": int(chance.choice(BATCH_SIZES))}
            if "MobileNet" not in tuned.model:  # "due to the incompatibility of Adam"
                config |= {"momentum": round(chance.uniform(0.5, 0.999), 3)}
        found.append(config)
    return found


def makespan_s(tuner: Any, slots: int, costs: Costs | None, ratio: int, *, fused: bool, sharing: bool = True) -> float:
    """Return how long a search takes; without `costs` on the target itself, each trial alone."""
    narrow = {} if costs is None else {ratio: costs.narrow}
    together = None if costs is None or not fused else costs.fused
    workload = SimulatedWorkload(seconds_per_step=STEP_S, start_s=START_S, scale_costs=narrow, fused=together)
    asked = tuner if costs is None else hippo.Surrogate(tuner, ratio)
    most = costs.most_lanes if costs is not None and fused else None
    found = simulate(asked, workload, slots=slots, lanes=most, sharing=sharing, keep_intervals=False)
    return float(found.makespan_s)


def times_distributed(tuner: Any, gpus: int, ratio: int) -> float:
    """Return how many times sooner a search of a model ends whose target takes all GPUs, and its surrogates one each.

    A target's step then takes 1 / GPUs as long, as if splitting it cost nothing, and trials run one after the other. A
    surrogate's is 1 / S^2 of a target's on one GPU: such models are large enough that floating-point operations count,
    of which Figure 3 says that. Lanes are not fused.
    """
    whole, narrow = (
        SimulatedWorkload(seconds_per_step=seconds, start_s=START_S) for seconds in (STEP_S, STEP_S / ratio**2)
    )
    alone = simulate(tuner, whole, slots=[float(gpus)], sharing=False, keep_intervals=False).makespan_s
    search = simulate(tuner, narrow, slots=gpus, keep_intervals=False).makespan_s
    return float(alone / (search + START_S + STEPS * STEP_S / gpus))


def tables(seed: int = 0) -> list[dict[str, Any]]:
    """Return Tables 2 and 3: how many times sooner each search ends."""
    rows = []
    for tuned in TUNED:
        configs = drawn(tuned, seed)
        for place, (table, tuner) in enumerate(
            (
                ("2, random", hippo.GridSearch(configs, until=STEPS)),
                ("3, ASHA", hippo.ASHA(configs, ASHA_RUNGS[0], STEPS, REDUCTION, num_trials=len(configs))),
            )
        ):
            row: dict[str, Any] = {
                "table": table,
                "model": tuned.model,
                "gpus": tuned.gpus[place],
                "trials": tuned.num_trials,
                "S": tuned.ratio,
                "paper": tuned.times[place],
                "paper_is_estimated": tuned.is_estimated,
            }
            if tuned.is_estimated:
                row |= {"times_paper": round(times_distributed(tuner, tuned.gpus[place], tuned.ratio), 1)}
                row |= {"times_here": None}
                rows.append(row)
                continue
            alone = makespan_s(tuner, tuned.gpus[place], None, tuned.ratio, fused=False, sharing=False)
            for costs in (paper_costs(tuned.ratio), costs_here()):
                took = makespan_s(tuner, tuned.gpus[place], costs, tuned.ratio, fused=True)
                row |= {f"times_{costs.source}": round(alone / took, 1)}
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    return rows


def ablation(seed: int = 0) -> list[dict[str, Any]]:
    """Return Figures 12 and 13 for ResNet-18: what scaling and lanes are worth apart, and what S is."""
    (tuned,) = (each for each in TUNED if each.model == "ResNet-18")
    configs = drawn(tuned, seed)
    tuner, slots = hippo.GridSearch(configs, until=STEPS), tuned.gpus[0]
    alone = makespan_s(tuner, slots, None, 8, fused=False, sharing=False)
    rows = [{"what": "trial by trial", "S": 1, "makespan_h": round(alone / 3600, 2), "times": 1.0, "peak": 1.0}]
    for ratio in (2, 4, 8, 16):
        costs = paper_costs(ratio)
        for fused in (False, True):
            took = makespan_s(tuner, slots, costs, ratio, fused=fused)
            rows.append(
                {
                    "what": "scaled and fused" if fused else "scaled",
                    "S": ratio,
                    "makespan_h": round(took / 3600, 2),
                    "times": round(alone / took, 1),
                    "peak": round(1 / costs.fused[1], 2) if fused else 1.0,
                }
            )
    return rows


def how() -> str:
    """Return in words what was simulated."""
    here = costs_here()
    return (
        f"simulated, {STEPS} steps of {STEP_S:.0f} s, {START_S:.0f} s for a start; times: makespan trial by trial by "
        f"that of surrogates in lanes, the winner's target trial included. paper: a step of F lanes at S takes "
        f"1 - b + b F, b = 0.8 / S; here: {here.narrow:.2f} ({here.fused[0]:.2f} + {here.fused[1]:.2f} F), measured"
    )
