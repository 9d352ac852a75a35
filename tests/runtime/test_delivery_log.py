"""Answers are given again in the order in which they were given, and no more often."""

from __future__ import annotations

import pytest

from hippo.errors import TunerError
from hippo.runtime.studies.replay import DeliveryLog, RecordedAnswer, RecordedQueries, TrialPoint


def answer(trial: int, until: int = 1, member: str = "") -> RecordedAnswer:
    return RecordedAnswer(TrialPoint(trial, until, member), 1.0)


def test_deliveries_come_in_their_order_and_numbers_go_on_after_them() -> None:
    log = DeliveryLog({0: [answer(1), answer(2)], 1: [answer(3)]})
    assert log.next() == [answer(1), answer(2)]
    log.advance()
    assert log.next() == [answer(3)]
    log.advance()
    assert log.next() is None
    assert not log.ahead
    assert [log.take_number(), log.take_number()] == [2, 3]


def test_a_log_without_records_has_nothing_to_give_and_counts_from_nought() -> None:
    log = DeliveryLog({})
    assert not log.ahead
    assert log.next() is None
    assert log.take_number() == 0


def test_a_number_without_answers_was_a_pull() -> None:
    log = DeliveryLog({0: [answer(1)], 2: [answer(2)]})
    log.advance()
    assert log.next() == []
    assert log.ahead


def test_what_was_answered_several_times_is_left_as_often_and_less_with_each_delivery() -> None:
    log = DeliveryLog({0: [answer(1)], 1: [answer(1), answer(2)], 2: [answer(1)]})
    assert [log.left(TrialPoint(trial, 1)) for trial in (1, 2, 3)] == [3, 1, 0]
    log.advance()
    assert log.left(TrialPoint(1, 1)) == 2
    log.advance()
    log.advance()
    assert [log.left(TrialPoint(trial, 1)) for trial in (1, 2)] == [0, 0]


def test_neither_one_step_of_a_trial_nor_one_member_is_another() -> None:
    log = DeliveryLog({0: [answer(1, until=4, member="seed 0")]})
    asked = [TrialPoint(1, 4, "seed 0"), TrialPoint(1, 8, "seed 0"), TrialPoint(1, 4, "seed 1"), TrialPoint(1, 4)]
    assert [log.left(point) for point in asked] == [1, 0, 0, 0]


def test_a_query_is_told_again_what_it_was_told_and_each_member_counts_its_own() -> None:
    queries = RecordedQueries({("a", 0): 5, ("b", 1): 7})
    assert [queries.known("a"), queries.known("b"), queries.known("b"), queries.known("a")] == [5, None, 7, None]


def test_new_answers_to_queries_are_kept_behind_the_number_of_the_first_of_them() -> None:
    queries = RecordedQueries({("a", 0): 5})
    for steps in (None, 8, 9):
        assert queries.known("a") == (5 if steps is None else None)
        if steps is not None:
            queries.note("a", steps)
    assert queries.take_new("b") == []
    assert queries.take_new("a") == [1, 8, 9]
    assert queries.take_new("a") == []


def test_a_query_that_comes_again_by_its_number_is_told_the_same_and_kept_once() -> None:
    queries = RecordedQueries({("a", 0): 5})
    assert [queries.known("a", number) for number in (0, 0, 1)] == [5, 5, None]
    queries.note("a", 8)
    assert [queries.known("a", number) for number in (1, 0, 2)] == [8, 5, None]
    queries.note("a", 9)
    assert queries.take_new("a") == [1, 8, 9]


def test_what_a_tuner_was_told_by_another_process_is_kept_where_no_request_kept_it() -> None:
    queries = RecordedQueries({("a", 0): 5, ("a", 1): 8})
    queries.restore("a", [5, 8, 9])
    assert [queries.known("a", number) for number in (2, 3)] == [9, None]
    queries.note("a", 4)
    assert queries.take_new("a") == [2, 9, 4]


def test_a_query_whose_predecessors_are_missing_is_refused() -> None:
    with pytest.raises(TunerError, match="queries 0 to 2 of this call have not come"):
        RecordedQueries({("a", 0): 5}).known("a", 3)
