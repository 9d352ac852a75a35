"""What a LightningModule finds where it looks for Lightning's Trainer: the epoch, and who takes what it logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from hippo.errors import TrainerError


class LoopStandIn:
    """Stands where a module expects Lightning's Trainer; whatever it has not is refused by name."""

    is_global_zero = True
    sanity_checking = False
    logger = None
    loggers: tuple[Any, ...] = ()

    def __init__(self) -> None:
        #: how often training has been through its samples
        self.current_epoch = 0
        self._batches = self._samples = 0
        self._of_batch: dict[str, Any] | None = None
        self._of_all: dict[str, Any] = {}
        #: torchmetrics' metrics by the names that they are logged under
        self._computed: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # whoever copies or pickles it asks for these
            raise AttributeError(name)
        raise TrainerError(
            f"the module looks for {name!r} of Lightning's Trainer, but hippo trains it, which can be cut at any step; "
            "self.current_epoch and self.log() are there"
        )

    def __deepcopy__(self, _: object) -> LoopStandIn:
        return self

    def attach(self, module: Any) -> None:
        """Let a module find this one as its Trainer."""
        module._trainer, module.log, module.log_dict = self, self.log, self.log_dict

    def begin(self, epoch: int) -> None:
        """Begin a step, or an evaluation."""
        self.current_epoch, self._batches, self._of_batch = epoch, 0, None
        self._of_all, self._computed = {}, {}

    @property
    def num_batches(self) -> int:
        """How many batches of the step, or the evaluation, were begun."""
        return self._batches

    def begin_batch(self, samples: int) -> int:
        """Begin a batch of so many samples; return its number."""
        self._of_batch, self._samples = {}, samples
        self._batches += 1
        return self._batches - 1

    def end_batch(self) -> dict[str, Any]:
        """Return what was logged in a batch, by name."""
        logged, self._of_batch = self._of_batch or {}, None
        return logged

    def end(self) -> dict[str, Any]:
        """Return what was logged of all batches together, by name; metrics begin anew."""
        computed = {name: metric.compute() for name, metric in self._computed.items()}
        for metric in self._computed.values():
            metric.reset()
        return {**self._of_all, **computed}

    def log(
        self, name: str, value: Any, *_: Any, reduce_fx: Any = "mean", batch_size: int | None = None, **__: Any
    ) -> None:
        """Take a value, as `LightningModule.log` does; how it is shown is no matter here.

        Raises:
          TrainerError: it shall be reduced by something else than the mean over samples.
        """
        if hasattr(value, "compute") and hasattr(value, "reset"):
            self._computed[name] = value
            return
        if reduce_fx not in ("mean", torch.mean):
            raise TrainerError(f"self.log({name!r}, reduce_fx={reduce_fx!r}): what is logged is averaged over samples")
        if batch_size is not None and self._of_batch is not None and batch_size != self._samples:
            raise TrainerError(
                f"self.log({name!r}, batch_size={batch_size!r}) of a batch of {self._samples} samples: what is logged "
                "is averaged over samples. For another mean, log a torchmetrics.MeanMetric that is given weights"
            )
        of = self._of_all if self._of_batch is None else self._of_batch
        of[name] = value.detach() if isinstance(value, torch.Tensor) else value

    def log_dict(self, dictionary: Mapping[str, Any], *arguments: Any, **named: Any) -> None:
        """Take several values."""
        for name, value in dictionary.items():
            self.log(name, value, *arguments, **named)
