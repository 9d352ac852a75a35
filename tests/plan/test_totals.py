"""What was spent on a plan is the sum over its facts, however much of it was added up and written down before."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.plan import (
    AbstractPlanStore,
    Cause,
    CheckpointRow,
    Insert,
    MemoryStore,
    MetricsRow,
    PlanTotals,
    StepRow,
    Total,
    TotalsRow,
    open_store,
    totals,
)
from hippo.plan.rows import Row
from hippo.testing.servers import emptied


def some_facts(rng: Random, first: int) -> list[Row]:
    """Return facts of two plans and two studies, numbered from `first` on."""
    found: list[Row] = []
    for number in range(first, first + rng.randint(1, 8)):
        about = {"plan": rng.randint(1, 2), "node": number, "step": rng.randint(1, 9), "study": rng.randint(1, 2)}
        seconds = rng.randint(1, 8) / 4
        cause = rng.choice([Cause.FIRST, Cause.CHECK, Cause.LOST]).value
        found.append(StepRow(**about, attempt=0, cause=cause, training="{}", seconds=seconds))  # type: ignore[arg-type]
        if rng.random() < 0.7:
            found.append(MetricsRow(**about, metrics="{}", seconds=seconds))  # type: ignore[arg-type]
        if rng.random() < 0.4:
            found.append(
                CheckpointRow(**about, key=str(number), size_bytes=1, sha256="", state_hash="", seconds=seconds)  # type: ignore[arg-type]
            )
    return found


def added_up(facts: list[Row], plan: int) -> dict[tuple[int, str], Total]:
    found: defaultdict[tuple[int, str], Total] = defaultdict(Total)
    for fact in facts:
        if fact.plan == plan:  # type: ignore[attr-defined]
            kind = {MetricsRow: "evaluation", CheckpointRow: "checkpoint"}.get(type(fact)) or fact.cause  # type: ignore[attr-defined]
            furthest = fact.step if kind == "check" else 0  # type: ignore[attr-defined]
            found[fact.study, kind] += Total(1, fact.seconds, furthest)  # type: ignore[attr-defined]
    return dict(found)


def play(store: AbstractPlanStore, seed: int) -> None:
    rng, facts = Random(seed), list[Row]()
    for _ in range(rng.randint(1, 8)):
        new = some_facts(rng, len(facts) + 1)
        facts += new
        store.commit(list(map(Insert, new)))
        with store.reading() as rows:
            found = {plan: PlanTotals.read(rows, plan) for plan in (1, 2)}
        for plan, read in found.items():
            assert read.of == added_up(facts, plan)
            if rng.random() < 0.5:
                store.commit(read.written())


@pytest.fixture
def _each_write_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "WORTH_WRITING", 1)


@pytest.mark.usefixtures("_each_write_is_worth_it")
@pytest.mark.parametrize("seeds", [range(30)])
def test_sums_that_were_written_down_and_what_came_since_are_the_sums_over_all(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        play(MemoryStore(), seed)
    for seed in seeds[:6]:
        play(open_store(f"sqlite:///{tmp_path}/{seed}.db"), seed)


@pytest.mark.slow
@pytest.mark.usefixtures("_each_write_is_worth_it")
def test_so_are_those_in_a_server(server_url: str) -> None:
    for seed in range(3):
        play(open_store(emptied(server_url)), seed)


@given(st.integers(0, 2**32))
def test_what_is_not_worth_a_write_is_not_written(seed: int) -> None:
    store = MemoryStore()
    play(store, seed)
    assert store.rows(TotalsRow) == []


@pytest.mark.usefixtures("_each_write_is_worth_it")
def test_facts_that_were_added_up_are_not_looked_at_again(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/hippo.db")
    facts = [fact for fact in some_facts(Random(1), 1) if fact.plan == 1]  # type: ignore[attr-defined]
    store.commit(list(map(Insert, facts)))
    with store.reading() as rows:
        before = PlanTotals.read(rows, 1)
        store.commit(before.written())
    with store.reading() as rows:
        kept = {row.kind: row for row in rows.rows(TotalsRow, plan=1)}
        again = PlanTotals.read(rows, 1)
    assert {row.mark for row in kept.values()} <= set(before.marks.values())
    assert (again.of, again.written()) == (before.of, [])
