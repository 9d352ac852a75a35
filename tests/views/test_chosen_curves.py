"""Curves by seconds know what the plan knows, bands what each seed came to, and train() is drawn as evaluate() is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import hippo
from hippo.cli import plot
from hippo.errors import OptionError
from hippo.records import NodeId, Span
from hippo.study import LeaseState, SlotLease, Study, TreeRow
from hippo.study.results.trial_lines import trial_ways
from hippo.testing.trainers import ToyTrainer
from hippo.views import CurveAxis, CurveChoice, NodeCurve, axis_named, by_seconds, chosen_curves, parted, seed_curves
from hippo.views.walkers import replicates_of, walkers

DROPS = [hippo.MultiStep(0.1, [at], 0.1) for at in (3, 5)]


def made(name: str, **options: Any) -> Study:
    study: Study = hippo.create_study(name, trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                      engine=hippo.InlineEngine(), metric="loss", mode="min", **options)  # fmt: skip
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": DROPS, "momentum": [0.5, 0.9]}), until=8))
    return study


@pytest.fixture(scope="module")
def alone() -> Iterator[Study]:
    study = made("alone")
    yield study
    study.close()


@pytest.fixture(scope="module")
def seeded() -> Iterator[Study]:
    study = made("seeded", seeds=[1, 2, 3])
    yield study
    study.close()


def drawn(study: Study, metric: str = "loss", by: str = "steps", *, as_bands: bool = False) -> list[NodeCurve]:
    view = study.read()
    choice = CurveChoice(metric=metric, by=axis_named(by), as_bands=as_bands)
    return chosen_curves(view.tree(), view.trials, choice, leases=view.leases)


def test_axes_in_a_shell_are_those_that_there_are() -> None:
    assert [axis.value for axis in CurveAxis] == list(plot.AXES)
    with pytest.raises(OptionError, match="curves go by steps, seconds or device-seconds, not by 'epochs'"):
        axis_named("epochs")


def test_by_device_seconds_each_value_stands_where_its_trials_way_had_cost_so_much(alone: Study) -> None:
    found = drawn(alone, by="device-seconds")
    by_node = walkers(alone.tree(), replicates_of(alone.trials))
    for curve in found:
        walker = by_node[curve.row.member, curve.row.node]
        assert curve.places == tuple(walker.seconds_until(step) for step in curve.steps)
        assert list(curve.places) == sorted(curve.places)
    assert [(each.steps, each.values) for each in found] == [(each.steps, each.values) for each in drawn(alone)]
    for trial in alone.trials:
        ends = {curve.places[-1] for curve in found if trial.number in curve.row.trials and curve.steps[-1] == 8}
        assert ends == {trial.seconds}


def test_by_seconds_there_is_what_was_measured_where_a_lease_ended_and_nothing_else(alone: Study) -> None:
    leases = alone.leases()
    began = min(lease.began_at for lease in leases)
    ends = {(lane[-1].node, lane[-1].stop): lease.ended_at for lease in leases for lane in lease.lanes}
    seen = {(curve.row.node, curve.steps[-1]): curve.places[-1] for curve in drawn(alone, by="seconds")}
    assert seen == {key: (at or 0.0) - began for key, at in ends.items()}


ROW = TreeRow(node=1, parent=None, start=0, stop=9, values="", trials=(0,), checkpoints=(), metrics={})
CHILD = replace(ROW, node=2, parent=1, start=4)


def lease(number: int, *lanes: list[tuple[int, int, int]], ended_at: float | None = None, **other: Any) -> SlotLease:
    spans = tuple(tuple(Span(node=NodeId(node), start=a, stop=b) for node, a, b in lane) for lane in lanes)
    told: dict[str, Any] = {"state": LeaseState.DONE, "members": ("",), "began_at": 10.0 * number, **other}
    return SlotLease(lease=number, epoch=1, slot="s", peers=(), lanes=spans, ended_at=ended_at, **told)


@pytest.mark.parametrize(
    ("leases", "node", "step", "at"),
    [
        ([lease(1, [(1, 0, 4)], ended_at=17.0)], 1, 4, 7.0),
        ([lease(1, [(1, 0, 4)], ended_at=17.0)], 1, 3, None),  # within it
        ([lease(1, [(1, 0, 4)], ended_at=17.0)], 2, 4, 7.0),  # the child's way begins with it
        ([lease(1, [(1, 0, 4), (2, 4, 6)], ended_at=17.0)], 1, 4, None),
        ([lease(1, [(1, 0, 4), (2, 4, 6)], ended_at=17.0)], 2, 6, 7.0),
        ([lease(1, [(1, 0, 4)], ended_at=17.0, state=LeaseState.LOST)], 1, 4, None),
        ([lease(1, [(1, 0, 4)], state=LeaseState.RUNNING)], 1, 4, None),
        ([lease(1, [(1, 0, 4)])], 1, 4, None),  # an older hippo did not write down when
        # a lane that is shorter than another was over before; which is as long was not
        ([lease(1, [(1, 0, 4)], [(3, 0, 6)], ended_at=17.0)], 1, 4, None),
        ([lease(1, [(1, 0, 4)], [(3, 0, 4)], ended_at=17.0)], 1, 4, 7.0),
        # cut short, and finished by another one, or on the way of that
        ([lease(1, [(1, 0, 4)], ended_at=12.0), lease(2, [(1, 2, 4)], ended_at=25.0)], 1, 4, None),
        ([lease(1, [(1, 0, 4)], ended_at=12.0), lease(2, [(1, 2, 9)], ended_at=25.0)], 1, 4, None),
        ([lease(1, [(1, 0, 4)], ended_at=12.0), lease(2, [(1, 2, 9)], ended_at=25.0)], 1, 9, 15.0),
        ([lease(1, [(1, 0, 4)], ended_at=12.0), lease(2, [(1, 4, 9)], ended_at=25.0)], 1, 4, 2.0),
        ([lease(1, [(1, 0, 4)], ended_at=17.0, members=("seed 1",))], 1, 4, None),
        ([], 1, 4, None),
    ],
)
def test_a_step_has_a_time_where_one_lease_alone_tells_of_it(
    leases: list[SlotLease], node: int, step: int, at: float | None
) -> None:
    assert by_seconds([ROW, CHILD], leases)(ROW if node == 1 else CHILD, step) == at


def test_what_nothing_places_says_why() -> None:
    study: Study = hippo.create_study("fresh", trainer=ToyTrainer, storage="memory://", checkpoints="memory://",
                                      engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    view, choice = study.read(), CurveChoice(metric="loss", by=CurveAxis.SECONDS)
    with pytest.raises(OptionError, match="The plan knows when a lease ended, and nothing of this metric"):
        chosen_curves(view.tree(), view.trials, choice, leases=list)
    with pytest.raises(OptionError, match="No step on the way was timed"):
        chosen_curves(view.tree(), [], replace(choice, by=CurveAxis.DEVICE_SECONDS), leases=list)
    with pytest.raises(ValueError, match="'acc'; there are: loss, luck"):
        chosen_curves(view.tree(), view.trials, replace(choice, metric="acc"), leases=list)
    with pytest.raises(OptionError, match="no several seeds"):
        drawn(study, as_bands=True)
    study.close()


@pytest.mark.parametrize("metric", ["loss", "train:slope"])
def test_a_band_is_the_studys_average_and_the_smallest_and_largest_of_its_seeds(seeded: Study, metric: str) -> None:
    name, found = metric.removeprefix("train:"), drawn(seeded, metric, as_bands=True)
    assert {curve.row.member for curve in found} == {"seed 1"}
    for trial in seeded.trials:
        average = trial.train_metrics if name != metric else trial.history
        seeds = [each.train_metrics if name != metric else each.history for each in trial.replicates]
        assert len(seeds) == 3
        left = {curve.row.parent: curve.row.start for curve in found if trial.number in curve.row.trials}
        told = {}
        for curve in found:
            if trial.number in curve.row.trials:
                last = left.get(curve.row.node, 8)
                columns = zip(curve.steps, curve.values, curve.lows, curve.highs, strict=True)
                told.update({step: values for step, *values in columns if step <= last})
        assert told == {
            step: [
                average[step][name],
                min(each[step][name] for each in seeds),
                max(each[step][name] for each in seeds),
            ]
            for step in range(1, 9)
        }


def test_a_band_goes_as_far_as_all_seeds_came() -> None:
    def seed(member: str, *values: float) -> Any:
        return SimpleNamespace(member=member, history={step: {"loss": each} for step, each in enumerate(values, 1)})

    seeds = (seed("seed 1", 4.0, 2.0, 1.0), seed("seed 2", 6.0, 1.0))
    average: Any = SimpleNamespace(number=0, until=9, step=2, replicates=seeds, history={1: {"loss": 5.0},
                                                                                        2: {"loss": 1.5}})  # fmt: skip
    (found,) = seed_curves([replace(ROW, member="seed 1"), replace(ROW, member="seed 2")], [average], "loss")
    assert found.points == [(1, 5.0, 4.0, 6.0), (2, 1.5, 1.0, 2.0)]


def test_the_way_of_a_trial_ends_where_it_leaves(alone: Study) -> None:
    curve = NodeCurve(row=CHILD, steps=(4, 5, 6, 7), values=(4.0, 5.0, 6.0, 7.0), is_joined=True,
                      places=(40.0, 50.0, 60.0, 70.0))  # fmt: skip
    assert parted([curve], {}) == [(curve, False)]
    assert parted([curve], {("", 2): 4}) == [(curve, False)]  # it has left before the first value of this node
    assert parted([curve], {("", 2): 7}) == [(curve, True)]
    (first, is_first), (rest, is_rest) = parted([curve], {("", 2): 5})
    assert (first.places, first.values, is_first, first.is_joined) == ((40.0, 50.0), (4.0, 5.0), True, True)
    assert (rest.places, rest.values, is_rest, rest.is_joined) == ((50.0, 60.0, 70.0), (5.0, 6.0, 7.0), False, True)
    for trial in alone.trials:
        parts = parted(drawn(alone), trial_ways(alone.read(), trial.number))
        told = {step: value for each, is_own in parts if is_own for step, value in each.points}
        assert told == {step: metrics["loss"] for step, metrics in trial.history.items()}


def test_a_band_by_device_seconds_counts_those_of_all_seeds_and_by_seconds_there_is_none(seeded: Study) -> None:
    for curve in drawn(seeded, by="device-seconds", as_bands=True):
        if curve.steps[-1] == 8:
            trial = seeded.trial(curve.row.trials[0])
            assert curve.places[-1] == pytest.approx(sum(each.seconds for each in trial.replicates))
    with pytest.raises(OptionError, match="Each seed was trained at a time of its own"):
        drawn(seeded, by="seconds", as_bands=True)
    members = {curve.row.member for curve in drawn(seeded, by="seconds")}
    assert members == {"seed 1", "seed 2", "seed 3"}


def test_a_metric_of_training_has_a_name_of_its_own(alone: Study) -> None:
    slopes = {
        (curve.row.node, step): value
        for curve in drawn(alone, "train:slope")
        for step, value in list(zip(curve.steps, curve.values, strict=True))[curve.is_joined :]
    }
    for trial in alone.trials:
        assert {each["slope"] for each in trial.train_metrics.values()} <= set(slopes.values())
    with pytest.raises(ValueError, match="'slope'; there are: loss, luck"):
        drawn(alone, "slope")
    with pytest.raises(ValueError, match="'loss'; there are: slope"):
        drawn(alone, "train:loss")
