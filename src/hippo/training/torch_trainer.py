"""The declarative form of a trainer for PyTorch: say what the parts are, and exact checkpoints come for free.

It refuses to know how its model is saved, where it runs and which trial it serves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch.utils.data import default_collate

from hippo.errors import HparamError, TrainerError
from hippo.training.declarative.averages import ModelAverage
from hippo.training.declarative.descent import Descent
from hippo.training.declarative.kept_modules import KeptModules, everybodys
from hippo.training.declarative.modes import FrozenModes, TrainingModes
from hippo.training.declarative.optimizer_values import LiveOptimizer, recorded_reads
from hippo.training.declarative.other_words import OTHER_WORDS
from hippo.training.declarative.own_train import check_is_done
from hippo.training.declarative.plain_descent import descended
from hippo.training.declarative.set_late import check_set_late
from hippo.training.declarative.torch_attributes import (
    check_attributes,
    check_batch_size_attribute,
    check_read_by_build,
    check_states_have,
    device_of,
    is_users,
    read_by_build,
    step_under_way,
)
from hippo.training.declarative.torch_reuse import built
from hippo.training.declarative.torch_state import (
    frozen_parameters,
    load_frozen_parameters,
    load_model_state,
    load_scheduler_states,
    scheduler_states,
)
from hippo.training.declarative.trainer_data import (
    SampleMethods,
    batch_size_of,
    check_batch_sizes,
    dataset_of,
    training_feed,
    validation_feed,
)
from hippo.training.elastic.checks import check_elastic_build, check_elastic_model, require_same_frozen
from hippo.training.elastic.here import elastic_rank
from hippo.training.feeding.data import to_device
from hippo.training.feeding.sample_chance import SampleChance
from hippo.training.feeding.weighted_means import WeightedMeans
from hippo.training.scaled.models import made_model
from hippo.training.scaled.optimizers import SurrogateOptions
from hippo.training.scaled.user_methods import ScaledTrainer, ScaleNotes, UnlessSet
from hippo.training.sharding.checks import check_shardable, check_shards, require_same_shards
from hippo.training.sharding.mean_loss import MeanLooks
from hippo.training.sharding.sharder import Sharder, shards_of
from hippo.training.trainer import BuiltState, Trainer
from hippo.training.values import HparamValues, same_value, whole_number

if TYPE_CHECKING:
    from hippo.hparams import Config
    from hippo.training.elastic.elastic_rank import ElasticRank
    from hippo.training.fusion.model_updates import ModelUpdates
    from hippo.training.recording_experience import RecordingExperience, RecordingListener


class TorchTrainer(ScaledTrainer):
    """Trains a PyTorch model by stochastic gradient descent.

    The hyper-parameters `lr`, `momentum`, `betas`, `eps` and `weight_decay` are applied at each step where
    `make_optimizer` reads them; so is `batch_size`, which nothing need read. If another value that `make_optimizer`
    reads changes, it is called again and the optimizer begins anew. All other names arrive in `setup`, and can be read
    from `self.hp` anywhere.
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
    #: the largest norm of the gradients of all parameters together; None: they are not clipped
    clip_norm: float | None = None
    #: batches whose gradients make one optimizer step, as their mean over all samples
    accumulate: int = 1
    #: "bf16", "fp16" (which scales losses): losses and metrics are computed so, by torch's autocast
    precision: Literal["bf16", "fp16"] | None = None
    #: how much of the average of weights stays at each optimizer step. `evaluate`, `load_model` and `hippo export` take
    #: the average; its buffers are the model's
    ema_decay: float | None = None
    #: the step from which on the weights at each step's end are averaged alike (SWA), buffers as well; before it,
    #: everybody takes the model itself
    swa_from: int | None = None
    #: into how many parts each batch is cut, a power of two. Their gradients are computed one by one and added in one
    #: order, so that any number of processes come to the same bits; other shards are another training
    shards: int = 1
    #: with numerics="elastic" and several processes: classes of the model's modules that are put together one at a
    #: time, while they compute, such as a transformer's layers. All else is together for a whole pass
    elastic_blocks: tuple[type[torch.nn.Module], ...] = ()
    #: on a CUDA device, losses and gradients of updates that are alike are launched as one recording (a CUDA graph), to
    #: the same bits: several times faster where a model is small. True: wherever that can be; None: in studies with
    #: numerics="fused"; False: never
    record_updates: bool | None = None
    #: of a surrogate's optimizers that are not torch's: "sgd" if their steps are in proportion to gradients, "adam" if
    #: they are as large whatever the gradients' size; None: classes tell
    optimizer_kind: Literal["sgd", "adam"] | None = None

    _said_otherwise = OTHER_WORDS
    model: torch.nn.Module
    _datasets: dict[str, Any]
    _chances: dict[str, SampleChance]
    _kept_modules: KeptModules
    _mean_looks: dict[Any, MeanLooks]
    _surrogate_options: SurrogateOptions | None = None
    _sharder: Sharder | None = None
    _ranks: ElasticRank | None = None
    _updates: ModelUpdates | None = None
    _modes: TrainingModes
    _modes_kind: type[TrainingModes] = FrozenModes

    def __new__(cls, *_args: object, **_kwargs: object) -> TorchTrainer:
        trainer = super().__new__(cls)
        trainer._datasets = {}  # shared by all copies: a worker makes each set once
        trainer._chances = {}  # and learns once from which generators it draws
        trainer._kept_modules = KeptModules()  # and notices where trials train what is everybody's
        trainer._mean_looks = {}  # and compares losses with those of their shards now and then
        trainer._surrogate_notes = ScaleNotes()  # and looks once at the target of a surrogate
        return trainer

    # ------------------------------------------------------------------------------------------ what users define

    @abstractmethod
    def make_model(self) -> torch.nn.Module:
        """Return a newly initialised model."""

    @abstractmethod
    def make_optimizer(
        self, params: Iterator[torch.nn.Parameter]
    ) -> torch.optim.Optimizer | Mapping[str, torch.optim.Optimizer]:
        """Return an optimizer of `params` (or of groups of `self.model`'s) at the values in `self.hp`.

        Or several, by name: `self.optimizers` has them. Of one called "critic", the hyper-parameters `critic_lr` or
        `lr_critic`, and so on, are applied at each step, as `lr` is.
        """

    @abstractmethod
    def train_set(self) -> Any:
        """Return the map-style dataset to train on. Called once per worker: there are no values in `self.hp` yet.

        If it defines `set_hparams(hp)`, it is handed the values in force before each step. A stream will do, too: an
        iterable dataset with `state_dict()` and `load_state_dict(state)`, or with `seek(position)`.
        """

    @abstractmethod
    def val_set(self) -> Any:
        """Return the map-style dataset to evaluate on. Called once per worker."""

    @abstractmethod
    def loss(self, model: torch.nn.Module, batch: Any) -> torch.Tensor:
        """Return the mean loss of a batch, a 0-d tensor.

        Args:
          model: call it, and read `training`; nothing else, for it may stand in for the module.
          batch: samples as `collate` puts them together.
        """

    def metrics(self, model: torch.nn.Module, batch: Any) -> Mapping[str, Any]:
        """Return metrics of a batch of the validation set by name, each a mean over its samples."""
        return {"loss": self.loss(model, batch)}

    def collate(self, samples: list[Any]) -> Any:
        """Return a batch of samples. What it depends on is `samples` alone, and what `__init__` made."""
        return default_collate(samples)

    def sampler(self, epoch: int) -> Iterable[Any]:
        """Return the indices of an epoch's samples in their order: a list, a tensor, a torch `Sampler`. Override it.

        It depends on `epoch`, `self.seed` and the global generators alone, which are seeded from these two; and on what
        `__init__` made. Any number of indices makes an epoch, and a step without `samples_per_step`. Lists among them
        are groups that no batch mixes, such as sentences of one length.
        """
        raise NotImplementedError

    def train_on_batch(self, batch: Any) -> Mapping[str, Any]:
        """Train on a batch; return metrics of it by name, each a mean over its samples.

        Override it where there is more to do than one step down one loss. `self.model` may then be used in any way, and
        what is computed has the `precision` that is asked for.
        """
        return {"loss": descended(self, batch, is_plain=type(self).update is TorchTrainer.update)}

    def update(self, loss: torch.Tensor) -> None:
        """Take a step of each optimizer down `loss`, as `accumulate`, `clip_norm` and `precision` say.

        An override that does not call this one has to see to these itself.
        """
        self._descent.take(self._live.by_name.values(), loss, weight=self._batch.weight, clip_norm=self.clip_norm)

    def descend(self, name: str, loss: torch.Tensor) -> None:
        """Take a step of one of several optimizers down `loss`, as `update` does. Others get no gradient."""
        optimizer = self._live.by_name.get(name)
        if optimizer is None:
            raise TrainerError(f"there is no optimizer {name!r}; make_optimizer() made {sorted(self._live.by_name)}")
        self._descent.take(
            [optimizer], loss, name=name, weight=self._batch.weight, clip_norm=self.clip_norm, alone=True
        )

    # --------------------------------------------------------------------------------------------- what hippo calls

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """The optimizer under way, where there is but one."""
        return self._live.only

    @optimizer.setter
    def optimizer(self, _made: object) -> None:
        raise TrainerError(
            f"{type(self).__name__} sets self.optimizer, which is what make_optimizer() returns: make it there. Values "
            "that make_optimizer() reads from self.hp are applied as they change, and its state is saved. What is no "
            "optimizer, such as the name of one, needs another name."
        )

    @UnlessSet
    def optimizers(self) -> Mapping[str, torch.optim.Optimizer]:
        """The optimizers under way, where there are several, by the names that `make_optimizer` gave them."""
        return self._live.by_name

    @property
    def evaluated_model(self) -> torch.nn.Module:
        """The model that is evaluated and exported: the average of weights, where there is one, else `self.model`."""
        average = None if self._average is None else self._average.model
        if self._average is None or average is None:
            return self.model
        self._average.follow(self.model)
        return average

    def build(self) -> None:
        check_attributes(self, type(self).__name__)
        self._device = device_of(self.device)
        self._ranks = elastic_rank()  # of this trainer alone: it was copied from one that has none
        train_set, val_set = dataset_of(self, "train_set"), dataset_of(self, "val_set")
        with recorded_reads(self) as names:
            model, self._surrogate_options = made_model(self)
            self._kept_modules.note(model, everybodys(self))
            self.model = model.to(self._device)
        check_elastic_model(self)
        self._model_values = {name: self.hp.raw[name] for name in sorted(names)}
        if self._ranks is None:
            self._build_around_model(train_set, val_set)
        else:
            with self._ranks.building(type(self).__name__):
                self.model = self._ranks.divide(self, self.model)
                self._build_around_model(train_set, val_set)

    def _build_around_model(self, train_set: Any, val_set: Any) -> None:
        samples = self._sample_methods = SampleMethods(self, TorchTrainer)
        self._read_by_build = read_by_build(self)
        self._frozen_at_first = frozen_parameters(self.model)
        self._modes = self._modes_kind(self.model, type(self).__name__)
        self._live = LiveOptimizer(self)
        check_states_have(self, TorchTrainer)
        self._descent = Descent(accumulate=whole_number(self.accumulate), precision=self.precision, device=self._device)
        has_average = self.ema_decay is not None or self.swa_from is not None
        self._average = ModelAverage(self.model, ema_decay=self.ema_decay) if has_average else None
        self._training = training_feed(self, train_set, samples)
        self._validation = validation_feed(self, val_set, samples)
        self._batch = _BatchUnderWay()
        if (shards := shards_of(self)) > 1:
            check_shardable(self, TorchTrainer, shards)
            self._sharder = Sharder(self, shards)
        check_elastic_build(self)

    def train(self) -> Mapping[str, Any]:
        means = WeightedMeans()
        for batch in self.batches_of_step():
            with self._descent.autocast():
                metrics = self.train_on_batch(batch)
            means.add(metrics, samples=self._batch.samples, of="train_on_batch")
        return means.result()

    def batches_of_step(self) -> Iterator[Any]:  # not `batches`, which many a trainer calls its counter
        """Yield the batches of a step, on the device, each with the values in force for it.

        For a `train` of one's own, which has to go through all of them, and to see to `precision` itself. It may leave
        them out at some steps; where `swa_from` or `apply_hparams = "batch"` is set, it goes through them once a step.
        """
        if not hasattr(self, "_live"):
            raise TrainerError(f"{type(self).__name__}.build() must call super().build(), which makes the model")
        self._require_whole_step()
        step = step_under_way(self, self._training.steps, is_through=self._batch.values is self.hp)
        self._check_model_values()
        self._live.apply(self)
        self._live.tell_if_left_untrained(self)
        self._sample_methods.check(self)
        self._training.give(self.hp)
        self._modes.enter(self.model)
        batch_size = batch_size_of(self, self.hp)
        if self._sharder is not None:
            self._sharder.begin_step(self, step, batch_size)
        require_same_frozen(self)
        if self._ranks is not None:
            self._ranks.begin_step(self, batch_size)
        if self._updates is not None:
            self._updates.begin_step()
        for fed in self._training.step(batch_size):
            weight = self._descent.weight_of(fed.samples, batch_size)
            is_short = fed.samples < batch_size
            self._descent.has_stepped = False
            self._batch = _BatchUnderWay(fed.samples, weight, is_short=is_short, is_mid_step=True)
            with self._values_of_batch(step + fed.share):
                yield to_device(fed.batch, self._device)
            # also where gradients of one of several optimizers wait, whichever stepped
            has_moved = self._descent.has_stepped or not self._descent.is_waiting
            if self._average is not None and self.ema_decay is not None and has_moved:
                self._average.update(self.model)
        self._batch = _BatchUnderWay(values=self.hp)
        self._live.apply(self)  # a state is saved under the step's values, whatever its last batch had
        if self._average is not None and self.swa_from is not None and step >= self.swa_from:
            self._average.update(self.model)

    def evaluate(self) -> Mapping[str, Any]:
        self._sample_methods.check(self)
        self._validation.give(self.hp)
        if self._ranks is not None:
            return self._ranks.evaluate(self)
        self.model.eval()  # also where an average is evaluated: metrics may look at it
        model = self.evaluated_model.eval()
        means = WeightedMeans()
        with torch.no_grad(), self._descent.autocast():
            for batch, size in zip(self._validation.batches(), self._validation.sizes, strict=True):
                means.add(self.metrics(model, to_device(batch, self._device)), samples=size)
        return means.result()

    def state_dict(self) -> dict[str, Any]:
        self._require_whole_step()
        state = {"model": self.model.state_dict(), **self._live.state_dict(), **self._training.state_dict()}
        # only where there is anything to say: the states of all others are what they always were
        # where `setup` may freeze, `build` may have frozen others in a lane that begins under later values
        frozen, may_change = frozen_parameters(self.model), type(self).setup is not Trainer.setup
        if frozen != self._frozen_at_first or (may_change and self._model_values):
            state["frozen"] = frozen
        if schedulers := scheduler_states(self):
            state["schedulers"] = schedulers
        if self._average is not None:
            state["average"] = self._average.state_dict()
        if self.shards > 1:
            state["shards"] = self.shards
        state |= self._descent.state_dict(self.model, self._live.by_name.values())
        return state if self._ranks is None else self._ranks.gather(self, state)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        require_same_shards(self.shards, state)
        if self._ranks is not None:
            state = self._ranks.scatter(self, state)
        load_model_state(self.model, state["model"])
        self._live.load_state_dict(state)
        self._training.load_state_dict(state)
        # a state that says nothing has what was frozen when its model was made, whatever `build` froze since
        load_frozen_parameters(self.model, state.get("frozen", self._frozen_at_first))
        load_scheduler_states(self, state.get("schedulers", {}))
        if self._average is not None:
            self._average.load_state_dict(state["average"])
        if not self._descent.is_stateless:
            # values are those of the step before
            batch_size, optimizers = batch_size_of(self, self.hp.raw), self._live.by_name.values()
            self._descent.load_state_dict(state, self.model, batch_size=batch_size, optimizers=optimizers)

    def close(self) -> None:
        self._training.close()
        if self._ranks is not None:
            self._ranks.leave()

    def _set_up(self, given: HparamValues, step: int) -> None:
        if self._ranks is None:
            before = {**vars(self)}
            self.setup(given)
            has_live = hasattr(self, "_live")  # else a `build` has left ours out, which the first step says
            if has_live and type(self).setup is not Trainer.setup:
                self._live.note_setup()
                check_set_late(self, before, given)
        else:
            has_live = True
            self._ranks.set_up(self, given, step)
        if has_live:
            check_read_by_build(self, self._read_by_build)
            check_states_have(self, TorchTrainer)  # again, for what `build` and `setup` have added to optimizers

    def _check_begun(self, steps: int) -> None:
        if steps:
            check_is_done(self)
        else:
            self._kept_modules.check(self.model)

    def _as_built(self, pristine: Trainer) -> BuiltState | None:
        return built(self, pristine) if self._ranks is None else None

    def _record_updates(self, experience: RecordingExperience, listener: RecordingListener, *, is_asked: bool) -> None:
        if self.record_updates is False or not (self.record_updates or is_asked):
            return
        if self._updates is not None:  # it stood, and goes on for another lane
            self._updates.tell(listener)
            return
        from hippo.training.fusion.model_updates import updates_of

        self._updates = updates_of(self, experience, listener)

    def _stop_recording(self, why: str) -> bool:
        return self._updates is not None and self._updates.stop(why)

    def _base_state(self) -> Mapping[str, Any]:
        state = {"model": self.model.state_dict()}
        return state if self._ranks is None else self._ranks.gather(self, state)

    def _outlives_close(self) -> bool:
        cls = type(self)  # ours ends loader workers, which begin again where they are needed
        if self._ranks is not None:  # they have parted
            return False
        return cls.close is TorchTrainer.close and cls.must_start_over is Trainer.must_start_over

    def _note_setup(self, *, has_looked: bool) -> None:
        if is_users(type(self).train) and hasattr(self, "_live"):
            self._live.apply(self)  # such a `train` need not go through `batches_of_step`, where values are applied
        if not has_looked:
            return
        self._training.flush()  # it may have changed the data set
        if self._updates is not None:
            self._updates.note_setup()  # and whatever a loss depends on

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        """Raise an error if `config` cannot be trained for `until` steps. Called before anything is trained.

        Raises:
          HparamError: a batch size is not a whole number of at least 1.
          TrainerError: an attribute of the class has a value that it cannot have.
        """
        check_attributes(cls, cls.__name__)
        check_batch_size_attribute(cls, TorchTrainer)
        super().check_config(config, until)
        check_batch_sizes(config, until)
        check_shards(cls, TorchTrainer, config, until)

    # ----------------------------------------------------------------------------------------------------- the rest

    def _require_whole_step(self) -> None:
        if self._batch.is_mid_step:
            raise TrainerError(
                f"{type(self).__name__}.train() left batches_of_step() before its end; go through all of them. How "
                "many samples make a step is said by samples_per_step."
            )

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
    def _values_of_batch(self, t: float) -> Iterator[None]:
        """Put the values of one batch, at step `t`, in force, and those of the step again afterwards."""
        if self.apply_hparams == "step":
            yield
            return
        outer = self.hp
        self.hp = outer.at(t)
        try:
            self._live.apply(self)
            yield
        finally:
            self.hp = outer


class _BatchUnderWay(NamedTuple):
    samples: int = 0
    #: how much it counts among those that make one step of an optimizer
    weight: float = 1.0
    is_short: bool = False
    is_mid_step: bool = False
    #: of the step that is through
    values: HparamValues | None = None
