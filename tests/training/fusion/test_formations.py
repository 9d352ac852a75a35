"""Lanes of one assignment that are walked as one: each keeps its boundaries, commands, failures and states."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import CheckpointError
from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    FusionChecked,
    HparamsUnread,
    LanesDiffer,
    LanesLimited,
    RecordingRefused,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.hparams import Config, Linear, MultiStep, Piecewise
from hippo.records import (
    AddBoundary,
    Boundary,
    Fusion,
    Keep,
    Lane,
    LeaseId,
    NodeId,
    Shorten,
    Stop,
)
from hippo.testing.remembering_host import RememberingHost, run_lanes, spec_of, stages, start_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training import Trainers
from hippo.training.codec import difference
from hippo.training.fusion.fused_step import FusedStep
from hippo.training.fusion.recorded_loss import LossRecorder
from hippo.training.fusion.stand_in import StandIn
from hippo.training.fusion.update_rules import DescentRule
from hippo.training.state_files import read_checkpoint

pytestmark = pytest.mark.usefixtures("one_thread")

FUSED = Fusion(is_fused=True)
OWN_BITS = Fusion(is_fused=True, is_aligned=True, has_twin=True)
#: at this width batch norm comes to the same bits whatever lanes there are
WIDE: dict[str, Any] = {"widths": (16,)}
RATES = (0.1, 0.05, 0.02)
STEPS = 3


class Sober(BlobsTrainer):
    """Without noise from other libraries, in float64, so that a lane drifts from solo by nothing that counts."""

    def make_model(self) -> nn.Module:
        return super().make_model().double()

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        points, labels = batch
        return nn.functional.cross_entropy(model(points.double()), labels)

    def metrics(self, model: Any, batch: Any) -> Mapping[str, Any]:
        points, labels = batch
        return super().metrics(model, (points.double(), labels))


class RaisesAtHigh(Sober):
    """Raises where a learning rate is high, in a step of its own."""

    def metrics(self, model: Any, batch: Any) -> Mapping[str, Any]:
        if self.hp["lr"] > 0.09:
            raise ArithmeticError("too high")
        return super().metrics(model, batch)


def config(rate: float) -> dict[str, Any]:
    return {"lr": rate, "momentum": 0.9}


def lane_of(rate: float, until: int = STEPS, **changes: Any) -> Lane:
    return Lane(begin=None, stages=stages(config(rate), 0, until), **changes)


def fused(*lanes: Lane, trainer: Any = Sober, fusion: Fusion | None = FUSED, **changes: Any) -> RememberingHost:
    spec = spec_of(trainer, numerics="fused", **changes.pop("args", {}))
    return run_lanes(*lanes, spec=spec, fusion=fusion, **changes)


def alone(rate: float, until: int = STEPS, *, trainer: Any = Sober, **args: Any) -> RememberingHost:
    return run_lanes(lane_of(rate, until), spec=spec_of(trainer, **args))


def said(host: RememberingHost, kind: type, lane: int) -> list[Any]:
    return [event for event in host.of(kind) if event.lane == lane]


def state_after(host: RememberingHost, lane: int, step: int, trainer: Any = Sober) -> Any:
    (ref,) = (event.checkpoint for event in said(host, CheckpointWritten, lane) if event.step == step)
    bases = Trainers().bases(spec_of(trainer))
    return read_checkpoint(host.checkpoints, ref, bases, lambda: None, keep_base=True)


def test_each_lane_says_what_it_would_say_alone() -> None:
    host = fused(*map(lane_of, RATES))
    for number, rate in enumerate(RATES):
        solo = alone(rate)
        own = [type(event) for event in host.events if getattr(event, "lane", None) == number]
        assert own == [type(event) for event in solo.events if getattr(event, "lane", None) == 0]
        for kind in (StepDone, Evaluated):
            for event, other in zip(said(host, kind, number), said(solo, kind, 0), strict=True):
                assert (event.node, event.step) == (other.node, other.step)
                values = event.training if kind is StepDone else event.metrics
                others = other.training if kind is StepDone else other.metrics
                assert values == pytest.approx(others, rel=1e-9)
    assert {event.lanes for event in host.of(StepDone)} == {len(RATES)}


def test_lanes_that_are_updated_alike_lie_side_by_side_whatever_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes, updates = 6, []
    update = DescentRule.update

    def counted(rule: Any, form: Any, params: Any, *rest: Any) -> None:
        updates.append(len(params[0]))
        update(rule, form, params, *rest)

    monkeypatch.setattr(DescentRule, "update", counted)
    momenta = [0.9 * (lane % 2) for lane in range(lanes)]
    configs = [{"lr": 0.1 * 0.8**lane, "momentum": momentum} for lane, momentum in enumerate(momenta)]
    host = fused(*(Lane(begin=None, stages=stages(each, 0, 1)) for each in configs))
    assert set(updates) == {lanes // 2}
    monkeypatch.undo()
    for lane, each in enumerate(configs):
        its = run_lanes(Lane(begin=None, stages=stages(each, 0, 1)), spec=spec_of(Sober))
        (training,) = (event.training["loss"] for event in said(host, StepDone, lane))
        assert training == pytest.approx(its.training[1]["loss"], rel=1e-9)


class NoRecorder:
    """Records nothing."""

    @contextlib.contextmanager
    def rehearsal(self) -> Iterator[None]:
        yield

    def record(self, compute: Any) -> Any:
        raise RuntimeError("operation not permitted when stream is capturing")


def test_why_updates_are_not_recorded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = functools.partial(LossRecorder, of_device=lambda device: NoRecorder())
    monkeypatch.setattr("hippo.training.walking.formation_run.LossRecorder", recorder)
    args = {"augment": False, "dropout": 0.0}
    host = fused(lane_of(0.1, 12), lane_of(0.05, 12), args=args)
    (refused,) = host.of(RecordingRefused)
    assert "not permitted when stream is capturing" in refused.reason
    assert [len(said(host, StepDone, lane)) for lane in (0, 1)] == [12, 12]


def test_seconds_are_a_lanes_share() -> None:
    class Clock:
        now_s = 0.0

        def elapsed(self) -> float:
            self.now_s += 0.5
            return self.now_s

        def now(self) -> float:
            return self.now_s

    host = fused(*map(lane_of, RATES), host=RememberingHost(clock=Clock()))
    assert {event.seconds for event in host.of(StepDone)} == {0.5 / 3}


def test_a_state_of_a_fused_lane_is_what_a_lone_one_goes_on_from_and_the_reverse() -> None:
    together, solo = fused(*map(lane_of, RATES)), alone(RATES[1])
    assert difference(state_after(together, 1, STEPS), state_after(solo, 0, STEPS)) != ["form"]
    ref = said(together, CheckpointWritten, 1)[-1].checkpoint
    begin = start_at(config(RATES[1]), STEPS, ref)
    rest = Lane(begin=begin, stages=stages(config(RATES[1]), STEPS, 5))
    whole = alone(RATES[1], 5)
    for changes in ({"spec": spec_of(Sober)}, {"spec": spec_of(Sober, numerics="fused"), "fusion": FUSED}):
        elsewhere = RememberingHost(checkpoints=together.checkpoints)
        run_lanes(rest, host=elsewhere, lease=2, **changes)
        assert elsewhere.metrics[5] == pytest.approx(whole.metrics[5], rel=1e-9)


def test_lanes_of_several_lengths_end_where_they_are_meant_to() -> None:
    host = fused(lane_of(0.1, 1), lane_of(0.05, 4), lane_of(0.02, 2))
    assert [len(said(host, StepDone, number)) for number in range(3)] == [1, 4, 2]
    assert [event.lanes for event in said(host, StepDone, 1)] == [3, 2, 1, 1]
    assert [said(host, CheckpointWritten, number)[-1].step for number in range(3)] == [1, 4, 2]


def test_who_leaves_changes_no_bit_of_the_others() -> None:
    short = fused(lane_of(0.1, 1), lane_of(0.05), lane_of(0.02), fusion=OWN_BITS, args=WIDE)
    long = fused(*map(lane_of, RATES), fusion=OWN_BITS, args=WIDE)
    for number in (1, 2):
        assert [e.checkpoint.state_hash for e in said(short, CheckpointWritten, number)] == [
            e.checkpoint.state_hash for e in said(long, CheckpointWritten, number)
        ]


def test_a_lane_follows_its_values_as_they_change() -> None:
    changing = {"lr": MultiStep(0.1, [1, 2], 0.5), "momentum": 0.9}
    lanes = (Lane(begin=None, stages=stages(changing, 0, STEPS)), lane_of(0.05))
    host, solo = fused(*lanes), run_lanes(lanes[0], spec=spec_of(Sober))
    for event, other in zip(said(host, Evaluated, 0), said(solo, Evaluated, 0), strict=True):
        assert (event.node, event.step) == (other.node, other.step)
        assert event.metrics == pytest.approx(other.metrics, rel=1e-9)


def test_each_of_several_states_of_a_lane_is_that_of_its_step() -> None:
    def kept_at_each_step(rate: float) -> Lane:
        (whole,) = stages(config(rate), 0, STEPS)
        return Lane(begin=None, stages=tuple(replace(whole, start=at, stop=at + 1) for at in range(STEPS)))

    host = fused(*map(kept_at_each_step, RATES))
    for number in range(len(RATES)):
        assert [event.step for event in said(host, CheckpointWritten, number)] == [1, 2, 3]
        states = [state_after(host, number, step) for step in (1, 2, 3)]
        assert all(difference(one, other) for one, other in itertools.combinations(states, 2))


def test_who_decides_how_lanes_are_walked_walks_none() -> None:
    host = fused(*map(lane_of, RATES), fusion=None)
    assert [type(event) for event in host.events] == [FusionChecked]


class Listing(Sober):
    """Lists the sizes of the batches that lanes are tried with."""

    sizes: ClassVar[set[int]] = set()

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        if isinstance(model, StandIn):
            Listing.sizes.add(len(batch[1]))
        return super().loss(model, batch)


def test_it_is_decided_by_the_values_of_the_lanes_first_step_and_not_by_those_before() -> None:
    growing = {**config(0.05), "batch_size": Piecewise([16, 8], [STEPS])}
    spec = spec_of(Listing, numerics="fused")
    before = run_lanes(Lane(begin=None, stages=stages(growing, 0, STEPS)), spec=spec, fusion=FUSED)
    begin = start_at(growing, STEPS, said(before, CheckpointWritten, 0)[-1].checkpoint)
    Listing.sizes.clear()
    rest = Lane(begin=begin, stages=stages(growing, STEPS, 5))
    run_lanes(rest, spec=spec, fusion=None, host=RememberingHost(checkpoints=before.checkpoints), lease=2)
    assert max(Listing.sizes) == 8


class Unsavable(Sober):
    """Has something in its state that cannot be saved."""

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"lock": object()}


def test_lanes_whose_state_cannot_be_saved_fail_when_it_is_looked_at_and_not_at_their_ends() -> None:
    host = fused(lane_of(RATES[0], check=True), trainer=Unsavable, fusion=None)
    assert [type(event) for event in host.events] == [StageFailed]


class RefusedLater(Sober):
    """Is refused at rates that its lanes come to when they have ended."""

    @property
    def accumulate(self) -> int:
        return 1 if self.hp.raw["lr"] > 0.085 else 2

    @accumulate.setter
    def accumulate(self, value: int) -> None:
        pass


def test_what_a_check_is_refused_beyond_the_end_of_its_lane_fails_no_lane() -> None:
    falling = Config({"lr": Linear(0.1, -0.01), "batch_size": 16})
    host = fused(Lane(begin=None, stages=stages(falling, 0, 2), check=True), trainer=RefusedLater, fusion=None)
    assert not host.of(StageFailed)
    assert [event.step for event in host.of(StepDone)] == [1, 2]


def commanded(*commands: Any, after: int) -> RememberingHost:
    """A host whose commands come when so many steps were told."""
    host, left = RememberingHost(), list(commands)

    def poll() -> list[Any]:
        if len(host.of(StepDone)) < after:
            return []
        came, left[:] = left[:], []
        return came

    host.on_poll = poll
    return host


def test_commands_are_for_one_lane_each() -> None:
    shorten = Shorten(lease=LeaseId(1), lane=2, node=NodeId(0), step=2)
    wanted = AddBoundary(
        lease=LeaseId(1), lane=1, node=NodeId(0), step=2, boundary=Boundary(evaluate=True, keep=Keep.WRITTEN)
    )
    host = fused(*(lane_of(rate, 4) for rate in RATES), host=commanded(shorten, wanted, after=3))
    assert [event.accepted for event in host.of(BoundaryAnswered)] == [True]
    assert [len(said(host, StepDone, number)) for number in range(3)] == [4, 4, 2]
    assert [event.step for event in said(host, CheckpointWritten, 1)] == [2, 4]


def test_a_stop_ends_all_at_their_steps_end_with_a_state() -> None:
    host = fused(*(lane_of(rate, 9) for rate in RATES), host=commanded(Stop(lease=LeaseId(1)), after=6))
    assert [len(said(host, StepDone, number)) for number in range(3)] == [2, 2, 2]
    assert [event.step for event in host.of(CheckpointWritten)] == [2, 2, 2]


def test_a_lane_whose_metrics_raise_fails_alone() -> None:
    host = fused(*map(lane_of, RATES), trainer=RaisesAtHigh)
    (failed,) = host.of(StageFailed)
    assert (failed.lane, failed.failure.method) == (0, "evaluate")
    assert "too high" in failed.failure.error
    for number in (1, 2):
        assert len(said(host, Evaluated, number)) == STEPS


class Thresholded(Sober):
    """Looks at one value more when it is evaluated."""

    def metrics(self, model: Any, batch: Any) -> Mapping[str, Any]:
        return {**super().metrics(model, batch), "threshold": float(self.hp["threshold"])}


@pytest.mark.parametrize(("every", "evaluated", "unread"), [(2, True, ["lrr"]), (9, False, ["lrr", "threshold"])])
def test_what_metrics_alone_read_is_waited_for_until_lanes_are_evaluated(
    every: int, evaluated: bool, unread: list[str]
) -> None:
    boundary = Boundary(evaluate=evaluated, keep=Keep.RESIDENT)
    walks = [stages({**config(rate), "threshold": 0.5, "lrr": 1}, 0, STEPS)[0] for rate in RATES]
    lanes = [Lane(begin=None, stages=(replace(stage, boundary=boundary),)) for stage in walks]
    told = fused(*lanes, trainer=Thresholded, args={"evaluate_every": every}).one(HparamsUnread)
    assert (list(told.names), told.steps) == (unread, min(every, STEPS))


class NotANumber(Sober):
    """Diverges where the rate is high."""

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        points, labels = batch
        return (model(1e200 * points.double()) ** 2).mean() + 0.0 * labels.sum()


def test_a_lane_that_diverges_leaves_the_others_as_they_are() -> None:
    rates = (0.05, 1e300, 0.02)
    host, calm = fused(*map(lane_of, rates)), fused(*map(lane_of, (0.05, 0.1, 0.02)))
    assert not math.isfinite(said(host, StepDone, 1)[-1].training["loss"])
    for number in (0, 2):
        assert [e.checkpoint.state_hash for e in said(host, CheckpointWritten, number)] == [
            e.checkpoint.state_hash for e in said(calm, CheckpointWritten, number)
        ]


class SplitByLoss(Sober):
    """Reads in its loss a value in which lanes differ."""

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        points, labels = batch
        return nn.functional.cross_entropy(model(points.double()), labels, label_smoothing=self.hp["smoothing"])


def test_lanes_that_differ_in_what_the_loss_reads_are_walked_in_groups() -> None:
    smoothings = (0.0, 0.1, 0.0)
    configs = [{**config(rate), "smoothing": value} for rate, value in zip(RATES, smoothings, strict=True)]
    lanes = [Lane(begin=None, stages=stages(each, 0, STEPS)) for each in configs]
    host = fused(*lanes, trainer=SplitByLoss)
    assert [event.names for event in host.of(LanesDiffer)] == [("smoothing",)]
    assert [event.lanes for event in said(host, StepDone, 0)] == [2, 2, 2]
    assert [event.lanes for event in said(host, StepDone, 1)] == [1, 1, 1]
    for number, lane in enumerate(lanes):
        solo = run_lanes(lane, spec=spec_of(SplitByLoss))
        assert said(host, Evaluated, number)[-1].metrics == pytest.approx(solo.metrics[STEPS], rel=1e-9)


def test_lanes_that_part_within_a_step_are_walked_in_groups_and_not_alone() -> None:
    smoothings = [hippo.Constant(0.1), hippo.Exponential(0.1, 0.5)] * 2
    rates = zip((*RATES, 0.01), smoothings, strict=True)
    configs = [{**config(rate), "smoothing": value, "batch_size": 12} for rate, value in rates]
    lanes = [Lane(begin=None, stages=stages(each, 0, 1)) for each in configs]
    host = fused(*lanes, trainer=SplitByLoss, args={"apply_hparams": "batch"})
    assert ([event.names for event in host.of(LanesDiffer)], host.of(LanesLimited)) == ([("smoothing",)], [])
    assert [event.lanes for event in host.of(StepDone)] == [2, 2, 2, 2]


class BranchesLater(Sober):
    """Looks at a number of its own in a later step, which no program of several lanes can do."""

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        loss = super().loss(model, batch)
        if self.hp["later"] and float(loss) > 1e9:
            return 2 * loss
        return loss


def test_lanes_go_on_alone_where_their_program_cannot_and_lose_nothing() -> None:
    later = Piecewise([False, True], [2])
    lanes = [Lane(begin=None, stages=stages({**config(rate), "later": later}, 0, 4)) for rate in RATES]
    host = fused(*lanes, trainer=BranchesLater)
    (limited,) = host.of(LanesLimited)
    assert limited.lanes == 1
    for number, lane in enumerate(lanes):
        assert [event.step for event in said(host, StepDone, number)] == [1, 2, 3, 4]
        solo = run_lanes(lane, spec=spec_of(BranchesLater))
        assert said(host, Evaluated, number)[-1].metrics == pytest.approx(solo.metrics[4], rel=1e-9)


class RaisesInTraining(Sober):
    """Raises in training where a rate is high."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        if self.hp["lr"] > 0.09 and self.hp["late"]:
            raise ArithmeticError("a rate that high")
        return super().make_optimizer(params)


def test_the_lane_that_raises_in_training_is_found_and_the_others_go_on_as_they_were() -> None:
    late = Piecewise([False, True], [1])
    lanes = [Lane(begin=None, stages=stages({**config(rate), "late": late}, 0, STEPS)) for rate in RATES]
    host = fused(*lanes, trainer=RaisesInTraining, fusion=OWN_BITS, args=WIDE)
    (failed,) = host.of(StageFailed)
    assert (failed.lane, failed.failure.step, failed.failure.method) == (0, 2, "train")
    assert [event.lanes for event in said(host, StepDone, 1)] == [3, 2, 2]
    calm = fused(*lanes[1:], trainer=RaisesInTraining, fusion=OWN_BITS, args=WIDE)
    for number in (1, 2):
        assert [e.checkpoint.state_hash for e in said(host, CheckpointWritten, number)] == [
            e.checkpoint.state_hash for e in said(calm, CheckpointWritten, number - 1)
        ]


def test_where_memory_is_short_lanes_go_on_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = [lane_of(rate) for rate in (0.1, 0.05, 0.02, 0.01)]
    whole = fused(*lanes, fusion=OWN_BITS, args=WIDE)
    take = FusedStep.take

    def short_of_memory(self: Any, values: Any, *others: Any) -> Any:
        if len(values.each) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return take(self, values, *others)

    monkeypatch.setattr(FusedStep, "take", short_of_memory)
    host = fused(*lanes, fusion=OWN_BITS, args=WIDE)
    (limited,) = host.of(LanesLimited)
    assert limited.lanes == 2
    assert [event.lanes for event in said(host, StepDone, 3)] == [2, 2, 2]
    for number in range(4):
        assert [e.checkpoint.state_hash for e in said(host, CheckpointWritten, number)] == [
            e.checkpoint.state_hash for e in said(whole, CheckpointWritten, number)
        ]


def test_a_state_that_is_gone_stops_its_lane_alone() -> None:
    before = fused(lane_of(0.1), lane_of(0.05))
    refs = [said(before, CheckpointWritten, number)[-1].checkpoint for number in range(2)]
    before.checkpoints.delete(refs[0].key)
    with pytest.raises(CheckpointError):
        state_after(before, 0, STEPS)
    lanes = [
        Lane(begin=start_at(config(rate), STEPS, ref), stages=stages(config(rate), STEPS, 5))
        for rate, ref in zip((0.1, 0.05), refs, strict=True)
    ]
    host = fused(*lanes, host=RememberingHost(checkpoints=before.checkpoints), lease=2)
    assert [type(event) for event in host.events if getattr(event, "lane", None) == 0] == [CheckpointUnusable]
    assert [event.step for event in said(host, StepDone, 1)] == [4, 5]


def test_an_interrupt_leaves_and_writes_nothing_twice() -> None:
    host = RememberingHost()

    def poll() -> list[Any]:
        if len(host.of(StepDone)) >= 6:
            raise KeyboardInterrupt
        return []

    host.on_poll = poll
    with pytest.raises(KeyboardInterrupt):
        fused(*map(lane_of, RATES), host=host)
    keys = [event.checkpoint.key for event in host.of(CheckpointWritten)]
    assert len(keys) == len(set(keys))


def test_a_lane_that_only_evaluates_is_among_them() -> None:
    before = fused(lane_of(0.1), lane_of(0.05))
    refs = [said(before, CheckpointWritten, number)[-1].checkpoint for number in range(2)]
    begin = start_at(config(0.1), STEPS, refs[0])
    look = stages(config(0.1), STEPS - 1, STEPS, keep=Keep.RESIDENT)[0]
    lanes = [
        Lane(begin=begin, stages=(replace(look, start=STEPS),)),
        Lane(begin=start_at(config(0.05), STEPS, refs[1]), stages=stages(config(0.05), STEPS, 5)),
    ]
    host = fused(*lanes, host=RememberingHost(checkpoints=before.checkpoints), lease=2)
    assert [event.step for event in said(host, Evaluated, 0)] == [STEPS]
    assert said(host, Evaluated, 0)[0].metrics == said(before, Evaluated, 0)[-1].metrics
    assert [event.lanes for event in said(host, StepDone, 1)] == [1, 1]
    assert [event.step for event in said(host, StateHashed, 0)] == [STEPS]
