"""What is known of walking lanes as one: the first verdict stays, and a step says in how many lanes it was walked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hippo.hparams import Config
from hippo.plan import Cause, FusionFacts, MemoryStore, NullListener, PlanRow, PlanTotals, SearchPlan, StepKind, StepRow
from hippo.records import Fusion, LeaseId

from .plans import node_at

SMALL, LARGE = (("batch", "8"),), (("batch", "64"), ("optimizer", "'sgd'"))
FUSED, SOLO = Fusion(is_fused=True, is_aligned=True, has_twin=True), Fusion(is_fused=False, detail="an LSTM")


def test_the_first_verdict_on_a_shape_stays() -> None:
    facts = FusionFacts().decided(SMALL, FUSED).decided(SMALL, SOLO).decided(LARGE, SOLO)
    assert facts.verdicts == {SMALL: FUSED, LARGE: SOLO}


def test_names_that_split_add_up_and_of_limits_the_smallest_counts() -> None:
    facts = FusionFacts().split(["width"]).split(["depth", "width"]).limited(SMALL, 16).limited(SMALL, 32)
    assert facts.splitting == ("depth", "width")
    assert facts.most_lanes == {SMALL: 16}
    assert facts.limited(SMALL, 0).most_lanes == {SMALL: 1}  # one lane always fits


@pytest.mark.parametrize(
    "facts",
    [
        FusionFacts(),
        FusionFacts().decided(SMALL, FUSED).decided(LARGE, SOLO),
        FusionFacts().split(["b", "a"]).limited(LARGE, 4),
        FusionFacts().decided((), SOLO),
        FusionFacts().checked(1, 2.5).checked(12, 0.25).checked(1, 0.5),
        FusionFacts().drifted(12, 0.5).drifted(3, 0.25),
        FusionFacts().decided(SMALL, replace(FUSED, own_floats=(("branch.0", "scaling", "default"), ("", "factor")))),
    ],
)
def test_what_is_known_outlives_the_process(facts: FusionFacts) -> None:
    assert FusionFacts.from_text(facts.to_text()) == facts


def test_a_verdict_from_before_the_promise_was_written_down_is_read_as_one_that_keeps_bits() -> None:
    text = FusionFacts().decided(SMALL, FUSED).to_text()
    assert FusionFacts.from_text(text.replace(', "keeps_bits": true', "")).verdicts == {SMALL: FUSED}
    assert FusionFacts.from_text(text.replace(', "check_seconds": []', "")).check_seconds == {}
    broken = FusionFacts().decided(SMALL, replace(FUSED, keeps_bits=False))
    assert FusionFacts.from_text(broken.to_text()) == broken


def test_verdicts_of_earlier_releases_know_of_no_floats_in_modules() -> None:
    text = FusionFacts().decided(SMALL, FUSED).to_text().replace('"own_floats": [], ', "")
    assert "own_floats" not in text
    assert FusionFacts.from_text(text).verdicts == {SMALL: FUSED}


def test_of_a_plan_of_which_nothing_is_known_nothing_is_written() -> None:
    assert FusionFacts().to_text() == ""


@pytest.mark.parametrize(
    ("kind", "text"), [(StepKind(Cause.FIRST), "first"), (StepKind(Cause.NOT_KEPT, 16), "not kept x16")]
)
def test_a_step_says_why_it_was_run_and_in_how_many_lanes(kind: StepKind, text: str) -> None:
    assert kind.text == text
    assert StepKind.from_text(text) == kind


def test_lanes_of_a_step_are_a_fact_and_summed_apart() -> None:
    store = MemoryStore()
    row = store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
    plan = SearchPlan.open(store, row, NullListener())
    node = node_at(plan, Config({"lr": 0.1}), 3)
    for step, lanes in ((1, 1), (2, 4), (3, 4)):
        plan.facts.record_step(node, step, {}, 0.5, lease=LeaseId(1), cause=Cause.FIRST, study=1, lanes=lanes)
    assert node.lanes == {2: 4, 3: 4}
    store.commit(plan.changes.take())
    assert [each.cause for each in store.rows(StepRow)] == ["first", "first x4", "first x4"]
    again = SearchPlan.open(store, row, NullListener(), by_parts=False)
    assert again.nodes[node.id].lanes == {2: 4, 3: 4}
    with store.reading() as rows:
        totals = PlanTotals.read(rows, row.plan)
    assert {kind: (total.count, total.seconds) for kind, total in totals.of_study(1).items()} == {
        "first": (1, 0.5),
        "first x4": (2, 1.0),
    }
    assert totals.of_cause(Cause.FIRST).count == 3
