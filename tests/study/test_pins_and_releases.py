"""`ask.pin` and `ask.release`, from the front door: results never change, and memory does what it was told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hippo
from hippo import Config
from hippo.errors import BudgetError, TunerError
from hippo.events import EngineEvent, StatesResident, StepDone
from hippo.records import Answer, Pin, Point, SlotCommand, Unpin
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.training.walking.residents import ResidentStates
from hippo.tuners import Ask, Tuner
from hippo.tuners.ask import Proposal

TRUNK = Config({"lr": 0.1})


@dataclass(frozen=True)
class Marked:
    """A slot was told to pin a state, or no longer to."""

    point: Point
    is_pinned: bool


class Watched(hippo.InlineEngine):
    """Keeps what its slot says, with marks in between, and tells what its memory holds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.told: list[EngineEvent | Marked] = []

    def start(self, emit: Callable[[EngineEvent], None], **options: Any) -> None:
        def emit_and_keep(event: EngineEvent) -> None:
            self.told.append(event)
            if not isinstance(event, Marked):
                emit(event)

        super().start(emit_and_keep, **options)

    @property
    def held_bytes(self) -> int:
        return self._slot.residents.size_bytes

    @property
    def steps_trained(self) -> int:
        return sum(isinstance(event, StepDone) for event in self.told)


@dataclass
class Doing(Tuner):
    """Does what it is told with its `Ask`."""

    what: Callable[[Ask], Awaitable[Any]] = field(repr=False)

    def record(self) -> dict[str, Any]:
        return {"tuner": "Doing", "what": self.what.__qualname__}

    async def tune(self, ask: Ask) -> Any:
        return await self.what(ask)


def create(engine: Any, tmp_path: Path | None = None, **options: Any) -> hippo.Study:
    where: dict[str, Any] = {"storage": "memory://", "checkpoints": "memory://"}
    if tmp_path is not None:
        where = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    study: hippo.Study = hippo.create_study(
        "pins", trainer=ToyTrainer, engine=engine, metric="loss", mode="min", evaluate_every=1000, **where, **options
    )
    return study


@pytest.fixture
def engine() -> Watched:
    return Watched()


@pytest.fixture
def study(engine: Watched) -> Iterator[hippo.Study]:
    made = create(engine)
    yield made
    made.close()


async def grow(ask: Ask, config: Config, until: int) -> Answer:
    """Ask for a state that stays in memory."""
    return await ask(config, until=until, evaluate=False, is_transient=True)


def state_bytes() -> int:
    """Return what a state takes of the memory of a slot."""
    engine = Watched()
    study = create(engine)
    study.optimize(Doing(lambda ask: grow(ask, TRUNK, 1)))
    held_bytes = engine.held_bytes
    study.close()
    return held_bytes


# --- release


def test_a_released_branch_leaves_memory_and_the_state_that_it_was_forked_from_stays(
    study: hippo.Study, engine: Watched
) -> None:
    async def fork(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        for number in range(3):
            branch = TRUNK.switch(at=4, lr=0.2 + number)
            await grow(ask, branch, 6)
            ask.release(branch)
        await grow(ask, TRUNK.switch(at=4, lr=0.9), 6)

    study.optimize(Doing(fork))
    assert engine.held_bytes == 2 * state_bytes()  # the trunk's, and the last branch's
    counts = study.statistics()
    assert (counts.steps_executed, counts.steps_repeated) == (4 + 4 * 2, 0)


def test_a_trunk_that_is_released_stays_as_long_as_branches_are_asked_from_it(
    study: hippo.Study, engine: Watched
) -> None:
    branches = [TRUNK.switch(at=4, lr=0.2 + number) for number in range(3)]

    async def fork(ask: Ask) -> None:
        await grow(ask, TRUNK, 2)
        await grow(ask, TRUNK, 4)
        asked = ask.together(Proposal(config=each, until=6, evaluate=False, is_transient=True) for each in branches)
        ask.release(TRUNK)
        await asked
        await grow(ask, branches[0], 8)

    study.optimize(Doing(fork))
    assert study.statistics().steps_repeated == 0
    assert engine.held_bytes == 4 * state_bytes()  # the branches' last ones, and that from which one of them went on


def test_what_is_released_is_in_its_file_still(tmp_path: Path, engine: Watched) -> None:
    study = create(engine, tmp_path)

    async def give_up(ask: Ask) -> float:
        await ask(TRUNK, until=4)
        ask.release(TRUNK)
        await grow(ask, Config({"lr": 0.5}), 1)
        return (await ask(TRUNK, until=6)).loss  # it may change its mind

    study.optimize(Doing(give_up))
    counts = study.statistics()
    assert (counts.steps_executed, counts.steps_repeated) == (4 + 1 + 2, 0)
    assert engine.held_bytes == 2 * state_bytes()  # not the one that it came back from
    study.close()


def test_a_config_that_is_released_and_asked_for_all_the_same_is_trained_again(
    study: hippo.Study, engine: Watched
) -> None:
    async def change_of_mind(ask: Ask) -> list[float]:
        await grow(ask, TRUNK, 4)
        ask.release(TRUNK)
        await grow(ask, Config({"lr": 0.5}), 1)
        return [(await ask(TRUNK, until=6)).loss]

    study.optimize(Doing(change_of_mind))
    assert study.statistics().repeated_by_cause == {"not kept": 4}
    losses = [trial.value for trial in study.trials if trial.config == TRUNK]
    assert losses == [train_alone(ToyTrainer, TRUNK, until=6)[6]["loss"]]


def test_states_that_were_released_last_leave_with_the_call(study: hippo.Study, engine: Watched) -> None:
    async def leave(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        ask.release(TRUNK)

    study.optimize(Doing(leave))
    assert engine.held_bytes == 0


def test_a_trial_whose_call_has_ended_keeps_no_state_in_memory(study: hippo.Study, engine: Watched) -> None:
    async def give_up(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        ask.release(TRUNK)

    study.optimize(Doing(lambda ask: grow(ask, TRUNK, 4)))
    assert engine.held_bytes == state_bytes()
    study.optimize(Doing(give_up))
    assert engine.held_bytes == 0


# --- pin


def small(room: int) -> Watched:
    return Watched(resident_bytes=room * state_bytes())


async def fork_often(ask: Ask) -> None:
    for number in range(6):
        await grow(ask, TRUNK.switch(at=4, lr=0.2 + number), 6)


def test_the_parent_of_many_branches_stays_while_it_is_pinned() -> None:
    async def pinned(ask: Ask) -> None:
        answer = await grow(ask, TRUNK, 4)
        await grow(ask, TRUNK, 8)
        async with ask.pin(answer):
            await fork_often(ask)

    async def loose(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        for number in range(6):
            for other in range(2):
                await grow(ask, Config({"lr": 0.5 + number + other / 10}), 1)
            await grow(ask, TRUNK.switch(at=4, lr=0.2 + number), 6)

    async def held(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        async with ask.pin(TRUNK):
            for number in range(6):
                for other in range(2):
                    await grow(ask, Config({"lr": 0.5 + number + other / 10}), 1)
                await grow(ask, TRUNK.switch(at=4, lr=0.2 + number), 6)

    repeated = []
    for what in (pinned, loose, held):
        study = create(small(2))
        study.optimize(Doing(what))
        repeated.append(study.statistics().steps_repeated)
        study.close()
    assert repeated == [0, 6 * 4, 0]


def test_a_state_may_be_pinned_before_it_is_made_and_is_held_where_nobody_asks(engine: Watched) -> None:
    async def ahead(ask: Ask) -> None:
        async with ask.pin(TRUNK, 4):
            await grow(ask, TRUNK, 8)
            await fork_often(ask)

    study = create(small(2))
    study.optimize(Doing(ahead))
    counts = study.statistics()
    assert (counts.steps_executed, counts.steps_repeated) == (8 + 6 * 2, 0)
    study.close()


def test_a_pin_that_ended_holds_nothing(engine: Watched) -> None:
    async def over(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        async with ask.pin(TRUNK):
            pass
        for number in range(2):
            await grow(ask, Config({"lr": 0.5 + number}), 1)
        await grow(ask, TRUNK.switch(at=4, lr=0.2), 6)

    study = create(small(2))
    study.optimize(Doing(over))
    assert study.statistics().steps_repeated == 4
    study.close()


def test_a_released_config_stays_where_it_is_pinned(study: hippo.Study, engine: Watched) -> None:
    async def both(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        async with ask.pin(TRUNK):
            ask.release(TRUNK)
            await fork_often(ask)

    study.optimize(Doing(both))
    assert study.statistics().steps_repeated == 0


def test_a_pin_that_a_task_left_behind_ends_with_its_call(engine: Watched) -> None:
    left: list[Any] = []

    async def leave_behind(ask: Ask) -> None:
        async def hold() -> None:
            async with ask.pin(TRUNK):
                await asyncio.Event().wait()

        await grow(ask, TRUNK, 4)
        left.append(asyncio.ensure_future(hold()))
        await asyncio.sleep(0)
        ask.release(TRUNK)

    study = create(engine)
    study.optimize(Doing(leave_behind))
    assert engine.held_bytes == 0
    study.close()


@pytest.mark.parametrize(
    ("config", "until", "error", "message"),
    [
        (TRUNK, None, TunerError, r"was not answered yet, or was released.*ask\.pin\(config, until="),
        (TRUNK, 0, BudgetError, "until"),
        (TRUNK, 2.5, BudgetError, "until"),
    ],
)
def test_a_state_that_cannot_be_is_not_pinned(
    study: hippo.Study, config: Config, until: Any, error: type[Exception], message: str
) -> None:
    async def wrong(ask: Ask) -> None:
        async with ask.pin(config, until):
            pass

    with pytest.raises(error, match=message):
        study.optimize(Doing(wrong))


def test_an_answer_pins_the_state_that_it_is_about_and_no_other(tmp_path: Path) -> None:
    async def wrong(ask: Ask) -> None:
        answer = await grow(ask, TRUNK, 4)
        async with ask.pin(answer, 4):
            pass
        async with ask.pin(answer, 3):
            pass

    study = create(Watched())
    with pytest.raises(TunerError, match="about step 4, not 3"):
        study.optimize(Doing(wrong))
    study.close()


def test_a_failed_answer_has_no_state_to_pin() -> None:
    async def wrong(ask: Ask) -> None:
        async with ask.pin(await ask(TRUNK, until=4)):
            pass

    study = create(Watched(), trainer_args={"raise_in": "train", "raise_at": 2})
    with pytest.raises(TunerError, match=r"failed on its way to step 4.*told to raise"):
        study.optimize(Doing(wrong))
    study.close()


def test_trials_that_share_nothing_have_states_of_their_own_to_pin() -> None:
    async def pinned(ask: Ask) -> None:
        answer = await grow(ask, TRUNK, 4)
        async with ask.pin(answer), ask.pin(TRUNK):
            await grow(ask, TRUNK, 6)
        async with ask.pin(TRUNK.switch(at=4, lr=0.5), 4):
            pass

    study = create(Watched(), sharing=False)
    with pytest.raises(TunerError, match=r"nothing was asked of .* sharing=False"):
        study.optimize(Doing(pinned))
    study.close()


def test_pins_reach_every_member_and_an_answer_of_one_member_only_that_one() -> None:
    engine = small(3)

    async def pinned(ask: Ask) -> None:
        answer = await ask(TRUNK, until=4, evaluate=False, is_transient=True)
        alone = await ask.at("seed 1")(Config({"lr": 0.3}), until=2, evaluate=False, is_transient=True)
        async with ask.pin(answer), ask.pin(alone):
            for number in range(3):
                await grow(ask, Config({"lr": 0.5 + number}), 1)
            await grow(ask, TRUNK.switch(at=4, lr=0.2), 6)
            await grow(ask.at("seed 1"), Config({"lr": 0.3}), 4)

    study = create(engine, seeds=[0, 1])
    study.optimize(Doing(pinned))
    assert study.statistics().steps_repeated == 0
    study.close()


# --- replays, and what a re-run decides


async def search(ask: Ask) -> list[Any]:
    """Follow the smallest slope, fork by fork, with the parent pinned and all others given up."""
    live, at, seen = TRUNK, 4, []
    await grow(ask, live, at)
    for _ in range(3):
        branches = [live.switch(at=at, lr=0.1 * (number + 1)) for number in range(3)]
        async with ask.pin(live):
            answers = [await grow(ask, branch, at + 2) for branch in branches]
        slopes = [answer.train_metrics[at + 2]["slope"] for answer in answers]
        best = slopes.index(min(slopes))
        for branch in [live, *branches[:best], *branches[best + 1 :]]:
            ask.release(branch)
        live, at = branches[best], at + 2
        seen.append((best, slopes))
    return seen


class Searching(Tuner):
    """Searches, and keeps what it saw; it may be interrupted after some answers."""

    def __init__(self, *, answers: int | None = None) -> None:
        self._answers = answers
        self._seen: list[Any] = []

    def record(self) -> dict[str, Any]:
        return {"tuner": "Searching"}

    @property
    def seen(self) -> list[Any]:
        return self._seen

    async def tune(self, ask: Ask) -> None:
        self._seen += await search(ask if self._answers is None else _Interrupting(ask, self._answers))  # type: ignore[arg-type]


class Interrupted(Exception):
    pass


class _Interrupting:
    def __init__(self, ask: Ask, answers: int) -> None:
        self._ask = ask
        self._left = answers

    async def __call__(self, config: Any, **options: Any) -> Answer:
        if not self._left:
            raise Interrupted
        self._left -= 1
        return await self._ask(config, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ask, name)


@pytest.mark.parametrize("answers", [1, 3, 6, 9, None])
def test_a_re_run_arrives_at_equal_decisions(tmp_path: Path, answers: int | None) -> None:
    undisturbed = Searching()
    study = create(Watched())
    study.optimize(undisturbed)
    study.close()
    study = create(Watched(), tmp_path)
    if answers is None:
        study.optimize(Searching())
        trained = study.statistics().steps_executed
    else:
        with pytest.raises(Interrupted):
            study.optimize(Searching(answers=answers))
    study.close()
    engine, again = Watched(), Searching()
    study = create(engine, tmp_path)
    study.optimize(again)
    assert again.seen == undisturbed.seen
    if answers is None:
        assert (engine.steps_trained, study.statistics().steps_executed) == (0, trained)
    study.close()


@pytest.mark.slow
def test_a_pinned_state_that_died_with_its_slot_is_made_once_and_held_again(tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def lose(ask: Ask) -> None:
        await grow(ask, TRUNK, 4)
        async with ask.pin(TRUNK):
            await grow(ask, TRUNK.switch(at=4, lr=0.9), 6)
            for pid in {int(line.split()[0]) for line in log.read_text().splitlines()}:
                os.kill(pid, signal.SIGKILL)
            await fork_often(ask)

    engine = hippo.LocalEngine(workers=1, resident_bytes=2 * state_bytes())
    study = create(engine, tmp_path, trainer_args={"log": str(log)})
    study.optimize(Doing(lose))
    counts = study.statistics()
    assert counts.steps_repeated == 4
    assert counts.steps_executed == 4 + 7 * 2 + 4
    study.close()


# --- whatever is forked, pinned and released

Deed = tuple[Literal["fork", "go on", "pin", "unpin", "release"], int, int]
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["fork", "fork", "fork", "go on", "pin", "unpin", "release"]),
        st.integers(0, 9),
        st.integers(1, 3),
    ),
    max_size=20,
)


@dataclass
class Random:
    """Forks, pins and releases as it is told, and gives up everything in the end."""

    deeds: list[Deed]
    engine: Watched
    answers: list[Answer] = field(default_factory=list)
    #: how far each config is
    reached: dict[Config, int] = field(default_factory=dict)
    released: set[Config] = field(default_factory=set)
    pins: list[AsyncExitStack] = field(default_factory=list)

    async def __call__(self, ask: Ask) -> None:
        await self.go_on(ask, TRUNK, 2)
        for deed, number, steps in self.deeds:
            config = list(self.reached)[number % len(self.reached)]
            if deed == "fork":
                await self.go_on(ask, config.switch(at=self.reached[config], lr=(number + 1) / 10), steps)
            elif deed == "go on":
                await self.go_on(ask, config, steps)
            elif deed == "pin" and config not in self.released:
                await self.pin(ask, config)
            elif deed == "unpin" and self.pins:
                await self.unpin()
            elif deed == "release":
                ask.release(config)
                self.released.add(config)
        for config in self.reached:
            ask.release(config)
        while self.pins:
            await self.unpin()

    async def go_on(self, ask: Ask, config: Config, steps: int) -> None:
        at = self.reached.get(
            config, max((a.step for a in self.answers if _begins(config, a.config, a.step)), default=0)
        )
        answer = await grow(ask, config, at + steps)
        self.answers.append(answer)
        self.reached[config] = answer.step
        self.released.discard(config)

    async def pin(self, ask: Ask, config: Config) -> None:
        stack = AsyncExitStack()
        await stack.enter_async_context(ask.pin(config))
        self.pins.append(stack)

    async def unpin(self) -> None:
        await self.pins.pop(0).aclose()


def _begins(config: Config, other: Config, step: int) -> bool:
    return all(config.values_at(t) == other.values_at(t) for t in range(step))


FOLLOW = ResidentStates.follow


def follow_and_mark(states: ResidentStates[Any], command: SlotCommand) -> list[Any]:
    """Do as a slot does, and tell when it was told to pin: an answer may come before the state that it is of."""
    is_mark = isinstance(command, Pin | Unpin)
    marks = [Marked(point, is_pinned=isinstance(command, Pin)) for point in command.points] if is_mark else []
    return [*marks, *FOLLOW(states, command)]


def check_pins(told: list[EngineEvent | Marked]) -> None:
    """Check that nothing that was pinned and there left memory, or was made once more, in the order of the slot."""
    resident: set[Point] = set()
    pinned: set[Point] = set()
    for event in told:
        match event:
            case Marked(point=point, is_pinned=True):
                pinned.add(point)
            case Marked(point=point):
                pinned.discard(point)
            case StatesResident(added=added, dropped=dropped):
                resident |= set(added)
                resident -= set(dropped)
                assert not pinned.intersection(dropped)
            case StepDone(node=node, step=step):
                assert (node, step) not in resident.intersection(pinned)


@pytest.mark.slow
@settings(max_examples=60)
@given(deeds=DEEDS, room=st.sampled_from([1, 2, 4, 100]))
def test_results_never_change_pinned_states_stay_and_released_ones_leave(deeds: list[Deed], room: int) -> None:
    engine = small(room)
    study, doing = create(engine), Random(deeds, engine)
    with mock.patch.object(ResidentStates, "follow", follow_and_mark):
        study.optimize(Doing(doing.__call__))
        counts = study.statistics()
        study.close()
    check_pins(engine.told)
    assert engine.held_bytes == 0
    assert len({event.workload for event in engine.told if isinstance(event, StatesResident)}) == 1
    for answer in doing.answers:
        assert dict(answer.train_metrics[answer.step]) == slope_alone(answer.config, answer.step)
    assert counts.steps_executed == engine.steps_trained


def slope_alone(config: Config, until: int) -> dict[str, float]:
    """Return what the last step of a config trained alone says."""
    said: list[dict[str, float]] = []

    class Saying(ToyTrainer):
        def train(self) -> dict[str, float]:
            said.append(super().train())
            return said[-1]

    train_alone(Saying, config, until=until)
    return said[-1]
