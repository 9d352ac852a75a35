"""Who is better: one order for every tuner, whatever a study optimises.

Smaller losses are better, and NaN is the worst. Trials that keep the study's constraints come before those that do
not, and of the latter those that break them least come first (Deb 2000, "An efficient constraint handling method for
genetic algorithms"). With several objectives, trials are ordered by non-dominated front, then by crowding distance
(Deb et al. 2002, NSGA-II). Ties go to the earlier trial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from hippo.errors import TunerError
from hippo.records import Answer

T = TypeVar("T")

#: how equal states are promoted: "first" takes trials by age, "distinct" takes one of each state before a second
TIES = ("first", "distinct")


def check_ties(ties: str) -> None:
    """Refuse what is no way to break ties.

    Raises:
      TunerError: names those there are.
    """
    if ties not in TIES:
        raise TunerError(f"ties must be one of {list(TIES)}, not {ties!r}")


def order(answers: Sequence[Answer], *, ties: str = "first") -> list[int]:
    """Return the positions of the answers, best first.

    Args:
      answers: at most one for each trial.
      ties: "distinct" puts a second trial that rests on the same training state (`Answer.state`) behind all states'
        first ones: to promote both would train the same thing twice, or nothing new at all.
    """
    ranks = _ranks(answers)
    by_rank = sorted(range(len(answers)), key=lambda i: (ranks[i], answers[i].trial))
    if ties == "first":
        return by_rank
    seen: dict[object, int] = {}
    copies = {}
    for i in by_rank:
        state = answers[i].state if answers[i].state is not None else ("trial", answers[i].trial)
        copies[i] = seen[state] = seen.get(state, -1) + 1
    return sorted(by_rank, key=lambda i: copies[i])  # stable: within the k-th copies the order stays


def best(candidates: Sequence[T], answers: Sequence[Answer], *, keep: int, ties: str = "first") -> list[T]:
    """Return the `keep` best candidates, best first; `answers` are theirs, in their order."""
    return [candidates[i] for i in order(answers, ties=ties)[:keep]]


def is_better(one: Answer, other: Answer) -> bool:
    """Tell whether one answer ranks before another; between incomparable ones nothing is better."""
    ranks = _ranks([one, other])
    return ranks[0] < ranks[1]


def violation(answer: Answer) -> float:
    """Return by how much an answer breaks the study's constraints, summed; 0 if it keeps them all.

    A trial that failed keeps none, so that it ranks behind those that break them.
    """
    if answer.failure is not None:
        return math.inf
    return total_violation(answer.violations)


def total_violation(violations: Sequence[float]) -> float:
    """Return by how much constraints are broken, summed; infinity where that cannot be told, since a metric is NaN."""
    return sum(max(0.0, math.inf if math.isnan(v) else v) for v in violations)


#: (broken constraints, loss, age): the smaller, the better
Place = tuple[float, float, int]


def place_of(answer: Answer) -> Place:
    """Return what an answer with one loss is ordered by, whatever others there are."""
    return (violation(answer), _finite(answer.losses[0]), answer.trial)


def _ranks(answers: Sequence[Answer]) -> list[tuple[float, ...]]:
    """Return for each answer a key: the smaller, the better."""
    if all(len(answer.losses) == 1 for answer in answers):
        return [place_of(answer)[:2] for answer in answers]
    keys: list[tuple[float, ...]] = [()] * len(answers)
    feasible = [i for i, answer in enumerate(answers) if not violation(answer)]
    points = {i: tuple(map(_finite, answers[i].losses)) for i in feasible}
    for depth, front in enumerate(_fronts(points)):
        crowding = _crowding({i: points[i] for i in front})
        for i in front:
            keys[i] = (0.0, float(depth), -crowding[i])
    for i, answer in enumerate(answers):
        if not keys[i]:
            keys[i] = (violation(answer), 0.0, 0.0)
    return keys


def _finite(loss: float) -> float:
    return math.inf if math.isnan(loss) else loss


def dominates(a: Sequence[float], b: Sequence[float]) -> bool:
    """Tell whether losses `a` are nowhere worse than `b`, and somewhere better."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def _fronts(points: dict[int, tuple[float, ...]]) -> list[list[int]]:
    left, fronts = dict(points), []
    while left:
        front = [i for i, p in left.items() if not any(dominates(q, p) for j, q in left.items() if j != i)]
        fronts.append(front)
        for i in front:
            del left[i]
    return fronts


def _crowding(points: dict[int, tuple[float, ...]]) -> dict[int, float]:
    """Return the crowding distance of each point of a front (NSGA-II, section III-B)."""
    distance = dict.fromkeys(points, 0.0)
    for dimension in range(len(next(iter(points.values())))):
        by_value = sorted(points, key=lambda i: (points[i][dimension], i))
        low, high = points[by_value[0]][dimension], points[by_value[-1]][dimension]
        distance[by_value[0]] = distance[by_value[-1]] = math.inf
        if math.isfinite(high - low) and high > low:
            for before, i, after in zip(by_value, by_value[1:], by_value[2:], strict=False):
                distance[i] += (points[after][dimension] - points[before][dimension]) / (high - low)
    return distance
