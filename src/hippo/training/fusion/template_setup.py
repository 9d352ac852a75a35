"""Calls the user's `setup` for lanes that are walked as one, on the trainer that is their template.

`setup` may freeze parts of the model, or set numbers in its modules. What it writes into tensors would be of no lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hippo.training.declarative.named_tensors import named_tensors
from hippo.training.declarative.optimizer_values import options_of, same_options
from hippo.training.declarative.torch_attributes import check_read_by_build
from hippo.training.fusion.gradient_hooks import require_no_hooks
from hippo.training.fusion.refusals import NotFusible
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def set_up_template(trainer: TorchTrainer, values: Mapping[str, Any]) -> None:
    """Call `trainer.setup(values)`; what it looks at, there and in `trainer.hp`, is recorded by `trainer.hp`.

    Raises:
      NotFusible: it changed tensors of the model or options of the optimizer, made others, or registered a hook on
        gradients.
    """
    before, options = _marks(trainer), options_of(trainer._live.by_name)
    looked_at: set[str] = set()
    in_force = trainer.hp
    trainer.hp = in_force.recording(looked_at)
    try:
        missing = f"setup() gets only the values that changed, here {sorted(values)}; ask `if name in hp` first."
        trainer.setup(HparamValues(values, missing=missing, read=looked_at))
        for name in sorted(looked_at & values.keys()):
            in_force[name]  # a look at what is handed over is a look at the value in force
    finally:
        trainer.hp = in_force
    check_read_by_build(trainer, trainer._read_by_build)
    trainer._note_setup(has_looked=not looked_at.isdisjoint(values))
    if _marks(trainer) != before:
        raise NotFusible("setup() writes tensors of the model, which belong to one lane each; write them in loss()")
    if not same_options(options_of(trainer._live.by_name), options):
        raise NotFusible(
            "setup() writes options of self.optimizer, which are those of one lane; say them by hyper-parameters that "
            "make_optimizer() reads"
        )
    require_no_hooks(trainer.model)


def _marks(trainer: TorchTrainer) -> dict[str, tuple[int, int]]:
    """Return what is other after a tensor was written, or replaced."""
    return {name: (id(tensor), tensor._version) for name, tensor in named_tensors(trainer.model).items()}
