"""Messages to a foreign training system: their order, and that a tuner's questions become the right ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

import hippo
from hippo.errors import BranchError, TunerError
from hippo.hparams import Config, Exponential, Piecewise
from hippo.integrations.branches import (
    BranchAsk,
    ForkBranch,
    FreeBranch,
    Message,
    Protocol,
    ReportProgress,
    ScheduleBranch,
)
from hippo.records import Answer, Objective
from hippo.testing.branch_system import LoopSystem
from hippo.tuners.ask import Proposal


def fork(clock: int, branch: int, parent: int = 0, **more: Any) -> ForkBranch:
    return ForkBranch(clock=clock, branch=branch, parent=parent, tunables={"lr": 0.1}, **more)


def schedule(clock: int, branch: int) -> ScheduleBranch:
    return ScheduleBranch(clock=clock, branch=branch)


def free(clock: int, branch: int) -> FreeBranch:
    return FreeBranch(clock=clock, branch=branch)


def report(clock: int, progress: float = 1.0, worker: int = 0) -> ReportProgress:
    return ReportProgress(clock=clock, progress=progress, worker=worker)


def checked(messages: Sequence[Message], **options: Any) -> list[float | None]:
    protocol = Protocol(**options)
    return [protocol.check(message) for message in messages]


# ---------------------------------------------------------------------------------------------- the order of messages


def test_clocks_ascend_over_all_branches_and_each_is_reported() -> None:
    messages = [fork(0, 1), fork(0, 2), schedule(0, 1), report(0, 3.0), schedule(1, 2), report(1, 2.0), free(2, 1)]
    assert checked(messages) == [None, None, None, 3.0, None, 2.0, None]


def test_several_clocks_may_be_sent_ahead() -> None:
    messages = [fork(0, 1), schedule(0, 1), schedule(1, 1), schedule(2, 1), report(0), report(1), report(2)]
    assert checked(messages)[-3:] == [1.0, 1.0, 1.0]


def test_a_clock_is_over_when_all_workers_have_reported_it() -> None:
    begin = [fork(0, 1), schedule(0, 1), schedule(1, 1)]
    reports = [report(0, 1.0, 1), report(1, 5.0, 1), report(0, 2.0, 0), report(1, 6.0, 0)]
    assert checked([*begin, *reports], workers=2)[3:] == [None, None, 3.0, 11.0]
    assert checked([*begin, *reports], workers=2, aggregate=lambda each: each[0])[3:] == [None, None, 2.0, 6.0]


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([fork(1, 1)], "branch 1 at clock 1: clock 0 is next"),
        ([fork(0, 1), schedule(1, 1)], "branch 1 at clock 1: clock 0 is next"),
        ([fork(0, 1), schedule(0, 1), fork(0, 2)], "branch 2 at clock 0: clock 1 is next"),
        ([fork(0, 1), schedule(0, 1), free(0, 1)], "branch 1 at clock 0: clock 1 is next"),
        ([fork(0, 1), fork(0, 1)], "branch 1 at clock 0: its id was used before"),
        ([fork(0, 1), free(0, 1), fork(0, 1)], "its id was used before"),
        ([fork(0, 1, 7)], "branch 1 at clock 0: its parent 7 is not alive"),
        ([fork(0, 1), free(0, 1), free(0, 1)], "branch 1 at clock 0: it is not alive"),
        ([fork(0, 1), free(0, 1), schedule(0, 1)], "branch 1 at clock 0: it is not alive"),
        ([schedule(0, 3)], "branch 3 at clock 0: it is not alive"),
        ([schedule(0, 0)], "it is the first state, which is forked and not trained"),
        ([free(0, 0)], "it is the first state, from which all others come"),
        ([fork(0, 1, is_testing=True), fork(0, 2, 1)], "nothing goes on from a testing branch"),
        ([report(0)], r"clock 0 is not waited for, only \[\]"),
        ([fork(0, 1), schedule(0, 1), report(0), report(0)], "clock 0 is not waited for"),
        ([fork(0, 1), schedule(0, 1), schedule(1, 1), report(1)], "of branch 1, came before its report of clock 0"),
        ([fork(0, 1), schedule(0, 1), report(0, worker=1)], "of branch 1: there are workers 0 to 0"),
    ],
)
def test_messages_out_of_order_are_refused_with_clock_and_branch(messages: Sequence[Message], words: str) -> None:
    with pytest.raises(BranchError, match=words):
        checked(messages)


def test_a_worker_reports_a_clock_once() -> None:
    with pytest.raises(BranchError, match="worker 1 has reported this clock"):
        checked([fork(0, 1), schedule(0, 1), report(0, worker=1), report(0, worker=1)], workers=2)


# ------------------------------------------------------------------------------------------- from questions to messages


class Descent:
    """A loop whose whole state is a number; each step takes the share `lr` of it."""

    def __init__(self, value: float = 10.0) -> None:
        self.value = value


def steps(state: Descent, hp: Mapping[str, Any]) -> Iterator[float]:
    while True:
        loss = state.value
        state.value *= 1 - hp["lr"] if hp["lr"] < 0.3 else 1 + 3 * hp["lr"]
        yield loss


def make_system(**options: Any) -> LoopSystem:
    return LoopSystem(Descent, steps, lambda state: -state.value, lambda state: Descent(state.value), **options)


def answers(system: LoopSystem, *asked: Proposal, **options: Any) -> list[Answer]:
    return asyncio.run(BranchAsk(system, **options).together(asked))


def kinds(system: LoopSystem) -> str:
    """Return the messages to the system, a letter each."""
    letters = {ForkBranch: "f", FreeBranch: "x", ScheduleBranch: "s"}
    return "".join(letters.get(type(message), "") for message in system.messages)


def test_a_config_is_a_branch_and_a_step_is_a_clock() -> None:
    system = make_system()
    asked = [Proposal(config={"lr": lr}, until=until, evaluate=False) for lr, until in ((0.1, 2), (0.2, 1), (0.1, 3))]
    told = answers(system, *asked)
    assert kinds(system) == "fssfss"  # the third question goes on with the first one's branch
    assert dict(told[2].train_metrics) == {1: {"loss": 10.0}, 2: {"loss": 9.0}, 3: {"loss": 8.1}}
    assert [answer.trial for answer in told] == [0, 1, 0]
    assert told[0].metrics == {}
    assert told[0].losses == ()


def test_a_switch_is_a_fork_of_the_present_state() -> None:
    system = make_system()
    config = Config({"lr": 0.1})
    told = answers(
        system,
        Proposal(config=config, until=2, evaluate=False),
        Proposal(config=config.switch(at=2, lr=0.2), until=3, evaluate=False),
        Proposal(config=config.switch(at=2, lr=0.25), until=3, evaluate=False),
    )
    forks = [message for message in system.messages if isinstance(message, ForkBranch)]
    assert [(f.branch, f.parent, dict(f.tunables)) for f in forks] == [
        (1, 0, {"lr": 0.1}),
        (2, 1, {"lr": 0.2}),
        (3, 1, {"lr": 0.25}),
    ]
    assert {step: m["loss"] for step, m in told[1].train_metrics.items()} == {1: 10.0, 2: 9.0, 3: 8.1}


def test_a_schedule_that_is_given_at_once_is_walked_the_same_way() -> None:
    system = make_system()
    (told,) = answers(system, Proposal(config={"lr": Piecewise([0.1, 0.2], [2])}, until=4, evaluate=False))
    assert kinds(system) == "fssfss"
    assert told.train_metrics[4]["loss"] == pytest.approx(8.1 * 0.8)


def test_a_step_that_was_left_cannot_be_forked_unless_it_is_pinned() -> None:
    config = Config({"lr": 0.1})

    async def ask_twice(is_pinned: bool) -> Answer:
        ask = BranchAsk(make_system())
        parent = await ask(config, until=2, evaluate=False)
        async with ask.pin(parent):
            if is_pinned:
                await ask(config, until=5, evaluate=False)
                return await ask(config.switch(at=2, lr=0.2), until=3, evaluate=False)
        await ask(config, until=5, evaluate=False)
        return await ask(config.switch(at=2, lr=0.2), until=3, evaluate=False)

    assert asyncio.run(ask_twice(True)).train_metrics[3]["loss"] == pytest.approx(8.1)
    with pytest.raises(BranchError, match="branch 1 has left step 2 and is at 5; the system keeps no history"):
        asyncio.run(ask_twice(False))


def test_an_evaluation_is_a_testing_branch_of_one_clock_and_is_made_once() -> None:
    system = make_system()
    objective = Objective(metric="score", mode="max")
    told = answers(system, *[Proposal(config={"lr": 0.1}, until=1)] * 2, objective=objective)
    assert kinds(system) == "fsfsx"
    assert told[0].metrics == {"score": -9.0}
    assert told[0].losses == (9.0,)
    assert told[0] == told[1]


def test_a_released_branch_is_freed_once_and_trained_again_if_it_is_asked_for_all_the_same() -> None:
    system = make_system()

    async def release_and_go_on() -> Answer:
        ask = BranchAsk(system)
        await ask({"lr": 0.1}, until=2, evaluate=False)
        ask.release({"lr": 0.1})
        ask.release({"lr": 0.1})
        assert system.alive == {0}
        return await ask({"lr": 0.1}, until=3, evaluate=False)

    told = asyncio.run(release_and_go_on())
    assert kinds(system) == "fssxfsss"
    assert [m["loss"] for m in told.train_metrics.values()] == pytest.approx([10.0, 9.0, 8.1])


def test_a_path_goes_on_when_what_lies_before_it_was_freed() -> None:
    system = make_system()

    async def switch_and_release() -> Answer:
        ask, config = BranchAsk(system), Config({"lr": 0.1})
        await ask(config, until=2, evaluate=False)
        switched = config.switch(at=2, lr=0.2)
        await ask(switched, until=3, evaluate=False)
        ask.release(config)
        return await ask(switched, until=4, evaluate=False)

    told = asyncio.run(switch_and_release())
    assert kinds(system) == "fssfsxs"
    assert [m["loss"] for m in told.train_metrics.values()] == pytest.approx([10.0, 9.0, 8.1, 6.48])


@pytest.mark.parametrize(("ahead", "most"), [(1, 1), (3, 3), (50, 8)])
def test_clocks_are_sent_ahead(ahead: int, most: int) -> None:
    system = make_system()
    answers(system, Proposal(config={"lr": 0.1}, until=8, evaluate=False), ahead=ahead)
    waiting = found = 0
    for message in system.messages:
        waiting += {ScheduleBranch: 1, ReportProgress: -1}.get(type(message), 0)
        found = max(found, waiting)
    assert found == most


def test_reports_of_several_workers_are_added_up() -> None:
    (told,) = answers(make_system(workers=2), Proposal(config={"lr": 0.1}, until=2, evaluate=False), workers=2)
    assert [m["loss"] for m in told.train_metrics.values()] == [10.0, 9.0]


def test_values_that_change_in_each_step_are_refused() -> None:
    with pytest.raises(BranchError, match="lr changes in each step from 0 to 4, and a branch has one value"):
        answers(make_system(), Proposal(config={"lr": Exponential(0.1, 0.9)}, until=4))


def test_what_a_system_cannot_do_is_said() -> None:
    ask = BranchAsk(make_system())
    with pytest.raises(TunerError, match="one member, and no 'b'"):
        ask.at("b")
    with pytest.raises(TunerError, match="no clock that could end a tuner"):
        ask.limited(seconds=1)


def test_a_foreign_system_is_tuned_as_a_study_is() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.choice(0.01, 0.05, 0.2, 0.5)})
    tuner = hippo.MLTuner(space, 60, check_every=10, sampler="grid", patience=2)
    system = make_system()
    config = asyncio.run(tuner.tune(BranchAsk(system)))
    assert config["lr"](0) == 0.2
    assert len(system.alive) == 2  # the first state, and the live path's
    assert system.most_alive <= tuner.max_live + 1  # and a testing branch
    tests = [m for m in system.messages if isinstance(m, ForkBranch) and m.is_testing]
    assert len(tests) == 5  # at 20, 30, ..., 60


def test_a_pinned_parent_lets_a_tuner_search_again() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.choice(0.01, 0.0100001)})
    stalled = LoopSystem(Descent, steps, lambda state: 1.0, lambda state: Descent(state.value))
    tuner = hippo.MLTuner(space, 40, check_every=10, sampler="grid", patience=2, start={"lr": 0.01}, prefer=None)
    config = asyncio.run(tuner.tune(BranchAsk(stalled)))
    assert config["lr"] == Piecewise([0.01, 0.0100001], [20])
    forks = [m for m in stalled.messages if isinstance(m, ForkBranch) and not m.is_testing]
    assert len(forks) == 3  # the start, the copy of its state at step 20, and the branch from there


def test_seconds_are_refused_where_nobody_tells_them() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.choice(0.01, 0.02)})
    tuner = hippo.MLTuner(space, 40, check_every=10, sampler="grid", time="seconds")
    with pytest.raises(TunerError, match="nobody says how long step 1 took"):
        asyncio.run(tuner.tune(BranchAsk(make_system())))
