"""Models of Hugging Face at other scales: nine families, roles of their tensors, heads."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo.errors import TrainerError
from hippo.training.scaled.configs import left_as_it_is, scaled_config

from .trainers import ScaledNet, built

transformers = pytest.importorskip("transformers")


def small(name: str, **options: Any) -> Any:
    config = getattr(transformers, f"{name}Config")(**options)
    for token in ("bos_token_id", "eos_token_id", "pad_token_id"):
        if hasattr(config, token):
            setattr(config, token, None)
    return config


FAMILIES = {
    "ResNetForImageClassification": small(
        "ResNet", embedding_size=32, hidden_sizes=[32, 64], depths=[1, 1], layer_type="basic", num_labels=5
    ),
    "MobileNetV2ForImageClassification": small("MobileNetV2", image_size=32, num_labels=5),
    "SwinForImageClassification": small(
        "Swin", embed_dim=32, depths=[1, 1], num_heads=[4, 8], image_size=32, patch_size=4, window_size=4
    ),
    "ViTForImageClassification": small(
        "ViT", hidden_size=128, num_attention_heads=4, num_hidden_layers=2, intermediate_size=256, image_size=32,
        patch_size=8,
    ),
    "ConvNextForImageClassification": small("ConvNext", hidden_sizes=[32, 64], depths=[1, 1], num_stages=2),
    "GPT2LMHeadModel": small("GPT2", n_embd=64, n_layer=2, n_head=4, vocab_size=50, n_positions=16),
    "GPTNeoForCausalLM": small(
        "GPTNeo", hidden_size=64, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], vocab_size=50
    ),
    "BertForSequenceClassification": small(
        "Bert", hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=50
    ),
    "LlamaForCausalLM": small(
        "Llama", hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4,
        intermediate_size=128, vocab_size=50,
    ),
}  # fmt: skip


class HuggingFaceTrainer(ScaledNet):
    """A model of a family, at its scale."""

    min_width = 4

    def __init__(self, family: str, config: Any = None) -> None:
        super().__init__()
        self.family = family
        self.config = config or FAMILIES[family]

    def make_model(self) -> nn.Module:
        model: nn.Module = getattr(transformers, self.family)(self.scaled_config(self.config))
        return model


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_each_family_is_four_times_narrower_and_its_roles_are_those_of_a_network(family: str) -> None:
    trainer = built(HuggingFaceTrainer(family), scale="1/4")
    tensors = trainer._surrogate_options.tensors
    ratios = {ratio for tensor in tensors.values() for ratio in (tensor.fan_in, tensor.fan_out)}

    if family != "MobileNetV2ForImageClassification":  # its channels are rounded
        assert ratios == {Fraction(1), Fraction(1, 4)}
    roles = Counter(tensor.role.value for tensor in tensors.values())
    assert min(roles["hidden"], roles["vector"] or roles["hidden"], roles["input"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "roles"),
    [
        ("ViTForImageClassification", {"hidden": 12, "vector": 23, "input": 3, "output": 1, "unchanged": 1}),
        ("ResNetForImageClassification", {"hidden": 5, "vector": 12, "input": 1, "output": 1, "unchanged": 1}),
    ],
)
def test_roles_are_told_by_shapes(family: str, roles: dict[str, int]) -> None:
    tensors = built(HuggingFaceTrainer(family), scale="1/4")._surrogate_options.tensors

    assert Counter(tensor.role.value for tensor in tensors.values()) == roles


def test_an_alias_is_not_divided_twice() -> None:
    config = scaled_config(FAMILIES["GPT2LMHeadModel"], 4, min_width=8)

    assert (config.n_embd, config.hidden_size, config.n_head, config.vocab_size) == (16, 16, 1, 50)


@pytest.mark.slow
def test_heads_that_cannot_be_fewer_get_narrower_and_their_logits_follow() -> None:
    config = small(
        "Llama", hidden_size=96, num_hidden_layers=1, num_attention_heads=3, intermediate_size=96, vocab_size=9
    )
    target = built(HuggingFaceTrainer("LlamaForCausalLM", config), scale="1")
    narrow = built(HuggingFaceTrainer("LlamaForCausalLM", config), scale="1/4")

    scaling = [trainer.model.model.layers[0].self_attn.scaling for trainer in (target, narrow)]
    assert scaling == [32**-0.5, pytest.approx(32**0.5 / 8)]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Bart", {"d_model": 1024, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096}
         | {"encoder_attention_heads": 16, "decoder_attention_heads": 16}),
        ("Qwen2Moe", {"moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632}),
        ("DistilBert", {"dim": 768, "hidden_dim": 3072, "n_heads": 12}),
        ("XLM", {"emb_dim": 2048, "n_heads": 16}),
        ("XLNet", {"d_model": 1024, "d_inner": 4096, "n_head": 16}),
    ],
)  # fmt: skip
def test_whatever_a_config_calls_its_widths_and_heads_is_divided(name: str, fields: dict[str, int]) -> None:
    config = small(name)
    made = scaled_config(config, 4, min_width=8)

    assert {field: (getattr(config, field), getattr(made, field)) for field in fields} == {
        field: (value, value // 4) for field, value in fields.items()
    }
    assert left_as_it_is(config, made, min_width=8) == []


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_nothing_is_said_of_fields_of_known_families(family: str) -> None:
    config = FAMILIES[family]

    assert left_as_it_is(config, scaled_config(config, 4, min_width=4), min_width=4) == []


def test_what_may_be_a_width_and_is_not_known_is_told() -> None:
    class Strange(HuggingFaceTrainer):
        def make_model(self) -> nn.Module:
            width = self.scaled_config(self.config).hidden_size
            return nn.Sequential(nn.Linear(64, width), nn.Linear(width, 10))

    config = small("Bert", hidden_size=64, num_attention_heads=4, intermediate_size=64)
    config.adapter_hidden_size, config.adapter_layers, config.inner_kernel_size = 64, 64, 64
    target, narrow = (built(Strange("", config), scale=scale) for scale in ("1", "1/4"))

    assert target._surrogate_notes.take_remarks() == []
    said = narrow._surrogate_notes.take_remarks()[0]
    assert said.startswith("scaled_config() knows nothing of adapter_hidden_size of BertConfig, and left")


@pytest.mark.parametrize(
    ("heads", "keys", "times", "made"), [(60, 20, 6, (10, 2)), (40, 8, 5, (8, 1)), (8, 4, 4, (2, 1)), (8, 8, 3, (8, 8))]
)
def test_each_key_serves_as_many_queries_as_another(heads: int, keys: int, times: int, made: tuple[int, int]) -> None:
    config = small(
        "Llama",
        hidden_size=heads * 12,
        intermediate_size=96 * times,
        num_attention_heads=heads,
        num_key_value_heads=keys,
    )
    config = scaled_config(config, times, min_width=8)
    assert (config.num_attention_heads, config.num_key_value_heads) == made


@pytest.mark.slow
def test_narrower_heads_are_known_by_each_name_of_their_width() -> None:
    config = small(
        "GPTNeoX", hidden_size=192, num_hidden_layers=1, num_attention_heads=6, intermediate_size=96, vocab_size=9
    )
    narrow = built(HuggingFaceTrainer("GPTNeoXForCausalLM", config), scale="1/4")

    assert narrow.model.gpt_neox.layers[0].attention.scaling == pytest.approx(32**0.5 / 8)


def test_a_config_without_known_widths_is_refused() -> None:
    with pytest.raises(TrainerError, match=r"none of the fields of Pre.rainedConfig is known as a width"):
        scaled_config(transformers.PretrainedConfig(), 2, min_width=8)


def test_heads_too_narrow_are_refused() -> None:
    config = small("Bert", hidden_size=48, num_attention_heads=6, intermediate_size=48)

    with pytest.raises(TrainerError, match="num_attention_heads = 6 at scale 1/4 cannot be divided"):
        scaled_config(config, 4, min_width=8)


def test_a_width_that_does_not_divide_is_refused() -> None:
    with pytest.raises(TrainerError, match=r"hidden_size = 100 at scale 1/8 would be 12\.5"):
        scaled_config(small("Bert", hidden_size=100, num_attention_heads=10), 8, min_width=8)


@pytest.mark.slow
def test_a_tied_head_scales_its_input() -> None:
    narrow = built(HuggingFaceTrainer("GPT2LMHeadModel"), scale="1/4")
    hidden = torch.ones(1, 16)

    assert narrow.model.lm_head.weight is narrow.model.transformer.wte.weight
    assert torch.equal(narrow.model.lm_head(hidden), hidden @ narrow.model.lm_head.weight.T * 4)


class SilentTrainer(HuggingFaceTrainer):
    """A model of a family that says nothing of its scale, on data that suits it."""

    def make_model(self) -> nn.Module:
        model: nn.Module = getattr(transformers, self.family)(self.config)
        return model

    def train_set(self) -> Any:
        chance = torch.Generator().manual_seed(1)
        labels = torch.randint(2, (32,), generator=chance)
        if hasattr(self.config, "vocab_size"):
            return TensorDataset(torch.randint(50, (32, 12), generator=chance), labels)
        return TensorDataset(torch.randn(32, 3, 32, 32, generator=chance), labels)

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        logits: torch.Tensor = model(batch[0]).logits
        return logits.square().mean()


PROBED = {
    **{family: FAMILIES[family] for family in FAMILIES if family.startswith(("ResNet", "ViT", "ConvNext", "Bert"))},
    "LlamaForCausalLM": small(  # fewer heads of keys than of queries
        "Llama", hidden_size=128, num_hidden_layers=2, num_attention_heads=8, num_key_value_heads=4,
        intermediate_size=256, vocab_size=50,
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(PROBED))
def test_widths_that_nobody_says_are_found_as_the_config_has_them(family: str) -> None:
    found, wanted = (built(cls(family, PROBED[family]), scale="1/4") for cls in (SilentTrainer, HuggingFaceTrainer))

    shapes = [{name: each.shape for name, each in trainer.model.state_dict().items()} for trainer in (found, wanted)]
    assert shapes[0] == shapes[1]
    assert found._surrogate_options.tensors == wanted._surrogate_options.tensors
    assert float(found.train()["loss"]) >= 0


@pytest.mark.slow
def test_an_adapter_of_peft_says_what_it_is_multiplied_by() -> None:
    peft = pytest.importorskip("peft")

    class Adapted(SilentTrainer):
        def make_model(self) -> nn.Module:
            rank = self.scaled_rank(16)
            config = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=["q_proj", "v_proj"])
            model: nn.Module = peft.get_peft_model(super().make_model(), config)
            return model

        def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
            return torch.optim.AdamW([each for each in params if each.requires_grad], lr=self.hp["lr"])

    narrow = built(Adapted("LlamaForCausalLM"), scale="1, rank 4")

    assert all(group["lr"] == pytest.approx(0.2) for group in narrow.optimizer.param_groups)  # a quarter of the rank
