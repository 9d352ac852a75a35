"""LightningModules of the newest Lightning, trained as hippo trains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, TensorDataset

import hippo
from hippo.errors import TrainerError, UnknownHparamError
from hippo.testing.solo import train_alone

pl = pytest.importorskip("lightning.pytorch", reason="Lightning is not installed: pip install 'hippo-tune[lightning]'")
torchmetrics = pytest.importorskip("torchmetrics")

from hippo.integrations.lightning import LightningTrainer  # noqa: E402 # whoever has no Lightning has no use for it

pytestmark = pytest.mark.slow


def points(number: int, seed: int) -> TensorDataset:
    chance = torch.Generator().manual_seed(seed)
    inputs = torch.randn(number, 4, generator=chance)
    return TensorDataset(inputs, (inputs.sum(1) > 0).long())


class Points(pl.LightningDataModule):
    def setup(self, stage: str) -> None:
        self.training, self.validation = points(48, 0), points(30, 1)

    def train_dataloader(self) -> Any:
        return DataLoader(self.training, batch_size=16, shuffle=True)

    def val_dataloader(self) -> Any:
        return DataLoader(self.validation, batch_size=20)


class Net(pl.LightningModule):
    def __init__(self, width: int = 8, lr: float = 0.5, momentum: float = 0.9, smoothing: float = 0.0) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Dropout(0.2), nn.Linear(width, 2))
        self.accuracy = torchmetrics.Accuracy(task="binary")
        self.auroc = torchmetrics.AUROC(task="binary")

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.layers(inputs)

    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        inputs, labels = batch
        loss = nn.functional.cross_entropy(self(inputs), labels, label_smoothing=self.hparams.smoothing)
        self.log("train_loss", loss, prog_bar=True)
        self.log("epoch", float(self.current_epoch))
        return loss

    def validation_step(self, batch: Any) -> None:
        inputs, labels = batch
        scores = self(inputs)
        self.log_dict({"val_loss": nn.functional.cross_entropy(scores, labels)}, on_epoch=True)
        self.accuracy(scores.argmax(1), labels)
        self.log("accuracy", self.accuracy)
        self.auroc.update(scores[:, 1], labels)

    def on_validation_epoch_end(self) -> None:
        self.log("auroc", self.auroc.compute())
        self.auroc.reset()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=self.hparams["momentum"])


class NetTrainer(LightningTrainer):
    dataset = "signs of sums, seeds 0 and 1"

    def make_module(self) -> Any:
        return Net(width=self.hp.get("width", 8))

    def make_data(self) -> Any:
        return Points()


def test_data_that_reads_values_is_refused_since_all_trials_are_given_it() -> None:
    class Reading(NetTrainer):
        def make_data(self) -> Any:
            self.hp["lr"]
            return Points()

    with pytest.raises(UnknownHparamError, match=r"what make_data\(\) returns is made once per worker"):
        train_alone(Reading, {"lr": 0.5}, until=1)


def test_an_evaluation_is_of_the_epoch_of_the_last_sample_whoever_trained_it() -> None:
    class Telling(Net):
        def validation_step(self, batch: Any) -> None:
            super().validation_step(batch)
            self.log("epoch", float(self.current_epoch))

    class TellingTrainer(NetTrainer):
        def make_module(self) -> Any:
            return Telling(width=8)

    study = hippo.create_study("epochs", trainer=TellingTrainer, storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="val_loss", mode="min", keep="all",
                               evaluate_every=100)  # fmt: skip
    # the second trial goes on from the state at which the first one left it
    study.optimize(hippo.GridSearch([{"lr": hippo.MultiStep(0.5, [3], 0.1)}, {"lr": 0.5}], until=5))
    assert study.evaluate({"lr": 0.5}, until=3)["epoch"] == 2.0  # of a state that is loaded
    assert {trial.metrics["epoch"] for trial in study.trials if trial.step == 5} == {4.0}
    study.close()


class Twin(hippo.TorchTrainer):
    """The same, written for hippo."""

    dataset = NetTrainer.dataset
    default_batch_size = 16
    val_batch_size = 20

    def make_model(self) -> nn.Module:
        return Net(width=self.hp.get("width", 8))

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9)

    def train_set(self) -> Any:
        return points(48, 0)

    def val_set(self) -> Any:
        return points(30, 1)

    def loss(self, model: Any, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1], label_smoothing=self.hp.get("smoothing", 0.0))

    def metrics(self, model: Any, batch: Any) -> dict[str, Any]:
        scores = model(batch[0])
        return {
            "val_loss": nn.functional.cross_entropy(scores, batch[1]),
            "accuracy": (scores.argmax(1) == batch[1]).float().mean(),
        }


CONFIGS = [
    {"lr": 0.5},
    {"lr": hippo.Piecewise([0.5, 0.1], [2]), "smoothing": hippo.Piecewise([0.0, 0.3], [1])},
    {"lr": hippo.Piecewise([0.5, 0.2], [2]), "batch_size": hippo.Piecewise([16, 24], [3]), "width": 5},
]


class ByAttribute(Net):
    def __init__(self) -> None:
        super().__init__()
        del self.hparams["lr"]
        self.lr = 0.5

    def configure_optimizers(self) -> Any:
        return {"optimizer": torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)}


def test_values_that_a_module_keeps_as_attributes_follow_the_config() -> None:
    class Trainer(NetTrainer):
        def make_module(self) -> Any:
            return ByAttribute()

    config = {"lr": hippo.Piecewise([0.5, 0.1], [2]), "smoothing": 0.1}
    ours, twin = train_alone(Trainer, config, until=4), train_alone(Twin, config, until=4)
    assert [ours[step]["val_loss"] for step in ours] == [twin[step]["val_loss"] for step in twin]


class TakesApart(Net):
    def __init__(self, opt: Any = None) -> None:
        super().__init__()
        self.opt = {"lr": 0.0} if opt is None else opt

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=self.opt.pop("lr"), **self.opt)


def test_who_takes_a_value_apart_that_a_module_keeps_leaves_the_one_in_force_as_it_is() -> None:
    config = {"opt": {"lr": 0.5, "momentum": 0.9}, "smoothing": hippo.Piecewise([0.1, 0.0], [1])}
    plain = {"lr": 0.5, "smoothing": hippo.Piecewise([0.1, 0.0], [1])}
    ours, twin = train_alone(made_by(TakesApart), config, until=3), train_alone(Twin, plain, until=3)
    assert [ours[step]["val_loss"] for step in ours] == [twin[step]["val_loss"] for step in twin]


def made_by(module: Callable[[], Any]) -> type[NetTrainer]:
    class Made(NetTrainer):
        def make_module(self) -> Any:
            return module()

    return Made


def test_a_value_that_make_module_forgot_to_hand_on_is_told_of(
    make_study: Callable[..., hippo.Study],
) -> None:
    class Forgetful(Net):
        def __init__(self, width: int = 8, dropout: float = 0.2, rate: float = 0.1) -> None:
            super().__init__(width)
            self.save_hyperparameters()
            self.rate = rate  # kept as an attribute, and read by nobody

    study = make_study(trainer=made_by(Forgetful), trainer_args=None, metric="val_loss")
    with pytest.warns(
        UserWarning, match=r"did not look at \['dropout', 'rate', 'width'\] in its first step; it read \['lr'\]"
    ):
        study.optimize(hippo.GridSearch([{"lr": 0.5, "width": 5, "dropout": 0.5, "rate": 0.2}], until=1))


class ByName(Net):
    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), **self.options())

    def options(self) -> dict[str, Any]:
        return {"lr": self.hparams["lr"], "momentum": 0.9}


class ByItems(ByName):
    def options(self) -> dict[str, Any]:
        return {name: value for name, value in self.hparams.items() if name in ("lr", "momentum")}


class ByDict(ByName):
    def options(self) -> dict[str, Any]:
        copied = dict(self.hparams)
        return {"lr": copied["lr"], "momentum": copied["momentum"]}


class ByCopy(ByName):
    def options(self) -> dict[str, Any]:
        copied = self.hparams.copy()
        return {"lr": copied["lr"], "momentum": copied["momentum"]}


class ByStars(ByName):
    def options(self) -> dict[str, Any]:
        return (lambda lr, momentum, **_: {"lr": lr, "momentum": momentum})(**self.hparams)


class ByUnion(ByName):
    def options(self) -> dict[str, Any]:
        merged = {} | self.hparams
        return {"lr": merged["lr"], "momentum": merged["momentum"]}


class ByValues(ByName):
    def options(self) -> dict[str, Any]:
        return dict(zip(("lr", "momentum"), list(self.hparams.values())[1:3], strict=True))


class ByAnotherName(ByName):
    def __init__(self) -> None:
        super().__init__()
        self.said = self.hparams

    def options(self) -> dict[str, Any]:
        return {"lr": self.said.get("lr"), "momentum": self.said.momentum}


@pytest.mark.parametrize("module", [ByName, ByItems, ByDict, ByCopy, ByStars, ByUnion, ByValues, ByAnotherName])
def test_however_an_optimizer_reads_hparams_it_follows_the_config(module: type[Net]) -> None:
    config = {"lr": hippo.Piecewise([0.3, 0.1], [2])}
    ours, twin = train_alone(made_by(module), config, until=3), train_alone(Twin, config, until=3)
    assert [ours[step]["val_loss"] for step in ours] == [twin[step]["val_loss"] for step in twin]


@pytest.mark.parametrize("form", [lambda one: [one], lambda one: ([one], []), lambda one: {"optimizer": one}])
def test_an_optimizer_comes_in_each_form_that_lightning_takes(form: Callable[[Any], Any]) -> None:
    class Formed(Net):
        def configure_optimizers(self) -> Any:
            return form(super().configure_optimizers())

    class FormedTrainer(NetTrainer):
        def make_module(self) -> Any:
            return Formed()

    assert train_alone(FormedTrainer, {"lr": 0.5}, until=2) == train_alone(NetTrainer, {"lr": 0.5}, until=2)


def test_what_make_module_made_of_a_value_stays_as_it_is() -> None:
    class Halving(NetTrainer):
        def make_module(self) -> Any:
            return Net(smoothing=self.hp["smoothing"] / 2)

    ours = train_alone(Halving, {"lr": 0.5, "smoothing": 0.4}, until=2)
    assert ours[2]["val_loss"] == train_alone(Twin, {"lr": 0.5, "smoothing": 0.2}, until=2)[2]["val_loss"]


def test_an_optimizer_stays_where_an_attribute_changes_that_its_making_does_not_read() -> None:
    class Smooth(ByAttribute):
        def __init__(self) -> None:
            super().__init__()
            del self.hparams["smoothing"]
            self.smoothing = 0.0

        def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
            self.hparams["smoothing"] = self.smoothing
            return super().training_step(batch, batch_idx)

    config = {"lr": 0.5, "smoothing": hippo.Piecewise([0.0, 0.3], [1])}
    ours, twin = train_alone(made_by(Smooth), config, until=3), train_alone(Twin, config, until=3)
    assert [ours[step]["val_loss"] for step in ours] == [twin[step]["val_loss"] for step in twin]


def test_hooks_and_averages_find_the_values_in_force() -> None:
    class Telling(Net):
        def on_train_epoch_start(self) -> None:
            self.at_start = self.hparams.smoothing

        def on_validation_epoch_start(self) -> None:
            self.log("at_evaluation", self.hparams.smoothing)

        def on_train_epoch_end(self) -> None:
            self.log("at_start", self.at_start)

    class Averaged(NetTrainer):
        ema_decay = 0.5

        def make_module(self) -> Any:
            return Telling()

        def train(self) -> Any:
            self.told = super().train()
            return self.told

        def evaluate(self) -> Any:
            return {**super().evaluate(), "at_start": self.told["at_start"]}

    told = train_alone(Averaged, {"lr": 0.5, "smoothing": hippo.Piecewise([0.1, 0.3], [1])}, until=2)
    assert [(told[step]["at_start"], told[step]["at_evaluation"]) for step in (1, 2)] == [(0.1, 0.1), (0.3, 0.3)]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_module_is_trained_as_its_twin_of_hippos_bit_for_bit(config: dict[str, Any]) -> None:
    alone, twin = train_alone(NetTrainer, config, until=4), train_alone(Twin, config, until=4)
    for step in range(1, 5):
        assert alone[step]["val_loss"] == twin[step]["val_loss"]
        assert alone[step]["accuracy"] == pytest.approx(twin[step]["accuracy"], abs=1e-6)


def test_whole_epoch_metrics_and_logs_are_what_lightning_shows() -> None:
    """One batch an epoch, without chance: no order of samples, and no dropout, tells the two loops apart."""

    class Whole(Points):
        def train_dataloader(self) -> Any:
            return DataLoader(self.training, batch_size=48, shuffle=True)

    class Plain(Net):
        def __init__(self) -> None:
            super().__init__()
            self.layers[2] = nn.Identity()

    class WholeTrainer(NetTrainer):
        def make_module(self) -> Any:
            module = Plain()
            module.load_state_dict(start)
            return module

        def make_data(self) -> Any:
            return Whole()

    torch.manual_seed(0)
    module = Plain()
    start = {name: value.clone() for name, value in module.state_dict().items()}
    loop = pl.Trainer(
        max_epochs=3, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        accelerator="cpu", num_sanity_val_steps=0,
    )  # fmt: skip
    loop.fit(module, datamodule=Whole())
    ours = train_alone(WholeTrainer, {"lr": 0.5}, until=3)
    shown = {name: float(value) for name, value in loop.callback_metrics.items()}
    for name in ("val_loss", "accuracy", "auroc"):
        assert ours[3][name] == pytest.approx(shown[name], rel=1e-4), name


def test_logs_of_training_are_metrics_and_the_epoch_is_known(make_study: Callable[..., hippo.Study]) -> None:
    study = make_study(trainer=NetTrainer, trainer_args=None, metric="val_loss")
    study.optimize(hippo.GridSearch([{"lr": 0.5}, {"lr": hippo.Piecewise([0.5, 0.1], [2])}], until=4))
    assert study.statistics().steps_executed == 6
    told = study.trials[0].train_metrics
    assert [told[step]["epoch"] for step in sorted(told)] == [0.0, 1.0, 2.0, 3.0]
    assert all(metrics["train_loss"] == pytest.approx(metrics["loss"]) for metrics in told.values())


class Manual(Net):
    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False


class WithHook(Net):
    def on_before_optimizer_step(self, optimizer: Any) -> None:
        pass


class Scheduled(Net):
    def configure_optimizers(self) -> Any:
        optimizer = super().configure_optimizers()
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


class LooksAround(Net):
    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        return super().training_step(batch, batch_idx) * (1 + 0 * self.global_step)


class Sums(Net):
    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        self.log("sum", 1.0, reduce_fx="sum")
        return super().training_step(batch, batch_idx)


class Weighted(Net):
    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        self.log("fine", 1.0, batch_size=len(batch[0]))
        self.log("tokens", 1.0, batch_size=7)
        return super().training_step(batch, batch_idx)


class Skips(Net):
    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return None


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (Manual, "Manual optimizes by itself"),
        (WithHook, r"WithHook.on_before_optimizer_step\(\) would never be called"),
        (Scheduled, "has to be one optimizer. A schedule is"),
        (LooksAround, "looks for 'global_step' of Lightning's Trainer"),
        (Sums, "what is logged is averaged"),
        (Weighted, r"self.log\('tokens', batch_size=7\) of a batch of \d+ samples"),
        (Skips, "returned no loss, but None"),
        (lambda: nn.Linear(4, 2), "is no LightningModule"),
    ],
)
def test_what_a_module_asks_for_in_vain_is_refused_by_name(module: Callable[[], Any], said: str) -> None:
    class Refused(NetTrainer):
        def make_module(self) -> Any:
            return module()

    with pytest.raises(TrainerError, match=said):
        train_alone(Refused, {"lr": 0.5}, until=1)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"gradient_clip_val": 0.5}, "gradient_clip_val has no effect.*The largest norm of gradients is clip_norm"),
        ({"accumulate_grad_batches": 4}, "is accumulate"),
        ({"max_epochs": 3}, "said to the tuner"),
        ({"training_step": lambda self, batch: None}, r"of the module that make_module\(\) returns"),
    ],
)
def test_names_of_lightnings_trainer_are_refused_with_what_stands_for_them(
    make_study: Callable[..., hippo.Study], named: dict[str, Any], said: str
) -> None:
    with pytest.raises(TrainerError, match=said):
        make_study(trainer=type("Named", (NetTrainer,), named), trainer_args=None, metric="val_loss")


def test_a_name_of_lightnings_trainer_that_ones_own_code_reads_is_ones_own(
    make_study: Callable[..., hippo.Study],
) -> None:
    class Reads(NetTrainer):
        max_epochs = 3

        def make_module(self) -> Any:
            return Net(width=self.max_epochs)

    make_study(trainer=Reads, trainer_args=None, metric="val_loss")


class Subset(torch.utils.data.SubsetRandomSampler):
    pass


@pytest.mark.parametrize(
    ("loader", "said"),
    [
        ({"batch_size": 16, "shuffle": True, "drop_last": True}, "has drop_last=True"),
        ({"batch_size": 16}, r"takes samples by a SequentialSampler; .*shuffle=True"),
        ({"batch_size": 16, "sampler": Subset(range(4))}, "by a Subset"),
        ({"sampler": RandomSampler(range(48), replacement=True)}, "draws 48 samples of 48, with replacement"),
        ({"sampler": RandomSampler(range(48), num_samples=96)}, "draws 96 samples of 48"),
        ({"batch_sampler": [[0, 1], [2]]}, "of its own making"),
        ({"batch_size": 16, "shuffle": True, "collate_fn": list}, "in two ways"),
    ],
)
def test_what_loaders_ask_for_in_vain_is_refused_by_name(loader: dict[str, Any], said: str) -> None:
    class Data(Points):
        def train_dataloader(self) -> Any:
            return DataLoader(self.training, **loader)

    class Refused(NetTrainer):
        def make_data(self) -> Any:
            return Data()

    with pytest.raises(TrainerError, match=said):
        train_alone(Refused, {"lr": 0.5}, until=1)


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (RandomSampler(range(30), num_samples=10), "draws 10 samples of 30, each at most once; an evaluation"),
        (SequentialSampler(range(20)), "draws 20 samples of 30"),
        (Subset(range(4)), "by a Subset; an evaluation"),
    ],
)
def test_a_sampler_of_the_validation_is_refused_though_the_trainer_says_the_order_of_training(
    sampler: Any, said: str
) -> None:
    class Data(Points):
        def val_dataloader(self) -> Any:
            return DataLoader(self.validation, batch_size=20, sampler=sampler)

    class Refused(NetTrainer):
        def make_data(self) -> Any:
            return Data()

        def sampler(self, epoch: int) -> Any:
            return range(48)

    with pytest.raises(TrainerError, match=said):
        train_alone(Refused, {"lr": 0.5}, until=1)


def test_batches_of_a_module_cannot_be_cut_and_nobody_is_blamed_for_a_method_of_ours() -> None:
    sharded = type("Sharded", (NetTrainer,), {"shards": 2})
    said = r"^LightningTrainer.train\(\) goes through batches itself, .*Derive Sharded from TorchTrainer itself, or"
    with pytest.raises(TrainerError, match=said):
        sharded.check_config(hippo.Config({"lr": 0.1, "batch_size": 32}), 3)


def test_an_architecture_does_not_change_on_the_way() -> None:
    with pytest.raises(hippo.HippoError, match=r"make_model\(\) read 'width'"):
        train_alone(NetTrainer, {"lr": 0.5, "width": hippo.Piecewise([4, 8], [1])}, until=2)


def test_averages_are_evaluated() -> None:
    class Averaged(NetTrainer):
        ema_decay = 0.5

    class AveragedTwin(Twin):
        ema_decay = 0.5

    ours, twin = (train_alone(each, {"lr": 0.5}, until=2) for each in (Averaged, AveragedTwin))
    assert ours[2]["val_loss"] == twin[2]["val_loss"] != train_alone(NetTrainer, {"lr": 0.5}, until=2)[2]["val_loss"]


class Normed(pl.LightningModule):
    """A frozen part in evaluation mode, and one that a hook puts there from the third epoch on, for good."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen = nn.BatchNorm1d(4).requires_grad_(False).eval()
        self.late = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 2)

    def on_train_epoch_start(self) -> None:
        if self.current_epoch == 2:
            self.late.eval()

    def training_step(self, batch: Any, batch_idx: int) -> torch.Tensor:
        return nn.functional.cross_entropy(self.head(self.late(self.frozen(batch[0] * 3 + 1))), batch[1])

    def validation_step(self, batch: Any) -> None:
        self.log("val_loss", self.training_step(batch, 0))

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.5)


def test_modes_of_parts_are_the_modules_own_and_last_also_across_states() -> None:
    class Whole(Points):
        def train_dataloader(self) -> Any:
            return DataLoader(self.training, batch_size=48, shuffle=True)

    torch.manual_seed(0)
    module = Normed()
    start = {name: value.clone() for name, value in module.state_dict().items()}

    class NormedTrainer(NetTrainer):
        def make_module(self) -> Any:
            module = Normed()
            module.load_state_dict(start)
            return module

        def make_data(self) -> Any:
            return Whole()

    loop = pl.Trainer(
        max_epochs=5, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        accelerator="cpu",
    )  # fmt: skip
    loop.fit(module, datamodule=Whole())
    theirs = float(loop.callback_metrics["val_loss"])
    ours = train_alone(NormedTrainer, {}, until=5)
    assert ours[5]["val_loss"] == pytest.approx(theirs, abs=1e-6)
    study = hippo.create_study("modes", trainer=NormedTrainer, storage="memory://", checkpoints="memory://",
                               metric="val_loss", mode="min", engine=hippo.InlineEngine())  # fmt: skip
    study.evaluate({}, until=3)
    assert study.evaluate({}, until=4) == ours[4]  # on from a state of the third epoch
    assert study.trials[0].load_state()["in_eval"] == ["frozen", "late"]
