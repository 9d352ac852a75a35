"""One order for every tuner: who is better than whom."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

import hippo
from hippo.errors import TunerError
from hippo.hparams import Config
from hippo.records import Answer, Failure, NodeId
from hippo.tuners.ranking import best, check_ties, dominates, is_better, order
from hippo.tuners.rungs import Rung

INF, NAN = math.inf, math.nan


def answers(
    *losses: float | tuple[float, ...], violations: list[tuple[float, ...]] | None = None, states: str = ""
) -> list[Answer]:
    """Return answers of trials 0, 1, 2, ...; letters name the training states on which they rest."""
    return [
        Answer(
            config=Config({"lr": 0.1}),
            step=1,
            trial=number,
            metrics={},
            losses=loss if isinstance(loss, tuple) else (loss,),
            violations=violations[number] if violations else (),
            state=(NodeId(ord(states[number])), 1) if states else None,
        )
        for number, loss in enumerate(losses)
    ]


@pytest.mark.parametrize(
    ("losses", "ranking"),
    [
        ((3.0, 1.0, 2.0), [1, 2, 0]),
        ((1.0, 1.0, 0.0), [2, 0, 1]),  # ties go to the earlier trial
        ((NAN, INF, 1.0), [2, 0, 1]),  # NaN is as bad as infinity
        ((-INF, 0.0), [0, 1]),
    ],
)
def test_smaller_losses_come_first(losses: tuple[float, ...], ranking: list[int]) -> None:
    assert order(answers(*losses)) == ranking


def test_who_keeps_the_constraints_comes_first_and_then_who_breaks_them_least() -> None:
    given = answers(1.0, 2.0, 0.0, 3.0, violations=[(0.5, -9.0), (0.0, -1.0), (0.1, 0.1), (NAN, 0.0)])
    assert order(given) == [1, 2, 0, 3]


@pytest.mark.parametrize("losses", [(INF, 9.0, NAN), ((INF, INF), (9.0, 9.0), (NAN, 0.0))])
def test_who_failed_comes_behind_who_breaks_the_constraints(losses: tuple[Any, ...]) -> None:
    failed, *others = answers(*losses, violations=[(), (5.0,), (7.0,)])
    failure = Failure(node=NodeId(1), step=1, method="train", error="ValueError: no")
    assert order([replace(failed, failure=failure), *others]) == [1, 2, 0]


def test_objectives_are_ordered_by_front_and_then_by_crowding() -> None:
    # the first front is 0, 1, 2, 3, of which the ends are the least crowded; 4 is dominated by all but the ends
    given = answers((0.0, 4.0), (1.0, 2.0), (2.0, 1.0), (6.0, 0.0), (3.0, 3.0))
    assert order(given) == [0, 3, 2, 1, 4]


def test_with_objectives_too_who_breaks_a_constraint_comes_last() -> None:
    given = answers((0.0, 0.0), (1.0, 2.0), (2.0, 1.0), violations=[(1.0,), (0.0,), (-1.0,)])
    assert order(given)[-1] == 0


def test_distinct_states_come_before_second_trials_of_any() -> None:
    given = answers(1.0, 1.0, 1.0, 2.0, 3.0, states="aaabc")
    assert order(given, ties="first") == [0, 1, 2, 3, 4]
    assert order(given, ties="distinct") == [0, 3, 4, 1, 2]


def test_trials_without_a_state_are_states_of_their_own() -> None:
    assert order(answers(2.0, 1.0, 1.0), ties="distinct") == [1, 2, 0]


def test_the_best_are_kept_best_first() -> None:
    assert best("abc", answers(3.0, 1.0, 2.0), keep=2) == ["b", "c"]


def test_between_incomparable_answers_nothing_is_better() -> None:
    one, other = answers((0.0, 1.0), (1.0, 0.0))
    assert not is_better(one, other)
    assert not is_better(other, one)
    assert is_better(*answers(0.0, 1.0))
    assert not is_better(*answers(1.0, 1.0))


def test_dominating_is_being_nowhere_worse_and_somewhere_better() -> None:
    assert dominates((0, 1), (1, 1))
    assert not dominates((1, 1), (1, 1))
    assert not dominates((0, 2), (1, 1))


def test_a_way_to_break_ties_that_is_none_is_refused() -> None:
    with pytest.raises(TunerError, match=r"\['first', 'distinct'\], not 'random'"):
        check_ties("random")


def test_nothing_is_ranked_by_losses_that_are_not_there() -> None:
    unranked = answers((), ())
    message = "trial 0 has no loss at step 1: the study has no metric, or the answer is one to evaluate=False"
    for ask in (lambda: unranked[0].loss, lambda: order(unranked), lambda: Rung(1).add(unranked[0])):
        with pytest.raises(TunerError, match=message):
            ask()


@pytest.mark.parametrize("inner", [hippo.ASHA, hippo.MedianStopping, hippo.StoppingASHA])
def test_a_tuner_within_another_one_ranks_nobody_without_a_metric(make_study: Any, inner: Any) -> None:
    class Outer(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            await inner([{"lr": 0.1}, {"lr": 0.5}], 1, 4).tune(ask)

    with pytest.raises(TunerError, match="Create the study with metric="):
        make_study(metric=None, mode=None).optimize(Outer())
