"""ResNet-18 at an eighth of its width: how many fit on a GPU as one program, and what that is worth there.

    python benchmarks/bench_resnet.py [--runs 5] [--batch 256] [--most 1024] [--processes 1 2 4]

One GPU; a quarter of an hour. Images are 32 x 32 and random, and lie in memory: what is measured is training, not
loading. Wall seconds of steps of a few batches, after a warm-up, the device waited for.

* `fused`: F lanes that differ in their learning rates, F doubled until the device's memory ends (or `--most`). They are
  recorded as soon as that can be, as in a worker; `launched` is the same kernel by kernel, for F up to `--launched`.
  `samples_per_s` is that of all lanes together, `times` how often that of one model alone; `equal_bits` whether the
  first lane's weights after the same steps are those that it has at F = 2.
* `processes`: so many processes that share the device, each with a model of its own, which is what one has without
  fusion. They begin together.

`--device cpu --batch 8 --most 4 --dry-run` tries the program where there is no GPU.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import TensorDataset

import hippo
from bench_fusion import pieces_of, rates
from cuda_options import parsed
from hippo.records import Fusion, Point
from hippo.testing.remembering_host import spec_of
from hippo.training import Trainers
from hippo.training.fusion.fused_walker import FusedStepFailed, FusedWalker
from hippo.training.fusion.recorded_loss import UPDATES_BEFORE, LossRecorder
from hippo.training.process.environment import pin
from hippo.training.recording_experience import RecordingExperience, RecordingListener
from hippo.training.walking.walker import NOWHERE, Walker
from report import write_report

#: channels of ResNet-18's first layer
CHANNELS = 64
#: of a step
BATCHES = 4


class BasicBlock(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, out_channels, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(out_channels) for _ in range(2))
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, stride, bias=False), nn.BatchNorm2d(out_channels)
            )

    def forward(self, x: Tensor) -> Tensor:
        found = self.norms[0](self.first(x)).relu()
        return (self.norms[1](self.second(found)) + self.shortcut(x)).relu()


class ResNet18(hippo.TorchTrainer):
    """The one for small images, with an eighth of its channels."""

    def __init__(self, batch: int = 256, device: str = "cuda", ratio: int = 8) -> None:
        self.default_batch_size, self.samples_per_step = batch, batch * BATCHES
        self.device, self.channels = device, CHANNELS // ratio

    def make_model(self) -> nn.Module:
        widths = [self.channels * 2**stage for stage in range(4)]
        layers: list[nn.Module] = [
            nn.Conv2d(3, widths[0], 3, padding=1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()
        ]  # fmt: skip
        channels = widths[0]
        for stage, width in enumerate(widths):
            for stride in (1 if stage == 0 else 2, 1):
                layers.append(BasicBlock(channels, width, stride))
                channels = width
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=self.hp["lr"], momentum=0.9, weight_decay=5e-4)

    def train_set(self) -> TensorDataset:
        chance = torch.Generator().manual_seed(0)
        images = torch.randn(self.samples_per_step, 3, 32, 32, generator=chance)
        return TensorDataset(images, torch.randint(10, (len(images),), generator=chance))

    val_set = train_set

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        images, labels = batch
        return nn.functional.cross_entropy(model(images), labels)


def seconds_of(work: Callable[[], object], device: str) -> float:
    """Return the wall seconds of some work, until the device has done it."""
    _wait_for(device)
    began_s = time.perf_counter()
    work()
    _wait_for(device)
    return time.perf_counter() - began_s


def _wait_for(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def alone(batch: int, device: str, runs: int, *, is_recorded: bool = False) -> tuple[list[float], list[Tensor]]:
    """Return the seconds of steps of one model, and its weights then.

    Args:
      is_recorded: its updates are, as soon as enough were alike.
    """
    (pieces,) = (pieces_of(rate) for rate in rates(1))
    walker = Walker(pristine_of(batch, device), step=0, pieces=pieces, state=None, goal=Point(NOWHERE, 1))
    if is_recorded:
        walker.record(RecordingExperience(), RecordingListener(print, print), is_asked=True)
    warm_up = UPDATES_BEFORE // BATCHES + 2 if is_recorded else 1  # the first step chooses kernels
    took = [seconds_of(lambda: walker.train(NOWHERE, pieces), device) for _ in range(runs + warm_up)]
    trainer: Any = walker.settled(NOWHERE)
    weights = [each.detach().cpu().clone() for each in trainer.model.parameters()]
    walker.close()
    return took[warm_up:], weights


def pristine_of(batch: int, device: str) -> Any:
    """Return the trainer as a worker has it before it builds it."""
    return Trainers().pristine(spec_of(ResNet18, batch=batch, device=device))


def fused(
    lanes: int, batch: int, device: str, runs: int, *, is_recorded: bool = True
) -> tuple[list[float], list[Tensor]]:
    """Return the seconds of steps of so many lanes, and what the first one's weights are then.

    Args:
      is_recorded: they are, as soon as enough were alike.

    Raises:
      FusedStepFailed: with `is_resource`, if they are too many for the device's memory.
    """
    ways = [pieces_of(rate) for rate in rates(lanes)]
    walker = FusedWalker(
        pristine_of(batch, device),
        step=0,
        pieces=ways,
        states=[None] * lanes,
        goals=[Point(NOWHERE, 1)] * lanes,
        fusion=Fusion(is_fused=True),
        recorder=LossRecorder(RecordingExperience(), RecordingListener(print, print)) if is_recorded else None,
    )
    warm_up = UPDATES_BEFORE // BATCHES + 2
    try:
        took = [seconds_of(lambda: walker.train([NOWHERE] * lanes, ways), device) for _ in range(warm_up + runs)]
        weights = [each.detach().cpu().clone() for each in walker.lent(0).model.parameters()]
    finally:
        walker.close()
    return took[warm_up:], weights


def spread_of(took: list[float]) -> str:
    """Return the least and the most of some seconds, as milliseconds."""
    return f"{1000 * min(took):.2f} to {1000 * max(took):.2f}"


def _share(batch: int, device: str, runs: int, barrier: Any, told: Any) -> None:
    pin(1)
    alone(batch, device, 1)
    barrier.wait()
    began_s = time.perf_counter()
    alone(batch, device, runs)
    told.put(time.perf_counter() - began_s)


def side_by_side(processes: int, batch: int, device: str, runs: int) -> float:
    """Return the seconds of a step in each of so many processes that share the device: those of the slowest."""
    context = multiprocessing.get_context("spawn")
    barrier, told = context.Barrier(processes), context.Queue()
    started = [context.Process(target=_share, args=(batch, device, runs, barrier, told)) for _ in range(processes)]
    for process in started:
        process.start()
    slowest = max(told.get() for _ in started)
    for process in started:
        process.join()
    return slowest / (runs + 1)  # with the step that warms up


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--most", type=int, default=1024, help="lanes that are tried")
    parser.add_argument("--launched", type=int, default=16, help="lanes that are tried kernel by kernel, too")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    arguments = parsed(parser)
    pin(1)  # as in a worker
    batch, device, runs = arguments.batch, arguments.device, arguments.runs
    samples = batch * BATCHES
    warm_up = UPDATES_BEFORE // BATCHES + 1  # steps more, so that both have taken as many
    took, plain = alone(batch, device, runs + warm_up)
    alone_s = statistics.median(took[warm_up:])
    rows: list[dict[str, Any]] = []

    def add(way: str, models: int, seconds: float, equal_bits: bool | None = None, spread: str | None = None) -> None:
        rows.append(
            {
                "way": way,
                "models": models,
                "step_ms": round(1000 * seconds, 2),
                "spread_ms": spread,
                "samples_per_s": round(models * samples / seconds),
                "times": round(models * alone_s / seconds, 2),
                "equal_bits": equal_bits,
            }
        )
        print(rows[-1], flush=True)

    add("alone", 1, alone_s, spread=spread_of(took[warm_up:]))
    took, weights = alone(batch, device, runs, is_recorded=True)
    add("alone, recorded", 1, statistics.median(took), all(map(torch.equal, weights, plain)), spread_of(took))
    first: list[Tensor] | None = None
    for lanes in itertools.takewhile(lambda lanes: lanes <= arguments.most, (2**power for power in range(1, 20))):
        try:
            if lanes <= arguments.launched:
                took, weights = fused(lanes, batch, device, runs, is_recorded=False)
                first = first or weights
                is_equal = all(map(torch.equal, weights, first))
                add("launched", lanes, statistics.median(took), is_equal, spread_of(took))
            took, weights = fused(lanes, batch, device, runs)
        except FusedStepFailed as failed:
            if not failed.is_resource:
                raise
            print(f"{lanes} lanes: {failed.reason}", flush=True)
            break
        first = first or weights
        is_equal = all(map(torch.equal, weights, first))
        add("fused", lanes, statistics.median(took), is_equal, spread_of(took))
    for processes in arguments.processes:
        add("processes", processes, side_by_side(processes, batch, device, runs))
    if not arguments.dry_run:
        name = torch.cuda.get_device_name() if device.startswith("cuda") else device
        how = (
            f"ResNet-18 with an eighth of its channels, batch {batch}, on {name}; medians of {runs} steps of {BATCHES}"
        )
        write_report("resnet", rows, how, seeds="0")


if __name__ == "__main__":
    main()
