"""Networks of other people's libraries, random weights: lanes that are walked as one come to what each does alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset, TensorDataset

from hippo.testing.formations import HERE, ConfigFormation, SoloConfig
from hippo.testing.fusible_trainers import CLASSES, NetTrainer
from hippo.training.codec import EncodedState, decode

transformers = pytest.importorskip("transformers")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

#: of images, and of letters
SIDE, LETTERS = 8, 32


class ImageTrainer(NetTrainer):
    """Classifies random images with a network of transformers, in float64."""

    def __init__(self, kind: str, optimizer: str) -> None:
        super().__init__(kind, optimizer, double=True, size=24)

    def make_model(self) -> nn.Module:
        if self.net == "vit":
            config = transformers.ViTConfig(
                hidden_size=16,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=32,
                image_size=SIDE,
                patch_size=4,
                num_channels=1,
                hidden_dropout_prob=0.1,
                attention_probs_dropout_prob=0.1,
                num_labels=CLASSES,
            )
            return transformers.ViTForImageClassification(config).double()
        config = transformers.ResNetConfig(
            num_channels=1,
            embedding_size=8,
            hidden_sizes=[8, 12],
            depths=[1, 1],
            layer_type="basic",
            num_labels=CLASSES,
        )
        return transformers.ResNetForImageClassification(config).double()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        images, labels = batch
        return functional.cross_entropy(model(pixel_values=images).logits, labels)

    def _samples(self, size: int, seed: int) -> Dataset[Any]:
        chance = torch.Generator().manual_seed(seed)
        labels = torch.randint(CLASSES, (size,), generator=chance)
        images = torch.randn(size, 1, SIDE, SIDE, generator=chance, dtype=torch.float64)
        return TensorDataset(images + labels.view(-1, 1, 1, 1), labels)


class AdapterTrainer(NetTrainer):
    """Trains an adapter of peft's on a frozen causal language model, with dropout before it, in float64."""

    def __init__(self, optimizer: str) -> None:
        super().__init__("llama", optimizer, double=True, size=24)

    def make_model(self) -> nn.Module:
        peft = pytest.importorskip("peft")
        config = transformers.LlamaConfig(
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            vocab_size=LETTERS,
            max_position_embeddings=8,
        )
        adapter = peft.LoraConfig(r=4, lora_alpha=8, lora_dropout=0.1, target_modules="all-linear")
        return peft.get_peft_model(transformers.LlamaForCausalLM(config), adapter).double()  # type: ignore[no-any-return]

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return model(input_ids=batch[0], labels=batch[0]).loss  # type: ignore[no-any-return]

    def _samples(self, size: int, seed: int) -> Dataset[Any]:
        chance = torch.Generator().manual_seed(seed)
        first = torch.randint(LETTERS, (size, 1), generator=chance)
        return TensorDataset((first + torch.arange(8)) % LETTERS)


TRAINERS: dict[str, Callable[[], NetTrainer]] = {
    "ViT": lambda: ImageTrainer("vit", "adamw"),
    "ResNet": lambda: ImageTrainer("resnet", "nesterov"),
    "LoRA": lambda: AdapterTrainer("adamw"),
}
#: how far a lane may be off, by how far it walks, and its loss, relatively: a Llama computes it in float32
MOST_OFF = {"ViT": (1e-9, 1e-10), "ResNet": (1e-9, 1e-10), "LoRA": (1e-6, 1e-6)}


def weights(state: EncodedState) -> Tensor:
    """Return all weights and buffers, but for the bias of attention's keys: nothing depends on it.

    Its gradient is what rounding leaves, of which Adam makes steps.
    """
    found = decode(state)["model"]
    return torch.cat([each.double().flatten() for name, each in found.items() if not name.endswith("k_proj.bias")])


@pytest.mark.parametrize("name", list(TRAINERS))
@pytest.mark.parametrize("num_lanes", [2, 5])
def test_lanes_come_to_what_each_comes_to_alone_and_go_on_alone(name: str, num_lanes: int) -> None:
    trainer, (most, most_of_loss) = TRAINERS[name](), MOST_OFF[name]
    configs = [{"lr": 0.01 * (1 + lane), "weight_decay": 0.01 * (lane % 2)} for lane in range(num_lanes)]
    together = ConfigFormation(trainer, configs)
    metrics = together.train(steps=4)
    for lane in (0, num_lanes - 1):
        alone, state = SoloConfig(trainer, configs[lane]), together.walker.encode(lane, HERE)
        begun = weights(alone.state())
        assert alone.train(steps=4) == pytest.approx(metrics[lane], rel=most_of_loss)
        expected = weights(alone.state())
        assert (weights(state) - expected).norm() <= most * (expected - begun).norm()
        assert together.walker.evaluate(lane, HERE) == pytest.approx(alone.walker.evaluate(HERE), rel=most_of_loss)
        resumed = SoloConfig(trainer, configs[lane], state, 4)
        assert resumed.train() == pytest.approx(alone.train(), rel=most_of_loss)


def test_of_adapters_the_frozen_network_is_held_once() -> None:
    trainer = TRAINERS["LoRA"]()
    together = ConfigFormation(trainer, [{"lr": 0.01 * (1 + lane)} for lane in range(3)])
    assert together.walker.has_trunk
