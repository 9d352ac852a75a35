"""Seconds per step, learned as steps are run (Hippo, section 4.3, profiles beforehand; we never do)."""

from __future__ import annotations

from collections.abc import Mapping

from hippo.hparams import Piece

#: what decides the cost of a step: values that change shapes
ShapeKey = tuple[tuple[str, str], ...]


def shape_key(pieces: Mapping[str, Piece], step: int) -> ShapeKey:
    """Return the values that may change the cost of a step: integers, strings and the like, but no floats.

    Batch sizes, image sizes, numbers of layers and names of optimizers are such; learning rates are not.
    """
    values = ((name, pieces[name].at(step)) for name in sorted(pieces))
    return tuple((name, repr(value)) for name, value in values if not isinstance(value, float))


class StepCosts:
    """Running means of seconds per step by shape, and over all shapes for those never seen."""

    def __init__(self) -> None:
        self._sums: dict[ShapeKey, tuple[float, int]] = {}
        self._all = (0.0, 0)
        self._used: dict[ShapeKey, float] = {}
        self._used_overall = 1.0

    def learn(self, key: ShapeKey, seconds: float) -> bool:
        """Take one step's seconds into account; return whether estimates changed enough to be worth using."""
        total, count = self._sums.get(key, (0.0, 0))
        self._sums[key] = (total + seconds, count + 1)
        self._all = (self._all[0] + seconds, self._all[1] + 1)
        mean = (total + seconds) / (count + 1)
        return not 0.8 < self._used.get(key, 0.0) / max(mean, 1e-12) < 1.25

    def use(self) -> None:
        """From now on let `estimate` go by what was learned so far."""
        self._used = {key: total / count for key, (total, count) in self._sums.items()}
        self._used_overall = self._all[0] / self._all[1] if self._all[1] else 1.0

    def estimate(self, key: ShapeKey) -> float:
        """Return the seconds that a step of this shape is expected to take."""
        return self._used.get(key, self._used_overall)
