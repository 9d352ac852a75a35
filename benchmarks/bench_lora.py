"""What many adapters, heads or top layers on one frozen network cost together, against one by one.

    python benchmarks/bench_lora.py [--runs 5] [--only probes] [--numerics fused]

CPU seconds, one thread, in turns, medians: of a training step of F lanes that differ in their learning rates, walked as
one program as a study of such numerics walks them, and of F times a step of one lane alone; and the same of an
evaluation. `probes`: linear classifiers on a
frozen vision transformer of six layers and width 192 (`examples/probes.py`), of the mean of its patches' features or of
all. `lora`: adapters of rank 8 on all linear layers of a Llama of four layers (`examples/lora.py`), a text of 16
letters at a time. `top layer`: the last of eight layers of a transformer of width 128 is trained, the others are
frozen. The rows of `lora` need peft and transformers, and are left out without them.
"""

import argparse
import importlib.util
import itertools
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import TensorDataset

import hippo
from hippo.hparams import Config, path
from hippo.records import Point
from hippo.testing.remembering_host import spec_of
from hippo.training import Trainers
from hippo.training.fusion.check import decide
from hippo.training.fusion.fused_walker import FusedWalker
from hippo.training.process.environment import pin
from hippo.training.walking.walker import NOWHERE, Walker
from report import write_report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from lora import AdapterTrainer
from probes import ProbeTrainer


class TopLayer(hippo.TorchTrainer):
    """Trains the last of eight layers, and a head, on random sequences."""

    samples_per_step = 64
    default_batch_size = 16

    def make_model(self):
        layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
        body = nn.TransformerEncoder(layer, 8, enable_nested_tensor=False)
        body.layers[:7].requires_grad_(False)
        first = nn.Linear(16, 128).requires_grad_(False)
        return nn.Sequential(first, body, nn.Flatten(), nn.Linear(16 * 128, 10))

    def make_optimizer(self, params):
        return torch.optim.AdamW([param for param in params if param.requires_grad], lr=self.hp["lr"])

    def train_set(self):
        chance = torch.Generator().manual_seed(0)
        return TensorDataset(torch.randn(256, 16, 16, generator=chance), torch.randint(10, (256,), generator=chance))

    val_set = train_set

    def loss(self, model, batch):
        points, labels = batch
        return nn.functional.cross_entropy(model(points), labels)


class FewBatches(ProbeTrainer):
    """The example's, with steps of two batches."""

    samples_per_step = 128


class FewTexts(AdapterTrainer):
    """The example's, with steps of eight texts."""

    samples_per_step = 8


#: name -> trainer, its arguments, hyper-parameters beside the rate, lanes -> target of training, target of evaluating
CASES = {
    "probes": (FewBatches, {"pooled": True}, {"weight_decay": 1e-3}, {13: None, 52: 40, 208: 150}, {52: 20}),
    "probes, all patches": (FewBatches, {}, {"weight_decay": 1e-3}, {52: None}, {52: None}),
    "top layer of 8": (TopLayer, {}, {}, {8: 2}, {}),
    "lora, width 64": (FewTexts, {"width": 64}, {"rank": 8, "alpha": 16}, {8: 3}, {}),
    "lora, width 256": (FewTexts, {"width": 256}, {"rank": 8, "alpha": 16}, {8: 2.5}, {}),
}
#: a lane's bits are its own, or may depend on its company
PROMISES = ("fused", "fused-fast")


def pieces_of(rate, others):
    ((_, pieces),) = path(Config({"lr": rate, **others}), 1)
    return pieces


def cpu_s(work):
    began_s = time.process_time()
    work()
    return time.process_time() - began_s


def alternating(one, other, runs):
    """Return medians of two works' CPU seconds, taken in turns after one of each that is not counted."""
    found = ([], [])
    for run in range(runs + 1):
        for work, seconds in zip((one, other), found, strict=True):
            took_s = cpu_s(work)
            if run:
                seconds.append(took_s)
    return [statistics.median(seconds) for seconds in found]


def measured(name, lanes, numerics, runs):
    """Return CPU seconds of a training step and of an evaluation: alone, and of all lanes as a study walks them."""
    cls, arguments, others, _, _ = CASES[name]
    pristine, goal = Trainers().pristine(spec_of(cls, **arguments)), Point(NOWHERE, 1)
    ways = [pieces_of(1e-3 * 0.95**lane, others) for lane in range(lanes)]
    alone = Walker(pristine, step=0, pieces=ways[0], state=None, goal=goal)
    fusion, _ = decide(pristine, step=0, pieces=ways[0], state=None, goal=goal, numerics=numerics)
    if not fusion.is_fused:
        raise SystemExit(f"{name}: lanes are walked one by one: {fusion.detail}")
    together = FusedWalker(pristine, step=0, pieces=ways, states=[None] * lanes, goals=[goal] * lanes, fusion=fusion)
    nodes = [NOWHERE] * lanes

    def evaluate_together():
        together.train(nodes, ways)  # what was evaluated where they stood is known
        began_s = time.process_time()
        for lane in range(lanes):
            together.evaluate(lane, NOWHERE)
        evaluations.append(time.process_time() - began_s)

    evaluations = []
    trained = alternating(lambda: alone.train(NOWHERE, ways[0]), lambda: together.train(nodes, ways), runs)
    alone_s = statistics.median(cpu_s(lambda: alone.evaluate(NOWHERE)) for _ in range(runs))
    for _ in range(runs):
        evaluate_together()
    alone.close()
    together.close()
    return trained, (alone_s, statistics.median(evaluations))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--numerics", nargs="+", choices=PROMISES, default=PROMISES)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    pin(1)
    has_peft = all(importlib.util.find_spec(name) for name in ("peft", "transformers"))
    rows = []
    for name, (_, _, _, of_training, of_evaluating) in CASES.items():
        if arguments.only not in name or (name.startswith("lora") and not has_peft):
            continue
        for (lanes, target), numerics in itertools.product(of_training.items(), arguments.numerics):
            training, evaluation = measured(name, lanes, numerics, arguments.runs)
            for what, (alone_s, together_s), wanted in (
                ("training", training, target),
                ("evaluation", evaluation, of_evaluating.get(lanes)),
            ):
                rows.append(
                    {
                        "case": name,
                        "numerics": numerics,
                        "what": what,
                        "lanes": lanes,
                        "alone_ms": round(1000 * alone_s, 1),
                        "together_ms": round(1000 * together_s, 1),
                        "times": round(lanes * alone_s / together_s, 2),
                        "target": wanted,
                    }
                )
                print(rows[-1], flush=True)
    if not arguments.dry_run:
        write_report("lora", rows, f"medians of {arguments.runs}, one thread", seeds="0", also=("examples",))


if __name__ == "__main__":
    main()
