"""A day of a cluster: large models that train in pipelines, and tuning jobs that come while they do.

In kind as in section 6.5 of Hydro's paper (Hu et al., OSDI 2023): 32 devices, half of them of half the speed, most of
them held by large models; twenty tuning jobs, whose arrivals are drawn within an hour. The paper samples its jobs from
its Table 3 and does not say which; spaces are Table 2's, rungs section 6.3's, and the sizes here are ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hydro"))

from published_hydro import ASHA_RUNGS, BATCH_SIZES

import hippo
from hippo.tuners import Ask
from hippo.tuners.limits import LimitReached
from hippo.tuners.tuner import record_of

#: seconds of an epoch of a trial on a fast device, alone: ours, a factor of four between small and middle-sized models
EPOCH_S = {"VGG-11": 15.0, "Transformer": 20.0, "ResNet-18": 30.0, "MobileNetV3": 60.0}
#: configs that a job draws
NUM_TRIALS = (30, 60, 120)
LAST_EPOCH = 81
ARRIVALS_S = 3600.0
#: devices that a job asks for, as many as half of the paper's jobs have
JOB_DEVICES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that tuning jobs may hold."""

    #: 1: one that no large model holds, of the faster kind
    speed: float
    #: devices of one node may work together; the gaps of a large model's are each for itself
    node: str
    is_gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A large model that trains for longer than the trace: as many replicas of a pipeline as it has devices for."""

    devices: int
    speed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A tuning job."""

    name: str
    model: str
    at_s: float
    tuner: Any


@dataclass
class Arriving(hippo.Tuner):
    """Lets a tuner begin after so many seconds, and notes when it ended.

    Args:
      tuner: any.
      at_s: when it begins, in virtual seconds.
    """

    tuner: Any
    at_s: float

    def record(self) -> dict[str, Any]:
        return {"tuner": "Arriving", "at_s": self.at_s, "of": record_of(self.tuner)}

    async def tune(self, ask: Ask) -> Any:
        if self.at_s:
            await _wait(ask, self.at_s)
        return await self.tuner.tune(ask)


async def _wait(ask: Ask, seconds: float) -> None:
    import asyncio

    try:
        async with ask.limited(seconds=seconds):
            await asyncio.get_running_loop().create_future()
    except LimitReached:
        return


def jobs(count: int, seed: int) -> list[Job]:
    """Return jobs in the order in which they come, the first at once."""
    chance = np.random.default_rng(seed)
    arrivals = np.sort(chance.uniform(0.0, ARRIVALS_S, count))
    arrivals -= arrivals[0]
    return [_job(number, float(at_s), chance) for number, at_s in enumerate(arrivals)]


def _job(number: int, at_s: float, chance: np.random.Generator) -> Job:
    model = str(chance.choice(sorted(EPOCH_S)))
    configs = _drawn(model, int(chance.choice(NUM_TRIALS)), chance)
    grace, reduction = ASHA_RUNGS
    tuner = hippo.ASHA(configs, grace, LAST_EPOCH, reduction, num_trials=len(configs))
    return Job(name=f"job-{number}", model=model, at_s=at_s, tuner=tuner)


def _drawn(model: str, count: int, chance: np.random.Generator) -> list[dict[str, Any]]:
    """Return configs of a space of Table 2, each with the model that its steps are of."""
    least, greatest = (-5, -1) if model == "Transformer" else (-4, 0)
    found: list[dict[str, Any]] = []
    for _ in range(count):
        rate = float(f"{10.0 ** chance.uniform(least, greatest):.3g}")
        config: dict[str, Any] = {
            "model": model,
            "lr": hippo.Step(rate, 30, round(float(chance.uniform(0.01, 0.9)), 2)),
        }
        if model != "Transformer":
            config |= {
                "batch_size": int(chance.choice(BATCH_SIZES)),
                "momentum": round(float(chance.uniform(0.5, 0.999)), 3),
            }
        found.append(config)
    return found


def exclusive(fast: int, slow: int, slow_speed: float, per_node: int) -> list[Device]:
    """Return devices that no large model holds, slow and fast in turns: nobody knows which is which by its place."""
    kinds = [("slow", slow_speed)] * slow + [("fast", 1.0)] * fast
    counted: dict[str, int] = {}
    devices = []
    for kind, speed in kinds:
        number = counted[kind] = counted.get(kind, -1) + 1
        devices.append(Device(speed=speed, node=f"{kind}-{number // per_node}"))
    return devices


def gaps(pipelines: Sequence[Pipeline], share: float) -> list[Device]:
    """Return the gaps of large models as devices that are as much slower as gaps are rarer.

    Args:
      share: what a fused trial gets done in the gaps of a device, by what it gets done when it has it for itself.
    """
    return [
        Device(speed=pipeline.speed * share, node=f"gap-{place}-{number}", is_gap=True)
        for place, pipeline in enumerate(pipelines)
        for number in range(pipeline.devices)
    ]
