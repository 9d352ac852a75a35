"""What a trainer holds beside tensors is compared, however deep it lies, and where that is too much it is said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from torch import nn

from hippo.training.fusion.trainer_snapshot import MOST_OBJECTS, TrainerSnapshot


class Holder:
    """An object of a user's."""

    def __init__(self, held: Any) -> None:
        self.held = held


def snapshot(model: nn.Module | None = None, **attributes: Any) -> TrainerSnapshot:
    return TrainerSnapshot(cast(Any, SimpleNamespace(model=model or nn.Linear(1, 1), **attributes)))


def deep() -> nn.Sequential:
    """Return a network of more modules than would be looked into if each came with its dictionaries."""
    return nn.Sequential(*(nn.ReLU() for _ in range(MOST_OBJECTS // 4)))


@pytest.mark.parametrize("wrap", [Holder, lambda held: {"held": held}, lambda held: (1, (held,)), lambda held: [held]])
def test_what_lies_deep_inside_is_seen_beside_a_model_of_many_modules(wrap: Any) -> None:
    counted: list[int] = []
    before = snapshot(deep(), mine=wrap(Holder(Holder(counted))))
    assert before.is_whole
    assert before.hold_inside()
    counted.append(1)
    assert not before.hold_inside()


def test_what_a_model_itself_leads_to_is_seen() -> None:
    model, counted = deep(), Holder(0)
    vars(model[7])["counted"] = counted
    before = snapshot(model)
    assert before.is_whole
    assert before.hold_inside()
    counted.held += 1
    assert not before.hold_inside()


def train(teacher: nn.Sequential) -> None:
    teacher[3].train(mode=not teacher[3].training)


def hook(teacher: nn.Sequential) -> None:
    teacher[3].register_forward_hook(lambda *_: None)


def replace(teacher: nn.Sequential) -> None:
    teacher[3] = nn.Tanh()


def name(teacher: nn.Sequential) -> None:
    vars(teacher[3])["slope"] = 2


def hold_another(teacher: nn.Sequential) -> None:
    teacher[3].register_buffer("scale", torch.ones(1))


@pytest.mark.parametrize("change", [train, hook, replace, name, hold_another])
def test_so_is_another_network_of_many_modules(change: Any) -> None:
    teacher = deep()
    before = snapshot(mine=Holder(teacher))
    assert before.is_whole
    assert before.hold_inside()
    change(teacher)
    assert not before.hold_inside()


@pytest.mark.parametrize("wrap", [lambda i: {"sample": i}, lambda i: [i], Holder])
def test_more_objects_than_can_be_looked_into_are_said_to_be_too_many(wrap: Any) -> None:
    half = MOST_OBJECTS // 2 - 1  # the two lists are objects, too
    lists = {"one": [wrap(i) for i in range(half)], "other": [wrap(-i) for i in range(half)]}
    assert snapshot(**lists).is_whole
    assert not snapshot(**lists, another=[]).is_whole


def test_samples_that_are_tuples_are_none_of_them() -> None:
    lists = {f"part_{i}": [(torch.zeros(1), j) for j in range(1000)] for i in range(5)}
    assert snapshot(**lists).is_whole


@pytest.mark.timeout(120)
def test_objects_that_lead_to_each_other_are_looked_into_once() -> None:
    one, model = Holder(None), nn.Linear(1, 1)
    one.held = other = Holder([one])
    before = snapshot(model, mine=one, head=Holder(model))
    assert before.is_whole
    other.held.append(one)
    assert not before.hold_inside()


def test_of_a_long_list_the_length_is_compared() -> None:
    rows = [Holder(i) for i in range(5000)]
    before = snapshot(mine=Holder(rows))
    rows[17].held = "another"
    assert before.is_whole
    assert before.hold_inside()
    rows.append(Holder(0))
    assert not before.hold_inside()
