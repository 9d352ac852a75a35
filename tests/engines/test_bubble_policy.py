"""A guest computes in bubbles only as far as the large job does not notice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.engines.bubble_policy import BubbleLimits, BubblePolicy, Restraint

SECONDS = st.floats(0.0, 10.0)


def after(steps: int, *, bubbles: tuple[float, ...] = (1.0,), step_s: float = 10.0, **limits: float) -> BubblePolicy:
    """Return a policy after steps of such bubbles."""
    policy = BubblePolicy(BubbleLimits(**limits))  # type: ignore[arg-type]
    take(policy, steps, bubbles, step_s)
    return policy


def take(policy: BubblePolicy, steps: int, bubbles: tuple[float, ...] = (1.0,), step_s: float = 10.0) -> None:
    for _ in range(steps):
        for lasted_s in bubbles:
            policy.end_bubble(lasted_s)
        policy.end_step(step_s)


def beside(policy: BubblePolicy, steps: int, seconds_of: Callable[[int, bool], float]) -> int:
    """Take steps, of which each takes what is said of its number and of whether it is observed only; return how many.

    It ends where the guest is stopped.
    """
    for number in range(steps):
        if policy.restraint is Restraint.STOPPED:
            return number
        policy.end_step(seconds_of(number, policy.is_observing))
    return steps


def test_the_first_steps_are_observed_and_later_one_in_so_many() -> None:
    policy, observed = BubblePolicy(BubbleLimits(observed_steps=2, observed_every=4)), []
    for step in range(11):
        if policy.is_observing:
            observed.append(step)
        assert policy.is_observing <= (not policy.may_run(0.0, 0.0))
        take(policy, 1)
    assert observed == [0, 1, 5, 9]


@given(st.lists(SECONDS, min_size=3, max_size=3), SECONDS, SECONDS)
def test_a_slice_runs_iff_it_will_be_over_within_the_margin(
    lasted: list[float], elapsed: float, slice_s: float
) -> None:
    policy = after(3, bubbles=tuple(lasted))
    for expected in lasted:
        assert policy.expected_s() == pytest.approx(expected)
        assert policy.may_run(elapsed, slice_s) == (elapsed + slice_s < 0.95 * policy.expected_s())
        policy.end_bubble(expected)


def test_nothing_runs_in_a_bubble_that_was_never_seen() -> None:
    policy = after(3)
    assert policy.may_run(0.0, 0.0)
    policy.end_bubble(1.0)
    assert not policy.may_run(0.0, 0.0)


@given(st.lists(st.floats(0.6, 1.0), min_size=1))
def test_what_is_expected_lies_within_what_was_seen(lasted: list[float]) -> None:
    policy = BubblePolicy()
    for each in lasted:
        take(policy, 1, (each,))
    assert min(lasted) <= policy.expected_s() + 1e-9  # roundings of averages
    assert policy.expected_s() <= max(lasted) + 1e-9


def test_a_bubble_that_varies_is_averaged_and_one_that_vanishes_is_believed_at_once() -> None:
    policy = after(1, bubbles=(1.0,))
    take(policy, 1, (2.0,))
    assert policy.expected_s() == pytest.approx(1.1)
    take(policy, 1, (0.2,))
    assert policy.expected_s() == 0.2


def test_a_large_job_that_is_slowed_down_is_given_more_and_more_room() -> None:
    policy, seen = after(3, judged_steps=5), []
    for _ in range(3):
        before = policy.restraint
        while policy.restraint is before:
            take(policy, 1, step_s=10.0 if policy.is_observing else 10.3)
        while policy.is_observing:
            take(policy, 1)
        seen.append((policy.restraint, policy.may_run(0.0, 0.9), policy.may_run(0.0, 0.7), policy.may_run(0.0, 0.3)))
    assert seen == [
        (Restraint.WIDER_MARGIN, False, True, True),
        (Restraint.SHORTER_SLICES, False, False, True),
        (Restraint.STOPPED, False, False, False),
    ]
    assert policy.slowdown == pytest.approx(0.03)


@pytest.mark.parametrize(("slower", "within"), [(1.05, 70), (1.03, 70), (1.3, 70)])
def test_a_guest_that_slows_each_step_down_is_stopped_soon(slower: float, within: int) -> None:
    assert beside(after(3), 1000, lambda _, is_observed: 10.0 if is_observed else slower * 10.0) < within


@pytest.mark.parametrize("deviation", [0.01, 0.02, 0.05])
@pytest.mark.parametrize("seed", range(10))
def test_a_guest_that_costs_nothing_is_not_stopped_since_steps_vary(deviation: float, seed: int) -> None:
    rng, policy = np.random.default_rng(seed), BubblePolicy()
    observed = 0

    def seconds(_number: int, is_observed: bool) -> float:
        nonlocal observed
        observed += is_observed
        return float(10.0 * rng.normal(1.0, deviation))

    assert beside(policy, 2000, seconds) == 2000
    assert policy.restraint <= Restraint.WIDER_MARGIN
    assert observed < 2000 // 5


@pytest.mark.parametrize("seed", range(10))
def test_a_guest_that_slows_down_steps_that_vary_is_stopped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = beside(BubblePolicy(), 3000, lambda _, seen: float(rng.normal(10.0 if seen else 10.5, 0.2)))
    assert steps < 300


def test_a_large_job_that_becomes_slower_by_itself_does_not_stop_its_guest() -> None:
    policy = BubblePolicy()
    assert beside(policy, 1000, lambda number, _: 10.0 if number < 100 else 12.0) == 1000
    assert policy.restraint is Restraint.NONE
    assert policy.alone_s == pytest.approx(12.0, rel=0.01)


@pytest.mark.parametrize("period", [2, 3, 4, 5])
def test_a_large_job_that_does_more_in_some_of_its_steps_does_not_stop_its_guest(period: int) -> None:
    policy = BubblePolicy()
    assert beside(policy, 2000, lambda number, _: 10.0 + (number % period == 0)) == 2000
    assert policy.restraint is Restraint.NONE


@pytest.mark.parametrize("phase", [0, 1])
def test_a_guest_that_slows_such_a_large_job_down_is_stopped(phase: int) -> None:
    def seconds(number: int, is_observed: bool) -> float:
        return (11.0 if number % 2 == phase else 10.0) * (1.0 if is_observed else 1.05)

    assert beside(BubblePolicy(), 3000, seconds) < 1000


def test_steps_that_no_guest_could_have_used_judge_nobody() -> None:
    policy = after(3)
    for _ in range(100):
        policy.end_step(11.0, had_guest=False)
    assert policy.restraint is Restraint.NONE
    assert policy.slowdown == 0.0
    assert policy.alone_s == pytest.approx(11.0, rel=0.01)


def test_noise_around_what_the_large_job_takes_alone_restrains_nobody() -> None:
    policy = after(3)
    for _ in range(40):
        take(policy, 1, step_s=10.3)
        take(policy, 1, step_s=9.8)
    assert policy.restraint is Restraint.NONE


def test_steps_that_are_observed_tell_what_the_large_job_takes_alone() -> None:
    policy = after(3, observed_every=2)
    take(policy, 1, step_s=10.1)
    take(policy, 1, step_s=20.0)
    assert policy.alone_s == pytest.approx(10.25)  # one step that takes long, as where it is evaluated, is no trend
    assert policy.slowdown == pytest.approx(0.01)


@given(st.lists(SECONDS, max_size=60))
def test_a_guest_that_was_stopped_never_runs_again(steps: list[float]) -> None:
    policy = after(3)
    beside(policy, 100, lambda _, is_observed: 10.0 if is_observed else 20.0)
    for step_s in steps:
        take(policy, 1, step_s=step_s)
        assert policy.restraint is Restraint.STOPPED
        assert not policy.may_run(0.0, 0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"slowdown": 2.0},
        {"slowdown": 0.0},
        {"margin": 1.5},
        {"margin": 0.5},
        {"wide_margin": 0.0},
        {"observed_steps": 0},
        {"observed_every": 1},
        {"judged_steps": 0},
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        BubbleLimits(**wrong)  # type: ignore[arg-type]


def test_steps_in_which_the_large_job_saves_itself_restrain_nobody() -> None:
    policy = BubblePolicy()
    for number in range(10_000):
        policy.end_step(10.0 if number % 1000 == 999 else 1.0)
    assert policy.restraint is Restraint.NONE
    while policy.restraint is not Restraint.STOPPED:  # one that slows each step is found soon
        policy.end_step(1.0 if policy.is_observing else 1.05)
        number += 1
    assert number < 10_000 + 10 * policy.limits.judged_steps
