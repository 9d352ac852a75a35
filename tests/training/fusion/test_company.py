"""A lane's bits depend on the lane alone: on no neighbour, place, number of lanes or regrouping."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippo.hparams import Exponential
from hippo.records import Fusion, Point
from hippo.testing.formations import HERE, AnyConfig, ConfigFormation
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.codec import EncodedState, state_hash
from hippo.training.fusion.check import FusionCheck
from hippo.training.torch_trainer import TorchTrainer

pytestmark = pytest.mark.usefixtures("one_thread")

#: widths of which a lane's slices are no multiples of a vector, so that place and company count if nothing is done
TRAINERS = {
    "mlp": lambda: NetTrainer("mlp", "adamw", width=7, size=16),
    "cnn": lambda: NetTrainer("cnn", "groups", width=5, size=16),
    "transformer": lambda: NetTrainer("transformer", "nesterov", size=16),
    "lstm": lambda: NetTrainer("lstm", "adamw", width=5, size=16),
    "gru": lambda: NetTrainer("gru", "nesterov", width=7, size=16),
    "batch norm": lambda: BlobsTrainer(widths=(37,), augment=False, size=16),
}
#: these take ten times as long, and so fewer of the examples
RECURRENT = ("lstm", "gru")
QUICK = tuple(name for name in TRAINERS if name not in RECURRENT)
STEPS = 3
CONFIGS: list[AnyConfig] = [
    {"lr": Exponential(0.02 * (1 + i), 0.5), "weight_decay": 0.01 * (i % 3), "batch_size": 8} for i in range(5)
] + [{"lr": 1e9, "weight_decay": 0.0, "batch_size": 8}]  # which comes to nothing


@cache
def trainer_and_fusion(name: str) -> tuple[TorchTrainer, Fusion]:
    """Return a trainer, and how its lanes are walked so that their bits are their own."""
    trainer: TorchTrainer = TRAINERS[name]()
    pieces = pieces_at(CONFIGS[0], 0)
    check = FusionCheck(trainer, 0, pieces, None, Point(HERE, 1), elapsed=lambda: 0.0)
    lanes = check._right_lanes(Fusion(is_fused=True))
    return trainer, check._company_free(lanes, Fusion(is_fused=True))


@cache
def undisturbed(name: str) -> list[str]:
    """Return what each lane comes to where all are walked together all the way."""
    trainer, fusion = trainer_and_fusion(name)
    formation = ConfigFormation(trainer, CONFIGS, fusion=fusion)
    formation.train(STEPS)
    return [state_hash(each) for each in formation.states()]


def regrouped(name: str, groups_of_steps: Sequence[Sequence[int]]) -> list[str]:
    """Return what each lane comes to where lanes of one number are walked together, from step to step.

    Args:
      groups_of_steps: of each step, for each lane the number of its formation there.
    """
    trainer, fusion = trainer_and_fusion(name)
    states: list[EncodedState | None] = [None] * len(CONFIGS)
    for step, groups in enumerate(groups_of_steps):
        for number in set(groups):
            lanes = [lane for lane, group in enumerate(groups) if group == number]
            lanes = lanes[::-1] if number % 2 else lanes
            begin: Any = None if step == 0 else [states[lane] for lane in lanes]
            formation = ConfigFormation(trainer, [CONFIGS[lane] for lane in lanes], begin, step, fusion)
            formation.train()
            for lane, state in zip(lanes, formation.states(), strict=True):
                states[lane] = state
    return [state_hash(each) for each in states if each is not None]


groupings = st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=STEPS, max_size=STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=8, derandomize=True)
@given(groups=groupings)
def test_a_lane_comes_to_the_same_bits_in_any_company(name: str, groups: list[list[int]]) -> None:
    assert regrouped(name, groups) == undisturbed(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECURRENT)
@settings(max_examples=3, derandomize=True)
@given(groups=groupings)
def test_so_does_a_lane_of_a_recurrent_net(name: str, groups: list[list[int]]) -> None:
    assert regrouped(name, groups) == undisturbed(name)


#: of a neighbour: from one that stands still to one that comes to nothing
neighbours = st.fixed_dictionaries(
    {"lr": st.sampled_from([0.0, 1e-30, 0.003, 0.5, 1e9, 1e300]), "weight_decay": st.sampled_from([0.0, 0.5])}
)
ALIKE = [{"lr": 0.1, "weight_decay": 0.0}]
FAR_APART = [{"lr": 0.003, "weight_decay": 0.5}, {"lr": 1e300, "weight_decay": 0.0}]


@cache
def trained_in_a_pair(name: str) -> str:
    """Return what the first lane comes to in two steps beside the second."""
    trainer, fusion = trainer_and_fusion(name)
    formation = ConfigFormation(trainer, CONFIGS[:2], fusion=fusion)
    formation.train(steps=2)
    return state_hash(formation.walker.encode(0, HERE))


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=20, derandomize=True)
@example(num_lanes=1, place=0, kinds=ALIKE)
@example(num_lanes=64, place=63, kinds=FAR_APART)
@given(num_lanes=st.integers(1, 64), place=st.integers(0, 63), kinds=st.lists(neighbours, min_size=1, max_size=4))
def test_a_lane_comes_to_the_same_bits_among_any_number_at_any_place_beside_anybody(
    name: str, num_lanes: int, place: int, kinds: list[dict[str, float]]
) -> None:
    assert trained_among(name, num_lanes, place, kinds) == trained_in_a_pair(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize(("num_lanes", "place", "kinds"), [(1, 0, ALIKE), (7, 3, FAR_APART), (64, 63, FAR_APART)])
def test_so_does_a_lane_of_a_recurrent_net_beside_anybody(
    name: str, num_lanes: int, place: int, kinds: list[dict[str, float]]
) -> None:
    assert trained_among(name, num_lanes, place, kinds) == trained_in_a_pair(name)


def trained_among(name: str, num_lanes: int, place: int, kinds: list[dict[str, float]]) -> str:
    """Return what the first lane comes to in two steps at a place among lanes of these kinds."""
    trainer, fusion = trainer_and_fusion(name)
    lanes: list[AnyConfig] = [{**kinds[i % len(kinds)], "batch_size": 8} for i in range(num_lanes)]
    lanes[place % num_lanes] = CONFIGS[0]
    formation = ConfigFormation(trainer, lanes, fusion=fusion)
    formation.train(steps=2)
    return state_hash(formation.walker.encode(place % num_lanes, HERE))


@pytest.mark.slow
def test_a_lane_whose_company_has_left_is_walked_on_to_the_same_bits() -> None:
    trainer, fusion = trainer_and_fusion("cnn")
    formation = ConfigFormation(trainer, CONFIGS, fusion=fusion)
    formation.train()
    formation.keep([4, 2, 1])
    formation.train()
    formation.keep([1])
    formation.train()
    assert [state_hash(each) for each in formation.states()] == [undisturbed("cnn")[2]]


def test_without_the_remedies_company_would_show() -> None:
    trainer, fusion = trainer_and_fusion("batch norm")
    assert fusion.is_aligned
    plain = Fusion(is_fused=True)
    found = set()
    for num_lanes in (2, 3, 5):
        formation = ConfigFormation(trainer, [CONFIGS[0]] * num_lanes, fusion=plain)
        formation.train(steps=2)
        found |= {state_hash(each) for each in formation.states()}
    assert len(found) > 1
