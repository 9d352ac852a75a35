"""Models of Hugging Face's transformers, trained under the fields of TrainingArguments that say how a step is taken.

No loop of theirs is run: steps stay exact. Fields that mean something to training and are not honoured are refused.
"""

from __future__ import annotations

import dataclasses
import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

from hippo.errors import HparamError, MissingExtraError, TrainerError

try:
    import torch
except ModuleNotFoundError as error:
    raise MissingExtraError(
        f"TransformersTrainer needs torch: pip install 'hippo-tune[transformers]' ({error})"
    ) from None
from hippo.hparams import Chain, Config, Constant, Cosine, Linear, Polynomial, Sequence, Warmup
from hippo.training.declarative.modes import TrainingModes
from hippo.training.telling import tell_once
from hippo.training.torch_trainer import TorchTrainer
from hippo.training.values import HparamValues

try:
    from transformers import EvalPrediction, Trainer, TrainingArguments, default_data_collator, trainer_pt_utils
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
except ImportError as error:
    raise MissingExtraError(
        f"TransformersTrainer needs transformers: pip install 'hippo-tune[transformers]' ({error})"
    ) from None

#: fields that a config may have a value for
_VALUES = ("weight_decay", "adam_beta1", "adam_beta2", "adam_epsilon", "label_smoothing_factor")
#: how its loop logs, saves and evaluates, and for how long it runs: a study has its own ways
_OF_THEIR_LOOP = (
    *("output_dir", "num_train_epochs", "max_steps", "report_to", "run_name", "project", "disable_tqdm"),
    *("logging", "log_", "eval_", "save_", "include_", "hub_", "push_to_hub", "do_", "ddp_", "dataloader_"),
    *(
        "local_rank",
        "load_best_model_at_end",
        "metric_for_best_model",
        "greater_is_better",
        "restore_callback",
        "use_cpu",
    ),
)
_HONOURED = {
    *("per_device_train_batch_size", "per_device_eval_batch_size", "gradient_accumulation_steps", "max_grad_norm"),
    *("learning_rate", "lr_scheduler_type", "warmup_steps", "optim", "optim_args", "bf16", "fp16", "use_cpu", *_VALUES),
    *("remove_unused_columns", "use_cache", "average_tokens_across_devices"),
}

_ARGUMENT = "It is a field of the TrainingArguments that make_arguments() returns."
_RATE = "A config says lr, which may be what learning_rate(arguments, steps) returns."
_LONG = "How long trials train is said to the tuner, as in GridSearch(space, until=10)."
_SAMPLES = "Samples are those of train_set() and val_set()."
_TOLD = (
    "What is told of an evaluation is what metrics(self, model, batch) or compute_metrics(self, predictions) returns."
)
#: what transformers' Trainer and its arguments have, and what may be written into the wrong class
_SAID_OTHERWISE = {
    **dict.fromkeys(("per_device_train_batch_size", "per_device_eval_batch_size"), _ARGUMENT),
    **dict.fromkeys(("gradient_accumulation_steps", "max_grad_norm", "optim", "bf16", "fp16", *_VALUES), _ARGUMENT),
    **dict.fromkeys(("learning_rate", "lr_scheduler_type", "warmup_steps", "create_scheduler"), _RATE),
    **dict.fromkeys(("num_train_epochs", "max_steps"), _LONG),
    **dict.fromkeys(("compute_loss", "compute_loss_func"), "The loss is what loss(self, model, batch) returns."),
    **dict.fromkeys(
        ("create_optimizer", "create_optimizer_and_scheduler", "optimizer_cls_and_kwargs"),
        "The optimizer is what make_optimizer(self, params) returns.",
    ),
    "data_collator": "Samples are put together by collate(self, samples).",
    **dict.fromkeys(("train_dataset", "eval_dataset", "get_train_dataloader", "get_eval_dataloader"), _SAMPLES),
    "training_step": "How a batch is trained on is said by train_on_batch(self, batch).",
    **dict.fromkeys(("prediction_step", "evaluation_loop", "preprocess_logits_for_metrics"), _TOLD),
    "model_init": "The model is what make_model() returns.",
    "callbacks": "Who listens is said to create_study(), by callbacks.",
}


class _ArgumentValue:
    """An attribute of a trainer that TrainingArguments say, unless a class or a trainer has one of its own.

    Args:
      say: returns it, given the arguments.
    """

    def __init__(self, say: Callable[[Any], Any]) -> None:
        self._say = say

    def __get__(self, trainer: Any, _: type) -> Any:
        return self if trainer is None else self._say(trainer._arguments)


class TransformersTrainer(TorchTrainer):
    """Trains a model of transformers: `make_model`, `train_set` and `val_set` of mappings, `make_arguments`.

    A config says `lr`, a number or what `learning_rate(arguments, steps)` returns. The fields weight_decay, adam_beta1,
    adam_beta2, adam_epsilon and label_smoothing_factor hold where a config does not say them; so do batch sizes,
    gradient accumulation, clipping and precision. Weights decay as transformers has it, but for norms and biases.
    `collate` is their default collator: override it to pad. With a method `compute_metrics(predictions)` they are
    computed over all samples, as theirs are, and lanes are walked one by one. The loss is the mean over a batch.

    Raises:
      TrainerError: a field asks for something that is not done.
      HparamError: a config has no `lr`, or a field's name that is not read.
    """

    _modes_kind = TrainingModes  # the Trainer of transformers puts all of a model into training mode
    _said_otherwise = _SAID_OTHERWISE
    default_batch_size: Any = _ArgumentValue(lambda said: said.per_device_train_batch_size)
    val_batch_size: Any = _ArgumentValue(lambda said: said.per_device_eval_batch_size)
    accumulate: Any = _ArgumentValue(lambda said: said.gradient_accumulation_steps)
    clip_norm: Any = _ArgumentValue(lambda said: said.max_grad_norm or None)
    num_workers: Any = _ArgumentValue(lambda said: said.dataloader_num_workers)
    precision: Any = _ArgumentValue(lambda said: "bf16" if said.bf16 else "fp16" if said.fp16 else None)
    device: Any = _ArgumentValue(lambda said: "cpu" if said.use_cpu else None)

    @abstractmethod
    def make_arguments(self) -> Any:
        """Return the `TrainingArguments`. Called once for each trainer: there are no values in `self.hp` yet."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if hasattr(cls, "compute_metrics") and cls.evaluate is TorchTrainer.evaluate:
            cls.evaluate = _evaluate_whole  # type: ignore[method-assign]

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        super().check_config(config, until)
        unread = ({field.name for field in dataclasses.fields(TrainingArguments)} - {*_VALUES}) & config.keys()
        if unread or "lr" not in config:
            raise HparamError(
                f"{cls.__name__} reads 'lr', 'batch_size' and {', '.join(map(repr, _VALUES))} of a config, "
                f"{f'not {sorted(unread)}' if unread else 'which has no lr'}. A warm-up and a decay are what lr is: "
                "hippo.integrations.transformers.learning_rate(arguments, steps), say."
            )

    @cached_property
    def _arguments(self) -> Any:
        return _checked_arguments(self.make_arguments())

    def _build_around_model(self, train_set: Any, val_set: Any) -> None:
        super()._build_around_model(train_set, val_set)
        # what a loss has to know of the model: where lanes are walked as one, it may only call the one given to it
        self._model_name = type(self.model).__name__
        self._takes = {*inspect.signature(_whole(self.model).forward).parameters} - {"kwargs"}
        self._shifts_labels = type(_whole(self.model)).__name__ in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()

    def make_optimizer(self, params: Iterator[torch.nn.Parameter]) -> torch.optim.Optimizer:
        decaying = set(Trainer.get_decay_parameter_names(cast(Any, None), self.model))
        named = [(name in decaying, param) for name, param in self.model.named_parameters() if param.requires_grad]
        groups = [
            {"params": [param for decays, param in named if decays], "weight_decay": self._value("weight_decay")},
            {"params": [param for decays, param in named if not decays], "weight_decay": 0.0},
        ]
        cls, options = Trainer.get_optimizer_cls_and_kwargs(self._arguments, cast(Any, self.model))
        if "betas" in options:
            options |= {
                "betas": (self._value("adam_beta1"), self._value("adam_beta2")),
                "eps": self._value("adam_epsilon"),
            }
        made = cls([group for group in groups if group["params"]], **{**options, "lr": self.hp["lr"]})
        assert isinstance(made, torch.optim.Optimizer)
        return made

    def _set_up(self, given: HparamValues, step: int) -> None:
        super()._set_up(given, step)
        if step == 0:
            self._tell_if_schedule_is_left()

    def collate(self, samples: list[Any]) -> Any:
        return default_data_collator(samples)

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        return self._outputs(model, batch)[0]

    def _outputs(self, model: Any, batch: Mapping[str, Any]) -> tuple[torch.Tensor, Mapping[str, Any]]:
        inputs = {name: values for name, values in batch.items() if name in self._takes}
        smoothing = self._value("label_smoothing_factor")
        outputs = model(**inputs)
        if smoothing and "labels" in inputs:
            smoother = trainer_pt_utils.LabelSmoother(smoothing)
            if "logits" in outputs:  # their Trainer has outputs in float32 by then, whatever they were computed in
                outputs = {**outputs, "logits": outputs["logits"].float()}
            return smoother(outputs, inputs["labels"], shift_labels=self._shifts_labels), outputs
        if "loss" not in outputs:
            raise TrainerError(
                f"{self._model_name} returned no loss of a batch with {sorted(batch)}, of which it takes "
                f"{sorted(inputs)}; samples need labels"
            )
        return outputs["loss"], outputs

    def _value(self, name: str) -> Any:
        return self.hp.get(name, getattr(self._arguments, name))

    def _tell_if_schedule_is_left(self) -> None:
        """Warn of a schedule in the arguments where lr stays as it is: nothing of theirs reads a config's lr."""
        kind, rise = str(self._arguments.lr_scheduler_type.value), self._arguments.warmup_steps
        # "linear" is there where nothing was said; "constant" does not warm up
        is_said = rise > 0 if kind in ("linear", "constant_with_warmup") else kind != "constant"
        rates = self.hp.raw["lr"], self.hp.at(0.5).raw["lr"]
        if is_said and rates[0] == rates[1]:
            tell_once(
                (type(self).__name__, "schedule"),
                f"TrainingArguments(lr_scheduler_type={kind!r}, warmup_steps={rise!r}) of {type(self).__name__} steer "
                f"nothing: lr is what the config says, here {rates[0]!r} for the whole first step. For theirs, say "
                "lr to be hippo.integrations.transformers.learning_rate(arguments, steps); or leave them out.",
            )


def _whole(model: Any) -> Any:
    """Return a model of transformers, without the adapters around it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _evaluate_whole(self: Any) -> Mapping[str, Any]:
    """Return the mean loss, and what `compute_metrics` says of all predictions together."""
    self._validation.give(self.hp)
    self.model.eval()
    model: Any = self.evaluated_model.eval()
    nested: Any = trainer_pt_utils  # untyped
    parts, losses = [], []
    ignored = {"loss", *(getattr(self.model.config, "keys_to_ignore_at_inference", None) or ())}
    with torch.no_grad(), self._descent.autocast():
        for batch, size in zip(self._validation.batches(), self._validation.sizes, strict=True):
            batch = {name: values.to(self._device) for name, values in batch.items()}
            loss, outputs = self._outputs(model, batch)
            told = tuple(value for name, value in outputs.items() if name not in ignored)
            parts.append(nested.nested_detach((told[0] if len(told) == 1 else told, batch.get("labels"))))
            losses.append((loss, size))
    whole = parts[0]
    for part in parts[1:]:
        whole = nested.nested_concat(whole, part)
    predictions, labels = nested.nested_numpify(whole)
    mean = sum(loss * size for loss, size in losses) / sum(size for _, size in losses)
    return {"loss": mean, **self.compute_metrics(EvalPrediction(predictions=predictions, label_ids=labels))}


def learning_rate(arguments: Any, steps: int) -> Sequence:
    """Return the learning rate that TrainingArguments say, with its warm-up and decay, in steps of hippo's.

    They are those of transformers where a step is one update: `samples_per_step` is the batch size times the batches
    that are accumulated.

    Args:
      arguments: whose learning_rate, lr_scheduler_type and warmup_steps.
      steps: of all training.

    Raises:
      TrainerError: a schedule has no such sequence.
    """
    name, peak, rise = (
        str(arguments.lr_scheduler_type.value),
        arguments.learning_rate,
        arguments.get_warmup_steps(steps),
    )
    fall = max(1, steps - rise)
    decays: dict[str, Sequence] = {
        "linear": Linear(peak, final=0.0, steps=fall),
        "cosine": Cosine(peak, fall),
        "polynomial": Polynomial(peak, fall, 1.0, 1e-7),
        "constant": Constant(peak),
        "constant_with_warmup": Constant(peak),
    }
    if name not in decays or arguments.lr_scheduler_kwargs:
        raise TrainerError(
            f"lr_scheduler_type={name!r} with lr_scheduler_kwargs={arguments.lr_scheduler_kwargs!r} has no sequence of "
            f"its own; {', '.join(decays)} have. Write lr as a hippo.Chain, a hippo.WSD or a hippo.CosineWarmRestarts."
        )
    return decays[name] if name == "constant" or not rise else Chain(Warmup(rise, peak, 0.0), decays[name])


def _checked_arguments(arguments: Any) -> Any:
    """Return TrainingArguments, if nothing that they ask for would be left out.

    Raises:
      TrainerError: something would be.
    """
    if type(arguments).__name__ != "TrainingArguments" and not hasattr(arguments, "get_warmup_steps"):
        raise TrainerError(f"make_arguments() returned {arguments!r}, but it has to be transformers' TrainingArguments")
    default = type(arguments)(output_dir=arguments.output_dir, use_cpu=arguments.use_cpu)
    for field in dataclasses.fields(arguments):
        value, usual = getattr(arguments, field.name), getattr(default, field.name)
        is_of_no_use = field.name.startswith(_OF_THEIR_LOOP) and field.name != "dataloader_drop_last"
        if value != usual and field.name not in _HONOURED and not is_of_no_use:
            raise TrainerError(
                f"TrainingArguments({field.name}={value!r}) is not honoured, and training would not be what it asks "
                f"for. Leave it at {usual!r}; what a study has of its own (its seed, say) is said to create_study()."
            )
    return arguments
