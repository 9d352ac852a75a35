"""Answers are given again in the order in which they were given, to whom they were given, and no more often."""

from __future__ import annotations

from hippo.runtime.replay import DeliveryLog, RecordedAnswer


def answer(trial: int, until: int = 1) -> RecordedAnswer:
    return RecordedAnswer(trial, until, 1.0)


def test_deliveries_come_in_their_order_and_numbers_go_on_after_them() -> None:
    log = DeliveryLog([{0: [answer(1), answer(2)], 1: [answer(3)]}])
    assert log.next(0) == [answer(1), answer(2)]
    log.advance()
    assert log.next(0) == [answer(3)]
    log.advance()
    assert log.next(0) is None
    assert not log
    assert [log.take_number(), log.take_number()] == [2, 3]


def test_a_log_without_records_has_nothing_to_give_and_counts_from_nought() -> None:
    log = DeliveryLog([{}])
    assert not log
    assert log.next(0) is None
    assert log.take_number() == 0


def test_a_number_without_answers_was_a_pull_of_the_first_member() -> None:
    log = DeliveryLog([{0: [answer(1)], 2: [answer(2)]}, {}])
    log.advance()
    assert log.next(0) == []
    assert log.next(1) is None


def test_each_member_is_given_its_own_and_only_when_it_is_its_turn() -> None:
    log = DeliveryLog([{1: [answer(7)]}, {0: [answer(7)]}])
    assert (log.next(0), log.next(1)) == (None, [answer(7)])
    log.advance()
    assert (log.next(0), log.next(1)) == ([answer(7)], None)


def test_what_was_answered_several_times_is_left_as_often_and_less_with_each_delivery() -> None:
    log = DeliveryLog([{0: [answer(1)], 1: [answer(1), answer(2)]}, {2: [answer(1)]}])
    assert [log.left(0, 1, 1), log.left(0, 2, 1), log.left(1, 1, 1), log.left(0, 3, 1)] == [2, 1, 1, 0]
    log.advance()
    assert log.left(0, 1, 1) == 1
    log.advance()
    log.advance()
    assert [log.left(member, trial, 1) for member in (0, 1) for trial in (1, 2)] == [0, 0, 0, 0]


def test_one_step_of_a_trial_is_not_another() -> None:
    log = DeliveryLog([{0: [answer(1, until=4)]}])
    assert (log.left(0, 1, 4), log.left(0, 1, 8)) == (1, 0)
