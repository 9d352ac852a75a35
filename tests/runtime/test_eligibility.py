"""Slots of several environments: each plan uses those of its own, and waits a while for the first one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import hippo
from hippo.errors import EnvironmentChangedError
from hippo.events import SlotOpened
from hippo.plan import PlanRow, TrialRow
from hippo.records import Assignment, SlotId, TrainerSpec
from hippo.runtime.asking.instructions import Elapsed
from hippo.runtime.placing import eligibility
from hippo.simulation.clock import VirtualClock
from hippo.tuners import Ask

from .hand_engine import HandEngine, eventually
from .test_control import Study, asking

SPACE = {"lr": hippo.uniform(0.1, 0.9)}
OLD, NEW = {"torch": "1", "hash_seed": "3"}, {"torch": "2", "hash_seed": "3"}


class MixedEngine(HandEngine):
    """Slots are of what a test says, and open when it says so."""

    slots_may_differ = True

    def environment(self) -> None:  # type: ignore[override]
        return None

    def open_workload(self, spec: TrainerSpec) -> None:
        pass

    def open_in(self, name: str, environment: dict[str, str]) -> None:
        self.say(SlotOpened(slot=SlotId(name), environment=environment))

    def finish(self, assignment: Assignment) -> None:
        self.walk(assignment, until=100)
        self.end(assignment)


class MixedStudy(Study):
    """A study on such an engine."""

    engine: MixedEngine

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/hippo.db"
        self.engine = MixedEngine()
        self.study = self.another("toy")

    def begin_again(self, name: str, **options: Any) -> None:
        """Open a study on another engine, which has no slots yet."""
        self.study.close()
        self.engine = MixedEngine()
        self.study = self.another(name, **options)

    def train_two(self) -> None:
        """Run a call whose work somebody else does."""

        async def tune(ask: Ask) -> None:
            await asyncio.gather(asking(ask, 0.2), asking(ask, 0.3))

        self.run(tune)

    def train_in(self, slot: str, environment: dict[str, str], *, lr: float = 0.1) -> None:
        """Run a call whose work is done in one slot, which opens for it."""

        async def tune(ask: Ask) -> None:
            answer = asking(ask, lr)
            count = len(self.engine.given)
            self.engine.open_in(slot, environment)
            self.engine.finish(await self.engine.assignment(count))
            await answer

        self.run(tune)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[MixedStudy]:
    made = MixedStudy(tmp_path)
    yield made
    made.study.close()


def test_a_slot_of_another_environment_gets_nothing_of_a_plan_and_that_is_said_once(
    made: MixedStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    made.train_in("old", OLD)

    async def tune(ask: Ask) -> None:
        answers = [asking(ask, lr) for lr in (0.2, 0.3, 0.4)]
        made.engine.open_in("new", NEW)
        made.engine.open_in("newer", NEW)
        for number in (1, 2, 3):
            made.engine.finish(await made.engine.assignment(number))
        await asyncio.gather(*answers)

    made.run(tune)
    assert {assignment.slot for assignment in made.engine.given} == {SlotId("old")}
    said = capsys.readouterr().err
    assert said.count("some slots get none of its work") == 1
    assert "torch was '1' and is '2'" in said
    assert [row.environment for row in made.rows(PlanRow)] == ['{"hash_seed": "3", "torch": "1"}']


def test_plans_of_two_environments_train_at_the_same_time_each_in_its_own_slots(made: MixedStudy) -> None:
    made.train_in("old", OLD)
    made.begin_again("second", seed=7)
    made.train_in("new", NEW)
    second = made.study
    made.begin_again("toy")

    async def both(ask: Ask) -> None:
        made.study = made.another("second", seed=7)
        beside = asyncio.get_running_loop().run_in_executor(None, made.train_two)
        answers = [asking(ask, lr) for lr in (0.2, 0.3)]
        made.engine.open_in("new", NEW)
        made.engine.open_in("old", OLD)
        for number in range(4):
            await eventually(lambda number=number: len(made.engine.given) > number)  # type: ignore[misc]
            made.engine.finish(made.engine.given[number])
        await asyncio.gather(*answers)
        await beside

    made.run(both)
    second.close()
    assert sorted((one.slot, one.prefix.split("/")[1].split("-")[0]) for one in made.engine.given) == [
        *[(SlotId("new"), "p2")] * 2,
        *[(SlotId("old"), "p1")] * 2,
    ]


def test_a_plan_waits_for_a_slot_of_its_environment_though_another_one_opens_first(
    made: MixedStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    made.train_in("old", OLD)
    made.begin_again("toy")

    async def tune(ask: Ask) -> None:
        answer = asking(ask, 0.2)
        made.engine.open_in("new", NEW)
        await asyncio.sleep(0.05)
        assert made.engine.given == []
        made.engine.open_in("old again", OLD)
        made.engine.finish(await made.engine.assignment())
        await answer

    made.run(tune)
    assert [assignment.slot for assignment in made.engine.given] == ["old again"]
    assert capsys.readouterr().err.count("no slot is open in which its work may run") == 1


def test_a_plan_for_which_no_slot_opens_in_time_says_in_what_they_differ(
    made: MixedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.train_in("old", OLD)
    made.begin_again("toy")
    monkeypatch.setattr(eligibility, "PATIENCE_S", 0.0)

    async def tune(ask: Ask) -> None:
        answer = asking(ask, 0.2)
        made.engine.open_in("new", NEW)
        await answer

    with pytest.raises(EnvironmentChangedError, match="torch was '1' and is '2'"):
        made.run(tune)
    assert made.engine.given == []


def test_idle_slots_that_a_plan_may_not_use_offer_its_stream_no_room(made: MixedStudy) -> None:
    made.train_in("old", OLD)
    seen: list[int] = []

    async def tune(ask: Ask) -> None:
        pulling = asyncio.ensure_future(
            hippo.ASHA(SPACE, num_trials=4, min_steps=1, max_steps=2, reduction=2).tune(ask)
        )
        await eventually(lambda: len(made.engine.given) == 2)
        made.engine.open_in("new", NEW)
        await asyncio.sleep(0.05)
        seen.append(len(made.rows(TrialRow)))
        for number in itertools.count(1):
            await eventually(lambda number=number: pulling.done() or len(made.engine.given) > number)  # type: ignore[misc]
            if pulling.done():
                break
            made.engine.finish(made.engine.given[number])
        await pulling

    made.run(tune)
    assert seen == [2]  # one before, and one for the slot that it may use
    assert {one.slot for one in made.engine.given} == {SlotId("old")}


def test_a_plan_whose_last_slot_is_lost_while_others_are_open_says_so_and_goes_on_when_one_opens(
    made: MixedStudy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made.train_in("old", OLD)
    monkeypatch.setattr(eligibility, "PATIENCE_S", 0.0)

    async def tune(ask: Ask) -> None:
        answer = asking(ask, 0.2)
        made.engine.open_in("new", NEW)
        made.engine.lose_worker_of(await made.engine.assignment(1))
        made.engine.say(Elapsed())
        made.engine.open_in("old again", OLD)
        made.engine.finish(await made.engine.assignment(2))
        await answer

    made.run(tune)
    assert [assignment.slot for assignment in made.engine.given] == ["old", "old", "old again"]
    said = capsys.readouterr().err
    assert said.count("no slot is left in which its work may run; it waits until one opens") == 1


# --- by itself


class OfKind:
    """A plan of one environment, as far as this matters here."""

    is_used = is_new = True
    users = 1

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def is_news(self, what: str) -> bool:
        return self.is_new

    def check_environment(self, environment: str) -> None:
        if environment != self.kind:
            raise EnvironmentChangedError(environment)


class OpenSlots(list[str]):
    """Open slots, by their environments."""

    @property
    def environments(self) -> list[str]:
        return list(self)

    num_of = list.count


def eligible(*slots: str, may_differ: bool = True) -> tuple[Any, OpenSlots, VirtualClock]:
    table, clock = OpenSlots(slots), VirtualClock()
    return eligibility.Eligibility(cast("Any", table), clock, may_differ=may_differ), table, clock


@pytest.mark.parametrize(
    ("then", "waited_s", "is_told"),
    [
        (lambda plan, slots: None, 29.0, False),
        (lambda plan, slots: None, 30.0, True),
        (lambda plan, slots: setattr(plan, "is_used", False), 30.0, False),
        (lambda plan, slots: slots.append("old"), 30.0, False),
        (lambda plan, slots: slots.clear(), 30.0, False),
    ],
    ids=["too early", "in time", "nobody asks", "one opened", "none is left"],
)
def test_a_plan_is_told_once_and_in_time_that_no_slot_opens_for_it_if_it_needs_one(
    then: Callable[[OfKind, OpenSlots], None], waited_s: float, is_told: bool
) -> None:
    eligible_for, slots, clock = eligible("new")
    clock.call_at(100.0, lambda: None)
    clock.advance()
    clock.call_later(waited_s, lambda: None)
    plan = OfKind("old")
    assert "no slot is open" in eligible_for.meet(plan)
    assert eligible_for.meet(plan) is None
    then(plan, slots)
    clock.advance()
    assert [run for run, _ in eligible_for.overdue()] == [plan] * is_told
    assert list(eligible_for.overdue()) == []


def test_plans_compete_for_slots_unless_they_are_of_other_environments() -> None:
    old, also_old, new = OfKind("old"), OfKind("old"), OfKind("new")
    differing, alike = eligible()[0], eligible(may_differ=False)[0]
    assert [differing.compete(old, other) for other in (also_old, new)] == [True, False]
    assert [alike.compete(old, other) for other in (also_old, new)] == [True, True]


def test_a_plan_that_had_a_slot_waits_for_the_next_one_however_long_and_says_so_once() -> None:
    eligible_for, slots, clock = eligible("old", "new")
    plan = OfKind("old")
    slots.remove("old")
    assert "no slot is left in which its work may run" in eligible_for.miss(plan)
    assert eligible_for.miss(plan) is eligible_for.meet(plan) is None
    clock.call_at(1e6, lambda: None)
    clock.advance()
    assert list(eligible_for.overdue()) == []
    assert eligible_for.is_any_unserved
    slots.append("old")
    plan.is_new = False
    assert eligible_for.meet(plan) is None
    assert not eligible_for.is_any_unserved


def test_a_call_that_begins_is_told_what_it_waits_for_whoever_waits_already() -> None:
    eligible_for, slots, _clock = eligible("old", "new")
    plan = OfKind("old")
    assert "some slots get none of its work" in eligible_for.welcome(plan)
    plan.is_new = False
    assert eligible_for.welcome(plan) is None
    slots.remove("old")
    eligible_for.miss(plan)
    plan.users = 2
    assert "other calls on its plan wait for one, too: new" in eligible_for.welcome(plan)
    slots.append("old")
    assert eligible_for.welcome(plan) is None


def test_a_call_waits_for_a_slot_no_longer_than_another_because_earlier_ones_had_lost_theirs() -> None:
    eligible_for, slots, clock = eligible("old", "new")
    plan = OfKind("old")
    slots.remove("old")
    eligible_for.miss(plan)
    assert "others are waited for, for 30 s: new" in eligible_for.welcome(plan)
    clock.call_later(30.0, lambda: None)
    clock.advance()
    assert [run for run, _ in eligible_for.overdue()] == [plan]
