"""LoRA adapters of one small language model, many at once: the frozen model is computed and held once.

    python examples/lora.py                  # a grid of adapters, walked as one program for each rank
    python examples/lora.py --one-by-one     # the same, each by itself

Each trial trains an adapter (Hu et al. 2021) of all linear layers of a small Llama. Lanes of one program have tensors
of one shape, so each rank is a group of its own. The learning rates of a group go together, and so do its alphas, which
are floats that only scale what adapters add. Weights are random and texts are generated: nothing is downloaded.

Needs torch, peft and transformers.
"""

import argparse
import time

import torch
from rich.console import Console
from torch.utils.data import TensorDataset

import hippo

VOCABULARY, LENGTH = 256, 16


class AdapterTrainer(hippo.TorchTrainer):
    """Trains an adapter; a step is 32 texts, one at a time."""

    dataset = "generated texts, seed 0"
    default_batch_size = 1
    samples_per_step = 32
    val_batch_size = 32

    def __init__(self, width=64, layers=4):
        self.width, self.layers = width, layers

    def make_model(self):
        from peft import LoraConfig, get_peft_model
        from transformers import LlamaConfig, LlamaForCausalLM

        config = LlamaConfig(
            hidden_size=self.width,
            intermediate_size=self.width * 11 // 4,
            num_hidden_layers=self.layers,
            num_attention_heads=4,
            vocab_size=VOCABULARY,
            max_position_embeddings=LENGTH,
        )
        rank, alpha = self.hp["rank"], self.hp["alpha"]
        return get_peft_model(
            LlamaForCausalLM(config), LoraConfig(r=rank, lora_alpha=alpha, target_modules="all-linear")
        )

    def make_optimizer(self, params):
        return torch.optim.AdamW([param for param in params if param.requires_grad], lr=self.hp["lr"])

    def train_set(self):
        return TensorDataset(texts(256, seed=0))

    def val_set(self):
        return TensorDataset(texts(64, seed=1))

    def loss(self, model, batch):
        return model(input_ids=batch[0], labels=batch[0]).loss


def texts(number, *, seed):
    """Return texts in which each letter is the one before it and a step of the text's own, so that there is a rule."""
    chance = torch.Generator().manual_seed(seed)
    first = torch.randint(VOCABULARY, (number, 1), generator=chance)
    stride = torch.randint(1, 4, (number, 1), generator=chance)
    return (first + stride * torch.arange(LENGTH)) % VOCABULARY


space = hippo.GridSearchSpace(
    {"lr": [1e-4 * 4**power for power in range(4)], "rank": [4, 8], "alpha": [8.0, 32.0]},
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one-by-one", action="store_true", help="each adapter by itself")
    parser.add_argument("--steps", type=int, default=4, help="of 32 texts each")
    parser.add_argument("--storage", default="memory://", help="where the study is kept")
    arguments = parser.parse_args()
    study = hippo.create_study(
        "adapters",
        trainer=AdapterTrainer,
        metric="loss",
        mode="min",
        storage=arguments.storage,
        engine=hippo.InlineEngine(),
        numerics="exact" if arguments.one_by_one else "fused",
    )
    began_s = time.perf_counter()
    study.optimize(hippo.GridSearch(space, until=arguments.steps))
    took_s, statistics = time.perf_counter() - began_s, study.statistics()
    console = Console()
    console.print(f"{len(study.trials)} adapters, {statistics.mean_lanes:.1f} at once on average: {took_s:.1f} s")
    console.print(f"best loss {study.best_trial.value:.4f} with {dict(study.best_trial.params)}")


if __name__ == "__main__":
    main()
