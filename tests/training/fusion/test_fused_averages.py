"""Averages of the weights of lanes, against those of one lane alone."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from hippo.training.codec import difference, encode
from hippo.training.declarative.averages import ModelAverage
from hippo.training.fusion.fused_averages import FusedAverage
from hippo.training.fusion.refusals import NotFusible


class Net(nn.Module):
    """Weights of odd shapes, tied ones, frozen ones, running statistics and a counter."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 3)
        self.norm = nn.BatchNorm1d(3)
        self.frozen = nn.Linear(3, 3).requires_grad_(False)
        self.tied = self.first
        self.scale = nn.Parameter(torch.ones(()))
        self.register_buffer("unsaved", torch.zeros(2), persistent=False)


class Lanes:
    """Models that change at random, with averages of each alone and of all as one."""

    def __init__(self, num_lanes: int, ema_decay: float | None) -> None:
        torch.manual_seed(0)
        template = Net()
        self.ema_decay = ema_decay
        self.models = [copy.deepcopy(template) for _ in range(num_lanes)]
        self.alone = [ModelAverage(each, ema_decay=ema_decay) for each in self.models]
        self.template = template
        self.fused = FusedAverage(template, num_lanes, ema_decay=ema_decay)
        self.chance = torch.Generator().manual_seed(1)

    def train(self) -> None:
        with torch.no_grad():
            for model in self.models:
                for each in (*model.parameters(), *model.buffers()):
                    if each.requires_grad or (not isinstance(each, nn.Parameter) and each.is_floating_point()):
                        each.copy_(torch.randn(each.shape, generator=self.chance))
                model.norm.num_batches_tracked += 1  # type: ignore[operator]

    def update(self) -> None:
        self.train()
        for average, model in zip(self.alone, self.models, strict=True):
            average.update(model)
        self.fused.update(self.stacked("named_parameters"), self.stacked("named_buffers"))

    def stacked(self, names: str) -> dict[str, Tensor]:
        found = [dict(getattr(model, names)()) for model in self.models]
        return {
            name: torch.stack([each[name].detach() for each in found])
            if not name.startswith("frozen")
            else first.detach().expand(len(found), *first.shape)
            for name, first in found[0].items()
        }


def assert_equal(lanes: Lanes, numbers: Sequence[int] | None = None) -> None:
    for lane, number in enumerate(range(len(lanes.models)) if numbers is None else numbers):
        assert difference(encode(lanes.fused.state_dict(lane)), encode(lanes.alone[number].state_dict())) == []


@pytest.mark.parametrize("num_lanes", [1, 3])
@pytest.mark.parametrize("ema_decay", [None, 0.9])
def test_each_lane_has_the_average_that_it_would_have_alone(ema_decay: float | None, num_lanes: int) -> None:
    lanes = Lanes(num_lanes, ema_decay)
    assert lanes.fused.slices(0) is None
    assert_equal(lanes)  # what it is before it begins is saved, too

    for _ in range(4):
        lanes.update()
        assert_equal(lanes)
    average = lanes.alone[0].model
    slices: Any = lanes.fused.slices(0)
    assert average is not None
    assert all(torch.equal(slices[name], each) for name, each in average.named_parameters())


@pytest.mark.parametrize("ema_decay", [None, 0.9])
def test_averages_go_on_from_states_and_snapshots_and_without_those_who_left(ema_decay: float | None) -> None:
    lanes = Lanes(3, ema_decay)
    for _ in range(2):
        lanes.update()
    states = copy.deepcopy([each.state_dict() for each in lanes.alone])
    snapshot = lanes.fused.snapshot()
    lanes.fused.update(lanes.stacked("named_parameters"), lanes.stacked("named_buffers"))
    lanes.fused.restore(snapshot)
    assert_equal(lanes)

    lanes.fused = FusedAverage(lanes.template, 3, ema_decay=ema_decay)
    lanes.fused.load_state_dicts(states)
    assert_equal(lanes)
    lanes.update()
    assert_equal(lanes)

    lanes.fused.keep([2, 0])
    assert_equal(lanes, [2, 0])
    lanes.alone, lanes.models = ([each[2], each[0]] for each in (lanes.alone, lanes.models))
    lanes.update()
    assert_equal(lanes)


def test_lanes_with_averages_of_different_ages_each_go_on_at_their_own() -> None:
    lanes = Lanes(2, None)
    lanes.update()
    lanes.alone[1].update(lanes.models[1])
    lanes.fused.load_state_dicts(copy.deepcopy([each.state_dict() for each in lanes.alone]))
    for model in lanes.models:
        model.frozen.weight.fill_(2.0)  # in common: but the way there is each lane's own
    lanes.update()

    assert_equal(lanes)


def test_what_lanes_have_in_common_is_there_once() -> None:
    lanes = Lanes(4, 0.9)
    for _ in range(2):
        lanes.update()

    slices: Any = [lanes.fused.slices(lane) for lane in range(4)]
    assert len({each["frozen.weight"].data_ptr() for each in slices}) == 1
    assert len({each["first.weight"].data_ptr() for each in slices}) == 4
    assert slices[0]["frozen.weight"].data_ptr() != lanes.models[0].frozen.weight.data_ptr()


def test_lanes_of_which_only_some_have_begun_are_refused() -> None:
    lanes = Lanes(2, 0.9)
    lanes.alone[1].update(lanes.models[1])

    with pytest.raises(NotFusible, match=r"\[0, 1\] updates"):
        lanes.fused.load_state_dicts([each.state_dict() for each in lanes.alone])
