"""Pictures of studies show what views say, take no name for markup, and refuse what there is nothing to draw of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import OptionError
from hippo.study import Study
from hippo.testing.trainers import ToyTrainer
from hippo.views import tree_layout
from hippo.visualization import plot_curves, plot_lineage, plot_savings, plot_schedules, plot_stage_tree

from ..views.gated import TWO, AsksTogether, caught_study

pytest.importorskip("plotly")
NAME = "<script>alert(1)</script>"
PLOTS = [plot_stage_tree, plot_curves, plot_schedules, plot_savings]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("pictures")
    url = f"sqlite:///{folder}/hippo.db"
    study = hippo.create_study(NAME, trainer=ToyTrainer, storage=url, checkpoints=str(folder / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    drops = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops, "momentum": [0.5, 0.9]}), until=8))
    study.close()
    return url


@pytest.fixture(scope="module")
def study(storage: str) -> Study:
    loaded: Study = hippo.load_study(NAME, storage)
    return loaded


def points(figure: Any, name: str) -> list[tuple[Any, Any]]:
    return [point for trace in figure.data if trace.name == name for point in zip(trace.x, trace.y, strict=True)]


def test_the_tree_has_an_end_for_each_node_and_a_diamond_for_each_state(study: Study) -> None:
    figure, layout = plot_stage_tree(study), tree_layout(study.tree())
    assert points(figure, "node") == [(each.stop, each.line) for each in layout.lines]
    kept = [(step, each.line) for each in layout.lines for step in each.row.checkpoints]
    assert points(figure, "state kept") == kept
    (ends,) = [trace for trace in figure.data if trace.name == "node"]
    last = [each.row.metrics[max(each.row.metrics)]["loss"] for each in layout.lines]
    assert list(ends.marker.color) == last


def test_a_tree_is_coloured_by_how_far_it_is_and_what_remains_longest_is_a_band(study: Study, tmp_path: Path) -> None:
    layout = tree_layout(study.tree())
    assert points(plot_stage_tree(study, colour="state"), "trained")
    ends = [
        trace
        for trace in plot_stage_tree(study, colour="state").data
        if (trace.name, trace.mode) == ("trained", "markers")
    ]
    assert [list(zip(trace.x, trace.y, strict=True)) for trace in ends] == [
        [(each.stop, each.line) for each in layout.lines]
    ]
    with caught_study(tmp_path, AsksTogether(TWO)) as (caught, _):
        figure = plot_stage_tree([study, caught], colour="state")
    lower = layout.height + 1
    assert points(figure, "longest chain that remains") == [
        (2, lower), (4, lower), (None, None), (4, lower + 1), (9, lower + 1), (None, None),
    ]  # fmt: skip
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(named) == sorted(set(named))
    assert {"trained", "running", "longest chain that remains"} <= set(named)
    with pytest.raises(OptionError, match="'speed': a stage tree is coloured by one of 'metric', 'state'"):
        plot_stage_tree(study, colour="speed")


def test_the_way_of_the_best_trial_stands_out_and_all_values_are_there(study: Study) -> None:
    figure = plot_curves(study)
    (best,) = [trace for trace in figure.data if "the best" in trace.name]
    assert best.name == f"trial {study.best_trial.number}, the best"
    own = {(step, metrics["loss"]) for step, metrics in study.best_trial.history.items()}
    assert {point for point in zip(best.x, best.y, strict=True) if point[0] is not None} == own


def test_curves_go_by_device_seconds_of_training_and_as_bands(study: Study) -> None:
    figure = plot_curves(study, metric="train:slope", by="device-seconds")
    assert figure.layout.xaxis.title.text == "device-seconds of the whole way"
    (line,) = figure.data
    assert {trial.seconds for trial in study.trials} <= set(line.x)
    seeded = hippo.create_study("seeded", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                engine=hippo.InlineEngine(), metric="loss", mode="min", seeds=[1, 2])  # fmt: skip
    seeded.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    (band,) = [trace for trace in plot_curves(seeded, as_bands=True).data if trace.fill]
    (trial,) = seeded.trials
    values = [sorted(each.history[step]["loss"] for each in trial.replicates) for step in (1, 2, 3)]
    assert list(band.x) == [1, 2, 3, 3, 2, 1, None]
    assert list(band.y) == [*(high for _, high in values), *(low for low, _ in reversed(values)), None]
    with pytest.raises(OptionError, match="Each seed was trained at a time of its own"):
        plot_curves(seeded, as_bands=True, by="seconds")
    seeded.close()


def test_schedules_have_a_chart_for_each_hyper_parameter_that_changes(study: Study) -> None:
    figure = plot_schedules(study)
    assert [note.text for note in figure.layout.annotations] == ["lr"]
    assert len(figure.data) == 2
    assert len(plot_schedules(study, names=["lr", "momentum"], trials=[0]).data) == 2


@dataclass(frozen=True)
class Alternating(hippo.Sequence):
    height: float

    def value(self, t: float) -> float:
        return self.height if t % 2 else 0.0


def test_a_sequence_of_a_users_own_that_ends_as_it_began_has_a_chart(tmp_path: Path) -> None:
    study = hippo.create_study("own", trainer=ToyTrainer, storage="memory://", checkpoints="memory://", metric="loss",
                               mode="min", engine=hippo.InlineEngine())  # fmt: skip
    study.evaluate({"lr": hippo.Linear(0.1, 0.2), "momentum": Alternating(0.5)}, until=3)
    assert [note.text for note in plot_schedules(study).layout.annotations] == ["lr", "momentum"]
    study.close()


def test_bars_of_steps_add_up(study: Study) -> None:
    figure = plot_savings(study)
    steps = {trace.name: trace.x[0] for trace in figure.data if trace.xaxis == "x"}
    assert steps["run for this study"] + steps["saved: had already, or shared"] == 32


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("dark", [False, True])
def test_no_name_of_a_user_is_markup_and_several_studies_are_one_picture(study: Study, plot: Any, dark: bool) -> None:
    figure = plot([study, study], dark=dark)
    assert "<script" not in figure.to_json().replace("\\u003c", "<")
    assert "&lt;script&gt;" in figure.layout.title.text.replace("\\u003c", "<")
    assert len(figure.data) >= 2 * len(plot(study).data) - 8


@pytest.mark.parametrize("plot", PLOTS)
def test_a_study_without_trials_says_so(plot: Any) -> None:
    empty = hippo.create_study("empty", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    with pytest.raises(OptionError, match=r"no trial|asked for nothing"):
        plot(empty)
    empty.close()


def test_a_colour_says_the_same_in_the_trees_of_all_studies_and_each_metric_has_a_scale() -> None:
    made = [
        hippo.create_study(metric, trainer=ToyTrainer, storage="memory://scales", checkpoints="memory://",
                           engine=hippo.InlineEngine(), metric=metric, mode="min")
        for metric in ("loss", "luck")
    ]  # fmt: skip
    for each in made:
        each.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    loss, luck = made
    for plot in (plot_stage_tree, plot_lineage):
        figure: Any = plot([loss, luck, loss])
        scales = [trace.marker.coloraxis for trace in figure.data if trace.marker.color and trace.mode == "markers"]
        assert [each for each in scales if each] == ["coloraxis", "coloraxis2", "coloraxis"]
        titles = [figure.layout[scale].colorbar.title.text for scale in ("coloraxis", "coloraxis2")]
        assert titles == ["loss", "luck"]
        assert figure.layout.coloraxis.colorbar.x < figure.layout.coloraxis2.colorbar.x
    with pytest.raises(OptionError, match=r"study 'luck' optimises luck, and study 'loss' loss: .* say which metric"):
        plot_curves([loss, luck])
    assert plot_curves([loss, luck], metric="luck").layout.yaxis.title.text == "luck"
    for each in made:
        each.close()


def test_what_is_no_study_is_refused() -> None:
    with pytest.raises(OptionError, match="a study, or a list of them"):
        plot_savings("toy")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="a study, or a list of them"):
        plot_savings([])


@pytest.mark.parametrize("view", ["tree", "curves", "schedules", "savings"])
def test_the_command_writes_a_page_that_needs_no_network(
    storage: str, view: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "picture.html"
    assert exit_code(["plot", view, NAME, "--storage", storage, "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    page = out.read_text()
    assert "<script src=" not in page
    assert NAME not in page


def test_the_command_colours_a_tree_by_how_far_it_is(storage: str, tmp_path: Path) -> None:
    pages = []
    for colour in ("metric", "state"):
        out = tmp_path / f"{colour}.html"
        assert exit_code(["plot", "tree", NAME, "--colour", colour, "--storage", storage, "-o", str(out)]) == 0
        pages.append('"name":"trained"' in out.read_text())
    assert pages == [False, True]


def test_without_a_file_the_study_names_it(
    storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(["plot", "savings", NAME, "--storage", storage]) == 0
    assert capsys.readouterr().out == "_script_alert_1_script_-5c140d-savings.html\n"
    assert [each.name for each in tmp_path.iterdir()] == ["_script_alert_1_script_-5c140d-savings.html"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["tree", NAME, "-o", "a.gif"], 2, "'a.gif' ends in no kind of picture"),
        (["curves", NAME, "--metric", "acc"], 2, "no trial has a metric 'acc'; there are: loss"),
        (["savings", NAME, "--metric", "loss"], 2, "--metric says nothing to 'savings'"),
        (["tree", NAME, "--by", "seconds"], 2, "--by says nothing to 'tree'; it is for curves"),
        (["curves", NAME, "--colour", "state"], 2, "--colour says nothing to 'curves'; it is for tree"),
        (["tree", NAME, "--colour", "red"], 2, "'red' is not one of 'metric', 'state'"),
        (["tree", NAME, "--bands"], 2, "--bands says nothing to 'tree'; it is for curves"),
        (["tree", NAME, "--mode", "loss=max"], 2, "--mode says nothing to 'tree'; it is for pareto"),
        (["curves", NAME, "--bands"], 2, "no several seeds"),
        (["curves", "nobody"], 2, "there is no study 'nobody'"),
        (["tree", NAME, "-o", "no/such/folder/a.html"], 1, "cannot write no/such/folder/a.html: No such file"),
    ],
)
def test_bad_input_is_one_line(
    storage: str, words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["plot", *words, "--storage", storage]) == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_picture_that_cannot_be_drawn_says_what_is_missing_and_what_needs_nothing(
    storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import plotly.graph_objects as go

    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("Image export requires the Kaleido package")

    monkeypatch.setattr(go.Figure, "write_image", refuse)
    assert exit_code(["plot", "tree", NAME, "--storage", storage, "-o", str(tmp_path / "a.png")]) == 1
    assert "pip install kaleido (Image export requires the Kaleido package)" in (err := capsys.readouterr().err)
    assert "a.html needs neither" in err
