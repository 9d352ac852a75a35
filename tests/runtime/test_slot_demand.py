"""What an engine that can grow and shrink hears of how many slots would have work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.tuners import Ask

from .hand_engine import HandEngine, eventually
from .test_control import Study, asking


class ScalingEngine(HandEngine):
    """Notes what it was told."""

    scales = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.wanted: list[int | None] = []

    def want(self, slots: int | None) -> None:
        self.wanted.append(slots)


class ScalingStudy(Study):
    engine: ScalingEngine

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/hippo.db"
        self.engine = ScalingEngine()
        self.study = self.another("toy")


@pytest.fixture
def made(tmp_path: Path) -> Iterator[ScalingStudy]:
    made = ScalingStudy(tmp_path)
    yield made
    made.study.close()


def test_it_is_what_is_ready_and_what_is_under_way_and_nothing_when_all_is_done(made: ScalingStudy) -> None:
    async def tune(ask: Ask) -> None:
        answers = [asking(ask, lr) for lr in (0.1, 0.2, 0.3)]
        for number in range(3):
            lease = await made.engine.assignment(number)
            made.engine.walk(lease, until=4)
            made.engine.end(lease)
        await asyncio.gather(*answers)

    made.run(tune)
    wanted = made.engine.wanted
    assert wanted[-1] == 0
    assert 3 in wanted
    assert all(before != after for before, after in zip([0, *wanted], wanted, strict=False))


def test_the_last_that_is_under_way_has_work_for_its_slot(made: ScalingStudy) -> None:
    async def tune(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=2)
        assert made.engine.wanted[-1] == 1
        made.engine.walk(lease, until=4)
        made.engine.end(lease)
        await answer

    made.run(tune)


def test_whoever_pulls_has_work_for_every_slot(made: ScalingStudy) -> None:
    async def tune(ask: Ask) -> None:
        asha = hippo.ASHA({"lr": hippo.uniform(0.1, 0.9)}, num_trials=2, min_steps=1, max_steps=2, reduction=2)
        pulling = asyncio.ensure_future(asha.tune(ask))
        await eventually(lambda: len(made.engine.given) == 1)
        assert None in made.engine.wanted
        pulling.cancel()
        await asyncio.wait([pulling])

    made.run(tune)


def test_an_engine_of_a_fixed_size_hears_nothing_of_it(tmp_path: Path) -> None:
    made = ScalingStudy(tmp_path)
    made.engine.scales = False

    async def tune(ask: Ask) -> None:
        answer = asking(ask)
        lease = await made.engine.assignment()
        made.engine.walk(lease, until=4)
        made.engine.end(lease)
        await answer

    made.run(tune)
    assert made.engine.wanted == []
    made.study.close()
