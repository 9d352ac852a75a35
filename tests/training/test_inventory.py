"""An inventory notices whatever a trainer, its code and the process hold; culprits are told from two of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.training.inquiry.check_runs import WatchedMoment
from hippo.training.inquiry.culprit_words import explain
from hippo.training.inquiry.culprits import Culprit, RunVariation, StepDifference, find_culprits, first_parting, likely
from hippo.training.inquiry.inventory import GLOBAL_GENERATOR, OWN_ATTRIBUTES, Inventory, inventory
from hippo.training.process.process_settings import settings_kept
from hippo.training.values import HparamValues

SHARED = [0]


class Holder(ToyTrainer):
    """Keeps whatever a test gives it."""

    kept: list[int]

    def touch(self) -> int:
        return SHARED[0]


def holder(**attributes: Any) -> Holder:
    made = Holder()
    made.hp = HparamValues({"lr": 0.1})
    vars(made).update(attributes)
    return made


def changed(trainer: Holder, change: Callable[[], object]) -> set[str]:
    """Return the paths of what an act changes."""
    before = inventory(trainer)
    change()
    after = inventory(trainer)
    return {path for path in {**before, **after} if before.get(path) != after.get(path)}


def endless() -> Iterator[int]:
    yield from itertools.count()


def normed() -> nn.Module:
    module = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    module.register_buffer("mean", torch.zeros(2), persistent=False)
    return module


@pytest.mark.parametrize(
    ("thing", "change", "path"),
    [
        ([1, 2], lambda thing: thing.append(3), "self.x"),
        ({"a": [1]}, lambda thing: thing["a"].append(2), "self.x['a']"),
        (np.zeros(3), lambda thing: thing.__setitem__(1, 1e-12), "self.x"),
        (torch.zeros(3), lambda thing: thing.add_(1e-12), "self.x"),
        (random.Random(1), lambda thing: thing.random(), "self.x"),
        (np.random.default_rng(1), lambda thing: thing.random(), "self.x"),
        (np.random.RandomState(1), lambda thing: thing.rand(), "self.x"),
        (torch.Generator(), lambda thing: torch.rand(1, generator=thing), "self.x"),
        (iter([1, 2, 3]), next, "self.x"),
        (itertools.count(), next, "self.x"),
        (itertools.cycle(range(4)), next, "self.x"),
        (endless(), next, "self.x"),
        (normed(), lambda thing: thing.mean.add_(1), "self.x.mean"),
        (normed(), lambda thing: thing.eval(), "self.x.training"),
        (normed(), lambda thing: thing[0].weight.requires_grad_(False), "self.x.0.weight.requires_grad"),
        (normed(), lambda thing: setattr(thing, "seen", 3), "self.x.seen"),
    ],
)
def test_what_changes_inside_of_an_attribute_is_noticed(thing: Any, change: Callable[[Any], object], path: str) -> None:
    trainer = holder(x=thing)
    assert path in changed(trainer, lambda: change(thing))


def test_what_classes_modules_and_the_process_keep_is_noticed() -> None:
    trainer = holder()
    Holder.kept = []
    assert changed(trainer, lambda: Holder.kept.append(1)) == {"class Holder.kept"}
    assert changed(trainer, lambda: SHARED.append(1)) == {f"module {__name__}.SHARED"}
    with settings_kept(lambda changes: None):
        assert changed(trainer, lambda: torch.set_default_dtype(torch.float64)) == {"process torch.set_default_dtype"}


def test_looking_draws_nothing_and_calls_nothing() -> None:
    class Angry:
        @property
        def value(self) -> int:
            raise AssertionError("nobody asked")

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    trainer = holder(x=Angry(), own=random.Random(3))
    random.seed(7)
    state, own = random.getstate(), trainer.own.getstate()  # type: ignore[attr-defined]

    inventory(trainer)

    assert random.getstate() == state
    assert trainer.own.getstate() == own  # type: ignore[attr-defined]
    assert changed(trainer, lambda: None) == set()


def test_what_hippo_draws_from_is_nobodys_to_change() -> None:
    trainer = holder(x=np.random.mtrand._rand, y=random.seed.__self__)  # type: ignore[attr-defined]
    assert changed(trainer, lambda: (np.random.seed(3), random.seed(3))) == set()
    assert changed(holder(x=np.random.mtrand._rand), lambda: None) == set()


def test_one_object_in_two_places_is_told_from_two() -> None:
    shared = [1]
    trainer = holder(a=shared, b=shared)
    assert "self.b" in changed(trainer, lambda: vars(trainer).update(b=[1]))


def test_what_a_torch_trainer_has_of_hippos_own_is_left_out() -> None:
    trainer = BlobsTrainer()
    trainer.hp = HparamValues({"lr": 0.1})
    before = set(vars(trainer))
    trainer.build()

    assert set(vars(trainer)) - before - {"model"} <= OWN_ATTRIBUTES
    assert any(path.startswith("self.optimizer.param_groups") for path in inventory(trainer))


# --------------------------------------------------------------------------------------------------------- culprits


def moments(**values: list[Any]) -> list[WatchedMoment]:
    """Return moments before training of the steps, with these values of attributes."""
    found = [WatchedMoment("build()", True, 0, {})]
    for step in range(len(next(iter(values.values())))):
        held: Inventory = inventory(holder(**{name: steps[step] for name, steps in values.items()}))
        found.append(WatchedMoment("train()", False, step, held))
        found.append(WatchedMoment("train()", True, step + 1, held))
    return found


PARTED = StepDifference(2, ("state['w']",), is_of_evaluation=False)


def test_what_differs_before_a_step_is_a_culprit_and_what_does_not_is_none() -> None:
    through, other = moments(a=[0, 1], b=[5, 5]), moments(a=[0, 0], b=[5, 5])
    (culprit,) = find_culprits(through, other, PARTED)
    assert (culprit.name, culprit.through, culprit.other) == ("self.a", "1", "0")


def test_the_first_parting_of_two_runs_is_where_they_begin_to_hold_different_things() -> None:
    found = first_parting(moments(a=[0, 1, 2, 3]), moments(a=[0, 1, 9, 9]))
    assert found is not None
    assert found.step == 3
    assert first_parting(moments(a=[0, 1]), moments(a=[0, 1])) is None


def culprit(name: str, kind: str = "value", by: str = "train()", **options: Any) -> Culprit:
    values = {"group": name, "through": "1", "other": "0", "changed_at": 1, "is_others": False, **options}
    return Culprit(name=name, kind=kind, changed_by=by, **values)


def test_what_differs_by_the_way_is_likely_only_where_nothing_else_is() -> None:
    mode, counter = culprit("self.model.training", "mode"), culprit("self.count")
    assert likely([mode, counter], RunVariation.UNDISTURBED) == [counter]
    assert likely([mode], RunVariation.UNDISTURBED) == [mode]


@pytest.mark.parametrize(
    ("found", "names", "said"),
    [
        (
            culprit("self.ema"),
            [],
            "self.ema is changed by train() (1, and after loading 0) and is not in state_dict(): ",
        ),
        (
            culprit("self.ema"),
            ["ema"],
            "state_dict() has it, but load_state_dict() does not bring it back: set it there.",
        ),
        (culprit("self.m.mean", "buffer"), [], "is a buffer that the module's state_dict() leaves out: register it"),
        (culprit("class Net.count"), [], "Net.count, which is kept in the class, is changed by train()"),
        (
            replace(culprit("self.m", "generator"), through=GLOBAL_GENERATOR, other="a numpy RandomState"),
            [],
            "a copy of it, as a pickle makes one, is seeded by nobody",
        ),
        (culprit("process torch.set_default_dtype"), [], "Set it in build(), where it holds for the whole trial"),
        (culprit("self.w", by="setup()", is_others=True), [], "setup() is called again after each load_state_dict()"),
    ],
)
def test_a_culprit_is_told_with_what_to_do(found: Culprit, names: list[str], said: str) -> None:
    assert said in explain(found, RunVariation.RESUMED, names)


def test_buffers_that_a_state_leaves_out_are_told_from_those_that_it_has() -> None:
    kinds = {path: held.kind for path, held in inventory(holder(x=normed())).items()}
    assert (kinds["self.x.mean"], kinds["self.x.1.running_mean"]) == ("buffer", "tensor")
    assert kinds["self.x.0.weight"] == "parameter"
