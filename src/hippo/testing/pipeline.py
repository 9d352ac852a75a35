"""A large job in a pipeline: real ranks on gloo, one process each, for tests and measurements of guests in them.

Stages are emulated, with devices that sleep while they compute, or those of a small transformer. Schedules are torch's.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

KINDS: dict[str, Any] = {"1f1b": Schedule1F1B, "gpipe": ScheduleGPipe}
_TOKENS = 11
#: what emulated devices wait for while they compute
_NEVER = threading.Event()


class _Sleep(torch.autograd.Function):
    """A device that takes its time; what it computes is nothing."""

    @staticmethod
    def forward(context: Any, given: Tensor, weight: Tensor, forward_s: float, backward_s: float) -> Tensor:
        context.backward_s = backward_s
        _NEVER.wait(forward_s)
        return given * weight

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Any, ...]:
        _NEVER.wait(context.backward_s)
        return gradients[0], gradients[0].sum(), None, None


class SleepStage(nn.Module):
    """A stage that sleeps for its forward and its backward pass."""

    def __init__(self, forward_s: float, backward_s: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(()))
        self.seconds = (forward_s, backward_s)

    def forward(self, given: Tensor) -> Tensor:
        result: Tensor = _Sleep.apply(given, self.weight, *self.seconds)  # type: ignore[no-untyped-call]
        return result


class TransformerStage(nn.Module):
    """A layer of a small transformer, with what comes before it in the first rank, and after it in the last."""

    def __init__(self, rank: int, ranks: int, width: int = 32) -> None:
        super().__init__()
        self.before = nn.Embedding(_TOKENS, width) if rank == 0 else nn.Identity()
        self.layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.1, batch_first=True)
        self.after = nn.Linear(width, _TOKENS) if rank == ranks - 1 else nn.Identity()

    def forward(self, given: Tensor) -> Tensor:
        result: Tensor = self.after(self.layer(self.before(given)))
        return result


class LargeJob:
    """One rank of a large job.

    Args:
      rank: this one's number.
      ranks: of the pipeline.
      micro_batches: of a step.
      kind: a schedule among `KINDS`.
      seconds: (forward, backward) of an emulated stage; None: a transformer's.
    """

    def __init__(
        self,
        rank: int,
        ranks: int,
        *,
        micro_batches: int = 4,
        kind: str = "1f1b",
        seconds: tuple[float, float] | None = None,
    ) -> None:
        self.rank, self.ranks, self._micro_batches = rank, ranks, micro_batches
        torch.manual_seed(100 + rank)
        self._is_emulated = seconds is not None
        module = SleepStage(*seconds) if seconds is not None else TransformerStage(rank, ranks)
        self.module = module
        self._optimizer = torch.optim.SGD(module.parameters(), lr=0.05)
        stage = PipelineStage(module, rank, ranks, torch.device("cpu"))
        self.schedule = KINDS[kind](stage, n_microbatches=micro_batches, loss_fn=self._loss)
        self._chance = torch.Generator().manual_seed(7)

    def step(self) -> list[float]:
        """Train one step, and return the losses of its micro-batches, in the last rank."""
        samples = 2 * self._micro_batches
        tokens = torch.randint(_TOKENS, (samples, 8), generator=self._chance)
        if self._is_emulated:
            tokens = tokens.float()
        losses: list[Tensor] = []
        is_last = self.rank == self.ranks - 1
        self.schedule.step(
            *([tokens] if self.rank == 0 else []), **({"target": tokens, "losses": losses} if is_last else {})
        )
        self._optimizer.step()
        self._optimizer.zero_grad()
        return [loss.item() for loss in losses]

    def _loss(self, given: Tensor, target: Tensor) -> Tensor:
        if self._is_emulated:
            return given.square().mean()  # a gradient with memory of its own: gloo takes no other
        return nn.functional.cross_entropy(given.flatten(0, 1), target.flatten())


@contextmanager
def only_rank() -> Iterator[None]:
    """Have this process be the one rank of a process group."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        dist.destroy_process_group()


#: what a rank runs, with its number and the number of ranks; what it returns is sent back
Program = Callable[[int, int], Any]


@contextmanager
def started_ranks(program: Program, ranks: int = 4) -> Iterator[list[Any]]:
    """Start ranks of a process group; yield (process, connection on which its result comes) of each.

    They have ended, by force, when the block has.
    """
    context = multiprocessing.get_context("fork")
    started = []
    with tempfile.TemporaryDirectory() as folder:  # they meet in a file, since somebody else may take a free port
        try:
            for rank in range(ranks):
                here, there = context.Pipe(duplex=False)
                given = (program, rank, ranks, f"{folder}/ranks", there)
                process = context.Process(target=_run_rank, args=given, daemon=False)
                process.start()
                there.close()
                started.append((process, here))
            yield started
        finally:
            for process, here in started:
                process.kill()
                process.join()
                here.close()


def run_ranks(program: Program, ranks: int = 4, *, timeout_s: float = 120.0) -> list[Any]:
    """Run a program in each rank, and return what they returned.

    Raises:
      RuntimeError: one of them raised.
      TimeoutError: one did not end.
    """
    with started_ranks(program, ranks) as started:
        results: dict[int, Any] = {}
        left = {here: rank for rank, (_, here) in enumerate(started)}
        while left:
            ready = wait(list(left), timeout=timeout_s)
            if not ready:
                raise TimeoutError(f"ranks {sorted(left.values())} did not end within {timeout_s} s")
            for here in ready:
                assert isinstance(here, Connection)
                rank = left.pop(here)
                is_error, results[rank] = here.recv()
                if is_error:
                    raise RuntimeError(f"rank {rank} failed:\n{results[rank]}")
        return [results[rank] for rank in range(ranks)]


def _run_rank(program: Program, rank: int, ranks: int, meeting: str, there: Any) -> None:
    torch.set_num_threads(1)
    code = 0
    try:
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
        there.send((False, program(rank, ranks)))
        with suppress(Exception):
            dist.destroy_process_group()
    except BaseException:
        code = 1
        with suppress(OSError):
            there.send((True, traceback.format_exc()))
    there.close()
    os._exit(code)
