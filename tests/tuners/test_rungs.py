"""Rungs answer at any time what they would answer if they sorted all answers anew, by definitions as in the papers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.hparams import Config
from hippo.records import Answer, Failure, NodeId
from hippo.tuners.fronts import Fronts
from hippo.tuners.ranking import dominates, order, violation
from hippo.tuners.rungs import Rung, best_at_the_top

CONFIG = Config(lr=0.1)
FAILURE = Failure(node=NodeId(1), step=1, method="train", error="ValueError: told to")
#: few values, so that many are equal; and values whose differences are no numbers
LOSSES = (
    st.sampled_from([0.0, 1.0, 2.0, 3.0])
    | st.sampled_from([-math.inf, 0.0, 1.0, math.inf, math.nan, -1e308, 1e308])
    | st.floats(0, 1)
)

# ------------------------------------------------------------------------------------------------ the specification


def plain_order(answers: Sequence[Answer], ties: str) -> list[int]:
    """Return the positions of the answers, best first: `hippo.tuners.ranking.order`, in time that does not matter."""
    ranks = plain_ranks(answers)
    by_rank = sorted(range(len(answers)), key=lambda i: (ranks[i], answers[i].trial))
    if ties == "first":
        return by_rank
    seen: dict[object, int] = {}
    copies = {}
    for i in by_rank:
        state = answers[i].state if answers[i].state is not None else ("trial", answers[i].trial)
        copies[i] = seen[state] = seen.get(state, -1) + 1
    return sorted(by_rank, key=lambda i: copies[i])


def plain_ranks(answers: Sequence[Answer]) -> list[tuple[float, ...]]:
    points = [tuple(math.inf if math.isnan(loss) else loss for loss in answer.losses) for answer in answers]
    if all(len(point) == 1 for point in points):
        return [(violation(answer), point[0]) for answer, point in zip(answers, points, strict=True)]
    keys: list[tuple[float, ...]] = [(violation(answer), 0.0, 0.0) for answer in answers]
    left = {i: point for i, point in enumerate(points) if not violation(answers[i])}
    for depth in itertools.count():
        front = {i: p for i, p in left.items() if not any(dominates(q, p) for q in left.values())}
        for i, distance in plain_crowding(front).items():
            keys[i] = (0.0, float(depth), -distance)
        left = {i: p for i, p in left.items() if i not in front}
        if not left:
            return keys
    raise AssertionError("unreachable")


def plain_crowding(points: dict[int, tuple[float, ...]]) -> dict[int, float]:
    distance = dict.fromkeys(points, 0.0)
    for dimension in range(len(next(iter(points.values()), ()))):
        by_value = sorted(points, key=lambda i: (points[i][dimension], i))
        low, high = points[by_value[0]][dimension], points[by_value[-1]][dimension]
        distance[by_value[0]] = distance[by_value[-1]] = math.inf
        if math.isfinite(high - low) and high > low:
            for before, i, after in zip(by_value, by_value[1:], by_value[2:], strict=False):
                distance[i] += (points[after][dimension] - points[before][dimension]) / (high - low)
    return distance


@dataclass
class PlainRung:
    """A rung that sorts all its answers, the oldest trial's first, for each question."""

    ties: str

    def __post_init__(self) -> None:
        self.answers: list[Answer] = []
        self.promoted: set[int] = set()

    def add(self, answer: Answer) -> None:
        self.answers = sorted([*self.answers, answer], key=lambda answer: answer.trial)

    @property
    def ranking(self) -> list[Answer]:
        return [self.answers[i] for i in plain_order(self.answers, self.ties)]

    def promote(self, count: int) -> Answer | None:
        for answer in self.ranking[:count]:
            if answer.trial not in self.promoted and answer.failure is None:
                self.promoted.add(answer.trial)
                return answer
        return None


# --------------------------------------------------------------------------------------------------------- answers


def answer(trial: int, *losses: float, state: int | None = None, **facts: Any) -> Answer:
    at = None if state is None else (NodeId(state), 3)
    return Answer(config=CONFIG, step=3, trial=trial, metrics={}, losses=losses, state=at, **facts)


def failed(trial: int, num_objectives: int) -> Answer:
    return answer(trial, *[math.inf] * num_objectives, failure=FAILURE)


@st.composite
def arrivals(draw: st.DrawFn) -> list[Answer]:
    """Draw answers of one study in the order in which they come, which is not that of their trials."""
    num_objectives = draw(st.sampled_from([1, 2, 2, 3]))
    loss = draw(st.sampled_from([LOSSES, st.sampled_from([0.0, 1.0, 2.0]), st.floats(0, 1)]))
    points = st.tuples(*[loss] * num_objectives)
    if num_objectives == 2 and draw(st.booleans()):  # all in one front, many of them equal
        points = st.sampled_from([0, 1, 2, 4, 7, 9]).map(lambda x: (float(x), 9.0 - x))
    troubled = draw(st.booleans())
    breaks = st.sampled_from([-1.0, 0.0, 0.5, math.nan]) if troubled else st.just(0.0)
    fails = st.sampled_from([False, False, True]) if troubled else st.just(False)
    found = []
    for trial in draw(st.permutations(range(draw(st.integers(1, 24))))):
        if draw(fails):
            found.append(failed(trial, num_objectives))
        else:
            losses = draw(points)
            state = draw(st.sampled_from([None, 1, 1, 2, 3, 4 + trial]))
            found.append(answer(trial, *losses, state=state, violations=(draw(breaks),)))
    return found


# ------------------------------------------------------------------------------------------------------ properties


@settings(max_examples=200)
@given(
    came=arrivals(),
    ties=st.sampled_from(["first", "distinct"]),
    reduction=st.integers(2, 4),
    promotes=st.lists(st.integers(0, 3), min_size=24, max_size=24),
)
@pytest.mark.slow
def test_a_rung_promotes_as_if_it_sorted_all_answers_each_time(
    came: list[Answer], ties: str, reduction: int, promotes: list[int]
) -> None:
    rung, plain = Rung(3, ties=ties), PlainRung(ties)
    for one, times in zip(came, promotes, strict=False):
        rung.add(one)
        plain.add(one)
        for _ in range(times):
            assert rung.promote(len(rung) // reduction) is plain.promote(len(rung) // reduction)
    assert rung.promoted == plain.promoted


@settings(max_examples=200)
@given(came=arrivals(), ties=st.sampled_from(["first", "distinct"]), looks=st.lists(st.integers(0, 24), min_size=24))
@pytest.mark.slow
def test_a_rung_ranks_as_if_it_sorted_all_answers_each_time(came: list[Answer], ties: str, looks: list[int]) -> None:
    rung, plain = Rung(3, ties=ties), PlainRung(ties)
    for one, look in zip(came, looks, strict=False):
        rung.add(one)
        plain.add(one)
        best_first = plain.ranking
        assert list(rung.best(look % 5)) == best_first[: look % 5]
        assert rung.is_among(one, look) == any(one is other for other in best_first[:look])
        if look % 3 == 0:
            assert list(rung.ranking) == best_first
    assert best_at_the_top([rung]) is next((each for each in plain.ranking if each.failure is None), plain.ranking[0])


@settings(max_examples=100)
@given(came=arrivals(), ties=st.sampled_from(["first", "distinct"]))
@pytest.mark.slow
def test_the_order_of_answers_is_the_one_of_its_definition(came: list[Answer], ties: str) -> None:
    assert order(came, ties=ties) == plain_order(came, ties)


@pytest.mark.slow
@settings(max_examples=50)
@given(came=arrivals(), ties=st.sampled_from(["first", "distinct"]), seen=st.sets(st.integers(0, 23)))
def test_looking_changes_no_ranking(came: list[Answer], ties: str, seen: set[int]) -> None:
    watched, unwatched = Rung(3, ties=ties), Rung(3, ties=ties)
    for number, one in enumerate(came):
        watched.add(one)
        unwatched.add(one)
        if number in seen:
            assert len(list(watched.ranking)) == number + 1
    assert watched.ranking == unwatched.ranking


# ------------------------------------------------------------------------------------------------------------ tables


def test_equal_points_are_taken_by_age_whoever_answers_first() -> None:
    """By arrival, the order of trials 1 and 2 would turn over with each look."""
    came = [answer(0, 0.0, 9.0), answer(2, 1.0, 2.0), answer(1, 1.0, 2.0), answer(3, 9.0, 0.0)]
    rung = Rung(3)
    for one in came:
        rung.add(one)
    for trial in range(4, 8):
        assert [one.trial for one in rung.ranking][:4] == [0, 3, 2, 1]
        rung.add(answer(trial, 9.0 + trial, 9.0))


def test_a_point_changes_the_room_of_the_first_and_the_last_of_equal_neighbours() -> None:
    rung, plain = Rung(3), PlainRung("first")
    for trial, x in enumerate([0.0, 9.0, 3.0, 3.0, 3.0, 4.0, 2.0, 3.5]):
        rung.add(answer(trial, x, 9.0 - x))
        plain.add(answer(trial, x, 9.0 - x))
        assert [one.trial for one in rung.ranking] == [one.trial for one in plain.ranking]


def test_all_of_a_front_that_is_pushed_out_is_the_next_one() -> None:
    fronts = Fronts()
    for age, loss in enumerate([5.0, 4.0, 3.0, 2.0]):
        fronts.add((loss, loss), age)
        fronts.reach(age + 1)
    assert [front.ages for front in fronts.reach(4)] == [[3], [2], [1], [0]]


def test_no_more_fronts_are_kept_than_were_asked_for() -> None:
    fronts = Fronts()
    for age in range(100):
        fronts.add((float(age), float(age)), age)
    assert len(fronts.reach(8)) == 10
    for age in range(100, 200):  # each pushes all others down
        fronts.add((-float(age), -float(age)), age)
    assert len(fronts.reach(8)) == 20
    assert len(fronts) == 200
