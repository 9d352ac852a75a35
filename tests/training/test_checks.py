"""Steps of a lane that are run again tell whether a state is whole."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from hippo.events import Check, Evaluated, ExactnessChecked, StageFailed, StepDone
from hippo.hparams import Sequence
from hippo.records import Lane, NodeId
from hippo.testing.remembering_host import RememberingHost, along, run_lanes, spec_of, stages, start_at
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainers
from hippo.training.check_differences import not_resumed
from hippo.training.walking.check_rule import checked_step, last_step, steps_run_again, steps_wanted
from hippo.training.walking.fusion_order import ALONE

CONFIG = {"lr": 0.1, "momentum": 0.9}
ROOT = NodeId(0)


def checked(until: int = 3, *, begin: int = 0, evaluate_every: int = 1, **args: Any) -> RememberingHost:
    """Walk a lane that is checked; one that begins later begins from the state of a lane that was not."""
    spec = spec_of(args.pop("trainer", ToyTrainer), evaluate_every=evaluate_every, **args)
    host, start = RememberingHost(), None
    if begin:
        first = along(CONFIG, begin, spec=spec)
        start, host.checkpoints = start_at(CONFIG, begin, first.checkpoint(begin)), first.checkpoints
    return run_lanes(Lane(begin=start, stages=stages(CONFIG, begin, until), check=True), spec=spec, host=host, lease=2)


def detail(host: RememberingHost) -> str:
    """What the failed comparison says; there is one, and it names its steps."""
    (failed,) = [each for each in host.of(ExactnessChecked) if each.proven is False]
    assert failed.steps
    return str(failed.detail)


def verdicts(host: RememberingHost) -> list[tuple[Check, bool | None]]:
    return [(each.which, each.proven) for each in host.of(ExactnessChecked)]


class Averaging(ToyTrainer):
    """Evaluates averaged weights, and forgets them when it is saved."""

    def build(self) -> None:
        super().build()
        self.average = list(self.weights)

    def train(self) -> dict[str, float]:
        metrics = super().train()
        self.average = [0.9 * old + 0.1 * new for old, new in zip(self.average, self.weights, strict=True)]
        return metrics

    def evaluate(self) -> dict[str, Any]:
        return {"loss": sum(weight * weight for weight in self.average)}


class Drawing(ToyTrainer):
    """Draws, in `evaluate`, from a generator of its own, which it saves."""

    def build(self) -> None:
        super().build()
        self.gen = random.Random(0)

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "noise": self.gen.random()}

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"gen": self.gen.getstate()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.gen.setstate(state["gen"])


class Early(ToyTrainer):
    """Makes everything in `__init__`."""

    def __init__(self) -> None:
        super().__init__()
        super().build()

    def build(self) -> None:
        pass


# -------------------------------------------------------------------------------------------------- what is found


def test_a_whole_state_is_proven_and_the_lane_undisturbed() -> None:
    host, alone = checked(5), along(CONFIG, 5)
    assert verdicts(host) == [(Check.FIRST_STEPS, True), (Check.LAST_STEP, True)]
    assert (host.hashes, host.metrics, host.training) == (alone.hashes, alone.metrics, alone.training)


@pytest.mark.parametrize("begin", [0, 1])
@pytest.mark.parametrize("key", ["weights", "velocity"])
def test_a_forgotten_part_of_the_state_is_found_also_by_a_lane_of_one_step(key: str, begin: int) -> None:
    assert "load_state_dict() does not bring back" in detail(checked(2, begin=begin, forget=key))


@pytest.mark.parametrize(("begin", "until"), [(3, 5), (3, 4)])
def test_a_lane_that_begins_late_is_compared_where_it_begins(begin: int, until: int) -> None:
    assert detail(checked(until, begin=begin, forget="velocity"))
    assert verdicts(checked(until, begin=begin)) == [(Check.FIRST_STEPS, True)]


def test_a_generator_of_the_users_own_is_found() -> None:
    class Own(ToyTrainer):
        def build(self) -> None:
            super().build()
            self.rng = random.Random(0)

        def train(self) -> dict[str, float]:
            self.weights[0] += self.rng.random()
            return super().train()

    assert "state['weights'][0]" in detail(checked(trainer=Own))


def test_a_metric_of_training_that_depends_on_what_is_not_saved_is_found() -> None:
    class Counting(ToyTrainer):
        calls = 0

        def train(self) -> dict[str, float]:
            self.calls += 1
            return super().train() | {"calls": self.calls}

    assert "came to something else: what train() returned['calls']." in detail(checked(trainer=Counting))


@pytest.mark.parametrize("begin", [0, 1])
def test_averaged_weights_that_only_evaluate_needs_are_found(begin: int) -> None:
    text = detail(checked(2, begin=begin, trainer=Averaging))
    assert "what evaluate() returned['loss']. evaluate() depends on something that load_state_dict()" in text


def test_a_name_that_only_a_resumed_evaluation_lacks_is_found() -> None:
    class Shy(ToyTrainer):
        def evaluate(self) -> dict[str, Any]:
            best = {"best": 1.0} if getattr(self, "was_evaluated", False) else {}
            self.was_evaluated = True
            return super().evaluate() | best

    assert "what evaluate() returned['best'] (only in one of them)" in detail(checked(2, trainer=Shy))


@pytest.mark.parametrize("every", [1, 5])
def test_an_evaluation_that_changes_the_state_is_named_whether_it_is_due_or_not(every: int) -> None:
    assert "evaluate() changed state['gen']" in detail(checked(2, trainer=Drawing, evaluate_every=every))


def test_an_evaluation_that_disturbs_training_out_of_sight_is_named() -> None:
    class Stepping(ToyTrainer):
        rate = 1.0

        def evaluate(self) -> dict[str, Any]:
            self.rate *= 0.5  # as a scheduler that follows the metric
            return super().evaluate()

        def train(self) -> dict[str, float]:
            metrics = super().train()
            self.weights[0] *= self.rate
            return metrics

    class Reset(Stepping):
        def build(self) -> None:
            super().build()
            self.rate = 1.0

    assert "evaluate() changes something that is not in state_dict()" in detail(checked(2, trainer=Reset))


class Restless(Sequence):
    """Draws its values from the global generator, from step 2 on: sooner, it would be refused when it is given."""

    def value(self, t: float) -> float:
        return random.random() if t >= 2 else 0.1


def test_a_sequence_that_draws_is_named_and_not_evaluate() -> None:
    config = {"lr": Restless(), "momentum": 0.9}
    lane = Lane(begin=None, stages=stages(config, 0, 3), check=True)
    said = detail(run_lanes(lane, spec=spec_of(ToyTrainer, evaluate_every=1), host=RememberingHost(), lease=1))

    assert said.startswith(
        "a sequence of your own gives another value each time it is asked for one step: that of 'lr'."
    )
    assert "evaluate()" not in said


def test_what_is_made_in_init_and_trained_is_found() -> None:
    assert "build() must begin anew each time" in detail(checked(2, trainer=Early))


@pytest.mark.parametrize("numerics", ["exact", "fused"])
def test_what_is_made_in_init_is_found_by_a_lane_of_one_step_where_others_began_before(numerics: str) -> None:
    spec, trainers = spec_of(Early, numerics=numerics), Trainers()
    first = along(CONFIG, 1, spec=spec, trainers=trainers, fusion=ALONE)
    begin = start_at(CONFIG, 1, first.checkpoint(1))
    lane, elsewhere = Lane(begin=begin, stages=stages(CONFIG, 1, 2), check=True), RememberingHost()
    elsewhere.checkpoints = first.checkpoints
    host = run_lanes(lane, spec=spec, trainers=trainers, host=elsewhere, lease=2, fusion=ALONE)
    assert "build() must begin anew each time" in detail(host)


@pytest.mark.parametrize("forget", ["weights", "velocity"])
def test_what_a_state_forgets_is_found_where_lanes_may_have_been_walked_as_one_before(forget: str) -> None:
    spec = spec_of(numerics="fused", forget=forget)
    first = along(CONFIG, 1, spec=spec, fusion=ALONE)
    begin = start_at(CONFIG, 1, first.checkpoint(1))
    lane, host = Lane(begin=begin, stages=stages(CONFIG, 1, 2), check=True), RememberingHost()
    host.checkpoints = first.checkpoints
    said = detail(run_lanes(lane, spec=spec, host=host, lease=2, fusion=ALONE))
    assert "load_state_dict() does not bring back" in said


@pytest.mark.parametrize(("numerics", "proven"), [("exact", False), ("fused", True)])
def test_a_state_with_other_last_bits_is_no_alarm_where_it_may_have_been_walked_with_others(
    numerics: str, proven: bool
) -> None:
    spec = spec_of(numerics=numerics)
    first = along({**CONFIG, "lr": CONFIG["lr"] * (1 + 1e-12)}, 1, spec=spec, fusion=ALONE)
    begin = start_at(CONFIG, 1, first.checkpoint(1))
    lane, host = Lane(begin=begin, stages=stages(CONFIG, 1, 2), check=True), RememberingHost()
    host.checkpoints = first.checkpoints
    assert verdicts(run_lanes(lane, spec=spec, host=host, lease=2, fusion=ALONE)) == [(Check.FIRST_STEPS, proven)]


def test_what_begins_to_matter_late_is_found_at_the_lanes_end() -> None:
    class Late(ToyTrainer):
        def build(self) -> None:
            super().build()
            self.scale = 1.0

        def train(self) -> dict[str, float]:
            if self.steps == 4:
                self.scale = 0.5
            metrics = super().train()
            self.weights = [self.scale * weight for weight in self.weights]
            return metrics

    host = checked(8, trainer=Late)
    assert verdicts(host) == [(Check.FIRST_STEPS, True), (Check.LAST_STEP, False)]
    assert "step [7, 8) was run again" in detail(host)


def test_a_setting_of_the_process_that_training_makes_and_a_resumed_lane_lacks_is_found() -> None:
    import os

    class Environ(ToyTrainer):
        def train(self) -> dict[str, float]:
            metrics = super().train()
            self.weights[0] += float(os.environ.get("HIPPO_TEST_SHIFT", "0"))
            os.environ["HIPPO_TEST_SHIFT"] = "1"
            return metrics

    assert "step [1, 2) was run again" in detail(checked(2, trainer=Environ))


# ------------------------------------------------------------------------------------------------------ beside it


def test_comparisons_come_before_anybody_hears_of_the_metrics() -> None:
    kinds = [type(event) for event in checked(2).events if isinstance(event, Evaluated | ExactnessChecked)]
    assert kinds == [Evaluated, ExactnessChecked, Evaluated]


def test_an_exception_in_the_second_run_is_no_verdict_and_does_not_disturb_the_lane() -> None:
    class Unloadable(ToyTrainer):
        def load_state_dict(self, state: dict[str, Any]) -> None:
            raise KeyError("weights")

    host = checked(trainer=Unloadable)
    (verdict,) = host.of(ExactnessChecked)
    assert (verdict.proven, verdict.detail) == (None, "load_state_dict() raised KeyError: 'weights'")
    assert host.hashes == along(CONFIG, 3).hashes


@pytest.mark.parametrize("state", [{"last": object()}, None])
def test_a_state_that_no_trial_could_be_saved_by_ends_the_lane_at_its_first_step(state: Any) -> None:
    class Unsavable(ToyTrainer):
        def state_dict(self) -> Any:
            return state

    host = checked(trainer=Unsavable)
    assert [type(event) for event in host.events] == [StepDone, StageFailed]
    assert host.one(StageFailed).failure.method == "state_dict"


def test_a_state_that_the_trainer_does_not_give_before_its_evaluation_is_no_verdict_and_the_lane_goes_on() -> None:
    class Late(ToyTrainer):
        def evaluate(self) -> dict[str, Any]:
            self.best = super().evaluate()
            return self.best

        def state_dict(self) -> dict[str, Any]:
            return super().state_dict() | {"best": self.best["loss"]}

    host = checked(trainer=Late)
    assert verdicts(host) == [(Check.FIRST_STEPS, None)]
    assert sorted(host.hashes) == [3]


def test_a_lane_that_is_told_to_stop_is_not_kept_from_it() -> None:
    from hippo.records import LeaseId, Stop

    host = RememberingHost()
    host.on_poll = lambda: (Stop(lease=LeaseId(1)),) if len(host.of(StepDone)) == 2 else ()
    run_lanes(Lane(begin=None, stages=stages(CONFIG, 0, 2), check=True), host=host)
    assert not host.of(ExactnessChecked)


def test_a_loaded_state_is_compared_with_its_recorded_evaluation() -> None:
    first = along(CONFIG, 3)
    begin = start_at(CONFIG, 3, first.checkpoint(3))

    def walked(lease: int, metrics: dict[str, float]) -> RememberingHost:
        host = RememberingHost(checkpoints=first.checkpoints)
        lane = Lane(begin=replace(begin, metrics=metrics), stages=stages(CONFIG, 3, 5))
        return run_lanes(lane, host=host, lease=lease)

    assert not walked(2, dict(first.metrics[3])).of(ExactnessChecked)
    host = walked(3, {**first.metrics[3], "loss": 7.0})
    assert verdicts(host) == [(Check.LOADED_STATE, False)]
    assert "and was 7.0" in host.one(ExactnessChecked).detail
    assert not host.training  # nothing is made of such a state


@pytest.mark.parametrize(
    ("numerics", "factor", "is_told"), [("exact", 1 + 1e-6, True), ("fused", 1 + 1e-6, False), ("fused", 1.02, True)]
)
def test_a_loaded_state_that_may_have_been_evaluated_with_others_is_compared_as_closely_as_those_agree(
    numerics: str, factor: float, is_told: bool
) -> None:
    first = along(CONFIG, 3)
    recorded = {**first.metrics[3], "loss": factor * first.metrics[3]["loss"]}
    begin = replace(start_at(CONFIG, 3, first.checkpoint(3)), metrics=recorded)
    host = RememberingHost(checkpoints=first.checkpoints)
    lane = Lane(begin=begin, stages=stages(CONFIG, 3, 5))
    run_lanes(lane, spec=spec_of(ToyTrainer, numerics=numerics), host=host, lease=2, fusion=ALONE)
    assert verdicts(host) == ([(Check.LOADED_STATE, False)] if is_told else [])


def test_states_that_differ_in_a_pickle_are_told_what_a_pickle_does() -> None:
    told = [not_resumed(1, [path]).text for path in ("state['m'] (a pickle)", "state['m']")]
    assert ["Pickles of equal objects may differ" in text for text in told] == [True, False]


# ------------------------------------------------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    ("begin", "until", "first", "last"),
    [
        (0, 1, 1, None),
        (0, 2, 2, None),
        (0, 3, 2, 3),
        (0, 9, 2, 9),
        (1, 2, 2, None),
        (1, 3, 2, 3),
        (2, 3, 3, None),
        (2, 4, 4, None),
        (2, 5, 4, 5),
        (7, 9, 9, None),
    ],
)
def test_which_steps_are_compared(begin: int, until: int, first: int, last: int | None) -> None:
    lane = Lane(begin=start_at(CONFIG, begin) if begin else None, stages=stages(CONFIG, begin, until), check=True)
    assert (checked_step(lane), last_step(lane)) == (first, last)
    assert checked_step(replace(lane, check=False)) is None
    audited = until if until - begin >= 2 or until == 1 else None
    assert last_step(replace(lane, check=False, audit=True)) == audited
    for may_fuse in (False, True):
        ahead = len(steps_run_again(lane, first, may_fuse=may_fuse)) + (last is not None)
        if until > 1 or may_fuse:
            assert steps_wanted(first=begin, stop=until, may_fuse=may_fuse) == ahead
    assert (steps_wanted(first=begin, stop=until) == 0) == (until == 1)  # the next lane shows more, at a lower price


@pytest.mark.parametrize(("begin", "until"), [(0, 1), (0, 2), (0, 5), (1, 2), (1, 4), (3, 4), (3, 5), (3, 9)])
def test_steps_that_are_run_again_are_those_of_the_rule(begin: int, until: int) -> None:
    host = checked(until, begin=begin)
    lane = Lane(begin=start_at(CONFIG, begin) if begin else None, stages=stages(CONFIG, begin, until), check=True)
    (first, *rest) = host.of(ExactnessChecked)
    assert sorted(first.steps) == sorted(steps_run_again(lane, checked_step(lane) or 0))
    assert [each.steps for each in rest] == [((ROOT, step),) for step in [last_step(lane)] if step]
