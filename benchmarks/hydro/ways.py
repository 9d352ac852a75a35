"""A search, run in several ways: trial by trial, with shared stages, with fused lanes, narrower, and all of it.

Each run is a process of its own, of which CPU-seconds are counted from its start to its end, imports included; one
slot, one thread. It knows nothing of what is compared with what.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hippo
from process_cpu import measure
from provenance import parts_loaded

MARK = "RESULT "
#: of the shorter of two runs through which a line is laid
FEWEST = 2
SCALE = 8
Configs = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to run a search."""

    sharing: bool = False
    numerics: str = "exact"
    #: searches on surrogates, and trains the target with the best
    is_narrow: bool = False
    #: with how many of the best
    top: int = 1


WAYS = {
    "trial by trial": Way(),
    "staged": Way(sharing=True),
    "fused": Way(numerics="fused"),
    "scaled": Way(is_narrow=True),
    "scaled and fused": Way(is_narrow=True, numerics="fused"),
    "scaled and fused, best 20": Way(is_narrow=True, numerics="fused", top=20),
    "all": Way(sharing=True, numerics="fused", is_narrow=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is searched."""

    trainer: type
    trainer_args: Mapping[str, Any]
    #: draws so many configs with a seed
    draw: Callable[[int, int], Configs]
    #: makes the tuner of configs
    tuner: Callable[[Configs], Any]
    num_trials: int
    metric: str = "val_loss"
    mode: str = "min"
    #: metrics are taken every so many steps, and where they are asked for
    evaluate_every: int = 1
    max_lanes: int = 64


def run_search(search: Search, way: Way, seed: int, num_trials: int) -> dict[str, Any]:
    """Run a search in this process; return what it came to, and what it did."""
    configs = search.draw(num_trials, seed)
    tuner = search.tuner(configs)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*below 32")
        study = hippo.create_study(
            "search",
            trainer=search.trainer,
            trainer_args=dict(search.trainer_args),
            storage=f"sqlite:///{Path(folder) / 'hippo.db'}",
            checkpoints=str(Path(folder) / "checkpoints"),
            engine=hippo.InlineEngine(max_lanes=search.max_lanes),
            metric=search.metric,
            mode=search.mode,
            seed=seed,
            numerics=way.numerics,
            sharing=way.sharing,
            evaluate_every=search.evaluate_every,
            nan="worst",
        )
        study.optimize(hippo.Surrogate(tuner, SCALE, eager_transfer=None, top=way.top) if way.is_narrow else tuner)
        counted, best = study.statistics(), study.best_trial
        found = {
            "best": best.value,
            "config": {name: repr(value) for name, value in best.params.items()},
            "steps_asked": counted.steps_asked,
            "steps_executed": counted.steps_executed,
            "mean_lanes": counted.mean_lanes,
            "lane_steps_fused": counted.lane_steps_fused,
        }
        study.close()
    return found | {"trials": num_trials, "parts": sorted(parts_loaded())}


def measured(script: Path, name: str, way: str, seed: int, num_trials: int) -> dict[str, Any]:
    """Have a script run one way in a process of its own, and count its CPU-seconds."""
    found = measure([sys.executable, str(script), "--one", name, way, str(seed), str(num_trials)])
    (line,) = [line for line in found.output.splitlines() if line.startswith(MARK)]
    run = {**json.loads(line.removeprefix(MARK)), "cpu_s": found.cpu_s, "wall_s": found.wall_s}
    print(f"{name}, {way}, seed {seed}, {num_trials} trials: {found.cpu_s:.1f} CPU-s", file=sys.stderr, flush=True)
    return run


def scaled_up(few: Mapping[str, Any], some: Mapping[str, Any], num_trials: int) -> dict[str, Any]:
    """Return what so many trials would take, on the line through two runs of fewer; their best is nobody's."""
    times = (num_trials - few["trials"]) / (some["trials"] - few["trials"])
    along = ("cpu_s", "wall_s", "steps_asked", "steps_executed")
    return {**some, **{name: few[name] + times * (some[name] - few[name]) for name in along}, "best": None}
