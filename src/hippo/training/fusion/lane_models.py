"""Makes the one model of several lanes, and looks at what each of them alone would have had made.

Lanes may differ in values that `make_model` reads if all that follows are other floats in modules, in places that are
known beforehand: where they are is a fact of the plan, since a float and a tensor that holds it may come to other last
bits. The models of other lanes are there for a moment, one at a time. It refuses to know what becomes of the floats.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from torch import nn

from hippo.training.fusion.float_places import ModelsDiffer, Place, float_places, holder_of, require_same
from hippo.training.fusion.lane_values import LaneValues
from hippo.training.fusion.module_floats import ModuleFloats
from hippo.training.fusion.refusals import LanesDifferIn
from hippo.training.process.streams import fence, seed_everything
from hippo.training.trainer import Trainer
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class LaneModels:
    """Within it, `build()` of a template makes the model of all lanes.

    Args:
      trainer: the template, under the values of the first lane.
      values: of each lane.
      places: of the floats that may be each lane's own.
      looks: collects the names that the template looks at. Those that only `make_model` looked at are taken out again:
        what they come to is seen here.
    """

    def __init__(self, trainer: TorchTrainer, values: LaneValues, places: Sequence[Place], looks: set[str]) -> None:
        self._trainer, self._values, self._looks = trainer, values, looks
        self._places = tuple(places)
        #: of the lanes, after `build()`
        self.floats = ModuleFloats((), [()] * len(values.each), [{}] * len(values.each))

    def __enter__(self) -> LaneModels:
        self._own = vars(self._trainer).get("make_model")
        vars(self._trainer)["make_model"] = self._make
        return self

    def __exit__(self, *_error: object) -> None:
        self._give_back()

    def _make(self) -> nn.Module:
        """Make the template's model, in place of its `make_model`.

        Raises:
          LanesDifferIn: lanes differ in values that it reads, and models made for them in more than such floats.
        """
        self._give_back()
        before, bare = set(self._looks), copy.copy(self._trainer)
        made = _make(self._trainer, self._trainer.hp)
        self._looks &= before  # what else looks at these names from now on leaves a trace of its own
        made_for = [{name: each.raw[name] for name in sorted(made.read)} for each in self._values.each]
        places = tuple(place for place in self._places if _is_there(made.model, place))
        rows = {repr(made_for[0]): _floats(made.model, places)}
        for each, of_lane in zip(self._values.each, made_for, strict=True):
            if repr(of_lane) not in rows:
                rows[repr(of_lane)] = self._row(bare, each, made, places)
        self.floats = ModuleFloats(places, [rows[repr(of_lane)] for of_lane in made_for], made_for)
        return cast(nn.Module, made.model)

    def _row(self, bare: TorchTrainer, values: HparamValues, made: _BuiltModel, places: Sequence[Place]) -> list[float]:
        """Return the floats of a lane whose model is made for other values than the template's."""
        if places:
            with fence():
                seed_everything(bare.seed, "build", 0)
                other = _make(copy.copy(bare), values)
            if _are_alike(made, other, places):
                return _floats(other.model, places)
        raise LanesDifferIn(self._values.differing & made.read)

    def _give_back(self) -> None:
        if self._own is None:
            vars(self._trainer).pop("make_model", None)
        else:
            vars(self._trainer)["make_model"] = self._own


class _BuiltModel(NamedTuple):
    """What `make_model` made."""

    model: Any
    #: attributes of the trainer that it set, by name
    left: dict[str, Any]
    #: names of the hyper-parameters that it read
    read: frozenset[str]


def own_floats(pristine: Trainer, values: LaneValues) -> tuple[Place, ...]:
    """Return the places of the floats in which the models of two lanes differ; none if they differ in more.

    Args:
      pristine: the trainer as its `__init__` left it, a `TorchTrainer`.
      values: of the two lanes, as a model is built for them.
    """
    made = []
    for of_lane in values.each:
        with fence():
            seed_everything(pristine.seed, "build", 0)
            try:
                made.append(_make(cast("TorchTrainer", copy.copy(pristine)), of_lane))
            except Exception:  # where it matters, it is told by who has it built
                return ()
    one, other = made
    try:
        places = float_places(one.model, other.model)
    except ModelsDiffer:
        return ()
    return places if _are_alike(one, other, places) else ()


def _make(trainer: TorchTrainer, values: HparamValues) -> _BuiltModel:
    """Call a trainer's `make_model` under these values."""
    read: set[str] = set()
    trainer.hp = values.recording(read)
    before = dict(vars(trainer))
    try:
        with trainer._surrogate_notes.asked():
            model = trainer.make_model()
        left = {name: value for name, value in vars(trainer).items() if before.get(name, before) is not value}
    finally:
        trainer.hp = values
    return _BuiltModel(model, left, frozenset(read))


def _are_alike(one: _BuiltModel, other: _BuiltModel, places: Sequence[Place]) -> bool:
    """Whether two models, and all else that was made with them, are the same but for the floats in some places."""
    if one.read != other.read:
        return False
    try:
        require_same(one.left, other.left, (one.model, other.model))
        return set(float_places(one.model, other.model)) <= set(places)
    except ModelsDiffer:
        return False


def _is_there(model: Any, place: Place) -> bool:
    try:
        holder_of(model, place)
    except LookupError:
        return False
    return True


def _floats(model: nn.Module, places: Sequence[Place]) -> list[float]:
    return [holder_of(model, place).get() for place in places]
