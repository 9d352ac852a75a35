"""What a model in pieces costs: peak memory of each rank and wall of a step, with `numerics="elastic"`.

    python benchmarks/bench_pieces.py [--width 2048] [--layers 8]

A perceptron of square layers is trained with AdamW in a worker of 1, 2 and 4 ranks, with its layers as `elastic_blocks`
and without. `exact`: by numerics that divide nothing. Peaks of resident memory are above those of the same program with
layers of a width of 8: `unsaved_mb` of rank 0 as it trains, `rank_0_mb` once it has saved a state, for which it puts
the whole together, and `peer_mb` of its largest peer. One torch thread a rank; the first step, in which ranks meet, is
not counted. More ranks than cores take turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile

import psutil
import torch
from torch import nn
from torch.utils.data import TensorDataset

from hippo import LocalEngine, TorchTrainer
from hippo.events import StageFailed, StepDone
from hippo.records import Boundary, Keep
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.training.code.shipping import ship
from process_memory import status_bytes
from report import write_report

STEPS = 5
BATCHES = 2
SAMPLES = 64


class Deep(TorchTrainer):
    """A perceptron of square layers."""

    default_batch_size = SAMPLES

    def __init__(self, *, width, layers):
        self.width, self.layers = width, layers

    def make_model(self):
        layers = [each for _ in range(self.layers) for each in (nn.Linear(self.width, self.width), nn.ReLU())]
        return nn.Sequential(*layers, nn.Linear(self.width, 10))

    def make_optimizer(self, params):
        return torch.optim.AdamW(params, lr=1e-4)

    def train_set(self):
        samples = BATCHES * SAMPLES
        return TensorDataset(torch.randn(samples, self.width), torch.randint(10, (samples,)))

    val_set = train_set

    def loss(self, model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class InBlocks(Deep):
    """One whose layers are put together one at a time."""

    elastic_blocks = (nn.Linear,)


def measured(cls, numerics, ranks, **arguments):
    """Return seconds of each step but the first, and peaks in MB of rank 0 and a peer, before it saves and after."""
    with tempfile.TemporaryDirectory() as folder, ControlLoop(LocalEngine(1, ranks=ranks), folder) as loop:
        loop.open_workload(ship(cls, arguments, seed=0, evaluate_every=STEPS, workload_key="deep", numerics=numerics))
        loop.wait_for_slots()
        peaks = []
        for number, keep in enumerate((Keep.NOTHING, Keep.WRITTEN), 1):
            loop.run("deep", lane(stage(number, 0, STEPS, boundary=Boundary(keep=keep))))
            peaks.append(peaks_mb())
        steps = [event for event in loop.events if isinstance(event, StepDone)]
        assert len(steps) == 2 * STEPS, [event for event in loop.events if isinstance(event, StageFailed)]
        return [event.seconds for event in steps[1:STEPS]], peaks


def peaks_mb():
    """Return the peaks of resident memory of the worker and of its largest peer, which is 0 where there is none."""
    (launcher,) = psutil.Process().children()
    (worker,) = launcher.children()
    rank_0, *peers = [status_bytes("VmHWM", each.pid) / 2**20 for each in (worker, *worker.children())]
    return rank_0, max(peers, default=0.0)


def row(what, cls, numerics, ranks, **shape):
    """Return what one way to train came to, above a model of next to nothing."""
    _, small = measured(cls, numerics, ranks, width=8, layers=shape["layers"])
    seconds, large = measured(cls, numerics, ranks, **shape)
    unsaved, saved = (
        [round(peak - base) for peak, base in zip(*both, strict=True)] for both in zip(large, small, strict=True)
    )
    return {
        "what": what,
        "ranks": ranks,
        "step_ms": round(1000 * statistics.median(seconds)),
        "min_ms": round(1000 * min(seconds)),
        "max_ms": round(1000 * max(seconds)),
        "unsaved_mb": unsaved[0],
        "rank_0_mb": saved[0],
        "peer_mb": saved[1] if ranks > 1 else None,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--layers", type=int, default=8)
    shape = vars(parser.parse_args())
    cases = [("exact", Deep, "exact", 1)]
    cases += [("in blocks", InBlocks, "elastic", ranks) for ranks in (1, 2, 4)]
    cases += [("whole in a pass", Deep, "elastic", ranks) for ranks in (2, 4)]
    rows = [row(*case, **shape) for case in cases]
    parameters = shape["layers"] * shape["width"] * (shape["width"] + 1)
    how = (
        f"{shape['layers']} layers of a width of {shape['width']}: {parameters / 1e6:.1f} million parameters, "
        f"{4 * parameters / 2**20:.0f} MB of them, with gradients and AdamW four times that; medians of {STEPS - 1} "
        f"steps of {BATCHES} batches of {SAMPLES}"
    )
    write_report("pieces", rows, how, seeds="0")


if __name__ == "__main__":
    main()
