"""One trunk, many cool-downs: how the loss of a small language model falls with the length of its training.

    python examples/wsd_scaling.py            # five minutes of processor time; Ctrl-C it, run it again: it goes on
    python examples/wsd_scaling.py --quick    # seconds: the same study, much smaller

Five minutes of processor time are about half of that on two idle cores, and more where other work has its part of them.

A warm-up/stable/decay schedule (Hu et al. 2024, "MiniCPM", section 4.2) of 96 steps and one of 80 are the same run
until the shorter one begins to cool down. So a study of lengths, cool-down fractions and shapes is one long trunk with
short branches (Hägele et al. 2024, "Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations",
section 3). Hippo finds this by itself: the trials below are plain `WSD` sequences.

The text is the language reference that every Python brings along (`pydoc_data.topics`). Needs torch; the picture needs
matplotlib.
"""

import argparse
import asyncio
import hashlib
import math
import platform
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

import torch
from torch import nn
from torch.utils.data import Dataset

import hippo

PEAK = 6e-3
CONTEXT = 64
SHAPES = ("linear", "cosine", "1-sqrt")


# ------------------------------------------------------------------------------------------------- data and model


def corpus(*, validation):
    """Return the text of every tenth topic, or that of all the others, as bytes."""
    chosen = [topics[name] for number, name in enumerate(sorted(topics)) if (number % 10 == 9) == validation]
    return "\n\n".join(chosen).encode("ascii", errors="replace")


class Windows(Dataset):
    """Stretches of `CONTEXT` characters, each with the same moved on by one.

    Training windows cover the text and begin anew at random; `count` of them, for validation, lie at even distances.
    """

    def __init__(self, text, *, count=None):
        self.text = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
        whole = (len(self.text) - 2 * CONTEXT) // CONTEXT
        self.starts = [CONTEXT * (k * whole // (count or whole)) for k in range(count or whole)]
        self.is_fixed = count is not None

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, index):
        start = self.starts[index] + (0 if self.is_fixed else random.randrange(CONTEXT))
        window = self.text[start : start + CONTEXT + 1]
        return window[:-1], window[1:]


class Block(nn.Module):
    """Attention to the characters before, then a perceptron, each on normalised inputs and added to its own."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.perceptron_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):  # batch x characters x width
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.query_key_value(self.attention_norm(x)).chunk(3, dim=-1)
        )
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.perceptron(self.perceptron_norm(x))


class CharacterGPT(nn.Module):
    """A transformer that tells the next of 128 characters."""

    def __init__(self, width, depth):
        super().__init__()
        self.characters, self.positions = nn.Embedding(128, width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*(Block(width, heads=4) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 128)

    def forward(self, x):
        x = self.characters(x) + self.positions(torch.arange(x.shape[1], device=x.device))
        return self.head(self.norm(self.blocks(x)))


class LanguageTrainer(hippo.TorchTrainer):
    """Trains a character-level language model; a step is a few batches of windows, the learning rate one per batch."""

    dataset = f"pydoc topics, sha256 {hashlib.sha256(corpus(validation=False)).hexdigest()[:16]}"
    default_batch_size = 16
    apply_hparams = "batch"

    def __init__(self, width=64, depth=2, batches_per_step=28):
        self.width, self.depth = width, depth
        self.samples_per_step = batches_per_step * self.default_batch_size

    def make_model(self):
        return CharacterGPT(self.width, self.depth)

    def make_optimizer(self, params):
        return torch.optim.AdamW(params, lr=self.hp["lr"], betas=(0.9, 0.95), weight_decay=0.1)

    def train_set(self):
        return Windows(corpus(validation=False))

    def val_set(self):
        return Windows(corpus(validation=True), count=160)

    def loss(self, model, batch):
        characters, following = batch
        return nn.functional.cross_entropy(model(characters).flatten(0, 1), following.flatten())

    def metrics(self, model, batch):
        return {"val_bits": self.loss(model, batch) / math.log(2)}  # bits per character


# ------------------------------------------------------------------------------------------------------- the study


@dataclass(frozen=True)
class Scale:
    """How large the study is."""

    totals: tuple[int, ...]
    #: of a trial's steps that are its cool-down
    fractions: tuple[float, ...]
    shapes: tuple[str, ...]
    warmup: int
    trainer_args: dict[str, int]
    #: about how much processor time the whole study takes
    cpu_s: int

    def schedules(self):
        """Return the learning rate of each trial."""
        return [
            hippo.WSD(PEAK, self.warmup, total, round(fraction * total), shape)
            for total in self.totals
            for fraction in self.fractions
            for shape in self.shapes
        ]


FULL = Scale((16, 32, 48, 64, 80, 96), (1 / 16, 1 / 8, 1 / 4), SHAPES, warmup=2, trainer_args={}, cpu_s=300)
QUICK = Scale(
    (8, 16, 24), (1 / 8, 1 / 4), SHAPES[::2], warmup=1, trainer_args={"width": 16, "batches_per_step": 2}, cpu_s=10
)


@dataclass(frozen=True)
class EachToItsEnd(hippo.Tuner):
    """Trains every config as long as its own schedule lasts; a grid trains all equally long."""

    configs: list[hippo.Config]

    async def tune(self, ask):
        async with asyncio.TaskGroup() as group:  # all are asked for together, so nothing runs twice
            for config in self.configs:
                group.create_task(ask(config, until=config["lr"].total, final=True))


def steps_of_the_tree(schedules):
    """Return the distinct steps: the trunk as far as the last cool-down begins, and every cool-down."""
    return max(lr.total - lr.decay for lr in schedules) + sum(lr.decay for lr in set(schedules))


def run(scale, folder):
    """Run the study, or go on with it, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    schedules = scale.schedules()
    asked, distinct = sum(lr.total for lr in schedules), steps_of_the_tree(schedules)
    # flushed, so that a reader of a pipe or a file sees what is going on before it is over
    print(
        f"{len(schedules)} trials of {asked} steps together, {distinct} of them distinct: p = {asked / distinct:.2f}\n"
        f"about {scale.cpu_s} s of processor time; how far it is comes on standard error",
        flush=True,
    )
    study = hippo.create_study(
        "wsd",
        trainer=LanguageTrainer,
        trainer_args=scale.trainer_args,
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        metric="val_bits",
        mode="min",
    )
    began = time.perf_counter()
    study.optimize(EachToItsEnd([hippo.Config({"lr": lr}) for lr in schedules]))
    seconds, seen = time.perf_counter() - began, study.statistics()
    print(f"{seen.steps_executed} steps executed, p = {seen.merge_rate:.2f} seen; this run took {seconds:.0f} s")
    return study


# ------------------------------------------------------------------------------------------------------ the results


def report(trials, scale):
    """Print the loss that each length of training ends with, at its best, and that of the trunk there."""
    trunk = trunk_losses(trials)
    best = min(trials, key=lambda trial: trial.value)
    print(f"best: trial {best.number}, {best.value:.3f} bits per character\n\nsteps  trunk  best cool-down")
    for total in scale.totals:
        best = min((trial for trial in trials if trial.until == total), key=lambda trial: trial.value)
        lr = best.config["lr"]
        before = f"{trunk[total]:.3f}" if total in trunk else "    -"
        print(f"{total:5}  {before}  {best.value:.3f}  ({lr.shape} over {lr.decay} steps)")


def trunk_losses(trials):
    """Return step -> loss under the stable learning rate, from the trial that stayed there for longest."""
    longest = max(trials, key=lambda trial: trial.until - trial.config["lr"].decay)
    end = longest.until - longest.config["lr"].decay
    return {step: metrics["val_bits"] for step, metrics in longest.history.items() if step <= end}


def draw(trials, scale, path):
    """Draw the losses along trunk and cool-downs, and how far each trial ends from the best of its length."""
    from matplotlib.figure import Figure

    colours = dict(zip(scale.fractions, ("#f6a21e", "#d7263d", "#3f2b96"), strict=False))
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    runs, ends = figure.subplots(1, 2, width_ratios=[3, 2])
    draw_runs(runs, trials, scale, colours)
    draw_ends(ends, trials, scale, colours)
    runs.legend(fontsize=8)
    ends.legend(fontsize=8, ncols=3, loc="upper center")
    ends.set_ylim(top=1.3 * ends.get_ylim()[1])  # room for the legend
    for axes in (runs, ends):
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"\ndrawn in {path}")


def chosen(trials, fraction, shape):
    """Return the trials with this cool-down, the shortest first."""
    schedules = [(trial, trial.config["lr"]) for trial in trials]
    return [trial for trial, lr in schedules if lr.shape == shape and lr.decay == round(fraction * lr.total)]


def draw_runs(axes, trials, scale, colours):
    """Draw the loss along the trunk, and along the cool-downs of one shape."""
    shape, trunk = scale.shapes[-1], trunk_losses(trials)
    axes.plot(trunk.keys(), trunk.values(), color="#555555", linewidth=2, label="trunk, stable learning rate")
    for fraction, colour in colours.items():
        for number, trial in enumerate(chosen(trials, fraction, shape)):
            steps = range(trial.until - trial.config["lr"].decay, trial.until + 1)
            losses = [trial.history[step]["val_bits"] for step in steps]
            label = f"cool-down over {fraction:.1%} of the trial" if number == 0 else None
            axes.plot(steps, losses, color=colour, linewidth=1.5, label=label)
    low, high = min(trial.value for trial in trials), trunk[scale.totals[0]]
    axes.set_ylim(low - 0.05 * (high - low), high + 0.3 * (high - low))  # the first steps fall from far above
    axes.set(xlabel="steps", ylabel="validation loss, bits per character", title=f"one trunk; cool-downs {shape}")


def draw_ends(axes, trials, scale, colours):
    """Draw how far each trial ends above the best of its length."""
    best = {total: min(trial.value for trial in trials if trial.until == total) for total in scale.totals}
    for fraction, colour in colours.items():
        for shape in scale.shapes:
            marker, line = {"linear": ("o", ":"), "cosine": ("s", "--"), "1-sqrt": ("^", "-")}[shape]
            found = chosen(trials, fraction, shape)
            axes.plot(
                [trial.until for trial in found], [trial.value - best[trial.until] for trial in found],
                color=colour, marker=marker, linestyle=line, markersize=4, linewidth=1, label=f"{fraction:.1%} {shape}",
            )  # fmt: skip
    axes.set(xlabel="length of training, steps", ylabel="bits per character", title="above the best of its length")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a much smaller study, in seconds")
    parser.add_argument("--folder", type=Path, default=Path(".demo/wsd"), help="where database and checkpoints live")
    parser.add_argument("--picture", type=Path, help="where to draw the results, such as wsd.png")
    arguments = parser.parse_args()
    scale = QUICK if arguments.quick else FULL
    folder = arguments.folder / ("quick" if arguments.quick else "full")
    try:
        trials = run(scale, folder).trials
    except KeyboardInterrupt:  # the study has said how to go on
        sys.exit(130)
    print(f"text: the topics of Python {platform.python_version()}")
    report(trials, scale)
    draw(trials, scale, arguments.picture or folder / "wsd_scaling.png")


if __name__ == "__main__":
    main()
