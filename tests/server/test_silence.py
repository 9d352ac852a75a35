"""A client that is silent for long: what it asked is withdrawn if that is wanted, and it goes on when it comes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import hippo
from hippo.errors import OptionError
from hippo.records import TrialState
from hippo.server.silence import Silence

from .conftest import wait_for


async def noticed_within(silence: Callable[[Callable[[], None]], Silence], seconds: float) -> tuple[Silence, list[int]]:
    noticed: list[int] = []
    made = silence(lambda: noticed.append(1))
    await asyncio.sleep(seconds)
    return made, noticed


def test_silence_is_noticed_once() -> None:
    _, noticed = asyncio.run(noticed_within(lambda notice: Silence(0.0, notice), 0.05))
    assert noticed == [1]


def test_silence_that_may_last_for_ever_is_never_noticed() -> None:
    _, noticed = asyncio.run(noticed_within(lambda notice: Silence(None, notice), 0.05))
    assert noticed == []


def test_nobody_is_silent_while_one_of_several_requests_is_answered() -> None:
    async def heard() -> tuple[list[int], list[int]]:
        noticed: list[int] = []
        silence = Silence(0.0, lambda: noticed.append(1))
        with silence.broken():
            with silence.broken():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
            during = list(noticed)
        await asyncio.sleep(0.05)
        return during, noticed

    assert asyncio.run(heard()) == ([], [1])


def test_nothing_is_noticed_after_the_end() -> None:
    async def ended() -> list[int]:
        noticed: list[int] = []
        silence = Silence(0.0, lambda: noticed.append(1))
        silence.end()
        with silence.broken():
            pass
        await asyncio.sleep(0.02)
        return noticed

    assert asyncio.run(ended()) == []


class Sleeping(hippo.Tuner):
    """Asks two things, and in between its whole process stands still until a test lets it go on."""

    def __init__(self) -> None:
        self.sleeps, self.wake = threading.Event(), threading.Event()

    def record(self) -> dict[str, Any]:
        return {"tuner": "sleeping"}

    async def tune(self, ask: Any) -> None:
        await ask({"lr": 0.1}, until=2)
        self.sleeps.set()
        self.wake.wait(120)
        await ask({"lr": 0.2}, until=2)


def are_withdrawn(served: Any) -> bool:
    return not served.service._calls and all(
        call.ended.is_set() for found in served.service._studies.values() for call in found.calls.values()
    )


@pytest.mark.slow  # the service describes its trainer in a process of its own
def test_a_client_that_sleeps_for_too_long_goes_on_when_it_wakes(serve: Callable[..., Any]) -> None:
    served = serve(withdraw_after_s=0.3)
    tuner, study = Sleeping(), served.study()
    running = threading.Thread(target=study.optimize, args=(tuner,))
    running.start()
    assert tuner.sleeps.wait(60)
    wait_for(lambda: are_withdrawn(served), "its silence is not noticed")
    tuner.wake.set()
    running.join(60)
    trials = study.trials
    assert [(trial.state, trial.step) for trial in trials] == [(TrialState.COMPLETE, 2)] * 2
    assert study.statistics().steps_executed == 4


@pytest.mark.slow  # as above
def test_what_a_client_asked_that_is_gone_is_withdrawn_and_its_script_goes_on(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    served = serve(withdraw_after_s=0.3, engine=hippo.LocalEngine(workers=1))
    gate = tmp_path / "gate"
    made = {"trainer": "hippo.testing.gated_trainer:GatedTrainer", "trainer_args": {"gate": str(gate), "gate_at": 2}}
    study = served.study(**made)
    headers = {"Content-Type": "application/json"}
    calls = f"{served.url}/v1/studies/{study._facts['study']}/calls"
    tuner = hippo.GridSearch([{"lr": 0.1}], until=100)
    record = hippo.tuners.record_text(hippo.tuners.tuner.record_of(tuner))
    begun = {"position": 0, "record": record, "client": "gone"}
    config = {"lr": {"sequence": "Constant", "arguments": {"value": 0.1}}}
    asked = [{"kind": "ask", "proposal": {"config": config, "until": 100, "final": True}}]
    said = {"first": 0, "seen": 0, "quiet": True, "entries": asked}
    taken = None
    while taken != 1:  # a busy machine takes so long to ask that its silence is noticed before
        call = httpx.post(calls, json=begun, headers=headers).json()["call"]
        taken = httpx.post(f"{calls}/{call}/entries", json=said, headers=headers).json().get("taken")
    (found,) = served.service._studies.values()
    wait_for(lambda: found.calls[0].ended.is_set(), "its silence is not noticed")
    assert httpx.get(f"{calls}/{call}/answers").status_code == 404
    assert study.statistics().steps_executed < 100
    gate.touch()
    again = served.study(**made)
    again.optimize(hippo.GridSearch([{"lr": 0.1}], until=100))
    assert [(trial.state, trial.step) for trial in again.trials] == [(TrialState.COMPLETE, 100)]


def test_an_engine_that_trains_in_the_thread_that_waits_is_refused(tmp_path: Any) -> None:
    from hippo.server.service import StudyService

    with pytest.raises(OptionError, match=r"InlineEngine trains in the thread.*LocalEngine\(workers=1\)"):
        StudyService(f"sqlite:///{tmp_path}/hippo.db", engine=hippo.InlineEngine(), trainers=["hippo.testing.*"])
