"""The values in force, as a trainer sees them, and what is checked before training."""

from __future__ import annotations

from typing import Any

import pytest

from hippo.errors import HparamError, UnknownHparamError
from hippo.hparams import Config
from hippo.testing.trainers import ToyTrainer
from hippo.training.values import HparamValues, whole_number


class Strict(ToyTrainer):
    hparams = ("lr", "momentum")


def test_a_misspelt_name_is_told_the_near_one() -> None:
    with pytest.raises(UnknownHparamError, match=r"no hyper-parameter 'lrr'.*If 'lr' is meant, call it 'lrr' in"):
        HparamValues({"lr": 0.1})["lrr"]


def test_names_looked_at_are_remembered_and_names_asked_for_are_not() -> None:
    values = HparamValues({"lr": 0.1, "wd": 0.0, "bs": 8})
    assert "bs" in values
    assert len(values) == 3
    assert values.get("lr") == 0.1
    assert values.get("other") is None
    assert values.read == {"lr"}


def test_reads_are_recorded_for_who_asks_and_for_the_whole() -> None:
    values, names = HparamValues({"lr": 0.1, "wd": 0.0}), set[str]()
    assert values["wd"] == values.recording(names)["wd"] == 0.0
    assert names == values.read == {"wd"}


def test_who_takes_a_value_apart_has_a_copy_of_ones_own() -> None:
    values, names = HparamValues({"opt": {"name": "sgd", "betas": [0.9, 0.99]}, "widths": [8, 4]}), set[str]()
    for looked in (values, values.recording(names), values.at(0.5)):
        options = looked["opt"]
        options.pop("name")
        options["betas"].clear()
        looked.get("widths").append(2)
        dict(looked)["widths"].pop()
    assert values.raw == {"opt": {"name": "sgd", "betas": [0.9, 0.99]}, "widths": [8, 4]}


def test_values_between_steps_come_from_the_stage() -> None:
    assert HparamValues({"lr": 0.0}, at=lambda t: {"lr": t}).at(2.5)["lr"] == 2.5


def test_a_value_of_another_type_is_another_value() -> None:
    before = HparamValues({"a": 1, "b": 1, "c": [1], "d": 0.5})
    after = HparamValues({"a": 1.0, "b": True, "c": [1], "d": 0.5, "e": None})
    assert after.changed_since(before) == {"a": 1.0, "b": True, "e": None}


def test_before_build_there_are_no_values_and_the_error_says_so() -> None:
    with pytest.raises(UnknownHparamError, match="from build\\(\\) on"):
        ToyTrainer().hp["lr"]


def test_a_config_with_an_unknown_name_is_refused_before_training() -> None:
    Strict.check_config(Config({"lr": 0.1}), 5)
    with pytest.raises(
        UnknownHparamError, match=r"Strict knows no hyper-parameter 'momentun'.*Did you mean 'momentum'"
    ):
        Strict.check_config(Config({"lr": 0.1, "momentun": 0.9}), 5)


@pytest.mark.parametrize("value", [8, 8.0])
def test_integral_floats_are_whole(value: Any) -> None:
    assert repr(whole_number(value)) == "8"


@pytest.mark.parametrize("value", [0, -1, 0.5, 51.2, True, "8", None, [8]])
def test_what_is_not_a_whole_number_from_one_on_is_refused(value: Any) -> None:
    with pytest.raises(HparamError, match="whole number of at least 1"):
        whole_number(value)
