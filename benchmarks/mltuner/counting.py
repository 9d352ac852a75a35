"""How much was trained until a model was good enough: what all sides of a comparison have in common.

Counted where it happens, in the trainer: every step that is trained, whoever asked for it, branches, probes, checks of
exactness and repeated steps among them, and every evaluation. So no side can be forgotten anything.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Count:
    """What one study has trained so far, and when its best model was good enough.

    Args:
      target: of the accuracy.
      most_steps: after so many it is given up.
      stop: called once when either is reached; None: it goes on.
    """

    target: float = math.inf
    most_steps: float = math.inf
    stop: Callable[[], None] | None = None
    steps: int = 0
    #: steps trained until a model reached the target, infinite as long as none has, and this thread's CPU-seconds
    steps_to_target: float = math.inf
    cpu_to_target_s: float = math.inf
    #: steps trained until then, and accuracy, of each evaluation
    checks: list[tuple[int, float]] = field(default_factory=list)
    _began_s: float = field(default_factory=time.process_time)

    @property
    def best(self) -> float:
        """The best accuracy that was seen."""
        return max((accuracy for _, accuracy in self.checks), default=0.0)

    def note_step(self) -> None:
        """Count a step that was trained."""
        self.steps += 1
        if self.steps >= self.most_steps:
            self._end()

    def note_check(self, accuracy: float) -> None:
        """Note an evaluation."""
        self.checks.append((self.steps, accuracy))
        if accuracy >= self.target and math.isinf(self.steps_to_target):
            self.steps_to_target = self.steps
            self.cpu_to_target_s = time.process_time() - self._began_s
            self._end()

    def _end(self) -> None:
        if self.stop is not None:
            stop, self.stop = self.stop, None
            stop()


#: of the study that runs: one at a time, in this process
_running = Count()


def begin(count: Count) -> Count:
    """Count for this one from now on."""
    global _running
    _running = count
    return count


def running() -> Count:
    """Return what is counted for."""
    return _running
