"""An expression about trials says what it says in Python, says when it cannot, and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hippo
from hippo.errors import OptionError
from hippo.records import TrialState
from hippo.server.remote_results import RemoteTrial
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer
from hippo.views import filter_trials

CONFIGS: list[dict[str, Any]] = [
    {"lr": 0.1, "rho": 0.5, "opt": "sgd", "nested": {"beta": 0.9, "on": True}},
    {"lr": 0.2, "opt": "adam", "weight-decay": 0.01},
    {"lr": hippo.MultiStep(0.4, [2], 0.5), "rho": 0.9, "opt": "sgd"},
    {"lr": 0.4, "rho": None, "opt": "adamw", "step": 7},
]


@pytest.fixture(scope="module")
def study() -> Iterator[Study]:
    made: Study = hippo.create_study("filtered", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                     engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    for config in CONFIGS:
        made.enqueue(config, until=3)
    made.optimize()
    yield made
    made.close()


class Slashed(ToyTrainer):
    """Names its metrics as Lightning and W&B do."""

    def train(self) -> Any:
        return {f"train/{name}": value for name, value in super().train().items()}

    def evaluate(self) -> Any:
        return {f"val/{name}": value for name, value in super().evaluate().items()}


def test_metrics_of_any_name_can_be_asked_for() -> None:
    study = hippo.create_study("slashed", trainer=Slashed, storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="val/loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.4}], until=3))
    first, second = (trial.metrics["val/loss"] for trial in study.trials)
    least = min(first, second)
    assert kept(study, f'metrics["val/loss"] == {least}') == [int(least == second)]
    (name,) = study.trials[0].last_train_metrics
    assert kept(study, f'train["{name}"] >= 0') == [0, 1]
    with pytest.raises(OptionError, match=r"""there are: metrics\["val/loss"\]"""):
        kept(study, "metrics_loss < 1")


def kept(study: Study, text: str) -> list[int]:
    return [trial.number for trial in filter_trials(study.trials, text).trials]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("lr < 0.2", [0]),
        ("0.1 < lr <= 0.4", [1, 3]),
        ("lr(0) >= 0.4", [2, 3]),
        ("lr(2) < 0.3", [0, 1, 2]),
        ('c["lr"] == 0.1 or params_lr == 0.2', [0, 1]),
        ('c["lr"](2) == 0.2', [1, 2]),
        ('opt in ("adam", "adamw")', [1, 3]),
        ('opt not in ["adam", "adamw"]', [0, 2]),
        ('"adam" in opt', [1, 3]),
        ('"MultiStep" in lr', [2]),
        ('not opt == "sgd"', [1, 3]),
        ("rho is None", [1, 3]),
        ("rho is not None and rho > 0.6", [2]),
        ("rho != None", [0, 2]),
        ("nested.beta == 0.9", [0]),
        ('c["weight-decay"] < 1', [1]),
        ("step == 3", [0, 1, 2, 3]),
        ('c["step"] == 7', [3]),
        ('state == "COMPLETE" and number >= 2', [2, 3]),
        ("step < until", []),
        ("value == metrics_loss", [0, 1, 2, 3]),
        ('value == metrics["loss"]', [0, 1, 2, 3]),
        ("error == ''", [0, 1, 2, 3]),
        ("lr > -1 and not (lr > +0.15)", [0]),
        ("opt in []", []),
        ("  lr <\n", None),
    ],
)
def test_it_holds_for_the_trials_for_which_python_says_so(study: Study, text: str, numbers: list[int] | None) -> None:
    if numbers is None:
        with pytest.raises(OptionError):
            kept(study, text)
    else:
        assert kept(study, text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers", "unknown"),
    [
        ("lr < 0.3", [0, 1], {"lr is a text or a sequence, of which lr(0) is the value at its first step": 1}),
        ("rho > 0.6", [2], {"they have no rho": 1, "rho is no number": 1}),
        ("not rho > 0.6", [0], {"they have no rho": 1, "rho is no number": 1}),
        ('opt == "sgd" and rho > 0.6', [2], {}),
        ('rho > 0.6 or opt != "sgd"', [1, 2, 3], {}),
        ('rho != 0.5', [2, 3], {"they have no rho": 1}),
        ("opt < 1", [], {"opt is a text or a sequence, of which opt(0) is the value at its first step": 4}),
        ('(rho > 0.6 or lr(0) == 0.2) and opt < 1', [], {"rho is no number": 1,
         "opt is a text or a sequence, of which opt(0) is the value at its first step": 2}),
        ("nested.on < 2", [], {"nested.on is no number": 1, "they have no nested.on": 3}),
        ("nested.on", [0], {"they have no nested.on": 3}),
        ("opt", [], {"opt is neither true nor false": 4}),
        ('"a" in rho', [], {"rho is no text": 3, "they have no rho": 1}),
        ("rho in 3", [], {"3 is no text": 3, "they have no rho": 1}),
        ("'a' < rho", [], {"rho is a number, and is not compared with the text 'a'": 2,
         "rho is no number": 1, "they have no rho": 1}),
        ("number < 'a'", [], {"number is a number, and is not compared with the text 'a'": 4}),
    ],
)  # fmt: skip
def test_where_it_says_neither_yes_nor_no_it_is_told_why(
    study: Study, text: str, numbers: list[int], unknown: dict[str, int]
) -> None:
    found = filter_trials(study.trials, text)
    assert [trial.number for trial in found.trials] == numbers
    assert found.unknown == unknown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lr <", "invalid syntax"),
        ("lr = 0.1", "= would assign, == compares"),
        ("lr < 0.1; opt", "not one expression"),
        ("", "not one expression"),
        ("rhoo < 1", "no trial has a rhoo, and a text stands in quotes. Did you mean 'rho'? Write"),
        ("opt == adam", "no trial has a adam, and a text stands in quotes"),
        ("metrics_los < 1", "no trial has 'metrics_los'; there are: metrics_loss, metrics_luck"),
        ("train_x < 1", "no trial has 'train_x'; there are:"),
        ('metrics["los"] < 1', "no trial has 'metrics_los'; there are: metrics_loss, metrics_luck"),
        ('metrics["val/loss"] < 1', """no trial has 'metrics["val/loss"]'; there are: metrics_loss"""),
        ("metrics[0] < 1", "'metrics[0]' is neither a name"),
        ("__import__('os').system('true')", "only NAME(STEP) is known, such as lr(0)"),
        ("lr.__class__ == 1", "no trial has a lr.__class__"),
        ("lr(step) < 1", "only NAME(STEP)"),
        ("[lr for lr in (1, 2)]", "is neither a name, a number, a text in quotes nor a list"),
        ("(lambda: 1)() < lr", "only NAME(STEP)"),
        ("lr * 2 < 1", "is neither a name"),
        ("lr is 0.1", "only None is asked for by is"),
        ("lr < 9" + "9" * 1_000, "1000 characters at most"),
        ("(" * 400 + "lr" + ")" * 400, "filter '((("),
        ("lr < 1\0", "filter 'lr < 1"),
    ],
)
def test_what_is_no_such_expression_is_refused_with_what_can_be_written(study: Study, text: str, said: str) -> None:
    with pytest.raises(OptionError) as refused:
        kept(study, text)
    assert said in str(refused.value)
    if "characters" not in said:
        for name in (
            "lr < 0.1 and",
            "Hyper-parameters: lr, nested.beta, nested.on, opt, rho, step, weight-decay;",
            "seconds",
        ):
            assert name in str(refused.value)


def test_trials_of_a_service_are_filtered_as_others_are() -> None:
    nothing: Any = None

    def remote(number: int, **config: Any) -> Any:
        return RemoteTrial(number=number, state=TrialState.COMPLETE, config=hippo.Config(config), step=3, until=3,
                           call=0, error="", values=(0.5,), metrics={"loss": 0.5}, seconds=1.0, history={},
                           last_train_metrics={"noise": 0.1 * number},
                           _settings=nothing, _tracebacks=nothing)  # fmt: skip

    trials = [remote(0, lr=0.1), remote(1, lr=hippo.MultiStep(0.4, [2], 0.5)), remote(2, lr=0.3)]
    asked = "lr(0) >= 0.3 and value < 1 and metrics_loss == 0.5 and seconds == 1"
    assert [trial.number for trial in filter_trials(trials, asked).trials] == [1, 2]
    assert [trial.number for trial in filter_trials(trials, "train_noise < 0.15").trials] == [0, 1]


def test_a_text_that_looks_like_a_sequence_is_a_text() -> None:
    study: Study = hippo.create_study("alike", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                      engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    drop = hippo.MultiStep(0.4, [2], 0.5)
    for note in (drop, repr(drop), hippo.MultiStep(0.4, [2], 0.5)):
        study.enqueue({"lr": 0.1, "note": note, "at": len(repr(note))}, until=1)
    study.optimize()
    found = filter_trials(study.trials, "note(0) == 0.4")
    assert [trial.number for trial in found.trials] == [0, 2]
    assert kept(study, 'note(0) == "MultiStep(0.4, [2], 0.5)"') == [1]
    study.close()


def test_a_study_without_trials_shows_none_whatever_is_asked() -> None:
    assert filter_trials([], "anything < 1 and metrics_x > 2").trials == []


PARTS = st.sampled_from(["lr < 0.2", "rho > 0.6", 'opt == "sgd"', "number == 1", "step < 9"])
TEXTS = st.recursive(
    PARTS, lambda inner: st.one_of(inner.map("not ({})".format), st.tuples(inner, st.sampled_from(["and", "or"]),
    inner).map(lambda each: f"({each[0]}) {each[1]} ({each[2]})")), max_leaves=6,
)  # fmt: skip


@given(text=TEXTS)
def test_what_is_denied_is_shown_by_the_opposite_and_every_trial_is_counted_once(study: Study, text: str) -> None:
    found, opposite = filter_trials(study.trials, text), filter_trials(study.trials, f"not ({text})")
    assert found.unknown == opposite.unknown
    numbers = [trial.number for each in (found, opposite) for trial in each.trials]
    assert len(numbers) == len(set(numbers)) == len(CONFIGS) - sum(found.unknown.values())
