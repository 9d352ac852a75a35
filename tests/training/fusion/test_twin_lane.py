"""A twin tells how fast a lane parts from itself, and changes nothing of any lane."""

from __future__ import annotations

import math
from typing import Any, Literal

import pytest
import torch

import hippo
from hippo.errors import OptionError
from hippo.plan import FusionFacts
from hippo.records import Fusion, Point
from hippo.testing.formations import HERE
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.codec import state_hash
from hippo.training.fusion.check import decide
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.fusion.twin_lane import Drift, TwinLane

pytestmark = pytest.mark.usefixtures("one_thread")

#: steps of one update each, so that drift is seen to grow
SHORT = 8


def walker_of(
    configs: list[dict[str, float]],
    fusion: Fusion | None = None,
    *,
    with_drift: bool = True,
    precision: Literal["bf16"] | None = None,
) -> FusedWalker:
    trainer = NetTrainer("cnn", size=16)
    trainer.samples_per_step, trainer.precision = SHORT, precision
    return FusedWalker(
        trainer,
        step=0,
        pieces=[pieces_at(config, 0) for config in configs],
        states=[None] * len(configs),
        goals=[Point(HERE, 1)] * len(configs),
        fusion=fusion or Fusion(is_fused=True),
        with_drift=with_drift,
    )


def drift_of(walker: FusedWalker) -> Drift | None:
    assert walker.drifting is not None
    return walker.drifting.drift()


def train(walker: FusedWalker, configs: list[dict[str, float]], steps: int) -> None:
    for _ in range(steps):
        pieces = [pieces_at(config, walker.step) for config in configs]
        assert len(walker.train([HERE] * len(configs), pieces)) == len(configs)


def test_a_twin_is_off_by_rounding_where_training_is_tame_and_by_more_where_it_is_not() -> None:
    drifts = []
    for lr in (0.01, 2.0):
        configs = [{"lr": lr}, {"lr": 0.02}]
        walker = walker_of(configs)
        assert drift_of(walker) is None
        train(walker, configs, 1)
        assert drift_of(walker) is None  # it is moved just now
        train(walker, configs, 24)
        assert drift_of(walker) is not None
        assert drift_of(walker).steps == 24
        drifts.append(drift_of(walker).relative)
    assert 0 < drifts[0] < 1e-4  # float32, 24 updates: an ulp is 6e-8 of one of some hundred weights
    assert drifts[1] > 30 * drifts[0]


@pytest.mark.parametrize("num_lanes", [1, 3])
def test_a_twin_changes_no_bit_of_any_lane(num_lanes: int) -> None:
    trainer = NetTrainer("cnn", size=16)
    pieces = pieces_at({"lr": 0.05}, 0)
    fusion, _ = decide(trainer, step=0, pieces=pieces, state=None, goal=Point(HERE, 1), numerics="fused")
    fusion = Fusion(is_fused=True, is_aligned=fusion.is_aligned, has_twin=True)
    configs = [{"lr": 0.05 * (1 + lane)} for lane in range(num_lanes)]
    with_twin, without = (walker_of(configs, fusion, with_drift=each) for each in (True, False))
    for walker in (with_twin, without):
        train(walker, configs, 4)
    for lane in range(num_lanes):
        assert state_hash(with_twin.encode(lane, HERE)) == state_hash(without.encode(lane, HERE))
        assert with_twin.evaluate(lane, HERE) == without.evaluate(lane, HERE)
    assert drift_of(with_twin) is not None


def test_a_twin_stays_beside_its_lane_and_goes_with_it() -> None:
    configs = [{"lr": 0.01 * (1 + lane)} for lane in range(3)]
    walker = walker_of(configs)
    train(walker, configs, 3)
    walker.keep([0, 2])
    assert drift_of(walker) is not None
    before = drift_of(walker)
    train(walker, [configs[0], configs[2]], 1)
    assert drift_of(walker) is not None
    assert (before.steps, drift_of(walker).steps) == (2, 3)
    walker.keep([1])  # a twin of that one begins now
    assert drift_of(walker) is None
    train(walker, [configs[2]], 3)
    assert drift_of(walker).steps == 2
    assert 0 < drift_of(walker).relative < 1e-4


def weights(*lanes: list[float]) -> Any:
    tensors = [torch.tensor(each) for each in lanes]
    return tensors, lambda lane: {"w": tensors[lane]}


def test_the_weight_that_moved_most_is_moved_by_one_ulp_in_the_twin_alone() -> None:
    tensors, look = weights([1.0, -2.0, 3.0], [1.0, -2.0, 3.0])
    twin = TwinLane(look, 0, 1)
    for each in tensors:
        each += torch.tensor([0.25, -0.5, 0.0])
    twin.note_step()
    assert tensors[0].tolist() == [1.25, -2.5, 3.0]
    assert tensors[1].tolist() == [1.25, float(torch.nextafter(torch.tensor(-2.5), torch.tensor(-3.0))), 3.0]


def test_where_weights_are_rounded_the_twin_is_moved_by_a_unit_that_rounding_leaves() -> None:
    tensors, look = weights([1.0, -2.0, 3.0], [1.0, -2.0, 3.0])
    twin = TwinLane(look, 0, 1, computed=torch.bfloat16)
    for each in tensors:
        each += torch.tensor([0.25, -0.50001, 0.0])
    twin.note_step()
    assert tensors[1].tolist() == [1.25, -2.515625, 3.0]  # bfloat16 has eight bits: 2.5 and the next
    assert tensors[0].bfloat16().tolist() != tensors[1].bfloat16().tolist()


def test_in_half_precision_a_twin_is_off_by_what_rounding_there_is() -> None:
    drifts = []
    for precision in (None, "bf16"):
        configs = [{"lr": 0.01}, {"lr": 0.02}]
        walker = walker_of(configs, precision=precision)
        train(walker, configs, 9)
        drifts.append(drift_of(walker).relative)
    assert drifts[0] < 1e-5 < 1e-4 < drifts[1] < 1


def test_drift_is_the_distance_by_the_way_since_the_twin_was_moved() -> None:
    tensors, look = weights([0.0, 0.0], [0.0, 0.0])
    twin = TwinLane(look, 0, 1)
    twin.note_step()
    assert twin.drift() is None  # nothing moves yet
    for each in tensors:
        each += torch.tensor([8.0, 1.0])
    twin.note_step()
    tensors[0] += torch.tensor([3.0, 4.0])
    tensors[1] += torch.tensor([3.0, 4.5])
    twin.note_step()
    assert twin.drift() == (1, pytest.approx(0.1, rel=1e-5))
    tensors[1][1] = math.nan
    assert twin.drift() == (1, math.inf)
    tensors[0][1] = math.nan
    assert twin.drift() is None  # of a lane that left all numbers nothing can be said


# ----------------------------------------------------------------------------------------------------- in whole studies


class ShortTrainer(NetTrainer):
    samples_per_step = SHORT


def study_of(name: str, storage: str, **options: Any) -> hippo.Study:
    study = hippo.create_study(
        name, trainer=ShortTrainer, engine=hippo.InlineEngine(), storage=storage, checkpoints="memory://",
        metric="loss", mode="min", **{"numerics": "fused", **options},
    )  # fmt: skip
    space = [{"lr": 0.1 * 0.8**i, "momentum": m} for i in range(3) for m in (0.5, 0.9)]
    study.optimize(hippo.GridSearch(space, until=4))
    return study


def test_a_study_with_twins_has_the_results_and_steps_of_one_without_and_tells_their_drift() -> None:
    with_twin, without = (study_of("twins", "memory://", twin=each) for each in (True, False))
    assert [trial.history for trial in with_twin.trials] == [trial.history for trial in without.trials]
    told, plain = with_twin.statistics(), without.statistics()
    assert (told.steps_executed, told.lane_steps_fused) == (plain.steps_executed, plain.lane_steps_fused)
    assert told.mean_lanes == plain.mean_lanes
    assert plain.twin_drift is None
    assert told.twin_drift is not None
    assert 0 < told.twin_drift < 1e-3
    assert told.twin_drift == max(row.twin_drift for row in with_twin.tree() if row.twin_drift is not None)
    assert {row.twin_drift for row in without.tree()} == {None}


@pytest.mark.parametrize("numerics", ["exact", "fast"])
def test_a_twin_is_refused_where_nothing_is_walked_as_one(numerics: str) -> None:
    with pytest.raises(OptionError, match="say numerics='fused', or leave twin out"):
        study_of("twins", "memory://", twin=True, numerics=numerics)


def test_twin_is_a_flag() -> None:
    with pytest.raises(OptionError, match="twin must be True or False, not 'yes'"):
        study_of("twins", "memory://", twin="yes")


def test_the_largest_drift_of_a_node_stays_in_whatever_order_it_is_told() -> None:
    told = [(3, 1e-6), (1, 0.5), (3, 2e-6), (1, 0.25), (2, math.inf)]
    one, other = FusionFacts(), FusionFacts()
    for drift in told:
        one = one.drifted(*drift)
    for drift in reversed(told * 2):
        other = other.drifted(*drift)
    assert one == other == FusionFacts.from_text(one.to_text())
    assert one.drifts == {1: 0.5, 2: math.inf, 3: 2e-6}


def test_of_very_many_drifts_the_largest_are_kept() -> None:
    facts = FusionFacts()
    for node in range(300):
        facts = facts.drifted(node, node / 300)
    assert len(facts.drifts) == 256
    assert min(facts.drifts) == 44
