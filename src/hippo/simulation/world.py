"""What identifies a simulation, as JSON values: equal ones come to equal facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from hippo.errors import SimulationError
from hippo.schedulers import AbstractScheduler
from hippo.tuners.tuner import record_of

if TYPE_CHECKING:
    from hippo.simulation.engine import SimulatedEngine


def describe_world(
    pairs: Sequence[tuple[str, Any]],
    engine: SimulatedEngine,
    *,
    scheduler: AbstractScheduler | None,
    seed: int,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Return all that decides about a simulation's facts."""
    return {
        "studies": [[name, record_of(tuner)] for name, tuner in pairs],
        "workload": _described_workload(engine),
        "curve": _described(engine.curve, "curve"),
        "speeds": list(engine.speeds),
        "scheduler": None if scheduler is None else _described(scheduler, "scheduler"),
        "seed": seed,
        "settings": _described(settings, "settings"),
    }


def _described_workload(engine: SimulatedEngine) -> Any:
    described = _described(engine.workload, "workload")
    if not engine.workload.scale_costs:
        del described["scale_costs"]  # worlds that were recorded before there were surrogates are known again
    if engine.workload.shards == 1:
        del described["shards"], described["shard_efficiency"]  # likewise: before several slots walked a lane
    else:
        described["nodes"] = list(engine.nodes)
    if engine.workload.fused is None:
        del described["fused"]  # likewise: before lanes could be walked as one
    else:
        described["max_lanes"] = engine.max_lanes
    return described


def _described(value: Any, what: str) -> Any:
    """Return a JSON value that is equal for equal values.

    Raises:
      SimulationError: it cannot be told from another one in the next process.
    """
    if value is None or isinstance(value, str | int | float | bool):
        return value if not isinstance(value, float) else repr(value)
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value) and not isinstance(value, type):
        by_name = {f.name: _described(getattr(value, f.name), f"{what}.{f.name}") for f in fields(value)}
        return {"kind": type(value).__qualname__, **by_name}
    if isinstance(value, Mapping):
        return {repr(key): _described(item, f"{what}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_described(item, f"{what}[{number}]") for number, item in enumerate(value)]
    if callable(value) and hasattr(value, "__code__"):
        return _described_function(value, what)
    text = repr(value)
    if " at 0x" in text:
        if not getattr(value, "__dict__", None):
            return type(value).__qualname__
        raise SimulationError(
            f"{what} is {text}, which is another one in each process, so that a simulation run again would not be "
            "recognised; make it a dataclass, or give it a repr"
        )
    return text


def _described_function(function: Any, what: str) -> dict[str, Any]:
    from hippo.hparams.code_forms import function_form

    captured = [cell.cell_contents for cell in function.__closure__ or ()]
    return {
        "function": function.__qualname__,
        "code": function_form(function),
        "defaults": _described(function.__defaults__, f"{what}'s defaults"),
        "captured": _described(captured, f"what {what} captures"),
    }
