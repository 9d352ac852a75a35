"""What something costs the training beside it, by windows of one long training with it and without.

A study trains in a process of its own and notes when each of its steps ended. What a window costs is compared with the
windows just before and just after it, in the same process: a machine whose speed drifts does so in all of them.
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import hippo

#: rounds of a step, of about half a millisecond each
_ROUNDS = 25
#: steps of a trial, and those that the figures are for
_UNTIL, STEPS = 50, 100
#: until a study trains that was just begun
_BEGINS_S = 15.0
#: when each step of this process ended, in seconds of the machine's clock
_ends: list[float] = []


class Numbers(hippo.Trainer):
    """Multiplies matrices for a while in each step."""

    def build(self) -> None:
        import numpy as np

        self.matrix = np.eye(300) * 0.999 * self.hp["scale"]

    def train(self) -> dict[str, float]:
        for _ in range(_ROUNDS):
            self.matrix = self.matrix @ self.matrix.T
        _ends.append(time.monotonic())
        return {}

    def evaluate(self) -> dict[str, float]:
        return {"loss": float(self.matrix.sum())}

    def state_dict(self) -> dict[str, Any]:
        return {"matrix": self.matrix}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.matrix = state["matrix"]


def train(url: str, states: str) -> list[float]:
    """Train a grid until standard input says a line, and return when each step ended."""
    import windows  # by which name trainers are loaded, while this module is __main__

    study: Any = hippo.create_study(
        "beside", trainer=windows.Numbers, storage=url, checkpoints=states, engine=hippo.InlineEngine(),
        metric="loss", mode="min", checkpoint_budget=None, environment="new",
    )  # fmt: skip

    def stop_when_told() -> None:
        sys.stdin.readline()
        study.stop()

    threading.Thread(target=stop_when_told, daemon=True).start()
    study.optimize(hippo.GridSearch([{"scale": 1 - i / 1e6} for i in range(10_000)], until=_UNTIL))
    return windows._ends


def seconds_of(url: str, states: str, windows: Sequence[Callable[[], object]]) -> list[float]:
    """Train while one window after the other passes, and return the seconds of a hundred steps in each.

    Args:
      url: of the database.
      states: where states are kept.
      windows: each returns when it is over.

    Raises:
      RuntimeError: the training ended before the windows did, or badly.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, os.path.abspath(__file__), url, states]
    training = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    time.sleep(_BEGINS_S)
    borders = [time.monotonic()]
    for window in windows:
        window()
        borders.append(time.monotonic())
    said, _ = training.communicate("end\n")
    ends: list[float] = json.loads(said.splitlines()[-1])
    if training.returncode or not ends[0] < borders[0] < borders[-1] < ends[-1]:
        raise RuntimeError("the training did not last through all windows")
    return [
        STEPS * (later - earlier) / (_steps_until(later, ends) - _steps_until(earlier, ends))
        for earlier, later in itertools.pairwise(borders)
    ]


def _steps_until(moment: float, ends: Sequence[float]) -> float:
    """Return how many steps had ended, with that part of the next one that had passed."""
    after = bisect.bisect_right(ends, moment)
    return after + (moment - ends[after - 1]) / (ends[after] - ends[after - 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("states")
    arguments = parser.parse_args()
    print(json.dumps(train(arguments.url, arguments.states)))
