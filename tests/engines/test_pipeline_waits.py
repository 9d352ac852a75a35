"""Whose waits a rank's guest is asked about, and who hears of it where it is not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from torch.distributed.pipelining import schedules

from hippo.engines.pipeline_waits import HOOK, waits_handed_to


class Pipeline:
    """A schedule that waits once in a step."""

    _has_backward = True

    def step(self) -> None:
        getattr(schedules, HOOK)(["work"])


class Asked:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.steps = self.waits = 0

    def begin_step(self) -> None:
        self.steps += 1

    def wait(self, call: Callable[[], Any]) -> Any:
        self.waits += 1
        return call()


@pytest.fixture
def rank(monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setattr(schedules, HOOK, lambda works: None)
    return Asked()


def test_a_step_that_was_kept_before_is_told_of_once(rank: Asked) -> None:
    pipeline = Pipeline()
    kept = pipeline.step
    with waits_handed_to(rank, pipeline), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3):
            kept()

    assert ["call schedule.step itself" in str(each.message) for each in told] == [True]
    assert (rank.steps, rank.waits) == (0, 0)


def test_waits_of_others_are_nobodys_fault_once_there_was_a_step(rank: Asked) -> None:
    pipeline, other = Pipeline(), Pipeline()
    with waits_handed_to(rank, pipeline), warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline.step()
        other.step()

    assert (rank.steps, rank.waits) == (1, 1)
