"""Which hyper-parameters matter: sequences by their arguments, and of many trials a part."""

from __future__ import annotations

from pathlib import Path

import pytest

import hippo
from hippo.testing.trainers import ToyTrainer
from hippo.visualization import importances
from hippo.visualization.importances import judged_values, param_shares

pytest.importorskip("optuna")


def values_of(*configs: dict[str, object]) -> list[dict[str, object]]:
    return judged_values([hippo.Config(each).to_json() for each in configs])


def test_sequences_of_one_kind_are_judged_by_the_arguments_that_differ() -> None:
    found = values_of({"lr": hippo.MultiStep(0.1, [3], 0.1)}, {"lr": hippo.MultiStep(0.2, [5], 0.1)})
    assert found == [{"lr.initial": 0.1, "lr.milestones[0]": 3}, {"lr.initial": 0.2, "lr.milestones[0]": 5}]


def test_what_only_some_sequences_have_is_left_out() -> None:
    found = values_of({"lr": hippo.MultiStep(0.1, [3], 0.1)}, {"lr": hippo.MultiStep(0.2, [3, 5], 0.1)})
    assert found == [{"lr.initial": 0.1}, {"lr.initial": 0.2}]


def test_sequences_of_several_kinds_are_judged_by_how_they_are_written_or_by_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configs = [{"lr": 0.1}, {"lr": hippo.Exponential(0.1, 0.9)}, {"lr": hippo.Exponential(0.1, 0.5)}]
    assert len({each["lr"] for each in values_of(*configs)}) == 3
    monkeypatch.setattr(importances, "_MOST_WAYS", 2)
    assert [each["lr"] for each in values_of(*configs)] == ["Constant", "Exponential", "Exponential"]


def test_dictionaries_are_judged_by_their_parts_and_absent_names_stay_absent() -> None:
    found = values_of({"opt": {"momentum": 0.5, "name": "sgd"}}, {"opt": {"momentum": 0.9, "name": "sgd"}, "more": 1})
    assert found == [{"opt.momentum": 0.5}, {"opt.momentum": 0.9, "more": 1}]


def test_of_very_many_trials_a_part_is_looked_at_and_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = hippo.create_study("many", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db", metric="loss",
                               checkpoints="memory://", engine=hippo.InlineEngine(), mode="min")  # fmt: skip
    rates = [hippo.MultiStep(0.01 * rate, [2], 0.5) for rate in range(1, 9)]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": rates, "momentum": [0.5, 0.501]}), until=3))
    whole = param_shares(study)
    monkeypatch.setattr(importances, "_MOST_TRIALS", 12)
    part = param_shares(study)
    study.close()
    assert (whole.judged, whole.of, part.judged, part.of) == (16, 16, 12, 16)
    assert next(iter(whole.shares)) == next(iter(part.shares)) == "lr.initial"
    assert part.shares["momentum"] < 0.2  # each second trial has one value of it: a part taken in steps has one alone


def test_a_text_in_one_trial_and_a_dictionary_in_another_are_judged_as_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = values_of({"opt": "sgd"}, {"opt": {"name": "adam"}}, {"opt": {"name": "lion"}})
    assert len({each["opt"] for each in found}) == 3
    monkeypatch.setattr(importances, "_MOST_WAYS", 2)
    found = values_of({"opt": "sgd"}, {"opt": {"name": "adam"}}, {"opt": {"name": "lion"}})
    assert [found[0]["opt"] == each["opt"] for each in found] == [True, False, False]


def test_lists_of_several_lengths_are_judged_and_a_part_that_says_the_others_is_enough() -> None:
    assert len({each["layers"] for each in values_of({"layers": []}, {"layers": [8]}, {"layers": [8, 8]})}) == 3
    found = values_of({"opt": {"name": "sgd", "momentum": 0.9}}, {"opt": {"name": "adam", "beta": 0.9}})
    assert found == [{"opt.name": "sgd"}, {"opt.name": "adam"}]
