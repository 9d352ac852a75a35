"""Pictures of what tuners and lanes did show what views say, and say who has what is not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import OptionError
from hippo.simulation import SimulatedWorkload, simulate
from hippo.study import Study
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer
from hippo.views import lineage, merge_rates, rungs, slots
from hippo.views import storage as storage_use
from hippo.visualization import (
    plot_branches,
    plot_fusion,
    plot_lineage,
    plot_merge_rate,
    plot_rungs,
    plot_slots,
    plot_stage_tree,
    plot_storage,
)

pytest.importorskip("plotly")
NAME = "<script>alert(1)</script>"
LRS = [hippo.MultiStep(0.1, [at], factor) for at in (1, 2, 3) for factor in (0.1, 0.5, 0.9)]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('pictures')}/hippo.db"


@pytest.fixture(scope="module")
def study(storage: str) -> Iterator[Study]:
    """Nine trials of which three, and then one, went on; lanes walked together."""
    made = hippo.create_study(NAME, trainer=ToyTrainer, storage=storage, checkpoints="memory://", metric="loss",
                              mode="min", engine=FakeEngine(fuses=True), numerics="fused")  # fmt: skip
    made.optimize(hippo.SuccessiveHalving(hippo.GridSearchSpace({"lr": LRS}), min_steps=2, max_steps=18, reduction=3))
    yield made
    made.close()


@pytest.fixture(scope="module")
def solo(storage: str) -> Iterator[Study]:
    """The same trials, and what their training returned, which the fake engine does not tell."""
    made = hippo.create_study(NAME + "solo", trainer=ToyTrainer, storage=storage, checkpoints="memory://",
                              metric="loss", mode="min", engine=hippo.InlineEngine())  # fmt: skip
    made.optimize(hippo.SuccessiveHalving(hippo.GridSearchSpace({"lr": LRS}), min_steps=2, max_steps=18, reduction=3))
    yield made
    made.close()


@pytest.fixture
def plain() -> Iterator[Study]:
    made = hippo.create_study("plain", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                              engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    made.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    yield made
    made.close()


@pytest.mark.parametrize("plot", [plot_rungs, plot_stage_tree])
def test_a_metric_that_nobody_has_is_not_drawn_as_nothing(study: Study, plot: Any) -> None:
    with pytest.raises(OptionError, match="no trial has a metric 'lose'; there are: loss"):
        plot(study, metric="lose")


def test_bars_of_a_rung_are_its_trials_and_points_have_their_values(study: Study) -> None:
    figure, found = plot_rungs(study), rungs(study.trials)
    bars = {trace.name: dict(zip(trace.x, trace.y, strict=True)) for trace in figure.data if trace.type == "bar"}
    assert bars["went on"] == {str(rung.step): len(rung.promoted) for rung in found}
    assert {step: sum(bar[step] for bar in bars.values()) for step in ("2", "6", "18")} == {"2": 9, "6": 3, "18": 1}
    points = {
        (number, int(step), value)
        for trace in figure.data
        if trace.type == "scatter"
        for number, step, value in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    assert points == {
        (trial.number, step, trial.history[step]["loss"])
        for trial in study.trials
        for step in (2, 6, 18)
        if step <= trial.until
    }


def test_the_way_of_the_trial_that_came_furthest_stands_out(solo: Study) -> None:
    figure = plot_branches(solo, metric="slope")
    (best,) = [trial for trial in solo.trials if trial.step == 18]
    branches, taken = figure.data
    assert (branches.name, taken.name) == ("branches", f"trial {best.number}")
    own = {(step, metrics["slope"]) for step, metrics in best.train_metrics.items()}
    assert {point for point in zip(taken.x, taken.y, strict=True) if point[0] is not None} == own


def test_the_merge_rate_has_a_point_for_each_trial(study: Study) -> None:
    (trace,) = plot_merge_rate(study).data
    assert list(trace.y) == [point.merge_rate for point in merge_rates(study.tree(), study.trials)]
    assert list(trace.x) == list(range(1, 10))


def test_bars_of_lanes_are_all_steps(study: Study) -> None:
    steps = {trace.name: trace.x[0] for trace in plot_fusion(study).data if trace.xaxis == "x"}
    assert steps["walked together"] > 0
    assert sum(steps.values()) == study.statistics().steps_executed


def test_a_lineage_has_an_end_for_each_trial_and_a_way_from_its_parent(study: Study) -> None:
    ways, ends = plot_lineage(study).data
    found = lineage(study.tree(), study.trials)
    assert list(zip(ends.x, ends.y, strict=True)) == [(origin.until, origin.line) for origin in found]
    assert list(ends.marker.color) == [study.trials[origin.trial].value for origin in found]
    parted = sum(origin.parent is not None for origin in found)
    assert len(ways.x) == 3 * len(found) + parted
    with pytest.raises(OptionError, match="'new' has no trial yet"):
        plot_lineage(new_study())


def test_bars_of_storage_are_the_bytes_of_each_kind(tmp_path: Path) -> None:
    kept = hippo.create_study("kept", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db",
                              checkpoints=str(tmp_path / "states"), engine=hippo.InlineEngine(),
                              metric="loss", mode="min")  # fmt: skip
    kept.optimize(hippo.GridSearch([{"lr": hippo.MultiStep(0.1, [at], 0.5)} for at in (2, 4)], until=6))
    kept.close()
    bars = {trace.name: trace.x[0] * 1e6 for trace in plot_storage(kept).data}
    assert bars == {kind.why: pytest.approx(kind.size_bytes) for kind in storage_use(kept.kept_states()).kinds}
    out = tmp_path / "picture.html"
    assert exit_code(["plot", "storage", "kept", "--storage", f"sqlite:///{tmp_path}/hippo.db", "-o", str(out)]) == 0
    with pytest.raises(OptionError, match="'new' keeps no state in a file"):
        plot_storage(new_study())


def new_study() -> Study:
    made: Study = hippo.create_study("new", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                     engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    return made


@pytest.mark.parametrize("plot", [plot_rungs, plot_merge_rate, plot_fusion, plot_lineage])
@pytest.mark.parametrize("dark", [False, True])
def test_no_name_of_a_user_is_markup(study: Study, plot: Any, dark: bool) -> None:
    figure = plot([study, study], dark=dark)
    assert "<script" not in figure.to_json().replace("\\u003c", "<")
    assert len(figure.data) == 2 * len(plot(study).data) or plot is plot_fusion


@pytest.mark.parametrize(
    ("plot", "said"),
    [
        (plot_rungs, r"'plain' has no rungs.*SuccessiveHalving, Hyperband, ASHA, PASHA and BOHB do"),
        (plot_fusion, r"'plain' walked no steps together; .*numerics='fused'"),
        (plot_branches, r"'plain': of what train\(\) returned, no trial has a metric 'loss'; there are: slope"),
    ],
)
def test_a_study_without_such_data_is_told_what_has_it(plain: Study, plot: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        plot(plain)


def test_slots_are_those_of_a_simulation() -> None:
    simulated = simulate(
        hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4), SimulatedWorkload(seconds_per_step=60.0), slots=2
    )
    assert sum(len(trace.x) for trace in plot_slots(simulated).data) == len(simulated.intervals)


def test_slots_of_a_study_have_a_bar_for_each_lane(study: Study) -> None:
    figure, times = plot_slots(study), slots(study.leases(), study.tree())
    bars = [bar for trace in figure.data for bar in zip(trace.base, trace.x, trace.y, trace.width, strict=True)]
    assert len(bars) == len(times.bars)
    assert min(width for *_, width in bars) == pytest.approx(0.8 / max(bar.lanes for bar in times.bars))
    ends = {round(began + long, 9) for began, long, _, _ in bars}
    assert ends == {round(bar.ended_s, 9) for bar in times.bars if bar.ended_s is not None}


def test_of_many_slots_the_first_are_drawn_and_the_title_says_so(study: Study) -> None:
    names = plot_slots(study, max_slots=1).layout
    assert len(names.yaxis.ticktext) == 1
    assert len(slots(study.leases(), []).slots) == 1 or "the first 1 of" in names.title.text


def test_slots_are_those_of_a_study_or_a_simulation() -> None:
    with pytest.raises(OptionError, match=r"a study, or what hippo.simulation.simulate\(\) returned, and not 'toy'"):
        plot_slots("toy")  # type: ignore[arg-type]
    empty = hippo.create_study("empty", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    with pytest.raises(OptionError, match="'empty': no slot was given any work yet"):
        plot_slots(empty)
    empty.close()


@pytest.mark.parametrize("view", ["merge-rate", "rungs", "lineage", "slots", "branches", "fusion"])
def test_the_command_draws_them(study: Study, solo: Study, storage: str, view: str, tmp_path: Path) -> None:
    drawn = solo if view == "branches" else study
    metric = ["--metric", "slope"] if view == "branches" else []
    out = tmp_path / "picture.html"
    assert exit_code(["plot", view, drawn.name, "--storage", storage, "-o", str(out), *metric]) == 0
    assert NAME not in out.read_text()
