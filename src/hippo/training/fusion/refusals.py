"""What cannot be walked as one program, and why: each reason is one line that says what to do instead.

It looks at classes and attributes, before anything runs. It refuses to know models and batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torch.optim.lr_scheduler import LRScheduler

from hippo.training.torch_trainer import TorchTrainer
from hippo.training.trainer import Trainer

#: what a trainer may define, but then has its own way for -> what it may do instead
_OF_ITS_OWN: Mapping[str, str] = {
    "build": "make the parts in make_model(), make_optimizer() and __init__()",
    "train": "say what a step is by samples_per_step, loss() and accumulate",
    "batches_of_step": "say what a step is by samples_per_step and sampler()",
    "train_on_batch": "compute one loss in loss(), whose gradient is all that an update needs",
    "update": "clip_norm, accumulate and ema_decay do for lanes what it is mostly for",
    "descend": "return one optimizer, with a group for each",
    "evaluate": "compute metrics in metrics(), batch by batch",
    "state_dict": "keep what training changes in buffers of the model",
    "load_state_dict": "keep what training changes in buffers of the model",
    "must_start_over": "keep all that going on needs in the state",
    "evaluated_model": "ema_decay and swa_from average weights of lanes, too",
}


class NotFusible(Exception):
    """Lanes of this workload cannot be walked as one program; the message says why, and what to do instead."""


class LanesDifferIn(Exception):
    """These lanes cannot be walked as one program, since they differ in values on which the program depends.

    Args:
      names: of the hyper-parameters; lanes that agree in them can be walked together.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"lanes differ in {', '.join(map(repr, self.names))}, on which what is computed depends")


def refusal_of(trainer: Trainer) -> str | None:
    """Say why lanes of a trainer cannot be walked as one, as far as its class and its attributes tell; None: they may.

    What only shows when it runs, an optimizer of another kind or a model that cannot be computed so, raises
    `NotFusible` there.
    """
    cls = type(trainer)
    if not isinstance(trainer, TorchTrainer):
        return (
            f"{cls.__name__} is no hippo.TorchTrainer, which says model, optimizer and loss apart; write it as one to "
            "have its lanes walked as one program"
        )
    for method, instead in _OF_ITS_OWN.items():
        if getattr(cls, method) is not getattr(TorchTrainer, method):
            return f"{cls.__name__} overrides {method}(), which lanes have no part in; instead, {instead}"
    if trainer.precision == "fp16":
        return f"{cls.__name__}.precision = 'fp16' scales losses by how one lane fares; take 'bf16', or None"
    if schedulers := sorted(name for name, value in vars(trainer).items() if isinstance(value, LRScheduler)):
        return (
            f"{cls.__name__} keeps a scheduler of torch's in self.{schedulers[0]}; say the learning rate by a sequence "
            "of the config, such as hippo.Cosine"
        )
    return None
