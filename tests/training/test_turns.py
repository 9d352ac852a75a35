"""Generators and settings are the whole process's: one thread at a time trains, or loads what was trained."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.testing.solo import train_alone
from hippo.training.process import turns
from hippo.training.process.turns import generators_kept, turn_taken

MakeStudy = Callable[..., hippo.Study]

#: what a step does before it ends, once
_meanwhile: list[Callable[[], None]] = []


class Drawing(hippo.Trainer):
    def build(self) -> None:
        self.value = random.random()

    def train(self) -> None:
        if _meanwhile:
            _meanwhile.pop()()
        self.value += random.random() * self.hp["lr"]

    def evaluate(self) -> dict[str, float]:
        return {"loss": self.value}

    def state_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.value = state["value"]


def studied(folder: str, name: str, trainer: Any = Drawing, metric: str = "loss", **options: Any) -> hippo.Study:
    return hippo.create_study(
        name,
        trainer=trainer,
        storage=f"sqlite:///{folder}/{name}.db",
        checkpoints=folder,
        engine=hippo.InlineEngine(),
        metric=metric,
        mode="min",
        **options,
    )


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[MakeStudy]:
    with ExitStack() as stack:
        yield lambda *args: stack.enter_context(closing(studied(str(tmp_path), *args)))
    _meanwhile.clear()


@pytest.mark.slow
def test_a_step_is_not_disturbed_by_another_study_nor_by_who_loads_a_model(make_study: MakeStudy) -> None:
    study, other, earlier = (make_study(name) for name in ("study", "other", "earlier"))
    earlier.evaluate({"lr": 0.1}, until=2)
    ended = threading.Event()

    def train_and_load() -> None:
        earlier.trials[0].load_model()
        other.evaluate({"lr": 0.1}, until=2)
        ended.set()

    thread = threading.Thread(target=train_and_load)

    def begin_the_other() -> None:
        thread.start()
        assert not ended.wait(0.1)

    _meanwhile.append(begin_the_other)
    study.evaluate({"lr": 0.2}, until=2)
    thread.join()
    assert dict(study.trials[0].history) == train_alone(Drawing, {"lr": 0.2}, until=2)
    assert dict(other.trials[0].history) == train_alone(Drawing, {"lr": 0.1}, until=2)


@pytest.mark.parametrize("load", [True, False])
def test_who_waits_for_a_turn_comes_to_nothing_before_it(make_study: MakeStudy, load: bool) -> None:
    study = make_study("study")
    study.evaluate({"lr": 0.1}, until=1)
    ended = threading.Event()

    def work() -> None:
        study.trials[0].load_model() if load else study.evaluate({"lr": 0.1}, until=2)
        ended.set()

    thread = threading.Thread(target=work)
    with turn_taken():
        thread.start()
        assert not ended.wait(0.1)
    thread.join()
    assert ended.is_set()


def test_who_waits_long_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, is_said = list[str](), threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        is_said.set()

    monkeypatch.setattr(turns, "say", say)
    monkeypatch.setattr(turns, "_LOOK_UP_S", 0.001)
    monkeypatch.setattr(turns, "_turns", turns._TrainingThreads())

    def wait() -> None:
        with turn_taken():
            pass

    for _ in range(2):
        thread = threading.Thread(target=wait)
        with turn_taken():
            thread.start()
            assert is_said.wait(120)
            thread.join(0.2)  # time for a second line
        thread.join()
    assert len(lines) == 1
    assert "another thread of this process trains" in lines[0]


class Server:
    """A thread that serves an engine, and draws in a turn of its own before it waits."""

    def __init__(self) -> None:
        self.has_drawn, self.may_end_turn, self.may_leave = threading.Event(), threading.Event(), threading.Event()
        self.waits = threading.Event()
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        with generators_kept():
            with turn_taken(serves=True):
                random.random()
                self.has_drawn.set()
                self.may_end_turn.wait(120)
            self.waits.set()
            self.may_leave.wait(120)

    def leave(self) -> None:
        self.may_end_turn.set()
        self.may_leave.set()
        self.thread.join()


def test_generators_go_back_though_another_thread_serves_as_long_as_it_does_not_train() -> None:
    random.seed(3)
    before, other = random.getstate(), Server()
    other.may_end_turn.set()
    assert other.waits.wait(120)
    try:
        with generators_kept(), turn_taken(serves=True):
            random.random()
        assert random.getstate() == before
        drawn = random.random(), random.getstate()
    finally:
        other.leave()
    assert random.getstate() == drawn[1], "what is drawn after that is not drawn again"


def test_generators_go_back_at_the_end_of_a_turn_in_which_one_that_served_has_left() -> None:
    random.seed(3)
    before = random.getstate()
    with generators_kept():
        with turn_taken(serves=True):
            random.random()
        other = Server()
        assert other.has_drawn.wait(120)
        amid = random.getstate()
    try:
        assert random.getstate() == amid, "the other one draws from them"
        other.may_end_turn.set()
        assert other.waits.wait(120)
        assert random.getstate() == before != amid
    finally:
        other.leave()
    assert random.getstate() == before


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_a_trainer_may_train_another_study_also_as_a_function(make_study: MakeStudy, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def objective(trial: Any) -> float:
        with closing(studied(folder, "inner")) as inner:
            inner.evaluate({"lr": trial.suggest_float("lr", 0.1, 0.2)}, until=1)
            inner.trials[-1].load_model()
        return random.random()

    study = make_study("outer", hippo.from_optuna(objective).trainer, "value")
    study.evaluate({"lr": 0.1}, until=1)
    study.evaluate({"lr": 0.11}, until=1)
    assert len({trial.metrics["value"] for trial in study.trials}) == 1  # it draws on where it was


@pytest.mark.slow
def test_a_callback_of_a_study_that_a_trainer_trains_has_its_turn(make_study: MakeStudy, tmp_path: Path) -> None:
    told = []

    def waits() -> None:
        raise AssertionError("the trainer waits for its callbacks, and would wait for ever")

    class Loads(hippo.Callback):
        def on_trial_end(self, event: Any) -> None:
            with turn_taken(waits):
                told.append(event.trial)

    def train_another() -> None:
        with closing(studied(str(tmp_path), "inner", callbacks=[Loads()])) as inner:
            inner.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))

    _meanwhile.append(train_another)
    make_study("outer").evaluate({"lr": 0.1}, until=1)
    assert told == [0]
