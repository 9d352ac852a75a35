"""A LightningModule and its DataModule as a trainer: their steps, logs, loaders and optimizer; no loop of Lightning's.

What Lightning's loop would have done with them beyond that is refused by name: it would be lost without a word.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from hippo.errors import MissingExtraError, TrainerError

try:
    import torch
except ModuleNotFoundError as error:
    raise MissingExtraError(f"LightningTrainer needs torch: pip install 'hippo-tune[lightning]' ({error})") from None
from hippo.integrations.lightning_checks import SAID_OTHERWISE, call_step, check_loaders, checked_module
from hippo.integrations.lightning_loop import LoopStandIn
from hippo.integrations.lightning_values import values_in_force
from hippo.training.declarative.modes import LastingModes
from hippo.training.declarative.trainer_data import of_no_trial
from hippo.training.torch_trainer import TorchTrainer

_EPOCH_HOOKS = {f"on_{what}_epoch_{end}" for what in ("train", "validation") for end in ("start", "end")}
#: what is called as Lightning calls it
_OF_MODULES = {"training_step", "validation_step", "configure_optimizers", "configure_model", "setup", *_EPOCH_HOOKS}
_OF_DATA = {"prepare_data", "setup", "train_dataloader", "val_dataloader"}


class LightningTrainer(TorchTrainer):
    """Trains a LightningModule. Hyper-parameters that it keeps in `hparams`, or as attributes, follow the config.

    `make_module` reads from `self.hp` what the architecture depends on. Of all others the module has the values in
    force: `configure_optimizers`, which gives one optimizer and no scheduler, is asked again when one of them changes,
    as `TorchTrainer.make_optimizer` is. What is logged is averaged over samples; metrics of torchmetrics are computed
    over each step, and over each evaluation. Loaders say batch sizes and how samples are put together; a `batch_size`
    in the config goes before theirs, and samples come in an order of hippo's. Lanes are walked one by one.

    Raises:
      TrainerError: a hook would never be called, or something else that the module or its loaders ask for is not done.
    """

    model: Any
    _loaders: dict[str, Any]
    _modes: LastingModes
    _modes_kind = LastingModes
    _said_otherwise = SAID_OTHERWISE

    def __new__(cls, *_args: object, **_kwargs: object) -> LightningTrainer:
        trainer = super().__new__(cls)
        assert isinstance(trainer, LightningTrainer)
        trainer._loaders = {}  # shared by all copies, as data sets are
        return trainer

    @abstractmethod
    def make_module(self) -> Any:
        """Return a new LightningModule."""

    @abstractmethod
    def make_data(self) -> Any:
        """Return a LightningDataModule. Called once per worker, for all trials alike: `self.hp` has no values there."""

    def build(self) -> None:
        train, val = self._loader("train"), self._loader("val")
        self.default_batch_size, self.val_batch_size = train.batch_size or 1, val.batch_size or 1
        self.num_workers = train.num_workers
        super().build()

    def make_model(self) -> torch.nn.Module:
        module = checked_module(self.make_module(), "LightningModule", _OF_MODULES)
        if not module.automatic_optimization:
            raise TrainerError(
                f"{type(module).__name__} optimizes by itself (automatic_optimization = False), which is not the same "
                "when it is cut between two steps; write it as a hippo.TorchTrainer with train_on_batch()"
            )
        module.setup("fit")
        module.configure_model()
        self._loop = LoopStandIn()
        self._loop.attach(module)
        assert isinstance(module, torch.nn.Module)
        return module

    def make_optimizer(self, params: Iterator[torch.nn.Parameter]) -> torch.optim.Optimizer:
        with self._values_in_force(self.model):
            made = self.model.configure_optimizers()
        made = made[0] if isinstance(made, tuple) and len(made) == 2 and not made[1] else made  # and no schedulers
        made = made[0] if isinstance(made, list | tuple) and len(made) == 1 else made
        made = made["optimizer"] if isinstance(made, Mapping) and made.keys() == {"optimizer"} else made
        if not isinstance(made, torch.optim.Optimizer):
            raise TrainerError(
                f"{type(self.model).__name__}.configure_optimizers() returned {made!r}; it has to be one optimizer. "
                'A schedule is what a hyper-parameter has as its value: {"lr": hippo.Cosine(0.1, 100)}, say.'
            )
        return made

    def _values_in_force(self, module: Any) -> AbstractContextManager[None]:
        """Let the module find the values in force, but for those that it was made with, while it is called."""
        return values_in_force(module, self.hp, self._model_values.keys())

    def train_set(self) -> Any:
        return self._loader("train").dataset

    def val_set(self) -> Any:
        return self._loader("val").dataset

    def collate(self, samples: list[Any]) -> Any:
        return self._loader("train").collate_fn(samples)

    def _epoch_of(self, sample: int) -> int:
        """Return in which epoch a sample is given out; the first is number 0."""
        dataset = self._loader("train").dataset
        return max(0, sample) // len(dataset) if hasattr(dataset, "__len__") else 0

    def train(self) -> Mapping[str, Any]:
        self._loop.begin(self._epoch_of(self._training.samples))
        self._modes.begin(self.model)
        with self._values_in_force(self.model):
            self.model.on_train_epoch_start()
        metrics = super().train()
        with self._values_in_force(self.model):
            self.model.on_train_epoch_end()
        self._modes.end(self.model)
        return {**metrics, **self._loop.end()}

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        return {**super().train_on_batch(batch), **self._loop.end_batch()}

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        with self._values_in_force(model):
            told = call_step(model.training_step, batch, self._loop.begin_batch(self._batch.samples))
        loss = told.get("loss") if isinstance(told, Mapping) else told
        if not isinstance(loss, torch.Tensor):
            raise TrainerError(f"{type(model).__name__}.training_step() returned no loss, but {told!r}")
        return loss

    def evaluate(self) -> Mapping[str, Any]:
        model: Any = self.evaluated_model.eval()
        self._loop.attach(model)  # an average is a copy
        # that of the last sample, which a state tells, too: whoever goes on from one has not trained it
        self._loop.begin(self._epoch_of(self._training.samples - 1))
        with torch.no_grad():
            with self._values_in_force(model):
                model.on_validation_epoch_start()
            metrics = super().evaluate()
            with self._values_in_force(model):
                model.on_validation_epoch_end()
        return {**metrics, **self._loop.end()}

    def state_dict(self) -> dict[str, Any]:
        modes = self._modes.state()
        return super().state_dict() if modes is None else {**super().state_dict(), "in_eval": modes}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._modes.load(state.get("in_eval"))

    def metrics(self, model: Any, batch: Any) -> Mapping[str, Any]:
        with self._values_in_force(model):
            samples = self._validation.sizes[self._loop.num_batches]
            call_step(model.validation_step, batch, self._loop.begin_batch(samples))
        return self._loop.end_batch()

    def _loader(self, which: str) -> Any:
        if not self._loaders:
            data = checked_module(of_no_trial(self, "make_data"), "LightningDataModule", _OF_DATA)
            data.prepare_data()
            data.setup("fit")
            self._loaders |= {"train": data.train_dataloader(), "val": data.val_dataloader()}
            own_order = type(self).sampler is not TorchTrainer.sampler
            check_loaders(type(data).__name__, self._loaders["train"], self._loaders["val"], own_order=own_order)
        return self._loaders[which]
