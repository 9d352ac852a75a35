"""A trace of jobs on a cluster in virtual time, with and without each part of Hydro's Coordinator.

What decides is hippo's own: runtime, scheduler, speeds that are learned, widths of gangs. What is simulated is devices,
and a queue of jobs for clusters that hand out whole reservations.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

from jobs_trace import EPOCH_S, JOB_DEVICES, Arriving, Device, Job

from hippo.runtime.timing.slot_speeds import SlotSpeeds
from hippo.simulation import SimulatedWorkload, simulate
from hippo.simulation.engine import SimulatedEngine

#: for a lane to begin with a state that its worker does not hold
START_S = 5.0
#: into how many parts a step may be cut, and what of each device beside the first is of use
SHARDS, EFFICIENCY = 4, 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What of the Coordinator is on."""

    #: trials in the gaps of large models
    gaps: bool
    #: fast devices for long chains
    mixed: bool
    #: leaders on several devices
    elastic: bool
    #: what a job cannot use goes to others at once; else it holds what it asked for until its end
    release: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How long a trace took."""

    makespan_s: float
    #: from each job's arrival to its end
    completion_s: tuple[float, ...]
    device_s: float


def run(jobs: Sequence[Job], devices: Sequence[Device], parts: Parts) -> Outcome:
    """Return what becomes of a trace."""
    usable = [device for device in devices if parts.gaps or not device.is_gap]
    return _together(jobs, usable, parts) if parts.release else _reserved(jobs, usable, parts)


def _together(jobs: Sequence[Job], devices: Sequence[Device], parts: Parts) -> Outcome:
    """All jobs share all devices, stage by stage."""
    ended: dict[str, float] = {}
    simulated = _simulate([(job.name, job.tuner, job.at_s) for job in jobs], devices, parts, ended)
    return Outcome(
        makespan_s=max(ended.values()),
        completion_s=tuple(ended[job.name] - job.at_s for job in jobs),
        device_s=simulated.device_seconds,
    )


def _reserved(jobs: Sequence[Job], devices: Sequence[Device], parts: Parts) -> Outcome:
    """Jobs wait in a queue for as many devices as they ask for, and hold them until they have ended."""
    whole = [device for device in devices if not device.is_gap]
    spare = [device for device in devices if device.is_gap]
    shares = max(1, len(whole) // JOB_DEVICES)  # so many jobs at once, each with its part of the gaps
    free = [[*whole[n::shares], *spare[n::shares]] for n in range(shares)]
    running: list[tuple[float, int]] = []
    held: dict[int, list[Device]] = {}
    ends: list[float] = []
    completion: list[float] = []
    device_s = 0.0
    for number, job in enumerate(jobs):
        now = job.at_s
        while not free or (running and running[0][0] <= now):
            ended_s, other = heapq.heappop(running)
            now = max(now, ended_s)
            free.append(held.pop(other))
        held[number] = free.pop(0)
        ended: dict[str, float] = {}
        simulated = _simulate([(job.name, job.tuner, 0.0)], held[number], parts, ended)
        heapq.heappush(running, (now + ended[job.name], number))
        ends.append(now + ended[job.name])
        completion.append(ends[-1] - job.at_s)
        device_s += simulated.device_seconds
    return Outcome(makespan_s=max(ends), completion_s=tuple(completion), device_s=device_s)


def _simulate(
    tuners: Sequence[tuple[str, Any, float]], devices: Sequence[Device], parts: Parts, ended: dict[str, float]
) -> Any:
    """Simulate tuners at once, and note when each has ended."""
    shards = SHARDS if parts.elastic else 1
    workload = SimulatedWorkload(
        seconds_per_step={"model": EPOCH_S}, start_s=START_S, shards=shards, shard_efficiency=EFFICIENCY
    )
    with _engines() as engines, _speeds(seen=parts.mixed):
        return simulate(
            [(name, _Ending(tuner, at_s, name, engines, ended)) for name, tuner, at_s in tuners],
            workload,
            slots=[device.speed for device in devices],
            slots_per_node=[len(list(those)) for _, those in itertools.groupby(devices, lambda device: device.node)],
            keep_intervals=False,
            keep_facts=False,
        )


@dataclass
class _Ending(Arriving):
    """Notes when its tuner has ended."""

    name: str
    engines: list[SimulatedEngine]
    ended: dict[str, float]

    async def tune(self, ask: Any) -> Any:
        found = await super().tune(ask)
        self.ended[self.name] = self.engines[-1].clock.elapsed()
        return found


@contextlib.contextmanager
def _engines() -> Iterator[list[SimulatedEngine]]:
    """Have the engines that simulations make: their clocks are asked what time it is."""
    made: list[SimulatedEngine] = []

    class Seen(SimulatedEngine):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            made.append(self)

    with mock.patch("hippo.simulation.simulate.SimulatedEngine", Seen):
        yield made


@contextlib.contextmanager
def _speeds(*, seen: bool) -> Iterator[None]:
    if seen:
        yield
        return
    with mock.patch.object(SlotSpeeds, "differ", False):
        yield
