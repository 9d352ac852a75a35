"""Slots that differ in speed: what is longest is in the fastest, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hippo
from hippo.hparams import Piecewise
from hippo.runtime.timing.slot_speeds import SlotSpeeds
from hippo.simulation import SimulatedWorkload, Simulation, simulate

SPACE = [
    {"lr": Piecewise([0.1, second, third], [4, 20]), "wd": wd}
    for second in (0.05, 0.02)
    for third in (0.01, 0.001)
    for wd in (0.0, 1e-4, 1e-3)
]
MIXED = [0.5, 0.5, 1.0, 1.0]


def run(slots: list[float], tuner: hippo.Tuner | None = None, **workload: float) -> Simulation:
    tuner = tuner or hippo.SuccessiveHalving(SPACE, min_steps=10, max_steps=80, reduction=2, extra_steps=60)
    return simulate(tuner, SimulatedWorkload(seconds_per_step=10.0, **workload), slots=slots)


def histories(done: Simulation) -> list[dict[int, dict[str, float]]]:
    return [dict(trial.history) for trial in done.studies[0].trials]


def blindly(monkeypatch: pytest.MonkeyPatch, slots: list[float]) -> Simulation:
    with monkeypatch.context() as patch:
        patch.setattr(SlotSpeeds, "differ", False)
        return run(slots)


def test_a_study_ends_sooner_and_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    blind, seeing = blindly(monkeypatch, MIXED), run(MIXED)
    assert seeing.makespan_s < 0.9 * blind.makespan_s
    assert histories(seeing) == histories(blind)
    assert seeing.steps_executed - seeing.steps_repeated == blind.steps_executed
    assert seeing.steps_repeated == 0


def test_slow_slots_beside_fast_ones_cost_no_more_than_finding_that_they_are_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone, slots = run([1.0, 1.0]).makespan_s, [0.25, 0.25, 1.0, 1.0]
    assert run(slots).makespan_s <= alone + 4 * 40.0  # four steps of a slow slot
    assert blindly(monkeypatch, slots).makespan_s > 1.2 * alone


def test_nothing_moves_while_a_fast_slot_has_something_to_begin() -> None:
    assert run(MIXED, hippo.GridSearch(SPACE, until=30), start_s=30.0).lanes == len(SPACE)


def test_equally_fast_slots_are_used_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run([0.5] * 4).makespan_s == blindly(monkeypatch, [0.5] * 4).makespan_s


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from([1.0, 0.5, 0.25]), min_size=1, max_size=5),
    st.integers(0, 5),
    st.sampled_from([hippo.GridSearch(SPACE, until=30), hippo.ASHA(SPACE, min_steps=5, max_steps=40, reduction=2)]),
)
def test_whatever_the_speeds_every_step_is_trained_once(slots: list[float], start_s: int, tuner: hippo.Tuner) -> None:
    mixed = run(slots, tuner, start_s=float(start_s), load_s=1.0, save_s=0.5)
    assert mixed.steps_repeated == 0
    if isinstance(tuner, hippo.GridSearch):
        assert histories(mixed) == histories(run([1.0], tuner))
