"""What is done where a stage ends: as much as somebody needs there, and no more."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hippo import MultiStep
from hippo.plan import KeepRule
from hippo.records import Boundary, Keep, Objective, Point
from hippo.runtime.plans.boundaries import boundary_at
from hippo.runtime.studies.requests import Request

from .runs import LOSS, Bench, config

BEST = KeepRule("best")
NOTHING = Boundary(evaluate=False, keep=Keep.NOTHING)


def asked_at(bench: Bench) -> Callable[[Point], list[Request]]:
    return lambda point: [
        bench.run.waiting.requests[number] for number in bench.run.plan.nodes[point[0]].asked(point[1])
    ]


def at(bench: Bench, request: Request, step: int | None = None, **options: Any) -> Boundary:
    """Return what is done where a request, or a step of its path, ends."""
    step = request.until if step is None else step
    node = request.node.owner_of(step)
    waiting = asked_at(bench)((node.id, step))
    defaults: dict[str, Any] = {"walked": (), "payer": bench.study, "keeps_joint": False, "asked_at": asked_at(bench)}
    return boundary_at(node, step, requests=waiting, tree=bench.run.remaining.tree, **{**defaults, **options})


def test_a_state_that_may_go_on_is_written_whatever_the_policy() -> None:
    for keep in map(KeepRule, ("best", "top:3", "leaves", "all")):
        bench = Bench(keep=keep)
        assert at(bench, bench.ask(config(), 4)) == Boundary(evaluate=True, keep=Keep.WRITTEN)


@pytest.mark.parametrize(
    ("keep", "boundary"),
    [
        (KeepRule("all"), Boundary(evaluate=True, keep=Keep.WRITTEN)),
        (KeepRule("leaves"), Boundary(evaluate=True, keep=Keep.WRITTEN)),
        (KeepRule("best"), Boundary(evaluate=True, keep=Keep.IF_BEST, objective=LOSS, threshold=0.25)),
    ],
)
def test_a_last_state_is_kept_as_the_study_wants(keep: KeepRule, boundary: Boundary) -> None:
    bench = Bench(keep=keep)
    other = bench.ask(config(lr=0.3), 4, final=True).trial.row
    bench.study.note_loss(0.25, other, 4)
    assert at(bench, bench.ask(config(), 4, final=True)) == boundary


def test_a_last_state_need_not_be_better_than_what_was_said_after_fewer_steps() -> None:
    bench = Bench(keep=BEST)
    other = bench.ask(config(lr=0.3), 4, final=True).trial.row
    bench.study.note_loss(0.25, other, 3)
    assert at(bench, bench.ask(config(), 4, final=True)).threshold is None
    bench.study.note_loss(0.75, other, 4)
    assert at(bench, bench.ask(config(), 4, final=True)).threshold == 0.75


def test_of_equal_trials_the_older_one_is_better_and_it_is_enough_if_one_of_those_that_end_there_is_good() -> None:
    bench = Bench(keep=BEST)
    older, other, younger = (bench.ask(config(lr=lr), 4, final=True) for lr in (0.1, 0.3, 0.1))
    bench.study.note_loss(0.25, other.trial.row, 4)
    assert older.trial.number < other.trial.number < younger.trial.number
    assert (older.loss_to_beat, younger.loss_to_beat) == (math.nextafter(0.25, 1.0), 0.25)
    assert at(bench, older).threshold == older.loss_to_beat
    younger.trial.row = replace(younger.trial.row, call=1)  # the other may come to be pruned, and counts in its call
    assert at(bench, older).threshold is None


def test_a_last_state_of_one_of_several_seeds_is_written() -> None:
    bench = Bench(keep=BEST)
    request = bench.ask(config(), 4, final=True)
    bench.study.take_in({"": 1, "1/8": 2})
    assert at(bench, request).keep is Keep.IF_BEST
    bench.study.take_in({"": 1, "seed 1": 3})
    assert at(bench, request).keep is Keep.WRITTEN


def test_one_who_may_go_on_among_those_who_will_not_is_enough() -> None:
    bench = Bench(keep=BEST)
    last = bench.ask(config(), 4, final=True)
    assert at(bench, last).keep is Keep.IF_BEST
    bench.ask(config(), 4)
    assert at(bench, last).keep is Keep.WRITTEN


def test_the_most_that_any_study_there_wants_is_kept() -> None:
    bench = Bench(keep=BEST)
    last = bench.ask(config(), 4, final=True)
    bench.ask(config(), 4, final=True, study=bench.new_study("other", keep=KeepRule("leaves")))
    assert at(bench, last).keep is Keep.WRITTEN


def test_a_last_state_that_may_be_the_best_of_one_of_several_studies_is_written() -> None:
    bench = Bench(keep=BEST)
    last = bench.ask(config(), 4, final=True)
    bench.study.note_loss(0.25, last.trial.row, 4)
    bench.ask(config(), 4, final=True, study=bench.new_study("other", keep=BEST))
    assert at(bench, last).keep is Keep.WRITTEN


def test_without_an_objective_a_last_state_stays_in_memory_and_with_two_it_is_written() -> None:
    none, two = (
        Bench(keep=BEST, objectives=()),
        Bench(keep=BEST, objectives=(LOSS, Objective(metric="size", mode="min"))),
    )
    assert at(none, none.ask(config(), 4, final=True)).keep is Keep.RESIDENT
    assert at(two, two.ask(config(), 4, final=True)).keep is Keep.WRITTEN


def branched() -> tuple[Bench, Request, Request]:
    bench = Bench(keep=BEST)
    branch = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6, final=True)
    return bench, branch, bench.ask(config(), 6, final=True)


def test_a_state_from_which_others_branch_is_written_and_not_evaluated() -> None:
    bench, branch, _ = branched()
    assert at(bench, branch, 4) == Boundary(evaluate=False, keep=Keep.WRITTEN)


def test_a_lane_needs_no_file_of_what_it_walks_itself() -> None:
    bench, branch, trunk = branched()
    both = {(branch.node.id, 6), (trunk.node.id, 6)}
    assert at(bench, branch, 4, walked=both) == NOTHING
    assert at(bench, branch, 4, walked={(trunk.node.id, 6)}).keep is Keep.WRITTEN


def test_where_values_change_a_state_is_written_if_that_is_worth_it() -> None:
    bench = Bench(keep=BEST)
    branch = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6, final=True)
    walked = {(branch.node.id, 6)}
    assert at(bench, branch, 4, walked=walked) == NOTHING
    assert at(bench, branch, 4, walked=walked, keeps_joint=True) == Boundary(evaluate=False, keep=Keep.WRITTEN)


def test_where_values_do_not_change_a_stage_that_goes_on_is_no_joint() -> None:
    bench = Bench(keep=BEST, objectives=())
    short, long = bench.ask(config(), 4, final=True), bench.ask(config(), 6, final=True)
    walked = {(long.node.id, 6)}
    assert at(bench, short, walked=walked, keeps_joint=True).keep is Keep.RESIDENT


def test_a_study_that_keeps_all_keeps_what_it_pays_for_also_where_nobody_asks() -> None:
    bench = Bench(keep=BEST)
    branch = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6, final=True)
    payer = bench.new_study("all", keep=KeepRule("all"))
    assert at(bench, branch, 4, walked={(branch.node.id, 6)}, payer=payer).keep is Keep.WRITTEN


def test_a_state_that_somebody_wants_is_written() -> None:
    bench = Bench(keep=BEST)
    last = bench.ask(config(), 4, final=True)
    bench.run.waiting.want_state(bench.study, last.node, 4)
    assert at(bench, last).keep is Keep.WRITTEN
    bench.run.waiting.unwant_state(bench.study, last.node, 4)
    assert at(bench, last).keep is Keep.IF_BEST


def test_what_is_known_is_not_evaluated_again() -> None:
    bench = Bench(keep=BEST)
    request = bench.ask(config(), 4)
    request.node.metrics[4] = {"loss": 1.0}
    assert not at(bench, request).evaluate


# --- transient states


TRANSIENT = Boundary(evaluate=True, keep=Keep.TRANSIENT)


def test_a_transient_state_stays_in_memory_whatever_the_policy() -> None:
    for keep in map(KeepRule, ("best", "top:3", "leaves", "all")):
        bench = Bench(keep=keep)
        assert at(bench, bench.ask(config(), 4, is_transient=True)) == TRANSIENT


@pytest.mark.parametrize("final", [False, True])
def test_who_wants_a_state_written_gets_it_beside_others_who_do_not(final: bool) -> None:
    bench = Bench(keep=KeepRule("leaves"))
    request = bench.ask(config(), 4, is_transient=True)
    bench.ask(config(), 4, final=final)
    assert at(bench, request).keep is Keep.WRITTEN


def test_beside_a_last_state_a_transient_one_makes_no_difference() -> None:
    bench = Bench(keep=KeepRule("best"))
    request = bench.ask(config(), 4, is_transient=True)
    bench.ask(config(), 4, final=True)
    assert at(bench, request).keep is Keep.IF_BEST


def test_a_transient_state_that_its_own_lane_goes_on_from_is_kept_all_the_same() -> None:
    bench = Bench(keep=BEST)
    request, longer = bench.ask(config(), 4, is_transient=True), bench.ask(config(MultiStep(0.1, [4], 0.5)), 6)
    assert at(bench, request, walked={(longer.node.id, 6)}).keep is Keep.TRANSIENT


def test_a_state_that_somebody_wants_in_a_file_is_not_transient() -> None:
    bench = Bench(keep=BEST)
    request = bench.ask(config(), 4, is_transient=True)
    bench.run.waiting.want_state(bench.study, request.node, 4)
    assert at(bench, request).keep is Keep.WRITTEN


@pytest.mark.parametrize(("is_transient", "keep"), [(True, Keep.TRANSIENT), (False, Keep.WRITTEN)])
def test_where_transient_branches_begin_the_state_is_transient_and_where_others_do_it_is_written(
    is_transient: bool, keep: Keep
) -> None:
    bench = Bench(keep=BEST)
    branch = bench.ask(config(MultiStep(0.1, [4], 0.5)), 6, is_transient=True)
    bench.ask(config(), 6, is_transient=is_transient)
    assert at(bench, branch, 4) == Boundary(evaluate=False, keep=keep)


def test_a_branch_that_leads_further_than_a_transient_state_is_written() -> None:
    bench = Bench(keep=BEST)
    branch = bench.ask(config(MultiStep(0.1, [4, 6], 0.5)), 8, is_transient=True)
    bench.ask(config(), 8, is_transient=True)
    assert at(bench, branch, 4).keep is Keep.WRITTEN


def test_who_asks_for_no_metrics_has_none_taken_unless_another_asks() -> None:
    bench = Bench(keep=BEST)
    request = bench.ask(config(), 4, evaluate=False)
    assert at(bench, request) == Boundary(evaluate=False, keep=Keep.WRITTEN)
    bench.ask(config(), 4)
    assert at(bench, request).evaluate
