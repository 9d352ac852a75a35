"""What compiling the updates of lanes takes, and what it leaves of them: small networks, one thread.

    python benchmarks/bench_compile.py [--nets mlp cnn transformer] [--lanes 8] [--width 64]

A few minutes. Whole updates, batches and optimizers included, with and without a program, in turns; seconds to compile
are those of the wall, and depend on what earlier processes left in torch's cache: TORCHINDUCTOR_CACHE_DIR=$(mktemp -d)
begins with nothing. Nothing is written to benchmarks/results: the figures are for choosing a default.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from rich.console import Console
from rich.table import Table

from hippo.records import Fusion, Point
from hippo.testing.formations import HERE
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.fusion.compile_rule import CompileExperience, CompilePolicy
from hippo.training.fusion.compiled_loss import LossCompiler
from hippo.training.fusion.fused_walker import FusedWalker

UPDATES, STEPS = 20, 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--nets", nargs="+", default=["mlp", "cnn", "transformer"], choices=["mlp", "cnn", "transformer"]
    )
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--width", type=int, default=64)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    table = Table("network", "update, ms", "compiled, ms", "seconds to compile", "pays after updates")
    for net in arguments.nets:
        table.add_row(net, *measured(net, arguments.lanes, arguments.width))
    Console().print(table)


def measured(net: str, lanes: int, width: int) -> list[str]:
    """Return what a table shows of one network."""
    trainer = NetTrainer(net, "adamw", width=width, size=32 * UPDATES)
    trainer.default_batch_size = 32
    configs = [{"lr": 0.01 * (1 + lane / 10)} for lane in range(lanes)]
    told: list[tuple[str, float]] = []
    policy = CompilePolicy(CompileExperience(compile_s=0.0), steps_left=10**9)
    compiler = LossCompiler(policy, time.perf_counter, lambda why, seconds: told.append((why, seconds)))
    walkers = [
        FusedWalker(
            trainer,
            step=0,
            pieces=[pieces_at(config, 0) for config in configs],
            states=[None] * lanes,
            goals=[Point(HERE, 1)] * lanes,
            fusion=Fusion(is_fused=True),
            compiler=each,
        )
        for each in (None, compiler)
    ]
    seconds: list[list[float]] = [[], []]
    for _ in range(STEPS):
        for walker, took in zip(walkers, seconds, strict=True):
            started_s = time.process_time()
            walker.train([HERE] * lanes, [pieces_at(config, walker.step) for config in configs])
            took.append((time.process_time() - started_s) / UPDATES)
    plain, compiled = (statistics.median(each[2:]) for each in seconds)
    why, compile_s = told[0]
    if why:
        return [f"{plain * 1e3:.2f}", why, f"{compile_s:.0f}", "never"]
    pays = f"{compile_s / 0.4 / (plain - compiled):,.0f}" if compiled < plain else "never"
    return [f"{plain * 1e3:.2f}", f"{compiled * 1e3:.2f}", f"{compile_s:.0f}", pays]


if __name__ == "__main__":
    main()
