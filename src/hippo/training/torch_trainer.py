"""The declarative form of a trainer for PyTorch: say what the parts are, and exact checkpoints come for free.

It refuses to know how its model is saved, where it runs and which trial it serves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import torch

from hippo.errors import HparamError, TrainerError
from hippo.training.data import TrainingFeed, ValidationFeed, to_device
from hippo.training.failures import DatasetFailed
from hippo.training.optimizer_values import LiveOptimizer, recorded_reads
from hippo.training.sample_chance import SampleChance
from hippo.training.samples import check_dataset
from hippo.training.streams import fence, seed_everything
from hippo.training.torch_attributes import check_attributes, check_batch_size_attribute, checked_loss, checked_model
from hippo.training.torch_reuse import built
from hippo.training.torch_state import (
    frozen_parameters,
    load_frozen_parameters,
    load_scheduler_states,
    scheduler_states,
)
from hippo.training.trainer import BuiltState, Trainer
from hippo.training.values import HparamValues, same_value, whole_number
from hippo.training.weighted_means import WeightedMeans

if TYPE_CHECKING:
    from hippo.hparams import Config

BATCH_SIZE = "batch_size"


class TorchTrainer(Trainer):
    """Trains a PyTorch model by stochastic gradient descent.

    The hyper-parameters `lr`, `momentum`, `betas` and `weight_decay` are applied at each step where `make_optimizer`
    reads them; so is `batch_size`, which nothing need read. If another value that `make_optimizer` reads changes, it is
    called again and the optimizer begins anew. All other names arrive in `setup`, and can be read from `self.hp`
    anywhere.
    """

    #: samples that make a step; None: as many as the training set has
    samples_per_step: int | None = None
    #: where the config has no `batch_size`
    default_batch_size: int = 32
    #: of validation, whatever the training's
    val_batch_size: int = 256
    #: processes that fetch samples ahead; their number changes no result. A data set that follows hyper-parameters
    #: defines `set_hparams(hp)`, which is called before each step and each evaluation; whatever it reads there is
    #: flushed when it changes
    num_workers: int = 0
    #: "step": a value holds for a whole step; "batch": batch i of n in step t is trained at the values of t + i/n
    apply_hparams: Literal["step", "batch"] = "step"
    #: where to train; None: on the GPU if there is one
    device: torch.device | str | None = None

    model: torch.nn.Module
    _datasets: dict[str, Any]
    _chances: dict[str, SampleChance]

    def __new__(cls, *_args: object, **_kwargs: object) -> TorchTrainer:
        trainer = super().__new__(cls)
        trainer._datasets = {}  # shared by all copies: a worker makes each set once
        trainer._chances = {}  # and learns once from which generators it draws
        return trainer

    # ------------------------------------------------------------------------------------------ what users define

    @abstractmethod
    def make_model(self) -> torch.nn.Module:
        """Return a newly initialised model."""

    @abstractmethod
    def make_optimizer(self, params: Iterator[torch.nn.Parameter]) -> torch.optim.Optimizer:
        """Return an optimizer of `params` (or of groups of `self.model`'s) at the values in `self.hp`."""

    @abstractmethod
    def train_set(self) -> Any:
        """Return the map-style dataset to train on. Called once per worker: there are no values in `self.hp` yet.

        If it defines `set_hparams(hp)`, it is handed the values in force before each step.
        """

    @abstractmethod
    def val_set(self) -> Any:
        """Return the map-style dataset to evaluate on. Called once per worker."""

    @abstractmethod
    def loss(self, model: torch.nn.Module, batch: Any) -> torch.Tensor:
        """Return the mean loss of a batch, a 0-d tensor.

        Args:
          model: call it, and read `training`; nothing else, for it may stand in for the module.
          batch: samples as `torch.utils.data.default_collate` puts them together.
        """

    def metrics(self, model: torch.nn.Module, batch: Any) -> Mapping[str, Any]:
        """Return metrics of a batch of the validation set by name, each a mean over its samples."""
        return {"loss": self.loss(model, batch)}

    def update(self, loss: torch.Tensor) -> None:
        """Take one optimizer step down `loss`. Override it to clip gradients, scale losses or average weights."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()

    # --------------------------------------------------------------------------------------------- what hippo calls

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """The optimizer under way."""
        return self._live.optimizer

    def build(self) -> None:
        check_attributes(self, type(self).__name__)
        self._device = torch.device(self.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        train_set, val_set = self._dataset("train_set"), self._dataset("val_set")
        with recorded_reads(self) as names:
            self.model = checked_model(self.make_model()).to(self._device)
        self._frozen_at_first = frozen_parameters(self.model)
        self._model_values = {name: self.hp.raw[name] for name in sorted(names)}
        self._live = LiveOptimizer(self)
        wanted = self.samples_per_step
        self._samples_per_step = len(train_set) if wanted is None else whole_number(wanted)
        self._training = TrainingFeed(
            train_set,
            seed=self.seed,
            samples_per_step=self._samples_per_step,
            num_workers=self.num_workers,
            known=self._chances.setdefault("train_set", SampleChance(self.seed, "sample")),
        )
        self._validation = ValidationFeed(
            val_set,
            seed=self.seed,
            batch_size=whole_number(self.val_batch_size),
            num_workers=self.num_workers,
            known=self._chances.setdefault("val_set", SampleChance(self.seed, "val_sample")),
        )
        self._samples = 0

    def train(self) -> Mapping[str, Any]:
        if not hasattr(self, "_live"):
            raise TrainerError(f"{type(self).__name__}.build() must call super().build(), which makes the model")
        self._check_model_values()
        self._live.apply(self)
        self._training.give(self.hp)
        self.model.train()
        batch_size = whole_number(self.hp.get(BATCH_SIZE, self.default_batch_size))
        cuts = self._training.step(self._samples, batch_size)
        means = WeightedMeans()
        is_plain = type(self).update is TorchTrainer.update
        for number, batch in enumerate(self._training.batches(self._samples, batch_size)):
            with self._values_of_batch(number, len(cuts)):
                loss = checked_loss(self.loss(self.model, to_device(batch, self._device)), is_plain=is_plain)
                self.update(loss)
            means.add({"loss": loss}, samples=cuts[number].stop - cuts[number].start)
        self._live.apply(self)  # a state is saved under the step's values, whatever its last batch had
        self._samples += self._samples_per_step
        return means.result()

    def evaluate(self) -> Mapping[str, Any]:
        self._validation.give(self.hp)
        self.model.eval()
        means = WeightedMeans()
        with torch.no_grad():
            for batch, size in zip(self._validation.batches(), self._validation.sizes, strict=True):
                means.add(self.metrics(self.model, to_device(batch, self._device)), samples=size)
        return means.result()

    def state_dict(self) -> dict[str, Any]:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "samples": self._samples,
        }
        # only where there is anything to say: the states of all others are what they always were
        if (frozen := frozen_parameters(self.model)) != self._frozen_at_first:
            state["frozen"] = frozen
        if schedulers := scheduler_states(self):
            state["schedulers"] = schedulers
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self._samples = state["samples"]
        if "frozen" in state:
            load_frozen_parameters(self.model, state["frozen"])
        load_scheduler_states(self, state.get("schedulers", {}))

    def close(self) -> None:
        self._training.close()

    def _as_built(self, pristine: Trainer) -> BuiltState | None:
        return built(self, pristine)

    def _base_state(self) -> Mapping[str, Any]:
        return {"model": self.model.state_dict()}

    def _outlives_close(self) -> bool:
        cls = type(self)  # ours ends loader workers, which begin again where they are needed
        return cls.close is TorchTrainer.close and cls.must_start_over is Trainer.must_start_over

    def _note_setup(self) -> None:
        self._training.flush()  # it may have changed the data set

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        """Raise an error if `config` cannot be trained for `until` steps. Called before anything is trained.

        Raises:
          HparamError: a batch size is not a whole number of at least 1.
          TrainerError: an attribute of the class has a value that it cannot have.
        """
        from hippo.hparams import Config, path

        check_attributes(cls, cls.__name__)
        check_batch_size_attribute(cls, TorchTrainer)
        super().check_config(config, until)
        if BATCH_SIZE not in config:
            return
        stretches = list(path(Config({BATCH_SIZE: config[BATCH_SIZE]}), until))
        ends = [start for start, _ in stretches[1:]] + [until]
        for (start, pieces), end in zip(stretches, ends, strict=True):
            piece = pieces[BATCH_SIZE]
            for step in range(start, end if piece.origin is not None else start + 1):  # a constant needs one look
                _check_batch_size(piece.at(step), step, config)

    # ----------------------------------------------------------------------------------------------------- the rest

    def _dataset(self, method: str) -> Any:
        if method not in self._datasets:
            outer = self.hp
            self.hp = HparamValues({}, missing=f"{method}() is called once per worker, for all trials alike.")
            try:
                with fence():
                    seed_everything(self.seed, method, 0)
                    dataset = getattr(self, method)()
                    # in here: whatever it draws when it is asked once must not be missed by the model
                    check_dataset(dataset, method)
                self._datasets[method] = dataset
            except Exception as error:
                raise DatasetFailed(method) from error
            finally:
                self.hp = outer
        return self._datasets[method]

    def _check_model_values(self) -> None:
        """A model is made once: a value that its making read may only change if `setup` sees to it."""
        if type(self).setup is not Trainer.setup:
            return
        for name, value in self._model_values.items():
            if not same_value(value, self.hp.raw[name]):
                raise HparamError(
                    f"make_model() read {name!r} when it was {value!r}; now it is {self.hp.raw[name]!r}, but a model "
                    f"is made only once. Define setup(hp) and apply hp[{name!r}] to self.model there."
                )

    @contextmanager
    def _values_of_batch(self, number: int, batches: int) -> Iterator[None]:
        """Put the values of one batch in force, and those of the step again afterwards."""
        if self.apply_hparams == "step":
            yield
            return
        outer = self.hp
        self.hp = outer.at(self._samples // self._samples_per_step + number / batches)
        try:
            self._live.apply(self)
            yield
        finally:
            self.hp = outer


def _check_batch_size(value: object, step: int, config: Config) -> None:
    try:
        whole_number(value)
    except HparamError as error:
        raise HparamError(
            f"batch_size at step {step}: {error}. The config gives {config[BATCH_SIZE]!r}; "
            "use Constant, Piecewise or MultiStep with whole values."
        ) from None
