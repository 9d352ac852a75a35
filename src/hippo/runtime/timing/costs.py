"""Seconds per step, learned as steps are run (Hippo, section 4.3, profiles beforehand; we never do)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hippo.hparams import Piece
from hippo.records import NodeId
from hippo.runtime.timing.lane_costs import FIRST_LANES, LaneCosts
from hippo.runtime.timing.width_costs import WidthCosts
from hippo.schedulers import LaneCost

#: what decides the cost of a step: values that change shapes
ShapeKey = tuple[tuple[str, str], ...]

#: an estimate in use that is off by more than this factor is worth replacing
_TOLERANCE = 1.25
#: steps that must have been learned, for each stage of a tree, before all its paths are measured anew
_STEPS_PER_STAGE = 0.1
#: of a shape that was walked lane by lane, when it is walked otherwise: as many steps are remembered
_STEPS_REMEMBERED = 10


def shape_key(pieces: Mapping[str, Piece], step: int) -> ShapeKey:
    """Return the values that may change the cost of a step: integers, strings and the like, but no floats.

    Nor lists of floats. Batch sizes, image sizes, numbers of layers and names of optimizers are such; learning rates
    and Adam's betas are not. A piece that has no value here counts as a shape of its own.
    """
    values = ((name, _value_at(pieces[name], step)) for name in sorted(pieces))
    return tuple((name, repr(value)) for name, value in values if not is_of_floats(value))


def is_of_floats(value: object) -> bool:
    """Tell whether a value is a float, or a list of nothing else."""
    if isinstance(value, float):  # most are
        return True
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, float) for item in value)


def _value_at(piece: Piece, step: int) -> object:
    """Return a piece's value, or the piece itself where it cannot be evaluated.

    A plan is read by everybody who trains on it. One recorded piece whose class is not to be had here, or whose code
    raises, must not keep them all out for the sake of an estimate.
    """
    try:
        return piece.at(step)
    except Exception:  # a user-made sequence may raise anything
        return piece


class StepCosts:
    """Running means of seconds per step by shape, and over all shapes for those never seen.

    Where lanes are walked as one, estimates are of a lane alone: chains of stages are compared by them, whatever
    company they will have.
    """

    def __init__(self) -> None:
        self._shapes: dict[NodeId, ShapeKey] = {}
        self._keys: dict[ShapeKey, ShapeKey] = {}
        self._sums: dict[ShapeKey, tuple[float, int]] = {}
        self._all = (0.0, 0)
        #: of shapes of which several lanes were walked as one
        self._lanes: dict[ShapeKey, LaneCosts] = {}
        #: what several slots make of it
        self._widths: WidthCosts[ShapeKey] = WidthCosts()
        #: device-seconds of lanes that had company; and what these had taken each by itself
        self._shared_s, self._apart_s = 0.0, 0.0
        self._used: dict[ShapeKey, float] = {}
        self._used_overall = 1.0
        self._is_off = False
        self._learned = 0

    def learn(self, node: NodeId, pieces: Mapping[str, Piece], start: int, seconds: float, *, lanes: int = 1) -> None:
        """Take the seconds of one step of a node into account.

        Args:
          node, pieces, start: which.
          seconds: of one lane: its share, if several were walked as one.
          lanes: how many were.
        """
        key = self._shape_of(node, pieces, start)
        mean = self._learn_alone(key, seconds) if lanes == 1 else self._learn_shared(key, seconds, lanes)
        used = self._used.get(key, self._used_overall)
        self._is_off |= not used / _TOLERANCE <= mean <= used * _TOLERANCE
        self._learned += 1

    def learn_steps(
        self, node: NodeId, pieces: Mapping[str, Piece], start: int, seconds: Sequence[float], *, lanes: int = 1
    ) -> None:
        """Take a run of steps of a node into account, as `learn` would one by one."""
        key = self._shape_of(node, pieces, start)
        if lanes > 1 or key in self._lanes:
            for each in seconds:
                self.learn(node, pieces, start, each, lanes=lanes)
            return
        used = self._used.get(key, self._used_overall)
        least, most = used / _TOLERANCE, used * _TOLERANCE
        total, count = self._sums.get(key, (0.0, 0))
        overall, steps = self._all
        for each in seconds:  # in their order: sums of floats go by it
            total, count, overall = total + each, count + 1, overall + each
            if not least <= total / count <= most:
                self._is_off = True
        self._sums[key], self._all = (total, count), (overall, steps + len(seconds))
        self._learned += len(seconds)

    def _learn_alone(self, key: ShapeKey, seconds: float) -> float:
        """Return the mean of all steps of a shape that were taken by a lane alone."""
        total, count = self._sums.get(key, (0.0, 0))
        self._sums[key] = (total + seconds, count + 1)
        self._all = (self._all[0] + seconds, self._all[1] + 1)
        if key in self._lanes:
            self._lanes[key].note(1, seconds)
            return self._lanes[key].cost.seconds(1)
        return (total + seconds) / (count + 1)

    def _learn_shared(self, key: ShapeKey, seconds: float, lanes: int) -> float:
        """Return what a step of a shape takes a lane alone, as far as that is known by now."""
        known = self._lanes.get(key)
        if known is None:
            known = self._lanes[key] = LaneCosts()
            total, count = self._sums.get(key, (0.0, 0))
            for _ in range(min(count, _STEPS_REMEMBERED)):
                known.note(1, total / count)
        known.note(lanes, seconds * lanes)
        alone_s = known.cost.seconds(1)
        self._all = (self._all[0] + alone_s, self._all[1] + 1)
        self._shared_s += seconds
        self._apart_s += alone_s
        return alone_s

    @property
    def are_known(self) -> bool:
        """Whether any step was ever timed."""
        return self._all[1] > 0

    def mean(self, node: NodeId, pieces: Mapping[str, Piece], start: int, *, lanes: int = 1) -> float:
        """Return the seconds that steps like those of a node took, or all steps if there were none like them.

        Args:
          node, pieces, start: which.
          lanes: of a step of so many lanes that are walked as one, and of all of them.
        """
        key = self._shape_of(node, pieces, start)
        if key in self._lanes:
            return self._lanes[key].cost.seconds(lanes)
        total, count = self._sums.get(key, self._all)
        return total / count * (LaneCost().slowdown(lanes) if lanes > 1 else 1.0)

    # --- several slots

    def learn_together(
        self, node: NodeId, pieces: Mapping[str, Piece], start: int, seconds: Sequence[float], *, width: int
    ) -> None:
        """Take a run of steps into account that so many slots took together, by their device-seconds.

        Of a shape that no slot ever took by itself it tells what one would take, as far as that can be guessed.
        """
        key = self._shape_of(node, pieces, start)
        total, count = self._sums.get(key, (0.0, 0))
        if not count:
            speedup = self._widths.speedup(key, width)
            self.learn_steps(node, pieces, start, [each / width * speedup for each in seconds])
            return
        for each in seconds:
            self._widths.learn(key, width, each / width, total / count)

    def speedup(self, node: NodeId, pieces: Mapping[str, Piece], start: int, *, width: int) -> float:
        """Return how many times as fast so many slots together take a step of a node as one of them."""
        return self._widths.speedup(self._shape_of(node, pieces, start), width)

    # --- several lanes

    def lanes_worth(self, key: ShapeKey, most: int, first: int = FIRST_LANES) -> int:
        """Return how many lanes of a shape, `most` at most, are worth walking as one: see `LaneCosts.worth`."""
        return self._lanes[key].worth(most, first) if key in self._lanes else min(most, first)

    def cost_of(self, key: ShapeKey) -> LaneCost:
        """Return the seconds of a step of lanes of a shape, by their number."""
        return self._lanes[key].cost if key in self._lanes else LaneCost()

    def kind_of(self, node: NodeId, pieces: Mapping[str, Piece], start: int) -> ShapeKey:
        """Return what steps of a node have in common with all that should take as long."""
        return self._shape_of(node, pieces, start)

    def cost_at(self, node: NodeId, pieces: Mapping[str, Piece], start: int) -> LaneCost:
        """Return the seconds of a step of a node's shape, by how many lanes are walked as one."""
        return self.cost_of(self._shape_of(node, pieces, start))

    @property
    def share(self) -> float:
        """What lanes took, as part of what each would have taken alone: 1 where none had company."""
        if not self._shared_s:
            return 1.0
        alone_s = sum(total for total, _ in self._sums.values())
        return (alone_s + self._shared_s) / (alone_s + self._apart_s)

    # --- estimates

    def have_moved(self, *, stages: int) -> bool:
        """Tell whether better estimates are worth measuring a tree of so many stages anew."""
        return self._is_off and self._learned >= _STEPS_PER_STAGE * stages

    def use(self) -> None:
        """From now on let `estimate` go by what was learned so far."""
        self._used = {key: total / count for key, (total, count) in self._sums.items()}
        self._used.update((key, known.cost.seconds(1)) for key, known in self._lanes.items())
        self._used_overall = self._all[0] / self._all[1] if self._all[1] else 1.0
        self._is_off, self._learned = False, 0

    def estimate(self, node: NodeId, pieces: Mapping[str, Piece], start: int) -> float:
        """Return the seconds that a step of a node is expected to take."""
        shape = self._shapes.get(node)  # that it is known is asked here, for each stage of a tree
        return self._used.get(self._shape_of(node, pieces, start) if shape is None else shape, self._used_overall)

    def _shape_of(self, node: NodeId, pieces: Mapping[str, Piece], start: int) -> ShapeKey:
        known = self._shapes.get(node)
        if known is None:
            key = shape_key(pieces, start)
            known = self._shapes[node] = self._keys.setdefault(key, key)  # one object for all nodes
        return known
