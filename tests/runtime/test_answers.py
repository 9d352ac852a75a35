"""What a tuner is told: losses that rank, bounds that are broken, and why a trial failed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo import MultiStep
from hippo.errors import UnknownMetricError
from hippo.events import StepDone
from hippo.records import Answer, Constraint, Failure, LeaseId, Objective
from hippo.runtime.studies.answers import compose, failed_on_metrics, failed_on_nan
from hippo.runtime.studies.settings import NanPolicy, Settings
from hippo.runtime.studies.traces import history
from hippo.tuners.averaged import AGGREGATES, combine

from .runs import LOSS, Bench, config

MEAN = AGGREGATES["mean"]


def answered(metrics: dict[str, float], failure: Failure | None = None, **settings: Any) -> Answer:
    request = Bench().request(config(), 3)
    request.node.metrics[3] = metrics
    request.node.seconds.update({1: 1.0, 2: 2.0, 3: 3.0})
    request.failure = failure
    return compose(request, Settings(**{"objectives": (LOSS,), **settings}))


def test_losses_are_smaller_the_better_whichever_way_the_metric_goes() -> None:
    both = (LOSS, Objective(metric="accuracy", mode="max"))
    answer = answered({"loss": 0.5, "accuracy": 0.75}, objectives=both)
    assert (answer.losses, answer.loss) == ((0.5, -0.75), 0.5)
    assert answer.metrics == {"loss": 0.5, "accuracy": 0.75}


def test_an_answer_names_the_state_the_path_and_what_it_took() -> None:
    answer = answered({"loss": 0.5})
    assert (answer.step, answer.state, answer.seconds, answer.failure) == (3, (1, 3), 6.0, None)


def test_the_seconds_of_each_step_are_those_of_training_alone() -> None:
    bench = Bench()
    request = bench.ask(config(), 3)
    bench.give_out()
    bench.steps(request.node.id, range(1, 4))
    bench.evaluated(request.node.id, 3, 0.5)
    answer = compose(request, Settings(objectives=(LOSS,)))
    assert dict(answer.step_seconds) == {1: 1.0, 2: 1.0, 3: 1.0}
    assert answer.seconds == 4.0
    assert 4 not in answer.step_seconds
    assert list(answer.step_seconds) == list(answer.train_metrics)


def test_the_seconds_of_a_step_along_a_path_stay_those_of_its_first_run() -> None:
    bench = Bench()
    trunk = bench.ask(config(), 2)
    bench.give_out()
    bench.steps(trunk.node.id, range(1, 3))
    bench.evaluated(trunk.node.id, 2, 0.5)
    bench.end()
    branch = bench.ask(config().switch(at=2, lr=0.5), 4)
    bench.give_out(2)
    bench.say(StepDone(lease=LeaseId(2), lane=0, node=trunk.node.id, step=2, training={}, seconds=9.0))
    bench.steps(branch.node.id, range(3, 5), lease=2)
    answer = compose(branch, Settings(objectives=()))
    assert dict(answer.step_seconds) == dict.fromkeys(range(1, 5), 1.0)


@pytest.mark.parametrize(("relation", "violation"), [("<=", 3.0), (">=", -3.0)])
def test_a_violation_says_by_how_much_a_bound_is_broken(relation: str, violation: float) -> None:
    answer = answered(
        {"loss": 0.5, "size": 5.0}, constraints=(Constraint(metric="size", relation=relation, bound=2.0),)
    )
    assert answer.violations == (violation,)


def test_a_trial_that_failed_ranks_last_and_has_no_state() -> None:
    failure = Failure(node=1, step=2, method="train", error="no")  # type: ignore[arg-type]
    answer = answered({}, failure, constraints=(Constraint(metric="size", relation="<=", bound=2.0),))
    assert (answer.losses, answer.violations, answer.state, answer.failure) == ((math.inf,), (), None, failure)


def test_nan_is_a_failure_or_ranks_last_as_the_study_says() -> None:
    failed, worst = (answered({"loss": math.nan}, nan=policy) for policy in (NanPolicy.FAIL, NanPolicy.WORST))
    assert failed.failure is not None
    assert "'loss' is NaN after step 3" in failed.failure.error
    assert (failed.losses, worst.losses) == ((math.inf,), (math.inf,))
    assert (worst.failure, worst.state) == (None, (1, 3))


def test_any_objective_that_is_nan_is_a_failure_and_another_metric_is_not() -> None:
    both = (LOSS, Objective(metric="accuracy", mode="max"))
    failed = answered({"loss": 0.5, "accuracy": math.nan}, objectives=both)
    assert failed.failure is not None
    assert failed.losses == (math.inf, math.inf)
    assert answered({"loss": 0.5, "accuracy": math.nan}).failure is None


@pytest.mark.parametrize("metrics", [{}, {"lost": 0.5}])
def test_a_metric_that_is_missing_is_named_with_what_there_is(metrics: dict[str, float]) -> None:
    with pytest.raises(UnknownMetricError, match=r"metric is 'loss', and there is (nothing|only \['lost'\]) in"):
        answered(metrics)
    with pytest.raises(UnknownMetricError, match=r"constraint is on 'size'"):
        answered({"loss": 0.5}, constraints=(Constraint(metric="size", relation="<=", bound=2.0),))


def test_a_trial_without_it_fails_where_others_have_it() -> None:
    request = Bench().request(config(), 3)
    request.node.metrics[3] = {"other": 1.0}
    request.node.seconds.update({1: 1.0, 2: 2.0, 3: 3.0})
    answer = compose(request, Settings(objectives=(LOSS,)), has_metrics=lambda: True)
    assert answer.failure is not None
    assert (answer.failure.step, answer.failure.method) == (3, "evaluate")
    assert answer.failure.error.startswith("UnknownMetricError: the study's metric is 'loss', and there is")
    assert (answer.losses, answer.violations, answer.state) == ((math.inf,), (), None)


# --- along a path


def test_trace_and_history_go_along_the_path_and_end_where_it_ends() -> None:
    bench = Bench()
    branch = bench.request(config(MultiStep(0.1, [2], 0.5)), 4).node
    root = branch.parent
    assert root is not None
    for node, step in ((root, 1), (root, 2), (root, 3), (branch, 2), (branch, 3), (branch, 4), (branch, 5)):
        node.training[step] = {"node": node.id}
        node.metrics[step] = {"at": step, "node": node.id}
    trace = compose(_reaching(bench, branch), Settings(objectives=())).trace
    assert dict(trace) == {
        step: {"node": node} for step, node in ((1, root.id), (2, root.id), (3, branch.id), (4, branch.id))
    }
    assert list(history(branch, 4)) == [1, 2, 3, 4]
    assert [said["node"] for said in history(branch, 4).values()] == [root.id, root.id, branch.id, branch.id]
    for step in (0, 5):
        with pytest.raises(KeyError):
            trace[step]


def _reaching(bench: Bench, node: Any) -> Any:
    request = bench.request(config(), 4)
    request.node = node
    return request


# --- replicates


def test_replicates_add_up_what_they_took_and_average_what_they_came_to() -> None:
    bound = (Constraint(metric="size", relation="<=", bound=2.0),)
    one, two = (answered({"loss": loss, "size": 3.0 * loss}, constraints=bound) for loss in (0.5, 1.5))
    combined = combine([one, two], MEAN, (LOSS,), bound)
    assert (combined.seconds, combined.losses, combined.violations) == (12.0, (1.0,), (1.0,))
    assert combined.metrics == {"loss": 1.0, "size": 3.0}


def test_an_average_that_just_keeps_a_bound_keeps_it_for_tuners_too() -> None:
    bound = (Constraint(metric="size", relation="<=", bound=0.03),)
    members = [answered({"loss": 1.0, "size": size}, constraints=bound) for size in (0.02, 0.04)]
    assert MEAN([member.violations[0] for member in members]) > 0  # by a last bit
    assert combine(members, MEAN, (LOSS,), bound).violations == (0.0,)


def test_a_replicate_that_failed_fails_the_trial() -> None:
    failure = Failure(node=1, step=2, method="train", error="no")  # type: ignore[arg-type]
    combined = combine([answered({"loss": 0.5}), answered({}, failure)], MEAN, (LOSS,))
    assert (combined.failure, combined.losses, combined.violations) == (failure, (math.inf,), ())
    assert combined.metrics == {}


def test_metrics_that_one_replicate_lacks_are_left_out() -> None:
    combined = combine([answered({"loss": 0.5, "luck": 1.0}), answered({"loss": 1.5})], MEAN, (LOSS,))
    assert combined.metrics == {"loss": 1.0}


def test_the_median_of_replicates_is_not_their_mean() -> None:
    three = [answered({"loss": loss}) for loss in (0.0, 1.0, 5.0)]
    assert (combine(three, AGGREGATES["median"], (LOSS,)).loss, combine(three, MEAN, (LOSS,)).loss) == (1.0, 2.0)


def test_an_average_of_what_is_no_number_is_behind_all_numbers_though_a_median_would_pass_it_over() -> None:
    members = [answered({"loss": loss}, nan=NanPolicy.WORST) for loss in (0.1, math.nan, 0.1)]
    for aggregate in AGGREGATES.values():
        combined = combine(members, aggregate, (LOSS,))
        assert math.isnan(combined.metrics["loss"])
        assert combined.losses == (math.inf,)
    several = (LOSS, Objective(metric="size", mode="max"))
    apart = [
        answered({"loss": loss, "size": 1.0}, objectives=several, nan=NanPolicy.WORST) for loss in (0.1, math.nan, 0.1)
    ]
    assert combine(apart, AGGREGATES["median"], several).losses == (math.inf, math.inf)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.sampled_from(["min", "max"]))
def test_losses_of_averages_are_the_averages_of_losses_where_all_are_numbers(values: list[float], mode: Any) -> None:
    objective = Objective(metric="loss", mode=mode)
    members = [answered({"loss": value}, objectives=(objective,)) for value in values]
    for aggregate in AGGREGATES.values():
        (loss,) = combine(members, aggregate, (objective,)).losses
        assert loss == aggregate([member.loss for member in members])


@pytest.mark.parametrize(
    "error",
    [
        "ValueError: loss is NaN after step 3",
        "lab.MetricError: 'loss' is NaN after step 3;",
        "ValueError: fold 2: MetricError: 'loss' is NaN after step 3; nan='worst' would rank it last",
        "ValueError: fold 2: UnknownMetricError: the study's metric is 'loss'",
    ],
)
def test_what_a_user_raises_is_not_taken_for_our_nan(error: str) -> None:
    for said in (error, f"train() failed at step 3: {error}"):
        assert not failed_on_nan(said)
        assert not failed_on_metrics(said)
    assert failed_on_nan("evaluate() failed at step 3: MetricError: 'loss' is NaN after step 3; nan='worst' would")
