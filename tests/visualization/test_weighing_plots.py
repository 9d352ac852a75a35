"""Pictures of fronts and of several studies show what views say, and refuse what says nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import OptionError, TrialFailedError
from hippo.records import Metrics
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer
from hippo.visualization import plot_best_values, plot_branches, plot_curves, plot_pareto_front, plot_savings

pytest.importorskip("plotly")
NAME = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("weighed")
    url = f"sqlite:///{folder}/hippo.db"
    for name, mode in ((NAME, "min"), ("beside", "min"), ("up", "max")):
        study = hippo.create_study(name, trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                                   engine=hippo.InlineEngine(), metric="loss", mode=mode)  # fmt: skip
        rates = [{"lr": 0.01 * rate} for rate in range(1, 5 if name == NAME else 3)]
        study.optimize(hippo.SuccessiveHalving(rates, min_steps=2, max_steps=4, reduction=2))
        study.close()
    return url


@pytest.fixture(scope="module")
def study(storage: str) -> Study:
    loaded: Study = hippo.load_study(NAME, storage)
    return loaded


def trials(figure: Any) -> dict[str, list[int]]:
    return {trace.name: list(trace.customdata) for trace in figure.data}


def test_the_front_of_one_objective_and_the_steps_is_drawn_without_optuna(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = plot_pareto_front(study)
    found = trials(figure)
    assert sorted(found["no other one beats them in both"] + found["all others"]) == [0, 1, 2, 3]
    assert study.best_trial.number in found["no other one beats them in both"]
    assert figure.layout.xaxis.title.text == "steps (less is better)"
    luck = plot_pareto_front(study, against="luck", modes={"luck": "max"}, dark=True)
    assert luck.layout.xaxis.title.text == "luck (more is better)"
    for drawn in (figure, luck):
        assert "<script" not in drawn.to_json().replace("\\u003c", "<")


def test_a_front_that_says_nothing_is_refused(study: Study) -> None:
    for said, why in ({"against": "luck"}, "say whether small"), ({"metric": "lss"}, "no trial has a metric 'lss'"):
        with pytest.raises(OptionError, match=why):
            plot_pareto_front(study, **said)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="target_names is Optuna's"):
        plot_pareto_front(study, metric="loss", target_names=["loss"])
    with pytest.raises(OptionError, match="draws one study, not 2"):
        plot_pareto_front([study, study])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("over", "title"), [("steps", "steps executed"), ("device-seconds", "device-seconds of steps")]
)
def test_the_best_values_of_several_studies_end_at_their_best_ones(
    study: Study, storage: str, over: Any, title: str
) -> None:
    beside = hippo.load_study("beside", storage)
    figure = plot_best_values([study, beside], over=over)
    assert [trace.y[-1] for trace in figure.data] == [study.best_value, beside.best_value]
    assert figure.layout.xaxis.title.text.startswith(title)
    if over == "steps":
        assert [trace.x[-1] for trace in figure.data] == [each.statistics().steps_executed for each in (study, beside)]
    assert "<script" not in figure.to_json().replace("\\u003c", "<")


def test_a_study_that_has_no_best_value_yet_is_named(
    study: Study, storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = str(tmp_path / "states")
    hippo.create_study(
        "empty", trainer=ToyTrainer, storage=storage, checkpoints=states, metric="loss", mode="min"
    ).close()
    with pytest.warns(UserWarning, match="study .empty. is not in the picture: none of its trials is complete") as told:
        figure = plot_best_values([study, hippo.load_study("empty", storage)])
    assert len(figure.data) == 1
    assert told[0].filename == __file__
    out = tmp_path / "picture.html"
    capsys.readouterr()
    command = ["plot", "best-values", "beside", "--beside", "empty", "--storage", storage, "-o", str(out)]
    assert exit_code(command) == 0
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == (f"{out}\n", 1)
    assert said.err.startswith("hippo: study 'empty' is not in the picture: none of its trials is complete, with a num")


class Breaks(ToyTrainer):
    def train(self) -> Metrics:
        raise ValueError("no such layer")


@pytest.mark.parametrize("plot", [plot_pareto_front, plot_best_values, plot_curves, plot_branches])
def test_a_study_whose_trials_all_failed_is_told_why_and_not_to_run_it_first(plot: Any) -> None:
    made = hippo.create_study("broken", trainer=Breaks, storage="memory://", checkpoints="memory://",
                              engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    with pytest.raises(OptionError, match=r"'broken'.*; run it first$"):
        plot(made)
    with pytest.raises(TrialFailedError):
        made.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    with pytest.raises(OptionError, match=r"'broken'.*2 failed, the first in train\(\) at step 1: ValueError: no such"):
        plot(made)
    made.close()


def test_studies_of_another_direction_are_not_laid_over_one(study: Study, storage: str) -> None:
    with pytest.raises(OptionError, match=r"'up' optimises loss \(max\)"):
        plot_best_values([study, hippo.load_study("up", storage)])
    with pytest.raises(OptionError, match="over='years'"):
        plot_best_values(study, over="years")  # type: ignore[arg-type]


def test_savings_are_drawn_in_money_at_a_price(study: Study) -> None:
    figure = plot_savings(study, price=3600.0)
    bars = {trace.name: trace.x[0] for trace in figure.data if trace.xaxis == "x2"}
    statistics = study.statistics()
    assert bars == {
        "spent": pytest.approx(statistics.device_seconds),
        "each trial alone would have cost": pytest.approx(statistics.trial_seconds),
    }
    assert "predicted 1, seen 1" in figure.data[0].y[0]
    with pytest.raises(OptionError, match="0 or more, not -1"):
        plot_savings(study, price=-1)


def test_the_command_draws_them_and_refuses_options_of_other_views(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def plot(*words: str) -> int:
        return exit_code(["plot", *words, "--storage", storage, "-o", str(tmp_path / "picture.html")])

    assert plot("pareto", NAME, "--metric", "loss", "--against", "luck", "--mode", "luck=max") == 0
    assert plot("best-values", NAME, "--beside", "beside", "--over", "device-seconds") == 0
    assert plot("savings", NAME, "--price", "2.5") == 0
    assert (tmp_path / "picture.html").stat().st_size > 1_000_000  # a page that works without a network
    capsys.readouterr()
    for words, why in (
        (("pareto", NAME, "--price", "2"), "--price says nothing to 'pareto'; it is for savings"),
        (("savings", NAME, "--beside", "beside"), "--beside says nothing to 'savings'"),
        (("pareto", NAME, "--mode", "luck"), "'luck' is not METRIC=min or METRIC=max"),
        (("savings", NAME, "--price", "nan"), "no price of a device-hour"),
        (("best-values", NAME, "--beside", "up"), "'up' optimises loss (max)"),
    ):
        assert plot(*words) != 0
        assert why in " ".join(capsys.readouterr().err.split())
