"""Callbacks in a client's process hear what they would beside the plan."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.errors import HippoError, OptionError, TrialFailedError
from hippo.records import TrialState
from hippo.runtime.studies.observers import (
    StepEvaluated,
    StepTrained,
    StudyEvent,
    StudyWarned,
    TrialAnswered,
    TrialEnded,
    TrialFailed,
)
from hippo.server import app, remote_call, served_calls
from hippo.server.study_events import study_event_from_json, study_event_to_json

CONFIGS = [{"lr": hippo.Constant(0.1)}, {"lr": hippo.MultiStep(0.1, [5], 0.1)}, {"lr": hippo.Constant(0.2)}]
TOY = "hippo.testing.trainers:ToyTrainer"
pytestmark = pytest.mark.usefixtures("warm_programs")


class Recorder(hippo.Callback):
    """Keeps all that it hears."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.events: list[StudyEvent] = []
        self.flushes = 0

    def on_begin(self, event: Any) -> None:
        self.begun.append(event)

    def on_step(self, event: StepTrained) -> None:
        self.events.append(event)

    def on_evaluated(self, event: StepEvaluated) -> None:
        self.events.append(event)

    def on_answered(self, event: TrialAnswered) -> None:
        self.events.append(event)

    def on_failure(self, event: TrialFailed) -> None:
        self.events.append(event)

    def on_trial_end(self, event: TrialEnded) -> None:
        self.events.append(event)

    def flush(self) -> None:
        self.flushes += 1

    def of(self, trial: int) -> list[StudyEvent]:
        return [replace(event, identity="") for event in self.events if event.trial == trial]


@pytest.mark.slow
@pytest.mark.parametrize("raise_at", [None, 3])
def test_a_callback_hears_at_a_service_what_it_hears_beside_it(
    serve: Callable[..., Any], tmp_path: Path, raise_at: int | None
) -> None:
    there, here = Recorder(), Recorder()
    arguments = {} if raise_at is None else {"raise_in": "train", "raise_at": raise_at}
    served = serve(engine=hippo.LocalEngine(workers=1))
    at_service = served.study(callbacks=[there], trainer_args=arguments)
    beside = hippo.create_study(
        "study", trainer=TOY, trainer_args=arguments, metric="loss", mode="min", storage="memory://",
        engine=hippo.LocalEngine(workers=1), checkpoints=str(tmp_path / "here"), callbacks=[here],
    )  # fmt: skip
    for study in (at_service, beside):
        try:
            study.optimize(hippo.GridSearch(CONFIGS, until=10))
        except TrialFailedError:
            assert raise_at is not None
    assert {event.trial for event in there.events} == {0, 1, 2}
    assert any(isinstance(event, TrialEnded) for event in there.events)
    for trial in range(3):
        assert there.of(trial) == here.of(trial)
    assert there.flushes == 1
    (begun,) = there.begun
    assert (begun.study, begun.storage, begun.sharing) == ("study", served.url, True)
    assert {event.identity for event in there.events} == {begun.identity}
    beside.close()


@pytest.mark.slow
def test_a_log_of_trials_is_written_where_the_tuner_runs(serve: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    study = serve(engine=hippo.LocalEngine(workers=1)).study(callbacks=[hippo.CSVLog(str(file))])
    study.optimize(hippo.GridSearch(CONFIGS, until=3))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 3
    assert sum(",loss," in line for line in lines) >= 9


@pytest.mark.slow
def test_what_was_told_before_is_told_again_in_parts(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_TOLD", 2)
    served, recorders = serve(engine=hippo.LocalEngine(workers=1)), (Recorder(), Recorder())
    for recorder in recorders:
        served.study(callbacks=[recorder]).optimize(hippo.GridSearch(CONFIGS, until=10))
    first, again = recorders
    for trial in range(3):
        steps = [[each for each in heard.of(trial) if isinstance(each, StepTrained)] for heard in recorders]
        assert steps[0] == steps[1]
        assert len(steps[0]) == 10
    assert not any(event.is_known for event in first.events if isinstance(event, TrialAnswered))
    assert all(event.is_known for event in again.events if isinstance(event, TrialAnswered))


@pytest.mark.slow
def test_what_is_no_callback_is_refused_before_the_service_hears_of_it(served: Any) -> None:
    with pytest.raises(OptionError, match=r"is not derived from hippo\.Callback"):
        served.study(callbacks=[print])
    assert hippo.get_all_study_names(served.url) == []


@pytest.mark.slow
def test_a_call_that_was_not_begun_to_hear_hears_nothing(served: Any) -> None:
    study = served.study()
    number = study._facts["study"]
    said = {"position": 0, "record": "r", "client": "c"}
    call = study._link.request("POST", f"/v1/studies/{number}/calls", said)["call"]
    with pytest.raises(HippoError, match="was not begun to hear"):
        study._link.request("GET", f"/v1/studies/{number}/calls/{call}/told")


NUMBERS = st.dictionaries(st.text(max_size=3), st.floats(), max_size=2)
COMMON: dict[str, Any] = {
    "study": st.text(max_size=3),
    "trial": st.integers(0),
    "config": st.sampled_from([hippo.Config(config) for config in CONFIGS]),
    "member": st.text(max_size=3),
    "identity": st.text(max_size=3),
}
EVENTS = st.one_of(
    st.builds(StepTrained, step=st.integers(1), train_metrics=NUMBERS, **COMMON),
    st.builds(StepEvaluated, step=st.integers(1), metrics=NUMBERS, **COMMON),
    st.builds(TrialAnswered, step=st.integers(1), metrics=NUMBERS, is_known=st.booleans(), **COMMON),
    st.builds(TrialFailed, step=st.integers(1), error=st.text(max_size=3), **COMMON),
    st.builds(TrialEnded, state=st.sampled_from(TrialState), **COMMON),
    st.builds(StudyWarned, study=st.text(max_size=3), message=st.text(max_size=3)),
)


@given(EVENTS)
def test_an_event_survives_the_way(event: StudyEvent | StudyWarned) -> None:
    there = study_event_from_json(study_event_to_json(event))
    assert type(there) is type(event)
    assert repr(there) == repr(event)  # NaN is equal to nothing


class HandClock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def elapsed(self) -> float:
        return self.seconds


def test_what_a_client_does_not_come_for_is_forgotten_once_it_is_much_and_it_was_away_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(served_calls, "MOST_UNHEARD", 4)
    clock: Any = HandClock()
    log = served_calls.TrialEventLog(clock)

    def numbers() -> list[int]:
        return [number for number, _ in log._events]

    for number in range(1, 7):  # it may be slow, and is there
        log.extend([(number, "")])
    clock.seconds = served_calls.AWAY_S
    assert [number for number, _ in asyncio.run(log.wait(2, 0.0))] == [3, 4, 5, 6]
    clock.seconds += served_calls.AWAY_S
    log.extend([(7, "")])
    assert numbers() == list(range(1, 8))
    clock.seconds += 1.0
    log.extend([(8, ""), (9, "")])
    assert numbers() == [8, 9]
    log.extend([(10, "")])  # few of them stay, however long it is away
    assert numbers() == [8, 9, 10]


@pytest.mark.slow
def test_callbacks_that_miss_something_are_told_how_much(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_calls, "MOST_UNHEARD", 1)
    monkeypatch.setattr(served_calls, "AWAY_S", -1.0)
    heard, whole = Recorder(), Recorder()
    served = serve(engine=hippo.LocalEngine(workers=1))
    with pytest.warns(UserWarning, match="callbacks miss [0-9]+ events.*Run again, it is told all of them") as told:
        served.study(callbacks=[heard]).optimize(hippo.GridSearch(CONFIGS, until=40))
    monkeypatch.undo()
    served.study(callbacks=[whole]).optimize(hippo.GridSearch(CONFIGS, until=40))
    missed = sum(int(re.findall("miss ([0-9]+)", str(each.message))[0]) for each in told if "miss" in str(each.message))
    assert len(heard.events) + missed <= len(whole.events) <= len(heard.events) + missed + 1


@pytest.mark.slow
def test_failures_are_told_where_the_tuner_runs_and_at_the_service_and_nothing_else_is_sent(
    serve: Callable[..., Any], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[StudyEvent] = []
    read = study_event_from_json
    monkeypatch.setattr(remote_call, "study_event_from_json", lambda told: sent.append(read(told)) or sent[-1])
    served = serve(engine=hippo.LocalEngine(workers=1))
    fails = {"raise_in": "train", "raise_at": 2, "raise_if": {"lr": 0.2}}
    study = served.study(trainer_args=fails)
    study.optimize(hippo.GridSearch(CONFIGS, until=10))
    (there,) = served.service._studies.values()
    there.study._flush_callbacks()  # nobody who asks waits for the service's own log
    said = [line for line in capfd.readouterr().err.splitlines() if "trial 2 of 'study' failed in train()" in line]
    assert len(said) == 2  # in one process here
    assert sum("(study.trial(2).traceback shows more)" in line for line in said) == 1
    assert sum("hippo logs study 2 --storage sqlite:" in line for line in said) == 1
    assert {type(event) for event in sent} == {TrialFailed}


@pytest.mark.slow
def test_who_has_no_trial_left_is_told_what_to_write_here_and_nothing_of_the_database(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    study = serve(engine=hippo.LocalEngine(workers=1)).study(trainer_args={"raise_in": "train", "raise_at": 2})
    with pytest.raises(TrialFailedError, match="all 3 trials") as raised:
        study.optimize(hippo.GridSearch(CONFIGS, until=3))
    assert str(raised.value).endswith(
        "study.trial(0).traceback shows where. When that is mended, study.retry_failed() lets them be trained again."
    )
    assert str(tmp_path) not in str(raised.value)


@pytest.mark.slow
def test_what_making_a_study_says_is_said_to_who_makes_it(
    served: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told: list[str] = []
    for size in (3, 4):
        served.study(mode=None, trainer_args={"size": size})
        told.append(capsys.readouterr().err)
    assert told[0].count("by the name of the metric 'loss', smaller is better") == 2  # there, and here
    assert told[1].count("Generation 2 begins on another plan") == 2
    assert told[1].count("hippo.load_study('study', generation=1)") == 1  # of use at the service only
    assert str(tmp_path) not in "\n".join(line for line in told[1].splitlines() if line.endswith("not mixed with it"))


@pytest.mark.slow
def test_a_call_hears_all_nothing_or_failures(served: Any) -> None:
    study = served.study()
    said = {"position": 0, "record": "r", "client": "c", "hears": "steps"}
    with pytest.raises(HippoError, match="hears is true, false or 'failures', not 'steps'"):
        study._link.request("POST", f"/v1/studies/{study._facts['study']}/calls", said)


#: a trainer that looks at no value before its steps: what it never reads is warned of
DEAF = """
from hippo.testing.trainers import ToyTrainer
class Deaf(ToyTrainer):
    def setup(self, hp):
        pass
"""


@pytest.mark.slow
def test_a_study_is_warned_of_where_its_tuner_runs_and_no_other_hears_that(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    read = study_event_from_json
    monkeypatch.setattr(remote_call, "study_event_from_json", lambda told: sent.append(read(told)) or sent[-1])
    (tmp_path / "deaf.py").write_text(DEAF)
    monkeypatch.syspath_prepend(str(tmp_path))
    served = serve(engine=hippo.LocalEngine(workers=2), trainers=["hippo.testing.*", "deaf"])
    other = served.study("other", trainer_args={"sleep_s": 0.01})
    beside = threading.Thread(target=other.optimize, args=(hippo.GridSearch([{"lr": 0.1}], until=200),))
    beside.start()
    study = served.study("deaf", trainer="deaf:Deaf")
    with pytest.warns(UserWarning, match="did not look at") as told:
        study.optimize(hippo.GridSearch([{"lr": 0.1, "momentun": 0.9}], until=2))
    beside.join()
    said = [str(each.message) for each in told if "did not look at ['momentun'] in its first step" in str(each.message)]
    assert len(said) == 2  # in one process here: at the service, and where the tuner runs
    assert [(type(event), event.study) for event in sent] == [(StudyWarned, "deaf")]


@pytest.mark.slow
def test_a_tuner_that_asks_nothing_is_warned_of_where_it_runs(served: Any) -> None:
    class Silent(hippo.Tuner):
        async def tune(self, ask: Any) -> None:
            pass

    with pytest.warns(UserWarning, match="ended without having asked for anything") as told:
        served.study().optimize(Silent())
    assert sum("ended without having asked" in str(each.message) for each in told) == 2
