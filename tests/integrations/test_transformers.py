"""Models of the newest transformers, trained as hippo trains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import hippo
from hippo.errors import HparamError, TrainerError
from hippo.testing.solo import train_alone
from hippo.training.misspelt import check_misspelt

transformers = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install 'hippo-tune[transformers]'"
)

from hippo.integrations.transformers import TransformersTrainer, learning_rate  # noqa: E402 # as above

pytestmark = pytest.mark.slow


def texts(number: int, seed: int) -> list[dict[str, Any]]:
    chance = torch.Generator().manual_seed(seed)
    first, stride = torch.randint(16, (2, number, 1), generator=chance)
    tokens = (first + (1 + stride % 3) * torch.arange(8)) % 16
    return [{"input_ids": row, "labels": row, "unused": 1.0} for row in tokens]


def sums(number: int, seed: int) -> list[dict[str, Any]]:
    tokens = torch.randint(16, (number, 6), generator=torch.Generator().manual_seed(seed))
    return [{"input_ids": row, "label": int(row.sum() % 3)} for row in tokens]


class Writer(TransformersTrainer):
    """Goes on with texts in which each letter is the one before and a stride."""

    dataset = "letters with strides, seeds 0 and 1"
    samples_per_step = 24

    def make_arguments(self) -> Any:
        return transformers.TrainingArguments(
            output_dir="unused", use_cpu=True, per_device_train_batch_size=24, learning_rate=0.01, weight_decay=0.1,
            lr_scheduler_type="cosine", warmup_steps=2, optim="adamw_torch", report_to="none",
        )  # fmt: skip

    def make_model(self) -> torch.nn.Module:
        config = transformers.LlamaConfig(
            hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, vocab_size=16,
            max_position_embeddings=8,
        )  # fmt: skip
        return transformers.LlamaForCausalLM(config)

    def train_set(self) -> Any:
        return texts(24, 0)

    def val_set(self) -> Any:
        return texts(10, 1)


class Reader(Writer):
    """Tells sums modulo three."""

    def make_model(self) -> torch.nn.Module:
        config = transformers.BertConfig(
            hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, vocab_size=16,
            max_position_embeddings=8, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )  # fmt: skip
        return transformers.BertForSequenceClassification(config)

    def train_set(self) -> Any:
        return sums(24, 0)

    def val_set(self) -> Any:
        return sums(10, 1)

    def compute_metrics(self, told: Any) -> dict[str, float]:
        assert told.predictions.shape == (10, 3)
        return {"accuracy": float((told.predictions.argmax(1) == told.label_ids).mean())}


def start_of(trainer: type[Writer]) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {name: value.clone() for name, value in trainer().make_model().state_dict().items()}


@pytest.mark.parametrize("trainer", [Writer, Reader])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"label_smoothing_factor": 0.2, "lr_scheduler_type": "linear"},
        {"label_smoothing_factor": 0.2, "bf16": True},
    ],
)
def test_updates_are_those_of_transformers(trainer: type[Writer], change: dict[str, Any], tmp_path: Path) -> None:
    """One batch an epoch and no dropout: neither order nor chance tells the two loops apart."""
    start = start_of(trainer)

    class Started(trainer):  # type: ignore[misc, valid-type]
        def make_arguments(self) -> Any:
            arguments = super().make_arguments()
            for name, value in change.items():
                setattr(arguments, name, transformers.SchedulerType(value) if name.startswith("lr") else value)
            return arguments

        def make_model(self) -> torch.nn.Module:
            model = super().make_model()
            model.load_state_dict(start)
            return model

    arguments = Started().make_arguments()
    ours = train_alone(Started, {"lr": learning_rate(arguments, 6)}, until=6)
    arguments.output_dir, arguments.max_steps, arguments.disable_tqdm = str(tmp_path), 6, True
    model, told = Started().make_model(), {}
    theirs = transformers.Trainer(
        model, arguments, train_dataset=Started().train_set(), eval_dataset=Started().val_set(),
        data_collator=transformers.default_data_collator,
        compute_metrics=getattr(Started(), "compute_metrics", None),
    )  # fmt: skip
    theirs.train()
    told = theirs.evaluate()
    assert ours[6]["loss"] == pytest.approx(told["eval_loss"], rel=1e-4)
    assert abs(ours[6]["loss"] - ours[1]["loss"]) > 1e-3, "something is learned"
    if trainer is Reader:
        assert ours[6]["accuracy"] == told["eval_accuracy"]


@pytest.mark.parametrize(("name", "values"), [("adam_epsilon", [1e-8, 1e-2]), ("adam_beta1", [0.9, 0.5])])
def test_options_of_adam_that_change_leave_it_what_it_knows(name: str, values: list[float]) -> None:
    changing = hippo.Piecewise(values, [3])
    start = start_of(Writer)

    class Started(Writer):
        def make_model(self) -> torch.nn.Module:
            model = super().make_model()
            model.load_state_dict(start)
            return model

    ours = train_alone(Started, {"lr": 0.01, name: changing}, until=6)
    trainer, model = Started(), Started().make_model()
    options = {"eps": 1e-8} if name != "adam_epsilon" else {"betas": (0.9, 0.999)}
    decaying = set(transformers.Trainer.get_decay_parameter_names(None, model))  # type: ignore[arg-type]
    decay = trainer.make_arguments().weight_decay
    groups = [
        {
            "params": [each for key, each in model.named_parameters() if (key in decaying) is decays],
            "weight_decay": rate,
        }
        for decays, rate in ((True, decay), (False, 0.0))
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.01, **options)  # type: ignore[arg-type]
    batch = transformers.default_data_collator(list(trainer.train_set()))
    for step in range(6):
        for group in optimizer.param_groups:
            group |= {"eps": changing(step)} if name == "adam_epsilon" else {"betas": (changing(step), 0.999)}
        optimizer.zero_grad()
        model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), trainer.make_arguments().max_grad_norm)
        optimizer.step()
    with torch.no_grad():
        loss = model(**transformers.default_data_collator(list(trainer.val_set()))).loss.item()
    assert ours[6]["loss"] == pytest.approx(loss, rel=1e-4)


@pytest.mark.parametrize("kind", ["linear", "cosine", "polynomial", "constant", "constant_with_warmup"])
@pytest.mark.parametrize("warmup", [0, 3, 0.25])
def test_learning_rates_are_those_of_transformers(kind: str, warmup: float) -> None:
    arguments = transformers.TrainingArguments(
        output_dir="unused", use_cpu=True, learning_rate=0.02, lr_scheduler_type=kind, warmup_steps=warmup
    )
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.02)
    theirs = transformers.get_scheduler(kind, optimizer, arguments.get_warmup_steps(12), 12)
    ours = learning_rate(arguments, 12)
    for step in range(12):
        assert float(ours(step)) == pytest.approx(optimizer.param_groups[0]["lr"], rel=1e-9, abs=1e-12), step
        optimizer.step()
        theirs.step()


def test_trials_share_and_values_of_a_config_go_before_those_of_arguments(tmp_path: Path) -> None:
    study = hippo.create_study(
        "letters", trainer=Writer, metric="loss", mode="min", storage="memory://", checkpoints=str(tmp_path),
        engine=hippo.InlineEngine(),
    )  # fmt: skip
    space = [{"lr": hippo.Piecewise([0.01, last], [2])} for last in (0.01, 0.001)]
    study.optimize(hippo.GridSearch([*space, {"lr": 0.01, "weight_decay": 0.5}], until=3))
    assert study.statistics().steps_executed == 2 + 1 + 1 + 3
    first, _, decayed = study.trials
    assert first.value != decayed.value


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_lanes_are_walked_as_one_program(smoothing: float, tmp_path: Path) -> None:
    study = hippo.create_study(
        "letters", trainer=Writer, metric="loss", mode="min", storage="memory://", checkpoints=str(tmp_path),
        engine=hippo.InlineEngine(), numerics="fused",
    )  # fmt: skip
    study.optimize(
        hippo.GridSearch([{"lr": lr, "label_smoothing_factor": smoothing} for lr in (0.01, 0.003, 0.001)], until=6)
    )
    assert study.statistics().mean_lanes > 1
    for trial in study.trials:
        assert trial.value == pytest.approx(train_alone(Writer, trial.config, until=6)[6]["loss"], rel=1e-4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"activation_checkpointing": True}, r"TrainingArguments\(activation_checkpointing=True\) is not honoured"),
        ({"seed": 7}, r"seed=7\) is not honoured.*create_study"),
        ({"dataloader_drop_last": True}, "dataloader_drop_last=True"),
        ({"neftune_noise_alpha": 5.0}, "neftune_noise_alpha"),
    ],
)
def test_fields_that_are_not_honoured_are_refused_by_name(change: dict[str, Any], said: str) -> None:
    class Refused(Writer):
        def make_arguments(self) -> Any:
            return transformers.TrainingArguments(output_dir="unused", use_cpu=True, **change)

    with pytest.raises(TrainerError, match=said):
        train_alone(Refused, {"lr": 0.01}, until=1)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"max_grad_norm": 0.1}, r"max_grad_norm has no effect.*make_arguments\(\)"),
        ({"data_collator": list}, r"collate\(self, samples\)"),
        ({"learning_rate": 0.1}, r"learning_rate\(arguments, steps\)"),
        ({"num_train_epochs": 3}, "said to the tuner"),
    ],
)
def test_names_of_their_trainer_are_refused_with_what_stands_for_them(named: dict[str, Any], said: str) -> None:
    with pytest.raises(TrainerError, match=said):
        check_misspelt(type("Named", (Writer,), named))


def test_a_method_of_their_trainer_is_refused_though_it_calls_the_one_that_it_overrides() -> None:
    class Named(Writer):
        def compute_loss(self, model: Any, inputs: Any) -> Any:
            return super().compute_loss(model, inputs)  # type: ignore[misc]

    with pytest.raises(TrainerError, match=r"compute_loss has no effect.*loss\(self, model, batch\)"):
        check_misspelt(Named)


def test_a_name_of_theirs_that_ones_own_code_reads_is_ones_own() -> None:
    class Reads(Writer):
        max_grad_norm = 0.1

        def make_arguments(self) -> Any:
            arguments = super().make_arguments()
            arguments.max_grad_norm = self.max_grad_norm
            return arguments

    check_misspelt(Reads)


@pytest.mark.parametrize(
    ("change", "is_told"),
    [
        ({"lr_scheduler_type": "cosine"}, True),
        ({"warmup_steps": 2}, True),
        ({"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 0.5}, True),
        ({}, False),
        ({"lr_scheduler_type": "constant", "warmup_steps": 2}, False),  # which is what transformers make of it
    ],
)
def test_a_schedule_of_arguments_that_nothing_reads_is_told_of(
    change: dict[str, Any], is_told: bool, make_study: Callable[..., hippo.Study], recwarn: pytest.WarningsRecorder
) -> None:
    class Left(Writer):
        def make_arguments(self) -> Any:
            return transformers.TrainingArguments(output_dir="unused", use_cpu=True, optim="adamw_torch", **change)

    Left.__name__ = f"Left{sorted(change.items())}"  # each class is told of once
    study = make_study(trainer=Left, trainer_args=None, metric="loss", mode="min")
    study.optimize(hippo.GridSearch([{"lr": learning_rate(Left().make_arguments(), 4)}], until=2))
    assert not [warning for warning in recwarn if "steer nothing" in str(warning.message)]
    study.optimize(hippo.GridSearch([{"lr": 0.02}], until=2))
    said = [str(warning.message) for warning in recwarn if "steer nothing" in str(warning.message)]
    assert len(said) == is_told
    assert all("lr is what the config says, here 0.02 for the whole first step" in each for each in said)


def test_schedules_without_a_sequence_and_arguments_that_are_none_are_refused() -> None:
    arguments = Writer().make_arguments()
    arguments.lr_scheduler_type = transformers.SchedulerType("inverse_sqrt")
    with pytest.raises(TrainerError, match=r"'inverse_sqrt'.*has no sequence"):
        learning_rate(arguments, 10)

    class Refused(Writer):
        def make_arguments(self) -> Any:
            return {"learning_rate": 0.1}

    with pytest.raises(TrainerError, match="has to be transformers' TrainingArguments"):
        train_alone(Refused, {"lr": 0.01}, until=1)


@pytest.mark.parametrize("config", [{"learning_rate": 0.1, "lr": 0.1}, {"weight_decay": 0.1}])
def test_a_config_without_a_learning_rate_of_ours_is_refused_before_anything_is_trained(config: dict[str, Any]) -> None:
    with pytest.raises(HparamError, match="reads 'lr'"):
        Writer.check_config(hippo.Config(config), 3)


def test_samples_without_labels_are_told_of() -> None:
    class Blind(Writer):
        def train_set(self) -> Any:
            return [{"input_ids": sample["input_ids"]} for sample in texts(24, 0)]

    with pytest.raises(TrainerError, match="returned no loss of a batch with"):
        train_alone(Blind, {"lr": 0.01}, until=1)
