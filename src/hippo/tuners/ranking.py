"""Who is better: one order for every tuner, whatever a study optimises.

Smaller losses are better, and NaN is the worst. Trials that keep the study's constraints come before those that do
not, and of the latter those that break them least come first (Deb 2000, "An efficient constraint handling method for
genetic algorithms"). With several objectives, trials are ordered by non-dominated front, then by crowding distance
(Deb et al. 2002, NSGA-II). Ties go to the earlier trial.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from hippo.errors import TunerError
from hippo.records import Answer, no_losses
from hippo.tuners.fronts import Fronts

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

    Raises:
      TunerError: an answer has no losses.
    """
    ranks = _ranks(answers)
    by_rank = sorted(range(len(answers)), key=lambda i: (ranks[i], answers[i].trial))
    return by_rank if ties == "first" else list(distinct_first(by_rank, lambda i: state_of(answers[i])))


def distinct_first(ranked: Iterable[T], state: Callable[[T], object]) -> Iterator[T]:
    """Yield the first of each state, then the second of each that has two, and so on, else in the order given."""
    seen: Counter[object] = Counter()
    others: list[list[T]] = []
    for item in ranked:
        key = state(item)
        copy = seen[key]
        seen[key] += 1
        if not copy:
            yield item
            continue
        if copy > len(others):
            others.append([])
        others[copy - 1].append(item)
    yield from itertools.chain.from_iterable(others)


def state_of(answer: Answer) -> object:
    """Return what is equal for answers that rest on one training state; one without a state has its own."""
    return answer.state if answer.state is not None else ("trial", answer.trial)


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
    """Return for each answer a key: the smaller, the better.

    Raises:
      TunerError: one has no losses, and would be as good as any other.
    """
    if all(len(answer.losses) == 1 for answer in answers):
        return [place_of(answer)[:2] for answer in answers]
    unranked = next((answer for answer in answers if not answer.losses), None)
    if unranked is not None:
        raise no_losses(unranked)
    keys: list[tuple[float, ...]] = []
    fronts = Fronts()
    for i, answer in enumerate(answers):
        broken = violation(answer)
        keys.append((broken, 0.0, 0.0))
        if not broken:
            fronts.add(point_of(answer), i)
    for depth, front in enumerate(fronts.reach(len(fronts))):
        for i, distance in zip(front.ages, front.crowding().tolist(), strict=True):
            keys[i] = (0.0, float(depth), -distance)
    return keys


def point_of(answer: Answer) -> tuple[float, ...]:
    """Return the losses by which an answer dominates others, or is dominated."""
    return tuple(map(_finite, answer.losses))


def _finite(loss: float) -> float:
    return math.inf if math.isnan(loss) else loss


def dominates(a: Sequence[float], b: Sequence[float]) -> bool:
    """Tell whether losses `a` are nowhere worse than `b`, and somewhere better."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)
