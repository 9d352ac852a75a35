"""Tries of an engine: it opens its slots, and one of them walks two steps, writes a state and goes on from it.

Then it trains small networks, each by itself and all as one program, and what they come to is compared.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from hippo.checkpoints import open_checkpoints
from hippo.doctor.findings import ProbeStep, Told
from hippo.engines import AbstractEngine
from hippo.engines.hosted import HostedEngine
from hippo.errors import CheckpointError, EngineError
from hippo.plan import CheckpointRow, PlanRow
from hippo.records import Exactness
from hippo.study import Study, create_study
from hippo.training import Trainer
from hippo.training.process.environment import versions
from hippo.tuners import GridSearch

#: of networks: as many as one program begins with
_RATES = (0.1, 0.05, 0.02, 0.01)
_STEPS = 2
#: one update is a part in a million away, of which steps of a few batches make more
_MOST_APART = 1e-3
#: of what an environment says, what people look for
_SHOWN = ("device", "threads", "python", "torch")


class ProbeTrainer(Trainer):
    """Counts its steps; needs nothing that a worker might lack."""

    def build(self) -> None:
        self._steps = 0

    def train(self) -> Mapping[str, Any]:
        self._steps += self.hp["value"]
        return {}

    def evaluate(self) -> Mapping[str, Any]:
        return {"steps": self._steps}

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self._steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._steps = state["steps"]


def engine_steps(engine: AbstractEngine, checkpoints: str | None) -> list[ProbeStep]:
    """Return the tries of an engine.

    Args:
      engine: which; it is closed afterwards.
      checkpoints: folder or URL beneath which its workers write; None: a folder of this machine's.
    """
    probe = _EngineProbe(engine, checkpoints)
    nodes = [ProbeStep("nodes", lambda: _nodes_told(engine))] if isinstance(engine, HostedEngine) else []
    return [*nodes, ProbeStep("walk", probe.walk), ProbeStep("train", probe.train)]


def _nodes_told(engine: HostedEngine) -> Told:
    """Return how many nodes there are, and of which kinds.

    Raises:
      EngineError: one cannot be used; names it, and both versions where these differ.
    """
    looks, ours = engine.describe_nodes(), versions()
    for look in looks:
        if look.problem:
            raise EngineError(f"node {look.name}: {look.problem}")
        for name, version in ours.items():
            if look.versions.get(name) != version:
                there = look.versions.get(name)
                raise EngineError(f"{name} {version} here, and {name} {there} on node {look.name}: install one of them")
    kinds = Counter(", ".join(_shown(look.environment)) for look in looks)
    same = ", ".join(f"{name} {version}" for name, version in ours.items())
    parts = [f"{count} with {kind}" for kind, count in kinds.most_common()]
    few = "" if len(kinds) < 2 else "; a plan is trained on those of one kind"
    return Told(f"{len(looks)} node{'s'[: len(looks) != 1]} with {same}: {'; '.join(parts)}{few}")


def _shown(environment: Mapping[str, str]) -> list[str]:
    return [f"{name} {environment[name]}" for name in _SHOWN if environment.get(name)]


class _EngineProbe:
    """A study of one trial that is nobody's."""

    def __init__(self, engine: AbstractEngine, checkpoints: str | None) -> None:
        self._engine = engine
        self._checkpoints = checkpoints
        self._name = f"probe-{secrets.token_hex(8)}"

    def walk(self) -> Told:
        """Do all in one go: whatever fails, what was written is removed."""
        with self._study("walk", trainer=ProbeTrainer, metric="steps", mode="max") as study:
            return self._walked(study)

    def train(self) -> Told:
        """Train networks by themselves and as one program, and compare."""
        if importlib.util.find_spec("torch") is None:
            return Told("not tried: torch is not installed here")
        alone, checked, _ = self._trained("exact")
        if checked == Exactness.FAILED.value:
            raise EngineError(
                "two runs of the same step came to different bits, or going on from a state differed from never having "
                "stopped: no state can be shared on this device. `hippo check` says for a trainer what it is"
            )
        together, _, count = self._trained("fused")
        apart = [abs(one - other) / abs(one) for one, other in zip(alone, together, strict=True)]
        furthest = max(apart)
        if not all(each <= _MOST_APART for each in apart):  # and not `furthest`, which may hide a NaN
            raise EngineError(
                f"networks that were trained as one program came to losses that are {furthest:.1e} of the way from "
                f"those of each by itself ({together} and {alone}): use numerics='exact' on this device"
            )
        how = f"{count} steps as one program, {furthest:.0e} apart" if count else "none as one program: it does not pay"
        return Told(f"{len(alone)} networks, {_STEPS} steps each: by themselves ({checked} to resume exactly); {how}")

    def _trained(self, numerics: str) -> tuple[list[float], str, int]:
        """Return losses of networks, what the checks said, and how many steps were walked as one program."""
        from hippo.doctor.nets import ProbeNet

        with self._study(numerics, trainer=ProbeNet, metric="loss", mode="min", numerics=numerics) as study:
            for steps in (1, _STEPS) if numerics == "exact" else (_STEPS,):  # it goes on from its state
                study.optimize(GridSearch([{"lr": lr} for lr in _RATES], until=steps))
            ends = [(trial.params["lr"], trial.history[_STEPS]) for trial in study.trials if _STEPS in trial.history]
            losses = {lr: float(metrics["loss"]) for lr, metrics in ends}
            (plan,) = study._opened.store.rows(PlanRow)
            return [losses[lr] for lr in _RATES], plan.exactness, study.statistics().lane_steps_fused

    @contextlib.contextmanager
    def _study(self, name: str, **options: Any) -> Iterator[Study]:
        """Make a study that is nobody's, and remove what it wrote, whatever fails."""
        with contextlib.ExitStack() as stack:
            study = create_study(
                f"{self._name}-{name}",
                storage=f"memory://{self._name}-{name}",
                checkpoints=self._place(stack),
                engine=self._engine,
                keep="all",
                checkpoint_budget=None,
                **options,
            )
            stack.callback(self._remove_states, study)
            stack.callback(study.close)
            yield study

    def _place(self, stack: contextlib.ExitStack) -> str:
        if self._checkpoints is None and self._engine.trains_in_this_process:
            return "memory://"
        if self._checkpoints is None:
            return stack.enter_context(tempfile.TemporaryDirectory(prefix="hippo-probe-"))
        place = f"{self._checkpoints.rstrip('/')}/{self._name}"
        if "://" not in place:
            stack.callback(shutil.rmtree, place, ignore_errors=True)
        return place

    def _remove_states(self, study: Study) -> None:
        opened = study._opened
        store = open_checkpoints(json.loads(opened.row.settings)["checkpoints"])
        for row in opened.store.rows(CheckpointRow):
            with contextlib.suppress(CheckpointError):  # why it could not be written is what is told
                store.delete(row.key)

    def _walked(self, study: Study) -> Told:
        for steps in (1, 2):  # the second begins at the state that the first one left
            reached = study.evaluate({"value": 1}, until=steps)["steps"]
            if reached != steps:
                raise EngineError(
                    f"{type(self._engine).__name__} came to {reached:g} steps where {steps} were asked for"
                )
        environment = json.loads(study._opened.store.rows(PlanRow)[0].environment or "{}")
        return Told(f"two steps, with a state between them; {', '.join(_shown(environment))}")
