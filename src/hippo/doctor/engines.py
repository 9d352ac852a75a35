"""Tries of an engine: it opens its slots, and one of them walks two steps, writes a state and goes on from it."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from typing import Any

from hippo.checkpoints import open_checkpoints
from hippo.doctor.findings import ProbeStep, Told
from hippo.engines import AbstractEngine
from hippo.errors import CheckpointError, EngineError
from hippo.plan import CheckpointRow, PlanRow
from hippo.study import Study, create_study
from hippo.training import Trainer

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
    return [ProbeStep("walk", probe.walk)]


class _EngineProbe:
    """A study of one trial that is nobody's."""

    def __init__(self, engine: AbstractEngine, checkpoints: str | None) -> None:
        self._engine = engine
        self._checkpoints = checkpoints
        self._name = f"probe-{secrets.token_hex(8)}"

    def walk(self) -> Told:
        """Do all in one go: whatever fails, what was written is removed."""
        with contextlib.ExitStack() as stack:
            study = create_study(
                self._name,
                trainer=ProbeTrainer,
                storage=f"memory://{self._name}",
                checkpoints=self._place(stack),
                engine=self._engine,
                metric="steps",
                mode="max",
                keep="all",
                checkpoint_budget=None,
            )
            stack.callback(self._remove_states, study)
            stack.callback(study.close)
            return self._walked(study)

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
        shown = [f"{name} {environment[name]}" for name in _SHOWN if environment.get(name)]
        return Told(f"two steps, with a state between them; {', '.join(shown)}")
