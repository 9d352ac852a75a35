"""What simulated training costs: seconds of steps, starts, loads, saves and evaluations, and how often workers die."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from hippo.arguments import explain_calls
from hippo.errors import SimulationError
from hippo.hparams import Value
from hippo.records import Fusion
from hippo.scale import TARGET, Scale, surrogate_scale
from hippo.simulation.paths import Segment


class Pace(Protocol):
    """Seconds per step that depend on the path, as `hippo.simulation.Replay` knows them."""

    def step_seconds(self, segment: Segment, step: int) -> float:
        """Return the seconds of the step from `step` to `step` + 1."""


#: seconds per step: a number; by the values of hyper-parameters, {"batch_size": {128: 94.3, 256: 80.0}} (where several
#: names are given their seconds add up); a function of the values in force; or a `Pace`
Seconds = float | Mapping[str, Mapping[Any, float]] | Callable[[Mapping[str, Value]], float] | Pace


#: numbers of lanes that are compared with a lane by itself when it is decided whether they are walked as one
_LANES_TRIED = (4, 16)
#: more than this part of its time each would still take
_WORTH = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedWorkload:
    """What it costs to train, in seconds of one slot of speed 1."""

    #: of one step of training
    seconds_per_step: Seconds
    #: for a worker process to begin, once for each, before its first work
    worker_start_s: float = 0.0
    #: for a lane to begin with a state that its worker does not hold: a new one, or one that it must load
    start_s: float = 0.0
    #: to load a checkpoint, on top of `start_s`
    load_s: float = 0.0
    #: to write a checkpoint
    save_s: float = 0.0
    #: of one evaluation
    evaluate_s: float = 0.0
    #: of each comparison of steps that are run a second time, which is passed
    check_s: float = 0.0
    #: how many states each worker keeps in memory
    resident_states: int = 2
    checkpoint_bytes: int = 0
    #: (a, b): a step of F lanes that are walked as one takes as long as a + b F steps of a lane by itself. None: they
    #: are walked one by one
    fused: tuple[float, float] | None = None
    #: into how many equal parts a step can be cut, each of which a slot of the same node takes: a power of two
    shards: int = 1
    #: of each slot beside the first that walks a lane, the part that is of use: with 0.85, two are 1.85 times as fast
    shard_efficiency: float = 0.85
    #: scale, as a number, as it is written or as a `hippo.Scale` -> what part of the target's seconds a step, or an
    #: evaluation, of its surrogates takes
    scale_costs: Mapping[int | str | Scale, float] = field(default_factory=dict)
    #: how often a worker is lost, per hour that it works
    losses_per_device_hour: float = 0.0
    #: further losses: (seconds since the beginning, number of the slot), whether it works then or not
    losses_at: tuple[tuple[float, int], ...] = ()
    #: until a slot that was lost is there again
    restart_s: float = 60.0
    #: a worker that is lost was only out of reach: unseen, it goes on with its work, and what it tells of that comes
    #: late, when another worker may have told the same. Its slot is not held meanwhile
    late_results: bool = False

    def __post_init__(self) -> None:
        _check_kinds(self)
        names = ("worker_start_s", "start_s", "load_s", "save_s", "evaluate_s", "check_s", "resident_states")
        for name in (*names, "checkpoint_bytes", "losses_per_device_hour", "restart_s"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and 0 <= value < math.inf):
                raise SimulationError(f"{name} must be a number that is finite and not below zero, not {value!r}")
        if isinstance(self.seconds_per_step, int | float):
            _checked(self.seconds_per_step, "seconds_per_step")
        _check_shards(self.shards, self.shard_efficiency)
        object.__setattr__(self, "scale_costs", _named_scales(self.scale_costs))

    def speedup(self, width: int) -> float:
        """Return how many times as fast so many slots walk a lane together as one does."""
        return 1.0 + self.shard_efficiency * (width - 1)

    def cost_at(self, scale: str) -> float:
        """Return what part of the target's seconds a step takes at a scale.

        Raises:
          SimulationError: nobody said.
        """
        if scale == str(TARGET):
            return 1.0
        if scale not in self.scale_costs:
            raise SimulationError(
                f"what does a step of surrogates at scale {scale} take? Say which part of the target's seconds: "
                f"SimulatedWorkload(scale_costs={{{scale!r}: 0.1}})"
            )
        return self.scale_costs[scale]

    def slowdown(self, lanes: int) -> float:
        """Return how many steps of a lane by itself a step of so many takes that are walked as one."""
        assert self.fused is not None, "lanes are walked one by one"
        fixed, per_lane = self.fused
        return fixed + per_lane * lanes

    @property
    def fusion(self) -> Fusion:
        """Whether lanes are walked as one: if that saves some, or many, a tenth of their time."""
        if self.fused is None:
            return Fusion(is_fused=False, detail="this simulated workload has no fused=(a, b)")
        if all(self.slowdown(lanes) > _WORTH * lanes for lanes in _LANES_TRIED):
            return Fusion(is_fused=False, detail=f"lanes save too little together: fused={self.fused!r}")
        return Fusion(is_fused=True)

    def steady_seconds(self, segment: Segment) -> float | None:
        """Return the seconds of each step of a segment if they are equal, else None."""
        seconds = self.seconds_per_step
        if isinstance(seconds, int | float):
            return float(seconds)
        if hasattr(seconds, "step_seconds"):
            return None
        names = seconds if isinstance(seconds, Mapping) else segment.pieces
        if any(segment.pieces[name].origin is not None for name in names if name in segment.pieces):
            return None
        return self.step_seconds(segment, segment.start)

    def step_seconds(self, segment: Segment, step: int) -> float:
        """Return the seconds of the step from `step` to `step` + 1 of a segment."""
        seconds = self.seconds_per_step
        if isinstance(seconds, int | float):
            return float(seconds)
        if isinstance(seconds, Mapping):
            return sum(_looked_up(name, table, segment, step) for name, table in seconds.items())
        if hasattr(seconds, "step_seconds"):
            return _checked(seconds.step_seconds(segment, step), "seconds_per_step")
        values = segment.values(step)
        try:
            found = seconds(values)
        except Exception as error:
            raise SimulationError(
                f"seconds_per_step is called with the values in force, {values}, and raised "
                f"{type(error).__name__}: {error}"
            ) from error
        return _checked(found, "seconds_per_step")


def _named_scales(costs: Any) -> dict[int | str | Scale, float]:
    """Return what surrogates cost by the names of their scales."""
    if not isinstance(costs, Mapping):
        raise SimulationError(f"scale_costs must be a mapping of scales to numbers, such as {{8: 0.1}}, not {costs!r}")
    named: dict[int | str | Scale, float] = {}
    for scale, cost in costs.items():
        name = scale if isinstance(scale, str) else str(surrogate_scale(scale))
        named[str(Scale.named(name))] = _checked(cost, f"scale_costs[{scale!r}]")
    return named


def _check_kinds(workload: SimulatedWorkload) -> None:
    seconds = workload.seconds_per_step
    is_table = isinstance(seconds, Mapping) and seconds and all(isinstance(row, Mapping) for row in seconds.values())
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_table or is_number or callable(seconds) or hasattr(seconds, "step_seconds")):
        raise SimulationError(
            "seconds_per_step must be a number, a table such as {'batch_size': {128: 94.3, 256: 80.0}}, or a function "
            f"of the values in force, not {seconds!r}"
        )
    for name in ("resident_states", "checkpoint_bytes"):
        if type(getattr(workload, name)) is not int:
            raise SimulationError(f"{name} must be a whole number, not {getattr(workload, name)!r}")
    if not isinstance(workload.late_results, bool):
        raise SimulationError(f"late_results must be True or False, not {workload.late_results!r}")
    _check_fused(workload.fused)
    losses: Any = workload.losses_at
    if not isinstance(losses, tuple | list) or not all(map(_is_loss, losses)):
        raise SimulationError(f"losses_at must be pairs (seconds, number of the slot), not {losses!r}")


def _check_fused(fused: Any) -> None:
    if fused is None:
        return
    is_pair = isinstance(fused, tuple | list) and len(fused) == 2
    if not is_pair or not all(type(each) in (int, float) and 0 <= each < math.inf for each in fused) or not sum(fused):
        raise SimulationError(
            f"fused={fused!r}: it must be two numbers (a, b), none below zero and one above, where a step of F lanes "
            "takes as long as a + b F steps of one"
        )


def _is_loss(pair: Any) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    seconds, slot = pair
    return isinstance(seconds, int | float) and 0 <= seconds < math.inf and type(slot) is int and slot >= 0


def _looked_up(name: str, table: Mapping[Any, float], segment: Segment, step: int) -> float:
    if name not in segment.pieces:
        raise SimulationError(f"seconds_per_step goes by {name!r}, and a config has only {sorted(segment.pieces)}")
    value = segment.pieces[name].at(step)
    if value not in table:
        raise SimulationError(f"seconds_per_step has no seconds for {name}={value!r}; it has {sorted(table)}")
    return _checked(table[value], f"seconds_per_step[{name!r}]")


def _checked(seconds: Any, what: str) -> float:
    if not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
        raise SimulationError(f"{what} must be a number above zero, not {seconds!r}: virtual time would stand still")
    return float(seconds)


def _check_shards(shards: Any, efficiency: Any) -> None:
    """Refuse numbers of shards that a step cannot be cut into.

    Raises:
      SimulationError: `shards` is no power of two, or `shard_efficiency` no part.
    """
    if type(shards) is not int or shards < 1 or shards.bit_count() != 1:
        raise SimulationError(f"shards={shards!r}: a step is cut into 1, 2, 4, 8 ... equal parts")
    if isinstance(efficiency, bool) or not isinstance(efficiency, int | float) or not 0.0 <= efficiency <= 1.0:
        raise SimulationError(
            f"shard_efficiency={efficiency!r} must be between 0, further slots are of no use, and 1, all of each is"
        )


SimulatedWorkload.__init__ = explain_calls(  # type: ignore[method-assign]
    seconds="it is called seconds_per_step here", step_s="it is called seconds_per_step here"
)(SimulatedWorkload.__init__)
