"""Trainers without torch, for tests: a few floats that evolve exactly, and misbehave where they are told to.

They import in milliseconds and train in microseconds, and can write a log of what ran where, which tests read back.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hippo.training.trainer import Trainer


class ToyTrainer(Trainer):
    """Rolls a ball down a noisy bowl: `weights` under `lr` and `momentum`, with chance from `random`.

    Other hyper-parameters are accepted and read, without effect. The loss after a step depends on every step before.

    Args:
      size: number of weights.
      sleep_s: how long each `train()` lasts.
      log: a file to which each `train()` appends a line "pid step values", in one atomic write.
      raise_in: the method that raises a ValueError ...
      raise_at: ... at this many steps done; -1: always. `__init__` knows no step.
      raise_if: ... but only where these values are in force, if any are given.
      nan_at: `evaluate()` returns NaN at this step.
      bad_metric: what `evaluate()` returns in the place of its loss, if not None.
      forget: a key that `state_dict()` leaves out.
      busy: `train()` never returns, without leaving Python code.
    """

    def __init__(
        self,
        size: int = 3,
        *,
        sleep_s: float = 0.0,
        log: str | None = None,
        raise_in: str | None = None,
        raise_at: int = -1,
        raise_if: Mapping[str, Any] | None = None,
        nan_at: int | None = None,
        bad_metric: Any = None,
        forget: str | None = None,
        busy: bool = False,
    ) -> None:
        self.size = size
        self.sleep_s = sleep_s
        self.log = log
        self.raise_in = raise_in
        self.raise_at = raise_at
        self.raise_if = dict(raise_if or {})
        self.nan_at = nan_at
        self.bad_metric = bad_metric
        self.forget = forget
        self.busy = busy
        self.steps = 0
        self._maybe_raise("__init__")

    def build(self) -> None:
        self.weights = [random.gauss(0.0, 1.0) for _ in range(self.size)]
        self.velocity = [0.0] * self.size
        self.steps = 0
        self._maybe_raise("build")

    def setup(self, hp: Mapping[str, Any]) -> None:
        self._maybe_raise("setup")
        for name in hp:
            hp[name]  # looked at, so that nobody is told that it never was

    def train(self) -> dict[str, float]:
        self._maybe_raise("train")
        if self.log is not None:
            append_line(self.log, f"{os.getpid()} {self.steps} {dict(self.hp)!r}")
        while self.busy:
            pass
        if self.sleep_s:
            threading.Event().wait(self.sleep_s)
        lr, momentum = float(self.hp.get("lr", 0.1)), float(self.hp.get("momentum", 0.0))
        for i, weight in enumerate(self.weights):
            slope = weight + random.gauss(0.0, 0.1)
            self.velocity[i] = momentum * self.velocity[i] + slope
            self.weights[i] -= lr * self.velocity[i]
        self.steps += 1
        return {"slope": sum(map(abs, self.velocity))}

    def evaluate(self) -> dict[str, Any]:
        self._maybe_raise("evaluate")
        if self.bad_metric is not None:
            return {"loss": self.bad_metric}
        if self.nan_at == self.steps:
            return {"loss": float("nan")}
        return {"loss": sum(weight * weight for weight in self.weights), "luck": random.random()}

    def state_dict(self) -> dict[str, Any]:
        self._maybe_raise("state_dict")
        state = {"weights": self.weights, "velocity": self.velocity, "steps": self.steps}
        return {key: value for key, value in state.items() if key != self.forget}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.steps = state.get("steps", self.steps)
        self._maybe_raise("load_state_dict")
        self.weights = state.get("weights", self.weights)
        self.velocity = state.get("velocity", self.velocity)

    def _maybe_raise(self, method: str) -> None:
        if self.raise_in != method or (self.raise_at not in (-1, self.steps)):
            return
        if all(self.hp.get(name) == value for name, value in self.raise_if.items()):
            raise ValueError(f"told to raise in {method} after {self.steps} steps")


def append_line(file: str | Path, line: str) -> None:
    """Append a line in one write, whole even when several processes append at once."""
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(handle, (line + "\n").encode())
    finally:
        os.close(handle)
