"""A study in the hands of its runtime: what another process opens is what this one wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hippo.plan import CallRow, Cause, Insert, KeepRule, MemoryStore, RequestRow, StepRow, TrialRow
from hippo.records import TrialState
from hippo.runtime.studies.counters import Counters
from hippo.runtime.studies.replay import RecordedAnswer, RecordedCall, TrialPoint
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.trial_book import MemberTrial, joined
from hippo.tuners.averaged import AGGREGATES

from .runs import Bench, config


@pytest.fixture
def bench() -> Bench:
    return Bench()


def reopened(study: StudyState) -> StudyState:
    study.store.commit(study.changes.take())
    return StudyState(study.store, study.row, study.settings)


def trial(bench: Bench, study: StudyState, call: CallRow, lr: float = 0.1, occurrence: int = 0) -> MemberTrial:
    wanted = config(lr)
    return study.trial(call, wanted, occurrence, lambda number: bench.run.plan.path(wanted))


def states_of_calls(study: StudyState) -> list[str]:
    return [row.state for row in study.store.rows(CallRow, study=study.row.study)]


def rows(store: Any) -> list[RequestRow]:
    return store.rows(RequestRow)  # type: ignore[no-any-return]


# --- calls


def test_the_same_tuner_at_the_same_place_is_the_same_call_and_any_other_is_new(bench: Bench) -> None:
    first = bench.study.begin_call(0, "grid")
    again = reopened(bench.study)
    assert again.begin_call(0, "grid").call == first.call
    assert [again.begin_call(0, "sha").call, again.begin_call(1, "grid").call] == [1, 2]


def test_a_call_that_begins_again_runs_and_its_last_state_is_written(bench: Bench) -> None:
    call = bench.study.begin_call(0, "grid")
    bench.study.set_call_state(call, "interrupted")
    again = reopened(bench.study)
    assert states_of_calls(again) == ["interrupted"]
    again.begin_call(0, "grid")
    assert states_of_calls(reopened(again)) == ["running"]


def test_a_call_that_was_complete_stays_so_when_it_is_looked_at_again(bench: Bench) -> None:
    call = bench.study.begin_call(0, "grid")
    bench.study.set_call_state(call, "complete")
    again = reopened(bench.study)
    again.set_call_state(again.begin_call(0, "grid"), "interrupted")
    assert states_of_calls(reopened(again)) == ["complete"]


def test_a_call_knows_what_was_spent_before_it(bench: Bench) -> None:
    bench.study.counters.count_step(Cause.FIRST, 5.0)
    assert bench.study.begin_call(0, "grid").device_seconds_before == 5.0


# --- trials and requests


def test_a_trial_is_call_config_and_occurrence_and_is_made_once(bench: Bench) -> None:
    call, other = (bench.study.begin_call(position, "grid") for position in (0, 1))
    asked = [(call, 0.1, 0), (call, 0.2, 0), (call, 0.1, 1), (other, 0.1, 0), (call, 0.1, 0)]
    numbers = [trial(bench, bench.study, *key).number for key in asked]
    assert numbers == [0, 1, 2, 3, 0]
    again = reopened(bench.study)
    assert [trial(bench, again, *key).number for key in asked] == numbers
    assert [row.number for row in again.book.rows_of(call.call)] == [0, 1, 2]
    assert again.changes.take() == []


def test_request_numbers_go_on_and_what_was_settled_is_written(bench: Bench) -> None:
    study = bench.study
    one = trial(bench, study, study.begin_call(0, "grid"))
    row = study.add_request(one, 4, False, [])
    study.settle_request(row, "answered", 0, 1.5)
    again = reopened(study)
    assert again.add_request(one, 8, True, []).request == 2
    reopened(again)
    assert [(r.until, r.final, r.state, r.delivery, r.seconds) for r in rows(study.store)] == [
        (4, False, "answered", 0, 1.5),
        (8, True, "pending", None, None),
    ]


def answered(bench: Bench) -> tuple[StudyState, CallRow, CallRow]:
    """Return a study with two calls, each with answers, and with requests that were left or withdrawn."""
    study = bench.study
    calls = [study.begin_call(position, "grid") for position in (0, 1)]
    for call in calls:
        one, two = trial(bench, study, call, 0.1), trial(bench, study, call, 0.2)
        study.settle_request(study.add_request(two, 4, False, [0, 7, 8]), "answered", 1, 1.0)
        study.settle_request(study.add_request(one, 4, False, []), "answered", 0, 2.0)
        study.settle_request(study.add_request(one, 8, False, [2, 9]), "answered", 1, 3.0)
        study.settle_request(study.add_request(one, 9, False, []), "withdrawn")
        study.add_request(two, 9, False, [])
    return reopened(study), calls[0], calls[1]


def test_recorded_answers_are_those_of_the_call_by_delivery_in_the_order_of_asking(bench: Bench) -> None:
    study, first, second = answered(bench)
    assert study.take_up(first).deliveries == {
        0: [RecordedAnswer(TrialPoint(0, 4), 2.0)],
        1: [RecordedAnswer(TrialPoint(1, 4), 1.0), RecordedAnswer(TrialPoint(0, 8), 3.0)],
    }
    assert {answer.at.trial for given in study.take_up(second).deliveries.values() for answer in given} == {2, 3}
    assert study.take_up(study.begin_call(2, "grid")).deliveries == {}


def test_what_a_call_asked_is_known_whether_it_was_answered_or_not(bench: Bench) -> None:
    study, first, _ = answered(bench)
    assert study.take_up(first).asked == dict.fromkeys([(1, 4, ""), (0, 4, ""), (0, 8, ""), (0, 9, ""), (1, 9, "")], 1)


def test_what_was_said_of_uncovered_steps_comes_back_by_the_number_of_the_question(bench: Bench) -> None:
    study, first, _ = answered(bench)
    assert study.take_up(first).queries == {("", 0): 7, ("", 1): 8, ("", 2): 9}


def test_what_an_earlier_run_of_a_call_left_pending_is_withdrawn_and_nothing_else(bench: Bench) -> None:
    study, first, _ = answered(bench)
    before = [row.state for row in rows(study.store)]
    study.take_up(first)
    reopened(study)
    after = [row.state for row in rows(study.store)]
    assert before == ["answered", "answered", "answered", "withdrawn", "pending"] * 2
    assert after == [*before[:4], "withdrawn", *before[5:]]


# --- states of trials


def with_steps(bench: Bench, *steps: int, state: TrialState = TrialState.PAUSED) -> tuple[StudyState, CallRow]:
    study = bench.study
    call = study.begin_call(0, "grid")
    for number, step in enumerate(steps):
        one = trial(bench, study, call, 0.1 * (number + 1))
        study.book.update(replace(one.row, step=step, until=max(step, 1), state=state.value))
    return study, call


def states(study: StudyState) -> list[str]:
    return [row.state for row in study.book.rows_of(0)]


def test_who_came_to_what_was_promised_is_complete_and_all_others_are_pruned(bench: Bench) -> None:
    study, call = with_steps(bench, 9, 3, 12)
    study.finish_trials(call, promised={"": 9})
    assert states(study) == ["COMPLETE", "PRUNED", "COMPLETE"]
    assert states(reopened(study)) == states(study)


def test_who_failed_has_failed_also_when_the_call_ends(bench: Bench) -> None:
    study, call = with_steps(bench, 9, state=TrialState.FAIL)
    study.finish_trials(call, promised={"": 9})
    assert states(study) == ["FAIL"]


def test_whoever_ran_when_a_call_broke_off_waits_or_is_paused_where_it_is(bench: Bench) -> None:
    study, call = with_steps(bench, 0, 3, state=TrialState.RUNNING)
    study.pause_trials(call)
    assert states(study) == ["WAITING", "PAUSED"]
    complete, call = with_steps(Bench(), 3, state=TrialState.COMPLETE)
    complete.pause_trials(call)
    assert states(complete) == ["COMPLETE"]


def test_an_update_that_changes_nothing_is_not_written(bench: Bench) -> None:
    study, call = with_steps(bench, 3)
    one = trial(bench, study, call)
    reopened(study)
    study.book.update(replace(one.row))
    assert study.changes.take() == []


# --- several members


def row(number: int, member: str, **values: Any) -> TrialRow:
    return TrialRow(study=1, number=number, member=member, call=0, config="", occurrence=0, until=9, **values)


def test_a_trial_is_where_the_member_is_that_is_least_far_and_failed_if_one_failed() -> None:
    rows = [
        row(0, "seed 0", step=9, state="COMPLETE", loss=1.0),
        row(0, "seed 1", step=9, state="COMPLETE", loss=2.0),
        row(1, "seed 0", step=9, state="PAUSED", loss=1.0),
        row(1, "seed 1", step=4, state="RUNNING", loss=2.0),
        row(2, "seed 0", step=9, state="COMPLETE", loss=1.0),
        row(2, "seed 1", step=3, state="FAIL", error="train() raised"),
        row(3, "seed 0", step=9, state="COMPLETE", loss=1.0),
        row(3, "seed 1", step=3, state="PRUNED", loss=2.0),
    ]
    found = [(each.number, each.state, each.step, each.loss, each.error) for each in joined(rows, AGGREGATES["mean"])]
    assert found == [
        (0, "COMPLETE", 9, 1.5, ""),
        (1, "RUNNING", 4, None, ""),
        (2, "FAIL", 3, None, "train() raised"),
        (3, "PRUNED", 3, None, ""),
    ]


def test_rows_at_several_scales_are_never_one_trial() -> None:
    rows = [
        row(0, "", step=9, state="COMPLETE", loss=1.0),
        row(0, "1/8", step=9, state="FAIL", error="train() raised"),
        row(1, "seed 0", step=9, loss=1.0),
        row(1, "seed 0 at 1/8", step=9, loss=2.0),
        row(1, "seed 1 at 1/8", step=9, loss=4.0),
    ]
    found = [(each.number, each.member, each.state, each.loss) for each in joined(rows, AGGREGATES["mean"])]
    assert found == [
        (0, "", "COMPLETE", 1.0),
        (0, "1/8", "FAIL", None),
        (1, "seed 0", "WAITING", 1.0),
        (1, "1/8", "WAITING", 3.0),
    ]


def test_rows_of_the_only_member_are_trials_as_they_are() -> None:
    rows = [row(0, "", step=3), row(1, "")]
    assert joined(rows, AGGREGATES["mean"]) == rows


def test_what_is_counted_call_by_call_is_what_is_counted_over_all(bench: Bench) -> None:
    study = bench.study
    for position in range(3):
        call = study.begin_call(position, "grid")
        for number, step in enumerate((9, 3, 0)):
            one = trial(bench, study, call, 0.1 * (number + 1) + position)
            study.book.update(replace(one.row, until=9, step=step, loss=1.0 + position - number / 4))
        study.progress(steps_left=0, seconds_left=0.0, may_ask_more=False)
        study.finish_trials(call, promised={"": 9})
    seen = study.progress(steps_left=0, seconds_left=0.0, may_ask_more=False)
    assert (seen.trials, seen.trials_done, seen.steps_asked, seen.best_value) == (9, 3, 81, 1.0)
    assert seen.steps_asked == study.statistics().steps_asked
    assert reopened(study).best_value == 1.0


def test_a_member_that_comes_later_is_counted_beside_what_was_there(bench: Bench) -> None:
    study = bench.study
    call = study.begin_call(0, "grid")
    study.book.update(replace(trial(bench, study, call, 0.1).row, until=9, step=9, loss=1.0))
    study.take_in({"": 1, "1/8": 2})
    narrow = study.trial(call, config(0.1), 0, bench.run.plan.path(config(0.1)).owned_by, member="1/8")
    assert narrow.number == 0
    study.book.update(replace(narrow.row, until=9, step=9, loss=0.25))
    study.finish_trials(call, promised={"": 9, "1/8": 9})
    seen = study.progress(steps_left=0, seconds_left=0.0, may_ask_more=False)
    assert (seen.trials, seen.trials_done, seen.steps_asked, seen.best_value) == (2, 2, 18, 1.0)


# --- the best, and what it cost


def test_the_best_loss_is_the_smallest_ever_noted(bench: Bench) -> None:
    assert bench.study.best_value is None
    row = bench.ask(config(), 4).trial.row
    for loss in (0.5, 0.25, 0.75):
        bench.study.note_loss(loss, row, 4)
    assert bench.study.book.members[""].best_loss == 0.25


def test_the_losses_to_beat_are_known_to_the_next_process_but_for_those_of_trials_that_are_out() -> None:
    bench = Bench(keep=KeepRule("best"))
    study, call = with_steps(bench, 3, 3, 9, 9, 9)
    known = [(0.5, "PAUSED"), (0.25, "FAIL"), (0.75, "COMPLETE"), (None, "PRUNED"), (0.125, "PRUNED")]
    for number, (loss, state) in enumerate(known):
        one = trial(bench, study, call, 0.1 * (number + 1))
        study.book.update(replace(one.row, loss=loss, state=state))
    losses = reopened(study).book.members[""].losses
    beside = bench.new_study("other", keep=KeepRule("best"))
    trial(bench, beside, beside.begin_call(0, "grid"))
    assert reopened(beside).book.members[""].losses.to_beat(9, 1, 1, call=0) is None
    assert [losses.to_beat(9, step, 1, call=call.call) for step in (3, 4, 9, 10)] == [0.5, 0.75, 0.75, None]
    assert losses.to_beat(9, 3, 1, call=call.call + 1) == 0.75, "another call's trials may come to be pruned"


def test_when_a_call_ends_its_complete_trials_are_to_beat_by_all_and_others_by_none() -> None:
    bench = Bench(keep=KeepRule("best"))
    study, call = with_steps(bench, 3, 9)
    for number, (step, loss) in enumerate([(3, 0.25), (9, 0.5)]):
        study.note_loss(loss, trial(bench, study, call, 0.1 * (number + 1)).row, step)
    losses = study.book.members[""].losses
    assert [losses.to_beat(9, 3, 1, call=of) for of in (call.call, call.call + 1)] == [0.25, None]
    study.finish_trials(call, promised={"": 9})
    assert [losses.to_beat(9, 3, 1, call=of) for of in (call.call, call.call + 1)] == [0.5, 0.5]


def test_progress_counts_trials_that_are_where_they_were_asked_to_be_or_have_failed(bench: Bench) -> None:
    study, call = with_steps(bench, 3, 0, 0)
    failed = trial(bench, study, call, 0.1 * 3)
    study.book.update(replace(failed.row, state=TrialState.FAIL.value))
    seen = study.progress(steps_left=7, seconds_left=7.0, may_ask_more=False)
    assert (seen.trials_done, seen.trials, seen.steps_left, seen.seconds_left) == (2, 3, 7, None)
    study.counters.count_step(Cause.FIRST, 1.0)
    assert study.progress(steps_left=7, seconds_left=7.0, may_ask_more=False).seconds_left == 7.0


def test_a_study_reads_only_its_own_rows() -> None:
    bench = Bench()
    store: MemoryStore = bench.store
    store.commit(
        [
            Insert(StepRow(plan=9, node=1, step=1, attempt=0, cause="first", study=1, training="{}", seconds=1.0)),
            Insert(TrialRow(study=9, number=0, call=0, config="{}", occurrence=0, loss=0.1)),
        ]
    )
    again = reopened(bench.study)
    assert (again.book.rows_of(0), again.best_value, again.counters) == ([], None, Counters())


def test_two_studies_of_a_database_number_and_count_their_own(bench: Bench) -> None:
    other = bench.new_study("other")
    for position in range(2):
        call = other.begin_call(position, "grid")
        one = trial(bench, other, call)
        other.add_request(one, 4, True, [0, 3])
        other.book.update(replace(one.row, step=4, until=4, loss=0.5, state=TrialState.COMPLETE.value))
    reopened(other)
    again = reopened(bench.study)
    seen = again.progress(steps_left=0, seconds_left=0.0, may_ask_more=False)
    assert (seen.trials, seen.best_value, seen.steps_asked) == (0, None, 0)
    mine = again.begin_call(0, "grid")
    assert (mine.call, mine.study, again.take_up(mine)) == (0, again.row.study, RecordedCall())
    first = trial(bench, again, mine)
    assert (first.number, again.add_request(first, 4, True, []).request) == (0, 1)
    reopened(again)
    told = reopened(other)
    seen = told.progress(steps_left=0, seconds_left=0.0, may_ask_more=False)
    assert (seen.trials, seen.best_value, seen.steps_asked) == (2, 0.5, 8)
    assert told.take_up(told.begin_call(1, "grid")).queries == {("", 0): 3}
    first_call = told.begin_call(0, "grid")
    assert (first_call.study, told.take_up(first_call).asked) == (other.row.study, {TrialPoint(0, 4): 1})
    assert [row.study for row in told.book.rows_of(0)] == [other.row.study]


def test_a_trial_is_found_again_though_a_dictionary_in_it_is_written_in_another_order(bench: Bench) -> None:
    call = bench.study.begin_call(0, "grid")
    for written in ({"name": "sgd", "decay": 0.1}, {"decay": 0.1, "name": "sgd"}):
        wanted = config(optimizer=written)
        path = bench.run.plan.path(wanted)
        assert bench.study.trial(call, wanted, 0, lambda number, path=path: path).number == 0
