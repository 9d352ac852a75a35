"""How many steps MLTuner takes to 95.5 % on digits, and what it comes to: medians over seeds, with the range.

    python benchmarks/bench_mltuner.py [--seeds 9]

The network of examples/mltuner.py, three tunables, evaluations each `check_every` steps of the live path alone. Steps
are all that are trained, branches and probes among them, and say the same on any machine; seconds are those of one CPU
thread, evaluations and tuning included. A seed is that of weights, order of samples and settings. A run that never
comes to 95.5 % counts as one that takes longer than all others.
"""

import argparse
import math
import statistics
import sys
import time
from pathlib import Path

import torch

import hippo
from hippo.hparams import as_config

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from mltuner import DigitsTrainer, tuner

TARGET = 0.955


class CountedTuner:
    """A tuner whose steps are counted as it asks for them."""

    needs_metric = True

    def __init__(self, of):
        self._of = of
        #: steps trained so far
        self.asked = 0
        #: steps trained until then, and accuracy, of each evaluation
        self.checks = []

    def record(self):
        return {"counted": self._of.record()}

    async def tune(self, ask):
        self._ask = ask
        return await self._of.tune(self)

    async def together(self, proposals):
        asked = list(proposals)
        for proposal in asked:
            self.asked += self._ask.uncovered(as_config(proposal.config), proposal.until)
        return await self._ask.together(asked)

    async def __call__(self, config, *, until, **options):
        self.asked += self._ask.uncovered(config, until)
        answer = await self._ask(config, until=until, **options)
        if answer.metrics:
            self.checks.append((self.asked, answer.metrics["accuracy"]))
        return answer

    def __getattr__(self, name):
        return getattr(self._ask, name)


def run(seed):
    """Return one seed's row."""
    study = hippo.create_study(
        "digits", trainer=DigitsTrainer, storage="memory://", engine=hippo.InlineEngine(),
        metric="accuracy", mode="max", seed=seed, evaluate_every=10_000,
    )  # fmt: skip
    counted = CountedTuner(
        hippo.MLTuner(tuner.space, max_steps=400, check_every=5, max_trials=tuner.max_trials, seed=seed)
    )
    began = time.process_time()
    study.optimize(counted)
    row = {
        "seed": seed,
        "steps to 95.5 %": next((steps for steps, accuracy in counted.checks if accuracy >= TARGET), math.inf),
        "steps in all": counted.asked,
        "live path": study.best_trial.step,
        "best accuracy": round(max(accuracy for _, accuracy in counted.checks), 4),
        "last accuracy": round(counted.checks[-1][1], 4),
        "CPU-s": round(time.process_time() - began, 1),
    }
    study.close()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=9)
    seeds = parser.parse_args().seeds
    torch.set_num_threads(1)
    rows = []
    for seed in range(seeds):
        rows.append(run(seed))
        print(rows[-1], flush=True)
    for name in list(rows[0])[1:]:
        values = [row[name] for row in rows]
        print(f"{name}: median {statistics.median(values)}, from {min(values)} to {max(values)}")


if __name__ == "__main__":
    main()
