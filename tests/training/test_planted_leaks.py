"""Whatever a trainer forgets to save, changes where it must not, or keeps in the wrong place stops a real study."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import hippo
from hippo.errors import ExactnessError
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
RATES = [0.1, 0.05, 0.02, 0.01]
FORKED = [hippo.MultiStep(0.1, [at], 0.5) for at in (2, 3, 8)]


@pytest.fixture
def make_study() -> Iterator[MakeStudy]:
    studies: list[hippo.Study] = []

    def make(trainer: Any, name: str = "leak", **options: Any) -> hippo.Study:
        options = {"storage": "memory://", "engine": hippo.InlineEngine(), "metric": "loss", "mode": "min", **options}
        studies.append(hippo.create_study(name, trainer=trainer, **options))
        return studies[-1]

    yield make
    for study in studies:
        study.close()


# ------------------------------------------------------------------- every part of a state, left out one at a time


class Everything(hippo.Trainer):
    """Trains two weights with all that a training state can have, and forgets one part of it."""

    def __init__(self, forget: str = "") -> None:
        self.forget = forget
        self.data = np.arange(6.0) / 10

    def build(self) -> None:
        self.model = torch.nn.Linear(1, 1, dtype=torch.float64)
        self.norm = torch.nn.BatchNorm1d(1, dtype=torch.float64)
        self.average = torch.optim.swa_utils.AveragedModel(self.model)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.05)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: 0.5**step)
        self.own = random.Random(1)
        self.own_numpy = np.random.default_rng(1)
        self.own_torch = torch.Generator().manual_seed(1)
        self.order: list[int] = []
        self.position = 0
        self.steps = 0
        self.running = 0.0
        self.total = 0.0

    def train(self) -> dict[str, float]:
        self.norm.train()
        losses = []
        for _ in range(5):  # an epoch ends amid a step
            if self.position == len(self.order):
                self.order, self.position = self.own_numpy.permutation(len(self.data)).tolist(), 0
            x = float(self.data[self.order[self.position]]) + 0.01 * self.own.random()
            self.position += 1
            batch = torch.tensor([[x], [x + 1]]) + 0.01 * torch.rand(2, 1, generator=self.own_torch)
            loss = (self.model(self.norm(batch.double())) - x).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.average.update_parameters(self.model)
            losses.append(loss.item())
        self.scheduler.step()
        self.steps += 1
        self.running = 0.9 * self.running + 0.1 * losses[-1]
        self.total += sum(losses)
        return {"step": self.steps, "running": self.running}

    def evaluate(self) -> dict[str, float]:
        self.norm.eval()
        with torch.no_grad():
            points = torch.linspace(0, 1, 7, dtype=torch.float64)[:, None]
            loss = (self.average(self.norm(points)) - points).square().mean()
        return {"loss": loss.item(), "total": self.total}

    def parts(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "norm": self.norm.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "own": self.own.getstate(),
            "own_numpy": self.own_numpy.bit_generator.state,
            "own_torch": self.own_torch.get_state(),
            "order": self.order,
            "position": self.position,
            "steps": self.steps,
            "running": self.running,
            "total": self.total,
        }

    def state_dict(self) -> dict[str, Any]:
        return {name: part for name, part in self.parts().items() if name != self.forget}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, part in state.items():
            if name == "own":
                self.own.setstate(part)
            elif name == "own_numpy":
                self.own_numpy.bit_generator.state = part
            elif name == "own_torch":
                self.own_torch.set_state(part)
            elif hasattr(getattr(self, name), "load_state_dict"):
                getattr(self, name).load_state_dict(part)
            else:
                setattr(self, name, part)


PARTS = ["model", "norm", "average", "optimizer", "scheduler", "own", "own_numpy", "own_torch", "position", "steps"]
PARTS += ["running", "total"]


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("min_steps", [1, 2])
def test_each_part_of_a_state_that_is_forgotten_stops_the_study(
    make_study: MakeStudy, part: str, min_steps: int
) -> None:
    study = make_study(Everything, trainer_args={"forget": part})
    tuner = hippo.SuccessiveHalving(hippo.GridSearchSpace({"lr": RATES}), min_steps=min_steps, max_steps=4, reduction=2)
    with pytest.raises(ExactnessError, match=r"came to something else|says something else"):
        study.optimize(tuner)
    assert 1 <= study.statistics().steps_checked <= 4 - min_steps  # a rung of one step has one more


@pytest.mark.slow
def test_a_part_without_which_training_raises_is_said_not_to_be_checked(make_study: MakeStudy) -> None:
    study = make_study(Everything, trainer_args={"forget": "order"})
    with pytest.warns(UserWarning, match=r"could not be checked: train\(\) raised IndexError"):
        study.optimize(hippo.GridSearch([{"lr": rate} for rate in FORKED[:2]], until=4))
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE, hippo.TrialState.FAIL}


@pytest.mark.slow
def test_the_whole_state_is_proven(make_study: MakeStudy) -> None:
    study = make_study(Everything)
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": FORKED}), until=6))
    for trial in study.trials:
        assert dict(trial.history) == train_alone(Everything, trial.config, until=6)


# ---------------------------------------------------------------------------------------- rungs that are a step long


@pytest.mark.parametrize("tuner", [hippo.SuccessiveHalving, hippo.ASHA])
def test_rungs_of_one_step_are_checked_as_well(make_study: MakeStudy, tuner: Any) -> None:
    study = make_study(ToyTrainer, trainer_args={"forget": "velocity"})
    space = hippo.GridSearchSpace({"lr": [0.1, 0.05, 0.02, 0.01], "momentum": [0.9]})
    with pytest.raises(ExactnessError, match=r"step \[1, 2\) was run again"):
        study.optimize(tuner(space, min_steps=1, max_steps=8, reduction=2))
    assert max(trial.step for trial in study.trials) <= 2


def test_a_tuner_that_asks_step_by_step_is_checked_as_well(make_study: MakeStudy) -> None:
    study = make_study(ToyTrainer, trainer_args={"forget": "velocity"})
    config = {"lr": 0.1, "momentum": 0.9}
    study.evaluate(config, until=1)
    with pytest.raises(ExactnessError):
        study.evaluate(config, until=2)


# --------------------------------------------------------------------------------------------------- beside training


class Best(ToyTrainer):
    """Returns the best loss so far, which it keeps in `evaluate`."""

    def build(self) -> None:
        super().build()
        self.best = float("inf")

    def evaluate(self) -> dict[str, Any]:
        self.best = min(self.best, super().evaluate()["loss"] + self.steps)
        return {"loss": self.best}


class Rare(ToyTrainer):
    """Changes a weight in `evaluate`, which is called every five steps only."""

    def evaluate(self) -> dict[str, Any]:
        self.weights[0] *= 0.5
        return super().evaluate()


class InInit(ToyTrainer):
    """Makes everything in `__init__`, as many do."""

    def __init__(self) -> None:
        super().__init__()
        super().build()

    def build(self) -> None:
        pass


@pytest.mark.parametrize(
    ("trainer", "options", "message"),
    [
        (Best, {}, r"what evaluate\(\) returned\['loss'\]"),
        (Rare, {"evaluate_every": 5}, r"evaluate\(\) changed state\['weights'\]\[0\]"),
        (InInit, {}, r"build\(\) must begin anew each time"),
    ],
)
@pytest.mark.parametrize("min_steps", [1, 3])
def test_what_is_kept_or_changed_in_the_wrong_place_stops_the_study(
    make_study: MakeStudy, trainer: Any, options: dict[str, Any], message: str, min_steps: int
) -> None:
    study = make_study(trainer, **options)
    space = hippo.GridSearchSpace({"lr": RATES})
    with pytest.raises(ExactnessError, match=message):
        study.optimize(hippo.SuccessiveHalving(space, min_steps=min_steps, max_steps=6, reduction=2))


# ------------------------------------------------------------------------------------------------------------ setup


class Setting(ToyTrainer):
    """Applies its values in a way that depends on how often, or with what, `setup` is called.

    Args:
      how: "multiply" and "count" are not idempotent, "default" resets what did not change, "refuse" is called once.
    """

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def build(self) -> None:
        super().build()
        self.rate, self.calls, self.decay = 1.0, 0, 0.0

    def setup(self, hp: Any) -> None:
        match self.how:
            case "multiply":
                self.rate *= hp["lr"]
            case "count":
                self.calls += 1
                self.rate = self.hp["lr"] / self.calls
            case "default":
                self.rate, self.decay = self.hp["lr"], hp.get("weight_decay", 0.0)
            case "refuse":
                if dict(hp) == getattr(self, "last", None):
                    raise ValueError("nothing new")
                self.rate, self.last = self.hp["lr"], dict(hp)

    def train(self) -> dict[str, float]:
        self.weights = [weight - self.rate * (1 + self.decay) * weight for weight in self.weights]
        self.steps += 1
        return {}


FALLS_ALONE = {"lr": [0.5, *[hippo.MultiStep(0.5, [at], 0.5) for at in (3, 4)]], "weight_decay": [0.1]}


@pytest.mark.parametrize("how", ["multiply", "count"])
def test_a_setup_that_is_not_idempotent_stops_the_study(make_study: MakeStudy, how: str) -> None:
    study = make_study(Setting, trainer_args={"how": how})
    with pytest.raises(ExactnessError, match=r"setup\(\) is not idempotent: before step 1 .*state\['weights'\].*ass"):
        study.optimize(hippo.GridSearch(FALLS_ALONE, until=6))


@pytest.mark.parametrize(
    ("rates", "where"),
    [
        ([0.5, hippo.MultiStep(0.5, [3], 0.5)], r"step \[3, 4\) comes to something else where setup\(\) is given only"),
        ([hippo.MultiStep(0.5, [3], 0.5)], r"step \[3, 4\) was run again .*values changed at step 3"),
        ([hippo.Exponential(0.5, 0.5)], r"step \[1, 2\) was run again .*values changed at step 1"),
    ],
    ids=["forked", "walked through", "from the first step on"],
)
def test_a_setup_that_resets_what_did_not_change_stops_the_study(
    make_study: MakeStudy, rates: list[Any], where: str
) -> None:
    study = make_study(Setting, trainer_args={"how": "default"})
    with pytest.raises(ExactnessError, match=rf"{where}.*hp\.get\(name, default\) resets what did not change"):
        study.optimize(hippo.GridSearch({"lr": rates, "weight_decay": [0.1]}, until=6))


def test_a_fork_at_a_change_of_values_is_compared_once(make_study: MakeStudy) -> None:
    study = make_study(ToyTrainer)
    rates = [0.5, *[hippo.MultiStep(0.5, [at], 0.5) for at in (301, 302, 303)]]
    study.optimize(hippo.GridSearch({"lr": rates}, until=304))
    assert study.statistics().steps_executed == 304 + 3 + 2 + 1
    assert study.statistics().steps_checked == 4  # of 6 that it may take


def test_a_setup_that_refuses_what_it_was_told_already_is_proven(make_study: MakeStudy) -> None:
    study = make_study(Setting, trainer_args={"how": "refuse"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.optimize(hippo.GridSearch(FALLS_ALONE, until=6))


# ------------------------------------------------------------------------------------------------------------- late


class Late(ToyTrainer):
    """From some step on, something matters that is not saved.

    Args:
      what: "scale" is set at one step, "decay" falls every four steps, "average" is evaluated, "buffer" is filled.
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def build(self) -> None:
        super().build()
        self.scale, self.calls = 1.0, 0
        self.average: list[float] | None = None
        self.buffer: list[float] = []

    def train(self) -> dict[str, float]:
        if self.what == "scale" and self.steps == 4:
            self.scale = 0.5
        if self.what == "decay":
            self.calls += 1
            self.scale = 0.5 ** (self.calls // 4)
        if self.what == "buffer":
            self.buffer.append(self.weights[0])
            self.scale = 1.0 if len(self.buffer) < 4 else 1.0 + 0.1 * self.buffer[-4]
        metrics = super().train()
        self.weights = [self.scale * weight for weight in self.weights]
        if self.what == "average" and self.steps >= 4:
            before = self.average or self.weights
            self.average = [0.9 * old + 0.1 * new for old, new in zip(before, self.weights, strict=True)]
        return metrics

    def evaluate(self) -> dict[str, Any]:
        return {"loss": sum(weight * weight for weight in self.average or self.weights)}


@pytest.mark.parametrize(("rates", "found"), [(RATES, r"\[11, 12\)"), (FORKED, r"\[8, 9\)")])  # where lr falls
@pytest.mark.parametrize("what", ["scale", "decay", "average", "buffer"])
def test_a_leak_that_begins_to_matter_late_turns_a_proven_workload_down(
    make_study: MakeStudy, what: str, rates: list[Any], found: str
) -> None:
    study = make_study(Late, trainer_args={"what": what})
    with pytest.raises(ExactnessError, match=rf"step {found} was run again.*had been proven to resume exactly"):
        study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": rates}), until=12))
    with pytest.raises(ExactnessError, match="failed a check before"):
        study.evaluate({"lr": 0.1}, until=1)


def test_a_leak_that_begins_after_the_first_rung_is_found_by_the_lanes_that_resume(make_study: MakeStudy) -> None:
    study = make_study(Late, trainer_args={"what": "scale"})
    space = hippo.GridSearchSpace({"lr": RATES})
    with pytest.raises(ExactnessError, match=r"step \[8, 9\) was run again"):
        study.optimize(hippo.SuccessiveHalving(space, min_steps=3, max_steps=27, reduction=3))


def test_a_model_made_in_init_is_found_where_every_trial_is_one_step(make_study: MakeStudy) -> None:
    class MadeOnce(ToyTrainer):
        def __init__(self) -> None:
            super().__init__()
            super().build()

        def build(self) -> None:
            pass

    study = make_study(MadeOnce)
    with pytest.raises(ExactnessError, match=r"step \[0, 1\) was begun anew"):
        study.optimize(hippo.GridSearch({"lr": RATES}, until=1))


def test_where_every_trial_is_one_step_one_of_them_is_walked_anew(make_study: MakeStudy) -> None:
    study = make_study(ToyTrainer)
    study.optimize(hippo.GridSearch({"lr": RATES}, until=1))
    assert study.statistics().steps_checked == 1
    study.optimize(hippo.GridSearch({"lr": RATES}, until=3))  # what a state forgets is looked for as ever
    assert study.statistics().steps_checked == 4


def test_last_steps_are_run_again_at_doubling_distances_for_a_small_share(make_study: MakeStudy) -> None:
    study = make_study(ToyTrainer)
    checked = []
    for until in (1, 2, 4, 7, 8, 40, 200, 400, 1000):
        study.evaluate({"lr": 0.1}, until=until)
        checked.append(study.statistics().steps_checked)
    # 7 and 8: no double distance, or one step only. 200 and 400: 4 steps are free, a fifth is 2 % of 250
    assert checked == [0, 2, 3, 3, 3, 4, 4, 4, 5]
    statistics = study.statistics()
    assert (statistics.steps_executed, statistics.steps_repeated) == (1000, 0)
    assert statistics.check_seconds > 0


def test_a_trainer_that_cannot_be_checked_says_so_and_is_not_checked_for_ever(make_study: MakeStudy) -> None:
    class Picky(ToyTrainer):
        def train(self) -> dict[str, float]:
            if self.steps == 1 and getattr(self, "loaded", False):
                raise RuntimeError("never again")
            return super().train()

        def load_state_dict(self, state: dict[str, Any]) -> None:
            super().load_state_dict(state)
            self.loaded = True

    study = make_study(Picky)
    with pytest.warns(UserWarning, match=r"could not be checked: train\(\) raised RuntimeError: never again"):
        study.optimize(hippo.GridSearch([{"lr": 0.01 * i} for i in range(1, 9)], until=3))
    assert study.statistics().steps_checked <= 4
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}


class Twice(hippo.InlineEngine):
    """Says everything twice."""

    def start(self, emit: Any, **options: Any) -> None:
        def tell(event: Any) -> None:
            emit(event)
            emit(event)

        super().start(tell, **options)


def test_what_a_check_says_twice_counts_once(make_study: MakeStudy) -> None:
    study = make_study(ToyTrainer, engine=Twice())
    study.evaluate({"lr": 0.1}, until=5)
    assert study.statistics().steps_checked == 3
