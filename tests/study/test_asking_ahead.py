"""Tuners that keep the slots full, ask beyond what they promised, know what is covered, and end in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.testing.fake_engine import FakeEngine
from hippo.tuners import Ask, Tuner
from hippo.tuners.ask import LimitReached, Proposal

MakeStudy = Callable[..., hippo.Study]


class Streaming(Tuner):
    """Trains `count` configs to step 2, and each that ends in an even number on to step 4; may break off."""

    def __init__(self, count: int, shared: int = 0) -> None:
        self.count = count
        self.shared = shared
        self._log: list[tuple[str, int, int]] = []
        self._break_after: int | None = None
        self._in_flight = self._most_in_flight = 0

    async def tune(self, ask: Ask) -> None:
        self._log.clear()
        left, promoted = list(range(self.count)), []

        def propose() -> Proposal | None:
            if promoted:
                proposal = Proposal(config=promoted.pop(0), until=4, final=True)
            elif left:
                proposal = Proposal(config=self.config(left.pop(0)), until=2)
            else:
                self._log.append(("nothing", 0, 0))
                return None
            self._in_flight += 1
            self._most_in_flight = max(self._most_in_flight, self._in_flight)
            return proposal

        async for answer in ask.stream(propose):
            self._in_flight -= 1
            self._log.append(("answer", answer.trial, answer.step))
            if answer.step == 2 and answer.trial % 2 == 0:
                promoted.append(answer.config)
            if len(self._log) == self._break_after:
                raise BrokenOffError

    def config(self, number: int) -> Mapping[str, Any]:
        return {"lr": hippo.Piecewise([0.1, 0.2 + number], [self.shared])} if self.shared else {"lr": 0.1 + number}


def answers(tuner: Streaming) -> list[tuple[str, int, int]]:
    return sorted(entry for entry in tuner._log if entry[0] == "answer")


class BrokenOffError(Exception):
    pass


def test_a_stream_asks_for_one_request_per_idle_slot_and_goes_on_until_nothing_is_left(make_study: MakeStudy) -> None:
    study, tuner = make_study(engine=FakeEngine(slots=3)), Streaming(7)
    study.optimize(tuner)
    assert tuner._most_in_flight == 3
    assert [trial.step for trial in study.trials] == [4, 2, 4, 2, 4, 2, 4]
    assert study.statistics().steps_repeated == 0


def test_requests_of_a_stream_share_what_runs(make_study: MakeStudy) -> None:
    study, tuner = make_study(engine=FakeEngine(slots=3)), Streaming(8, shared=1)
    study.optimize(tuner)
    assert study.statistics().steps_executed == 1 + 8 + 2 * 4


def test_a_stream_that_is_resumed_pulls_at_the_moments_at_which_it_did(make_study: MakeStudy, tmp_path: Path) -> None:
    def run(tuner: Streaming, name: str) -> None:
        make_study(engine=FakeEngine(slots=3), storage=f"sqlite:///{tmp_path}/{name}.db").optimize(tuner)

    undisturbed = Streaming(9)
    run(undisturbed, "undisturbed")
    for moment in range(1, 13, 2):
        broken, again = Streaming(9), Streaming(9)
        broken._break_after = moment
        with pytest.raises(BrokenOffError):
            run(broken, f"broken-{moment}")
        run(again, f"broken-{moment}")
        assert again._log[:moment] == broken._log
        assert answers(again) == answers(undisturbed)


def test_a_stream_that_is_complete_is_only_replayed(make_study: MakeStudy, tmp_path: Path) -> None:
    first, second = Streaming(5), Streaming(5)
    for tuner in (first, second):
        make_study(engine=FakeEngine(slots=2), storage=f"sqlite:///{tmp_path}/hippo.db").optimize(tuner)
    assert second._log == first._log


class Extending(Tuner):
    def __init__(self, is_speculative: bool) -> None:
        self.is_speculative = is_speculative

    async def tune(self, ask: Ask) -> None:
        await ask.all([{"lr": 0.1}, {"lr": 0.2}], until=2)
        proposals = [Proposal(config={"lr": 0.1}, until=5, is_extension=True, is_speculative=self.is_speculative)]
        async for _ in ask.stream(lambda: proposals.pop() if proposals else None):
            pass


def test_an_extension_trains_one_trial_on_and_leaves_the_others_complete(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(Extending(is_speculative=False))
    assert [(trial.state.value, trial.step) for trial in study.trials] == [("COMPLETE", 5), ("COMPLETE", 2)]
    assert study.statistics().steps_asked == 7


def test_what_was_run_ahead_of_time_counts_apart_and_is_there_when_it_is_asked_for(make_study: MakeStudy) -> None:
    study = make_study()
    study.optimize(Extending(is_speculative=True))
    counted = study.statistics()
    assert (counted.steps_executed, counted.steps_speculative, counted.steps_asked) == (4, 3, 4)
    assert [trial.step for trial in study.trials] == [2, 2]
    study.evaluate({"lr": 0.1}, until=5)
    counted = study.statistics()
    assert (counted.steps_executed, counted.steps_speculative, counted.steps_asked) == (4, 3, 9)


class Looking(Tuner):
    async def tune(self, ask: Ask) -> None:
        a, b = hippo.Piecewise([0.1, 0.2], [4]), hippo.Piecewise([0.1, 0.3], [4])
        self._seen = [ask.uncovered({"lr": a}, 6)]
        await ask({"lr": a}, until=6)
        self._seen += [ask.uncovered({"lr": lr}, until) for lr, until in [(a, 6), (a, 8), (b, 6), (0.1, 9), (0.5, 3)]]


def test_what_is_uncovered_is_what_nobody_has_trained_on_the_way(make_study: MakeStudy) -> None:
    tuner = Looking()
    make_study().optimize(tuner)
    assert tuner._seen == [6, 0, 2, 2, 5, 3]
    alone = Looking()
    make_study(sharing=False).optimize(alone)
    assert alone._seen == [6, 0, 2, 6, 9, 3]


class Choosing(Tuner):
    """Trains what adds least, among two configs at a time; may break off."""

    def __init__(self) -> None:
        self._told: list[int] = []
        self._break_after: int | None = None

    async def tune(self, ask: Ask) -> None:
        for n in range(1, 9):
            configs = [{"lr": hippo.Piecewise([0.1 * (n % k + 1), 0.7 + n], [5])} for k in (2, 3)]
            steps = [ask.uncovered(config, 8) for config in configs]
            self._told += steps
            if len(self._told) == self._break_after:
                raise BrokenOffError
            await ask(configs[steps.index(min(steps))], until=8)


def test_what_was_said_to_be_uncovered_is_said_again_when_a_call_is_resumed(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    durable = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    broken, again, third = Choosing(), Choosing(), Choosing()
    broken._break_after = 10
    with pytest.raises(BrokenOffError):
        make_study(**durable).optimize(broken)
    make_study("other", **durable).optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}], until=8))
    make_study(**durable).optimize(again)
    assert again._told[:8] == broken._told[:8]  # what came with a request is kept
    make_study(**durable).optimize(third)
    assert third._told == again._told


class Limited(Tuner):
    def __init__(self, **limits: float) -> None:
        self.limits = limits
        self._steps = 0

    async def tune(self, ask: Ask) -> str:
        try:
            async with ask.limited(**self.limits):
                for until in range(1, 1_000):
                    await ask({"lr": 0.1}, until=until)
                    self._steps = until
        except LimitReached:
            return "limit"
        return "end"


def test_a_budget_ends_the_block_and_a_re_run_of_it_begins_nothing_new(make_study: MakeStudy, tmp_path: Path) -> None:
    def run() -> tuple[Limited, int]:
        tuner = Limited(device_seconds=0.02)
        study = make_study(engine=FakeEngine(slots=1), storage=f"sqlite:///{tmp_path}/hippo.db")
        study.optimize(tuner)
        return tuner, study.statistics().steps_executed

    first, executed = run()
    assert 15 <= first._steps <= 25  # 1 ms a step, and what runs when it is over
    assert run()[1] == executed


def test_a_deadline_ends_a_block_that_waits(make_study: MakeStudy) -> None:
    tuner = Limited(seconds=0.3)
    make_study(trainer_args={"sleep_s": 0.05}).optimize(tuner)
    assert 1 <= tuner._steps <= 6
