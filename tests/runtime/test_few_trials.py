"""Trials of which there are too few to be walked as one: how they are walked is settled without finding out."""

from __future__ import annotations

import contextlib

import pytest

from hippo.events import FusionChecked, SlotOpened
from hippo.plan import FusionFacts, PlanRow
from hippo.records import Fusion
from hippo.runtime.asking.instructions import Submit, Warn
from hippo.runtime.plans.few_trials import FEW

from .turns import A, Asker, B, Turns, done, only, rows, trained


@pytest.fixture
def numerics() -> str:
    return "fused"


def test_one_of_few_is_walked_by_itself_and_nobody_finds_out_about_lanes(turns: Turns, asker: Asker) -> None:
    asker.ask(has_company=False)
    came = turns.settle(SlotOpened(slot=A, environment={}), SlotOpened(slot=B, environment={}))
    (given,) = [each.assignment for each in only(Submit, came)]
    assert given.fusion == FEW
    (row,) = {each.plan: each for each in rows(came, PlanRow)}.values()
    assert list(FusionFacts.from_text(row.fusion).verdicts.values()) == [FEW]  # before the worker hears of it
    assert [each.message for each in only(Warn, came)] == []


def test_its_lane_compares_what_it_does_as_any_that_is_walked_by_itself(turns: Turns, asker: Asker) -> None:
    asker.ask(has_company=False)
    (given,) = turns.begun(A)
    assert [lane.is_watched for lane in given.lanes] == [True]


def test_where_another_request_has_company_it_is_found_out(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1, has_company=False)
    asker.ask(0.2)
    (given,) = turns.begun(A)
    assert given.fusion is None


def test_what_was_found_out_before_stays(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1)
    (first,) = turns.begun(A)
    fused = Fusion(is_fused=True)
    turns.settle(FusionChecked(lease=first.lease, fusion=fused, seconds=1.0), *trained(first), done(first))
    asker.ask(0.2, has_company=False)
    (second,) = [each.assignment for each in only(Submit, turns.settle())]
    assert second.fusion == fused


def test_other_shapes_are_found_out_about_when_they_have_company(turns: Turns, asker: Asker) -> None:
    asker.ask(batch=8, has_company=False)
    (first,) = turns.begun(A)
    turns.settle(*trained(first), done(first))
    asker.ask(batch=16)
    (second,) = [each.assignment for each in only(Submit, turns.settle())]
    assert (first.fusion, second.fusion) == (FEW, None)


def test_who_asks_for_more_later_is_told_once_why_they_are_walked_one_by_one(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1, has_company=False)
    (first,) = turns.begun(A)
    turns.settle(*trained(first), done(first))
    told = []
    for lr in (0.2, 0.3):
        asker.ask(lr)
        came = turns.settle()
        (given,) = [each.assignment for each in only(Submit, came)]
        assert (given.fusion, len(given.lanes)) == (FEW, 1)
        told += [each.message for each in only(Warn, came)]
        turns.settle(*trained(given), done(given))
    (message,) = told
    assert "lanes of m:T are walked one by one, although numerics='fused' allows more: the first of them" in message


def test_few_more_are_nothing_to_be_told_of(turns: Turns, asker: Asker) -> None:
    asker.ask(0.1, has_company=False)
    (first,) = turns.begun(A)
    turns.settle(*trained(first), done(first))
    asker.ask(0.2, has_company=False)
    came = turns.settle()
    assert [each.assignment.fusion for each in only(Submit, came)] == [FEW]
    assert only(Warn, came) == []


def test_a_plan_whose_lanes_are_never_walked_as_one_settles_nothing() -> None:
    turns = Turns(numerics="exact")
    with contextlib.closing(turns.used):
        Asker(turns).ask(has_company=False)
        (given,) = turns.begun(A)
        assert given.fusion is None
        assert turns.run.plan.fusion_facts == FusionFacts()
