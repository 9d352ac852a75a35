"""An optimiser in a shell: asks, looks at JSON, tells."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.cli.ask import config_of
from hippo.cli.printed import put_together, refuse_namesakes
from hippo.errors import HparamError, OptionError
from hippo.records import TrialState
from hippo.study import end_trials
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

pytestmark = pytest.mark.slow


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HIPPO_STORAGE", url := f"sqlite:///{tmp_path}/h.db")
    make(url, tmp_path)
    return url


def make(url: str, folder: Path, name: str = "toy", **trainer_args: Any) -> None:
    hippo.create_study(
        name,
        trainer=ToyTrainer,
        trainer_args=trainer_args,
        storage=url,
        checkpoints=str(folder / "states"),
        metric="loss",
        mode="min",
    )


def told(*arguments: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> Any:
    assert exit_code([*arguments, "--format", "json"]) == code, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_halving_by_an_optimiser_outside_trains_no_step_twice(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configs = ['{"lr": 0.1}', '{"lr": "Piecewise([0.1, 0.3], [2])"}', '{"lr": 0.3}']
    first = told("ask", "toy", *configs, "--until", "3", capsys=capsys)
    assert [row["number"] for row in first] == [0, 1, 2]
    for text, row in zip(configs, first, strict=True):
        assert row["value"] == train_alone(ToyTrainer, config_of(text), until=3)[3]["loss"] == row["metrics_loss"]
    order = sorted(first, key=lambda row: float(row["value"]))
    again = json.dumps({"lr": order[0]["params_lr"]})  # what a row says of a config can be asked for
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\n{again}\n"))
    (best,) = told("ask", "toy", "-", "--until", "6", capsys=capsys)
    assert best["step"] == 6
    study = hippo.load_study("toy", storage=url)
    assert study.statistics().steps_executed == 3 + 1 + 3 + 3
    pruned = [str(row["number"]) for row in first]
    assert exit_code(["tell", "toy", "pruned", *pruned]) == 0
    assert capsys.readouterr().err == f"hippo: trials {', '.join(pruned)} of study 'toy' are pruned\n"
    assert [trial.state.value for trial in hippo.load_study("toy", storage=url).trials] == ["PRUNED"] * 3 + ["COMPLETE"]
    assert [row["number"] for row in told("best", "toy", capsys=capsys)] == [best["number"]]
    assert exit_code(["tell", "toy", "complete", "0"]) == 0
    assert hippo.load_study("toy", storage=url).trials[0].state is TrialState.COMPLETE


def test_asked_once_more_it_is_the_same_trial(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = told("ask", "toy", '{"lr": 0.1}', "--until", "2", capsys=capsys)
    assert told("ask", "toy", '{"lr": 0.1}', "--until", "2", capsys=capsys) == first


def test_what_was_told_stays_when_the_same_is_asked_once_more_by_a_script_that_is_run_again(url: str) -> None:
    def run_again() -> list[TrialState]:
        study = hippo.load_study("toy", trainer=ToyTrainer, storage=url)
        study.optimize(hippo.GridSearch({"lr": [0.1, 0.2]}, until=2))
        study.close()
        return [trial.state for trial in study.trials]

    assert run_again() == [TrialState.COMPLETE] * 2
    assert exit_code(["tell", "toy", "pruned", "0"]) == 0
    assert run_again() == [TrialState.PRUNED, TrialState.COMPLETE]


def test_a_failed_trial_is_a_row_and_an_exit_code(url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    make(url, tmp_path, "broken", raise_in="train", raise_if={"lr": 0.2})
    rows = told("ask", "broken", '{"lr": 0.1}', '{"lr": 0.2}', "--until", "2", capsys=capsys, code=1)
    assert [row["state"] for row in rows] == ["COMPLETE", "FAIL"]
    assert "train()" in rows[1]["error"]
    assert exit_code(["tell", "broken", "pruned", "1"]) == 2
    assert "not changed: 1, which failed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["toy", "lr=0.1", "--until", "3"], "'lr=0.1' is no JSON object"),
        (["toy", "[0.1]", "--until", "3"], "with a value for each hyper-parameter"),
        (["toy", '{"lr": "MultiStep(0.1, x, 0.1)"}', "--until", "3"], "'x' is neither a value nor a sequence"),
        (["toy", '{"lr": "MultiStep(0.1, [2], 0.1, 7, 8)"}', "--until", "3"], "MultiStep"),
        (["toy", '{"lr": 0.1}', "--until", "0"], "x>=1"),
        (["none", '{"lr": 0.1}', "--until", "3"], "none"),
        (
            ["toy", '{"lr": 0.1}', "--until", "3", "--storage", "http://127.0.0.1:9"],
            "hippo ask needs the database that a service keeps",
        ),
    ],
)
def test_what_is_asked_wrongly_is_refused_and_no_trial_is_made(
    arguments: list[str], said: str, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["ask", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert hippo.load_study("toy", storage=url).trials == []


@pytest.mark.parametrize(
    "sequence",
    [
        hippo.Exponential(0.1, 0.9).take(3),
        hippo.Exponential(0.1, 0.9).take(3).then(0.5),
        hippo.Chain(hippo.Constant(0.1).take(2), hippo.Cosine(0.1, 5)),
        hippo.Piecewise([hippo.Linear(0.1, -0.01).take(2), 0.5], [4]),
    ],
    ids=repr,
)
def test_every_sequence_is_read_as_it_is_printed(sequence: hippo.Sequence) -> None:
    assert config_of(json.dumps({"lr": repr(sequence)})) == {"lr": sequence}
    assert config_of('{"lr": "Warmup(2, 0.1).then(Cosine(0.1, 5))"}')["lr"] == hippo.Warmup(2, 0.1).then(
        hippo.Cosine(0.1, 5)
    )


@dataclass(frozen=True)
class Wave(hippo.Sequence):
    height: float

    def value(self, t: float) -> float:
        return self.height / (1 + t)


def test_dictionaries_and_sequences_of_users_are_asked_for_as_rows_print_them(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configs = [{"opt": {"name": "sgd", "more": {"beta": 0.9}}, "lr": Wave(0.1)}, {"opt": {}, "lr": 0.2, "a.b": 1}]
    study = hippo.load_study("toy", url, engine=hippo.InlineEngine(), trainer=ToyTrainer)
    study.optimize(hippo.GridSearch(configs, until=2))
    before = study.statistics().steps_executed
    study.close()
    rows = told("trials", "toy", capsys=capsys)
    asked = [{name.removeprefix("params_"): row[name] for name in row if name.startswith("params_")} for row in rows]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, asked))))
    again = told("ask", "toy", "-", "--until", "2", "--workers", "1", capsys=capsys)
    assert [row["value"] for row in again] == [row["value"] for row in rows]
    read = hippo.load_study("toy", storage=url)
    assert read.statistics().steps_executed == before
    assert [trial.config for trial in read.trials[2:]] == configs


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"opt.name": "sgd", "opt": {"name": "adam"}}, "'opt' has two values"),
        ({"opt": "sgd", "opt.name": "adam"}, "'opt' has two values"),
        ({"opt.nesterov": True}, "no trial has 'opt.nesterov', and 'opt' is a dictionary"),
        ({"lr": "Wave(height=0.3)"}, "a sequence of your own, and no trial of the study has it"),
        ({"lr": '<Wave {"height":0.3}, unavailable>'}, "and no trial of the study has it"),
    ],
)
def test_what_no_row_prints_is_not_guessed(asked: dict[str, Any], said: str) -> None:
    known = [hippo.Config({"opt": {"name": "sgd"}, "lr": Wave(0.1)})]
    assert put_together({"opt.name": "sgd", "lr": "relu(6)"}, known) == {"opt": {"name": "sgd"}, "lr": "relu(6)"}
    for printed in ("Wave(height=0.1)", '<Wave {"height":0.1}, unavailable>'):
        assert put_together({"lr": printed}, known) == {"lr": Wave(0.1)}
    assert put_together({"opt.name": "sgd"}, []) == {"opt.name": "sgd"}
    with pytest.raises(click.BadParameter, match=re.escape(said)):
        put_together(asked, known)


def test_a_name_with_a_dot_that_means_two_things_is_refused() -> None:
    known = [hippo.Config({"opt": {"name": "sgd"}}), hippo.Config({"opt.name": "adam"})]
    with pytest.raises(click.BadParameter, match=r"'opt\.name' is a hyper-parameter of some trials and an entry"):
        put_together({"opt.name": "sgd"}, known)


def test_a_misspelt_sequence_is_no_text_also_where_it_is_cut() -> None:
    with pytest.raises(click.BadParameter, match="Did you mean 'Exponential'"):
        config_of('{"lr": "Exponentail(0.1, 0.9).take(3)"}')
    assert config_of('{"a": "relu(3).take(2)", "b": "x.take(2)"}') == {"a": "relu(3).take(2)", "b": "x.take(2)"}


def test_texts_that_are_no_formulas_stay_texts() -> None:
    text = '{"a": "sgd", "b": "print(1)", "c": {"d": "Chain(Warmup(2, 0.1), Constant(0.1))"}, "e": [1, "x y"]}'
    chain = hippo.Chain(hippo.Warmup(2, 0.1), hippo.Constant(0.1))
    assert config_of(text) == {"a": "sgd", "b": "print(1)", "c": {"d": chain}, "e": [1, "x y"]}
    with pytest.raises(HparamError):
        config_of('{"a": "Cosine(0.1, 0)"}')


def test_a_formula_is_known_with_hippos_name_before_it_and_with_room_around_it() -> None:
    text = (
        '{"a": "hippo.Cosine(0.1, 9).take(3)", "b": " Chain(hippo.Warmup(2, 0.1), Constant(0.1))", "c": "x.Cosine(1)"}'
    )
    chain = hippo.Chain(hippo.Warmup(2, 0.1), hippo.Constant(0.1))
    assert config_of(text) == {"a": hippo.Cosine(0.1, 9).take(3), "b": chain, "c": "x.Cosine(1)"}
    assert config_of(json.dumps({"a": "-" * 5000 + "1"})) == {"a": "-" * 5000 + "1"}


def test_a_sequence_of_hippos_is_refused_where_trials_have_a_users_that_is_called_alike() -> None:
    own = type("Cosine", (Wave,), {"__module__": __name__})
    asked = [{"lr": 0.1, "momentum": hippo.Chain(hippo.Cosine(0.9, 5), hippo.Constant(0.5))}]
    refuse_namesakes(asked, [hippo.Config({"lr": Wave(0.1)})])
    with pytest.raises(click.BadParameter, match="a Cosine of your own, and hippo has one, too"):
        refuse_namesakes(asked, [hippo.Config({"lr": own(0.1)})])


def test_states_that_nobody_can_tell_are_refused(url: str) -> None:
    study = hippo.load_study("toy", storage=url)
    with pytest.raises(OptionError, match="COMPLETE or PRUNED, not FAIL"):
        end_trials(study, [0], TrialState.FAIL)
    with pytest.raises(OptionError, match="0"):
        end_trials(study, [0], TrialState.PRUNED)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('{"lr": 0.1, "lr": 0.2}', "'lr' has two values"),
        ('{"opt": {"lr": 0.1, "lr": 0.2}}', "'lr' has two values"),
        ('{"lr": "Multistep(0.1, [2], 0.1)"}', "Did you mean 'MultiStep'"),
    ],
)
def test_what_can_be_meant_in_no_way_is_refused(
    url: str, config: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["ask", "toy", config, "--until", "1"]) == 2
    assert said in capsys.readouterr().err
    assert not hippo.load_study("toy", url).trials
