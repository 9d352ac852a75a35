"""What a lane emits, in which order, and how commands change it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.checkpoints import FolderCheckpoints
from hippo.clock import SystemClock
from hippo.errors import TrainerError
from hippo.events import (
    BoundaryAnswered,
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    HparamsUnread,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
)
from hippo.hparams import Constant, Exponential, Linear, MultiStep
from hippo.records import (
    AddBoundary,
    Boundary,
    Command,
    Keep,
    Lane,
    LeaseId,
    NodeId,
    Objective,
    Shorten,
    Stop,
)
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages, start_at
from hippo.testing.trainers import ToyTrainer
from hippo.training import Trainer, Trainers
from hippo.training.walking.lane_states import LaneStates

CONFIG = {"lr": MultiStep(0.1, [3, 6], 0.1), "momentum": Exponential(0.9, 0.99)}
CONSTANT = {"lr": Constant(0.1)}


def names(host: RememberingHost) -> list[str]:
    return [f"{type(event).__name__} {getattr(event, 'step', '')}".strip() for event in host.events]


def commanded(
    at_step: int, *commands: Command, config: Mapping[str, Any] = CONSTANT, until: int = 5, **changes: Any
) -> RememberingHost:
    """Walk with commands that arrive while step `at_step` is under way."""
    host = RememberingHost()

    def poll() -> tuple[Command, ...]:
        due = len(host.of(StepDone)) == at_step and not getattr(host, "told", False)
        host.told = due or getattr(host, "told", False)  # type: ignore[attr-defined]
        return commands if due else ()

    host.on_poll = poll
    return along(config, until, host=host, **changes)


def add(step: int, *, node: int = 0, lane: int = 0, lease: int = 1, **boundary: Any) -> AddBoundary:
    return AddBoundary(lease=LeaseId(lease), lane=lane, node=NodeId(node), step=step, boundary=Boundary(**boundary))


# ------------------------------------------------------------------------------------------------------- exactness


@settings(max_examples=30, deadline=None)
@given(cut=st.integers(1, 7), seed=st.integers(0, 3))
def test_a_lane_from_a_checkpoint_equals_one_that_went_through(cut: int, seed: int) -> None:
    spec = spec_of(seed=seed)
    whole, first = along(CONFIG, 8, spec=spec), along(CONFIG, cut, spec=spec)
    rest = resumed(CONFIG, cut, 8, first, spec=spec)
    assert rest.hashes[8] == whole.hashes[8]
    assert first.metrics | rest.metrics == whole.metrics
    assert first.training | rest.training == whole.training


def test_a_worker_that_did_other_things_gives_the_same_bits() -> None:
    trainers = Trainers()
    for seed in (1, 2):
        along(CONFIG, 5, trainers=trainers, spec=replace(spec_of(seed=seed), workload=f"other {seed}"))
    assert along(CONFIG, 8, trainers=trainers).hashes == along(CONFIG, 8).hashes


def test_evaluating_more_often_changes_no_state() -> None:
    assert along(CONFIG, 8, spec=spec_of(evaluate_every=5)).hashes == along(CONFIG, 8).hashes


def test_a_fork_from_memory_equals_one_from_the_store() -> None:
    first = along(CONFIG, 3)
    begin = start_at(CONFIG, 3)
    forked = run_lanes(Lane(begin=begin, stages=stages(CONFIG, 3, 8)), host=first, lease=2)
    assert forked.hashes[8] == along(CONFIG, 8).hashes[8]


# ------------------------------------------------------------------------------------------------------- life cycle


class Recorder(ToyTrainer):
    """Notes every call with the values that it was given."""

    calls: tuple[Any, ...] = ()

    def note(self, *call: Any) -> None:
        type(self).calls = (*type(self).calls, call)

    def build(self) -> None:
        self.note("build", dict(self.hp))
        super().build()

    def setup(self, hp: Mapping[str, Any]) -> None:
        self.note("setup", dict(hp))
        super().setup(hp)

    def train(self) -> dict[str, float]:
        self.note("train", self.hp["lr"])
        return super().train()

    def evaluate(self) -> dict[str, Any]:
        self.note("evaluate", self.hp["lr"])
        return super().evaluate()

    def state_dict(self) -> dict[str, Any]:
        self.note("state_dict", self.hp["lr"])
        return super().state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.note("load_state_dict", self.hp["lr"])
        super().load_state_dict(state)

    def close(self) -> None:
        self.note("close")


def test_the_life_cycle_from_a_checkpoint_is_in_order_and_under_the_right_values() -> None:
    config = {"lr": MultiStep(1.0, [2, 3], 0.5), "momentum": Constant(0.0)}
    first = along(config, 2)
    Recorder.calls = ()
    resumed(config, 2, 4, first, spec=spec_of(Recorder))
    assert Recorder.calls == (
        ("build", {"lr": 1.0, "momentum": 0.0}),
        ("load_state_dict", 1.0),
        ("setup", {"lr": 0.5, "momentum": 0.0}),
        ("train", 0.5),
        ("evaluate", 0.5),
        ("state_dict", 0.5),
        ("setup", {"lr": 0.25}),
        ("train", 0.25),
        ("evaluate", 0.25),
        ("state_dict", 0.25),
        ("close",),
    )


def test_a_value_that_changes_at_every_step_is_set_up_at_every_step() -> None:
    Recorder.calls = ()
    along({"lr": Linear(0.0, 1.0), "momentum": Constant(0.5)}, 3, spec=spec_of(Recorder, evaluate_every=9))
    setups = [call[1] for call in Recorder.calls if call[0] == "setup"]
    assert setups == [{"lr": 0.0, "momentum": 0.5}, {"lr": 1.0}, {"lr": 2.0}]


def test_an_evaluate_only_stage_evaluates_under_the_values_of_the_step_before() -> None:
    config = {"lr": MultiStep(1.0, [2], 0.5)}
    first = along(config, 3)
    stage = replace(stages(config, 0, 3)[0], start=2, stop=2, boundary=Boundary(keep=Keep.RESIDENT))
    Recorder.calls = ()
    begin = start_at(config, 2, first.checkpoint(2))
    host = run_lanes(
        Lane(begin=begin, stages=(stage,)), spec=spec_of(Recorder), host=RememberingHost(first.clock, first.checkpoints)
    )
    assert host.metrics == {2: first.metrics[2]}
    assert host.hashes == {2: first.hashes[2]}
    assert [call for call in Recorder.calls if call[0] == "setup"] == [("setup", {"lr": 1.0})]


def test_all_lanes_of_an_assignment_are_walked_from_one_pristine_trainer() -> None:
    lanes = [Lane(begin=None, stages=stages({"lr": lr}, 0, 2)) for lr in (0.1, 0.2, 0.1)]
    host = run_lanes(*lanes)
    assert [event.lane for event in host.of(StepDone)] == [0, 0, 1, 1, 2, 2]
    losses = [event.metrics["loss"] for event in host.of(Evaluated) if event.step == 2]
    assert losses[0] == losses[2] != losses[1]


# ------------------------------------------------------------------------------------------ events and boundaries


def test_events_of_a_step_come_in_order() -> None:
    assert names(along(CONSTANT, 2)) == [
        "StepDone 1",
        "Evaluated 1",
        "StepDone 2",
        "Evaluated 2",
        "StatesResident",
        "CheckpointWritten 2",
    ]


def test_metrics_are_taken_at_multiples_and_where_a_boundary_asks() -> None:
    assert list(along(CONFIG, 8, spec=spec_of(evaluate_every=4)).metrics) == [3, 4, 6, 8]
    quiet = replace(stages(CONSTANT, 0, 3)[0], boundary=Boundary(evaluate=False))
    assert run_lanes(Lane(begin=None, stages=(quiet,)), spec=spec_of(evaluate_every=2)).metrics.keys() == {2}


def test_a_resident_boundary_is_hashed_and_not_written() -> None:
    host = run_lanes(Lane(begin=None, stages=stages(CONSTANT, 0, 2, keep=Keep.RESIDENT)))
    assert host.one(StateHashed).state_hash == along(CONSTANT, 2).hashes[2]
    assert list(host.checkpoints.keys()) == []
    assert host.one(StatesResident).added == ((0, 2),)


@pytest.mark.parametrize(
    ("mode", "threshold", "is_kept"),
    [("min", None, True), ("min", -1.0, False), ("max", 0.0, True), ("max", -9.0, False)],
)
def test_a_state_is_kept_if_it_is_best(mode: str, threshold: float | None, is_kept: bool) -> None:
    boundary = Boundary(keep=Keep.IF_BEST, objective=Objective(metric="loss", mode=mode), threshold=threshold)
    stage = replace(stages(CONSTANT, 0, 2)[0], boundary=boundary)
    host = run_lanes(Lane(begin=None, stages=(stage,)))
    assert (len(host.of(CheckpointWritten)), len(host.of(StateHashed))) == ((1, 0) if is_kept else (0, 1))


def test_nan_is_never_best() -> None:
    boundary = Boundary(keep=Keep.IF_BEST, objective=Objective(metric="loss", mode="min"))
    stage = replace(stages(CONSTANT, 0, 2)[0], boundary=boundary)
    assert not run_lanes(Lane(begin=None, stages=(stage,)), spec=spec_of(nan_at=2)).of(CheckpointWritten)


def test_a_checkpoint_is_written_when_the_last_one_is_older() -> None:
    assert [event.step for event in along(CONSTANT, 3, checkpoint_every_s=0.0).of(CheckpointWritten)] == [1, 2, 3]


def test_what_leaves_the_memory_is_told() -> None:
    from hippo.training import ResidentStates

    host = along(CONFIG, 8, host=RememberingHost(residents=ResidentStates(budget_bytes=100)))
    assert [(event.added, event.dropped) for event in host.of(StatesResident)][-1] == (((2, 8),), ((1, 6),))


class Deaf(ToyTrainer):
    """Looks at the learning rate, as it is, and at nothing else."""

    def setup(self, hp: Mapping[str, Any]) -> None:
        pass


class Thresholded(Deaf):
    """Looks at one value more when it is evaluated."""

    def evaluate(self) -> Mapping[str, Any]:
        return {**super().evaluate(), "threshold": self.hp["threshold"]}


def test_hyper_parameters_that_were_never_read_are_told_once() -> None:
    host = along({"lr": 0.1, "lrr": 0.2, "bs": 3}, 3, spec=spec_of(Deaf))
    assert host.one(HparamsUnread) == HparamsUnread(lease=LeaseId(1), names=("bs", "lrr"), read=("lr",))


def test_a_hyper_parameter_that_only_an_evaluation_reads_is_read() -> None:
    assert along({"lr": 0.1, "threshold": 0.5}, 2, spec=spec_of(Thresholded)).of(HparamsUnread) == []


@pytest.mark.parametrize("steps", [5, 6])
def test_what_an_evaluation_reads_is_waited_for_until_it_is_evaluated(steps: int) -> None:
    config = {"lr": 0.1, "threshold": 0.5, "lrr": 3}
    host = along(config, steps, spec=spec_of(Thresholded, evaluate_every=3))
    told = host.one(HparamsUnread)
    assert (told.names, told.read, told.steps) == (("lrr",), ("lr", "threshold"), 3)


def test_a_lane_that_is_stopped_before_it_is_evaluated_tells_of_nothing_that_an_evaluation_may_read() -> None:
    host = RememberingHost()
    host.on_poll = lambda: (Stop(lease=LeaseId(1)),) if len(host.of(StepDone)) == 2 else ()
    along({"lr": 0.1, "threshold": 0.5}, 5, spec=spec_of(Thresholded, evaluate_every=3), host=host)
    assert len(host.of(StepDone)) == 2
    assert not host.of(HparamsUnread)


def test_a_lane_whose_evaluation_fails_tells_what_was_never_read_which_may_be_why() -> None:
    host = along({"lr": 0.1, "treshold": 0.5}, 5, spec=spec_of(Thresholded, evaluate_every=3))
    assert host.of(StageFailed)
    assert (host.one(HparamsUnread).names, host.one(HparamsUnread).steps) == (("treshold",), 3)


def test_a_lane_that_is_never_evaluated_tells_at_its_end_what_was_never_read() -> None:
    stage = stages({"lr": 0.1, "lrr": 3}, 0, 2)[0]
    lane = Lane(begin=None, stages=(replace(stage, boundary=replace(stage.boundary, evaluate=False)),))
    told = run_lanes(lane, spec=spec_of(Deaf, evaluate_every=3)).one(HparamsUnread)
    assert (told.names, told.steps) == (("lrr",), 2)


# --------------------------------------------------------------------------------------------------------- commands


def test_a_boundary_ahead_or_right_here_is_taken_up() -> None:
    host = commanded(2, add(2), add(4, keep=Keep.RESIDENT))
    assert [event.accepted for event in host.of(BoundaryAnswered)] == [True, True]
    assert [event.step for event in host.of(CheckpointWritten)] == [2, 5]
    assert host.one(StateHashed).step == 4


@pytest.mark.parametrize("late", [add(1), add(3, node=7), add(6), add(3, lane=1)])
def test_a_boundary_that_was_passed_or_is_unknown_is_declined(late: AddBoundary) -> None:
    assert commanded(2, late).one(BoundaryAnswered).accepted is False


def test_a_boundary_that_comes_after_the_end_is_declined() -> None:
    host = RememberingHost()
    host.on_poll = lambda: (add(2),) if host.of(CheckpointWritten) else ()
    along(CONSTANT, 2, host=host)
    assert host.one(BoundaryAnswered).accepted is False


def test_two_boundaries_at_one_point_do_what_either_asks() -> None:
    host = commanded(2, add(3, keep=Keep.RESIDENT), add(3, evaluate=False), add(3, keep=Keep.RESIDENT))
    assert [event.step for event in host.of(CheckpointWritten)] == [3, 5]


def test_a_shortened_lane_ends_there_or_at_once() -> None:
    def shorten(step: int) -> Shorten:
        return Shorten(lease=LeaseId(1), lane=0, node=NodeId(0), step=step)

    assert len(commanded(2, shorten(4)).of(StepDone)) == 4
    assert len(commanded(2, shorten(1)).of(StepDone)) == 2
    assert commanded(2, shorten(3), add(4)).one(BoundaryAnswered).accepted is False


def test_a_stopped_lane_leaves_a_checkpoint_and_later_lanes_do_not_start() -> None:
    host = RememberingHost()
    host.on_poll = lambda: (Stop(lease=LeaseId(1)),) if len(host.of(StepDone)) == 2 else ()
    run_lanes(*[Lane(begin=None, stages=stages(CONSTANT, 0, 5))] * 2, host=host)
    assert [event.step for event in host.of(StepDone)] == [1, 2]
    assert host.checkpoint(2).state_hash == along(CONSTANT, 2).hashes[2]


def test_commands_to_other_leases_are_not_ours() -> None:
    host = commanded(2, Stop(lease=LeaseId(9)), add(3, lease=9))
    assert len(host.of(StepDone)) == 5
    assert not host.of(BoundaryAnswered)


# --------------------------------------------------------------------------------------------------------- failures

FAILURES = [
    ("__init__", 0, (0, 1)),
    ("build", 0, (0, 1)),
    ("setup", 0, (0, 1)),
    ("setup", 3, (1, 4)),
    ("train", 0, (0, 1)),
    ("train", 2, (0, 3)),
    ("evaluate", 2, (0, 2)),
    ("state_dict", 3, (0, 3)),
]


@pytest.mark.parametrize(("method", "at", "point"), FAILURES)
def test_an_exception_is_a_failure_of_the_step_that_could_not_be_made(
    method: str, at: int, point: tuple[int, int]
) -> None:
    config = {"lr": MultiStep(0.1, [3], 0.1)}
    lanes = [Lane(begin=None, stages=stages(config, 0, 5))]
    host = run_lanes(*lanes, spec=spec_of(raise_in=method, raise_at=at))
    failure = host.one(StageFailed).failure
    assert (failure.method, (failure.node, failure.step)) == (method, point)
    assert failure.error == f"ValueError: told to raise in {method} after {at} steps"
    assert "in _maybe_raise" in failure.traceback
    assert len(host.of(StepDone)) <= at


def test_an_exception_while_loading_fails_the_step_after() -> None:
    host = resumed(CONSTANT, 3, 5, along(CONSTANT, 3), spec=spec_of(raise_in="load_state_dict"))
    failure = host.one(StageFailed).failure
    assert (failure.method, failure.node, failure.step) == ("load_state_dict", 0, 4)


def test_siblings_of_a_failed_lane_go_on() -> None:
    lanes = [Lane(begin=None, stages=stages({"lr": lr}, 0, 2)) for lr in (0.1, 0.2)]
    host = run_lanes(*lanes, spec=spec_of(raise_in="train", raise_if={"lr": 0.1}))
    assert host.one(StageFailed).lane == 0
    assert [event.lane for event in host.of(StepDone)] == [1, 1]


@pytest.mark.parametrize("value", ["high", None, [1.0]])
def test_a_metric_that_is_no_number_fails_its_step(value: Any) -> None:
    failure = along(CONSTANT, 2, spec=spec_of(bad_metric=value if value is not None else {})).one(StageFailed).failure
    assert (failure.method, failure.step) == ("evaluate", 1)
    assert failure.error.startswith("hippo.errors.MetricError: evaluate() returned metric 'loss' = ")


def test_a_trainer_that_cannot_be_imported_says_nothing_about_its_trials() -> None:
    spec = replace(spec_of(), reference="no.such.module:Trainer")
    with pytest.raises(TrainerError, match=r"cannot import trainer 'no\.such\.module:Trainer'"):
        along(CONSTANT, 2, spec=spec)


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit])
def test_interrupts_are_let_through(exception: type[BaseException]) -> None:
    class Interrupted(ToyTrainer):
        def train(self) -> dict[str, float]:
            raise exception

    with pytest.raises(exception):
        along(CONSTANT, 2, spec=spec_of(Interrupted))


def test_a_broken_checkpoint_is_told_and_the_lane_does_not_start(tmp_path: Any) -> None:
    first = along(CONSTANT, 3, host=RememberingHost(checkpoints=FolderCheckpoints(tmp_path)))
    (tmp_path / first.checkpoint(3).key).write_bytes(b"broken")
    host = resumed(CONSTANT, 3, 5, first)
    assert names(host) == ["CheckpointUnusable 3"]
    assert (host.one(CheckpointUnusable).key, "6 bytes" in host.one(CheckpointUnusable).reason) == (
        first.checkpoint(3).key,
        True,
    )


def test_a_state_that_was_only_in_memory_and_is_gone_is_told() -> None:
    host = run_lanes(Lane(begin=start_at(CONSTANT, 3), stages=stages(CONSTANT, 3, 5)))
    assert "only in memory" in host.one(CheckpointUnusable).reason


def test_what_a_store_cannot_write_is_not_the_users_fault(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("")
    host = RememberingHost(checkpoints=FolderCheckpoints(tmp_path / "file"))
    failed = along(CONSTANT, 2, host=host).one(CheckpointFailed)
    assert "cannot write checkpoint" in failed.reason
    assert failed.step == 2
    assert len(host.residents.keys()) == 1


def test_a_state_that_could_not_be_written_in_time_is_kept_in_memory(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("")
    host = RememberingHost(checkpoints=FolderCheckpoints(tmp_path / "file"))
    along(CONSTANT, 3, host=host, checkpoint_every_s=0.0)
    assert [event.step for event in host.of(CheckpointFailed)] == [1, 2, 3]
    kept = host.residents.keys()
    assert sorted(step for _, (_, step) in kept) == [1, 2, 3]


def test_a_state_that_could_not_be_written_is_not_tried_again_after_each_step(tmp_path: Any) -> None:
    class Hurried(SystemClock):
        """A quarter of an hour passes in each step; writing takes none."""

        def __init__(self) -> None:
            self.looks = 0

        def elapsed(self) -> float:
            self.looks += 1
            return 100.0 * self.looks

    (tmp_path / "file").write_text("")
    host = RememberingHost(clock=Hurried(), checkpoints=FolderCheckpoints(tmp_path / "file"))
    along(CONSTANT, 12, host=host, checkpoint_every_s=1500.0)
    assert 1 < len(host.of(CheckpointFailed)) < 8


def test_a_trainer_needs_no_init_of_ours() -> None:
    class Bare(Trainer):
        def train(self) -> None:
            self.steps = getattr(self, "steps", 0) + 1

        def evaluate(self) -> dict[str, int]:
            return {"steps": self.steps}

        def state_dict(self) -> dict[str, int]:
            return {"steps": self.steps}

        def load_state_dict(self, state: dict[str, int]) -> None:
            self.steps = state["steps"]

    host = along({}, 2, spec=spec_of(Bare))
    assert host.metrics == {1: {"steps": 1}, 2: {"steps": 2}}


def test_no_metrics_are_told_of_a_state_that_cannot_be_copied() -> None:
    host = along(CONSTANT, 3, spec=spec_of(raise_in="state_dict", raise_at=3))
    assert host.one(StageFailed).failure.method == "state_dict"
    assert host.metrics.keys() == {1, 2}


def test_a_lanes_states_are_freed_when_it_ends_and_not_when_garbage_is_collected(monkeypatch):
    freed: list[weakref.ref[LaneStates]] = []
    known = LaneStates.__init__

    def noted(states: LaneStates, *args: Any, **options: Any) -> None:
        known(states, *args, **options)
        freed.append(weakref.ref(states))

    monkeypatch.setattr(LaneStates, "__init__", noted)
    gc.disable()
    try:
        along(CONSTANT, 3)
        assert [states() for states in freed] == [None]
    finally:
        gc.enable()
