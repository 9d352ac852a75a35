"""What a user is told of a trainer's class that is not what it seems: settings that are none, code that changed."""

from __future__ import annotations

import functools
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hippo
from hippo.errors import MetricError, TrainerError
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.training.misspelt import tell_misspelt

MakeStudy = Callable[..., hippo.Study]


@pytest.mark.parametrize(
    ("attribute", "value", "meant"),
    [
        ("num_worker", 2, "num_workers"),
        ("samples_per_steps", 50, "samples_per_step"),
        ("apply_hparam", "batch", "apply_hparams"),
        ("hparam", ("lr",), "hparams"),
        ("valid_batch_size", 64, "val_batch_size"),
        ("devices", "cpu", "device"),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_one_that_was_meant(
    make_study: MakeStudy, attribute: str, value: Any, meant: str
) -> None:
    cls = type("Misspelt", (BlobsTrainer,), {attribute: value})
    with pytest.raises(TrainerError, match=rf"Misspelt.{attribute} = .* no effect.*Did you mean '{meant}'"):
        make_study(trainer=cls)


def test_a_plain_trainer_has_one_setting_that_may_be_misspelt(make_study: MakeStudy) -> None:
    with pytest.raises(TrainerError, match="Did you mean 'hparams'"):
        make_study(trainer=type("Misspelt", (ToyTrainer,), {"hparam": ("lr",)}))
    make_study(trainer=type("Plain", (ToyTrainer,), {"num_worker": 2}))  # a plain trainer has no such setting


@pytest.mark.parametrize(
    "name",
    ["hidden", "dataset", "num_layers", "params", "max_batch_size", "train_batch_size", "samples", "step", "workers"],
)
def test_an_ordinary_attribute_is_no_misspelt_setting(make_study: MakeStudy, name: str) -> None:
    make_study(trainer=type("Ordinary", (BlobsTrainer,), {name: 3}))


class SetsInVain(BlobsTrainer):
    def __init__(self) -> None:
        super().__init__()
        self.val_batchsize = 2
        self.gradient_clip_val = 1.0

    def build(self) -> None:
        super().build()
        self.ema_deca = 0.9


@pytest.mark.parametrize(
    ("name", "meant"),
    [("val_batchsize", "'val_batch_size'"), ("gradient_clip_val", "is clip_norm"), ("ema_deca", "'ema_decay'")],
)
def test_a_misspelt_setting_that_a_method_sets_is_told_of(make_study: MakeStudy, name: str, meant: str) -> None:
    with pytest.warns(UserWarning, match=rf"self.{name}, which SetsInVain sets, has no effect.*{meant}") as told:
        make_study(trainer=SetsInVain)
    assert len(told) == 3


def test_what_is_read_below_a_decorator_is_read() -> None:
    class Decorated(SetsInVain):
        @torch.no_grad()
        def evaluate(self) -> Any:
            return {**super().evaluate(), "most": self.most, "size": self.val_batchsize}

        @functools.cached_property
        def most(self) -> float:
            return self.gradient_clip_val * self.ema_deca

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_misspelt(Decorated)


def test_what_a_method_sets_and_another_reads_is_its_own_however_it_is_spelt(make_study: MakeStudy) -> None:
    class SetsAndReads(BlobsTrainer):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more)
            self.num_worker, self.devices, self.scheduler = 4, 2, None
            self.num_workers = 0  # both are set, so neither stands for the other
            self.others = others = types.SimpleNamespace()
            others.val_batchsize = self.others.clip_nrom = 2  # theirs

        def train(self) -> Any:
            assert self.others
            return [super().train() for _ in range(self.devices) if not getattr(self, "scheduler", None)][-1]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_study(trainer=SetsAndReads)


def test_an_attribute_that_the_trainer_reads_is_its_own_however_it_is_spelt(make_study: MakeStudy) -> None:
    class Reads(BlobsTrainer):
        devices = 2
        num_worker = 4
        num_workers = 0  # both are set, so neither stands for the other

        def make_model(self) -> Any:
            return [super().make_model() for _ in range(self.devices)][-1]

    make_study(trainer=Reads)


FACTOR = 1.0


def local_toy(step: Callable[[Any], Any]) -> type[ToyTrainer]:
    """Return a class that only travels by value, as one of a notebook does."""

    class Local(ToyTrainer):
        def train(self) -> dict[str, float]:
            return {**super().train(), "factor": step(FACTOR)}

    return Local


def test_a_global_that_changed_after_create_study_is_told_of_once(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(trainer=local_toy(lambda factor: factor))
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert "has changed since" not in capsys.readouterr().err
    monkeypatch.setitem(globals(), "FACTOR", 0.5)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    said = capsys.readouterr().err
    assert "hippo: study 'toy': Local, or what it reads, has changed since create_study; this study trains with" in said
    assert [metrics["factor"] for metrics in study.trials[-1].train_metrics.values()] == [1.0] * 4
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=5))
    assert "has changed since" not in capsys.readouterr().err


def test_a_method_that_was_replaced_after_create_study_is_told_of(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    cls = local_toy(lambda factor: factor)
    study = make_study(trainer=cls)
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    cls.evaluate = lambda self: {"loss": 7.0}  # type: ignore[method-assign]
    study.evaluate({"lr": 0.1}, until=4)  # by hand
    assert "has changed since create_study" in capsys.readouterr().err
    assert study.best_value != 7.0


CELL = """
from hippo.testing.trainers import ToyTrainer

class Cell(ToyTrainer):
    def train(self):
        return {**super().train(), "factor": FACTOR}
"""


def test_a_cell_that_was_run_again_is_told_of_once_its_class_is_another_one(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = types.ModuleType("notebook_of_a_test")  # in no file, so that its classes travel by value
    monkeypatch.setitem(sys.modules, notebook.__name__, notebook)
    exec(CELL.replace("FACTOR", "1.0"), vars(notebook))
    study = make_study(trainer=notebook.Cell)
    exec(CELL.replace("FACTOR", "1.0"), vars(notebook))
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert "has changed since" not in capsys.readouterr().err  # the same code, run again
    exec(CELL.replace("FACTOR", "2.0"), vars(notebook))
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    assert "Cell, or what it reads, has changed since create_study" in capsys.readouterr().err
    assert study.trials[-1].train_metrics[3]["factor"] == 1.0


def test_a_class_that_has_the_name_of_its_base_is_not_told_to_have_changed(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = types.ModuleType("notebook_of_a_test")
    monkeypatch.setitem(sys.modules, notebook.__name__, notebook)
    exec(CELL.replace("FACTOR", "1.0"), vars(notebook))
    study = make_study(trainer=type("Cell", (notebook.Cell,), {"width": 3, "__module__": notebook.__name__}))
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert "has changed since" not in capsys.readouterr().err


@pytest.mark.parametrize(("metric", "better"), [("val_loss", "smaller"), ("top1_accuracy", "larger")])
def test_a_direction_that_was_guessed_is_said_when_the_study_is_made(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str], metric: str, better: str
) -> None:
    for _ in range(2):
        make_study(metric=metric, mode=None, storage="memory://guessed-" + metric)
    said = capsys.readouterr().err
    assert said.count(f"by the name of the metric {metric!r}, {better} is better") == 1
    make_study("given", metric=metric, mode="min", storage="memory://guessed-" + metric)
    make_study("other", metric=metric, mode=None, direction="minimize", storage="memory://guessed-" + metric)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "metric", ["accuracy_drop", "error_rate_improvement", "neg_loss", "acc_loss", "loss_reduction", "auc_gap"]
)
def test_a_name_that_speaks_both_ways_is_not_guessed_from(make_study: MakeStudy, metric: str) -> None:
    with pytest.raises(MetricError, match="needs a mode"):
        make_study(metric=metric, mode=None)
