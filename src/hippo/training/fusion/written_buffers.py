"""Which buffers a model writes in training: running means, counters. All others may be common to lanes.

It is found by looking: the loss of one batch is computed once, in vain, and leaves no trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map_only

from hippo.training.fusion.lane_tensors import same_bits
from hippo.training.fusion.trainer_snapshot import ChanceSnapshot, TrainerSnapshot
from hippo.training.process.streams import fence

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def written_buffers(trainer: TorchTrainer, batch: Any) -> frozenset[str]:
    """Return the names of the buffers of `trainer.model` that its loss of a batch writes, or assigns anew."""
    before = dict(trainer.model.named_buffers())
    if not before:
        return frozenset()
    kept = {name: (tensor.detach().clone(), tensor._version) for name, tensor in before.items()}
    own = tree_map_only(Tensor, torch.clone, batch)  # which it may write
    marks, generators = TrainerSnapshot(trainer), ChanceSnapshot(trainer)
    with fence(), trainer._descent.autocast():
        trainer.loss(trainer.model, own)
    generators.put_back()
    after = dict(trainer.model.named_buffers())
    written = frozenset(
        name
        for name, tensor in before.items()
        if after.get(name) is not tensor or tensor._version != kept[name][1] or not same_bits(tensor, kept[name][0])
    )
    marks.put_back()
    _put_back(trainer.model, before)
    with torch.no_grad():
        for name in sorted(written):
            before[name].copy_(kept[name][0])
    return written


def _put_back(model: nn.Module, buffers: dict[str, Tensor]) -> None:
    for name, tensor in buffers.items():
        path, _, key = name.rpartition(".")
        model.get_submodule(path)._buffers[key] = tensor
