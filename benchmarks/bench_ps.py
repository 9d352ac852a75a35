"""The parameter server: what a fork costs, what staleness buys and costs, and tuning matrix factorisation on it.

    python benchmarks/bench_ps.py [--runs 60] [--pairs 7]

Fork: a branch of the pool is copied into another slot, in turns with one memcpy of as many bytes. Bits: a small trainer
on processes and in one process. Clocks: workers that compute nothing but sleep for 2 ms, and each of them, in turn, for
10 ms in one clock of 20; s = 0 and s = 7 in turns. Matrix factorisation (examples/matrix_factorisation.py, in one
process, whose bits are those of several): clocks until the loss is at its target, for eleven learning rates, each given
ten times the clocks of the best, and for MLTuner, which has to find it among the eleven, all its branches included.
Wall seconds, medians.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import hippo
from hippo.ps import ClockGradients, PSTrainer
from hippo.ps.transport import InProcessTransport
from hippo.testing.ps_trainers import NoisyServer, built_server, same_tables
from report import write_report

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

from matrix_factorisation import RATES, MatrixFactorisation, tuner_of

SIZES_MB = (1, 25)
BOUNDS = (0, 1, 3, 7)
#: of the training set, whose noise alone is 0.01: where the faster ones of the learning rates become slow
TARGET = 0.09
#: clocks between two looks at the loss
LOOK = 50


class Block(PSTrainer):
    """One table of a size; it learns nothing."""

    def __init__(self, size_mb):
        self.rows = int(size_mb * 1e6 / 8 / 1000)  # its values, and the rule's velocities

    def make_tables(self):
        return {"block": np.ones((self.rows, 1000), np.float32)}

    def gradients(self, tables, share):
        raise NotImplementedError("it is only copied")

    def metrics(self, tables):
        return {}


class Delayed(PSTrainer):
    """Workers that take their time: in one clock of 20, each at another one, five times as long."""

    clocks_per_step = 200

    def __init__(self, workers, order):
        self.workers, self.order = workers, order

    def make_tables(self):
        return {"table": np.ones((16, 16))}

    def gradients(self, tables, share):
        is_late = share.clock % 20 == share.worker * 20 // share.workers
        time.sleep(0.01 if is_late else 0.002)
        return ClockGradients(loss=0.0, samples=1, tables={"table": np.ones((16, 16))})

    def metrics(self, tables):
        return {}


class Factorisation(MatrixFactorisation):
    """The example, in one process."""

    def make_transport(self):
        return InProcessTransport()


def row(what, case, value, unit, spread="", target=None):
    return {"what": what, "case": case, "value": value, "unit": unit, "spread": spread, "target": target}


def fork_rows(runs):
    """Yield what a fork costs by a memcpy of as many bytes."""
    for size in SIZES_MB:
        trainer = built_server(Block, {"lr": 0.1}, size_mb=size)
        gang, source = trainer._branch.gang, trainer._branch
        target = gang.fork(source)
        block = np.ones(int(size * 1e6), np.uint8)
        copy = np.zeros_like(block)
        copied, forked = [], []
        for _ in range(runs):
            began = time.perf_counter()
            copy[...] = block
            copied.append(time.perf_counter() - began)
            began = time.perf_counter()
            gang.copy(source, target)
            forked.append(time.perf_counter() - began)
        ratios = [one / other for one, other in zip(forked, copied, strict=True)]
        quartiles = "{0:.2f} to {2:.2f}".format(*statistics.quantiles(ratios))
        by_memcpy = round(statistics.median(forked) / statistics.median(copied), 2)
        yield row("fork", f"{size} MB", by_memcpy, "memcpy", quartiles, 2.0 if size == 25 else None)
        yield row("fork", f"{size} MB", round(1000 * statistics.median(forked), 3), "ms")


def bits_rows():
    """Yield whether processes come to the bits of one process, and the ages of what was read."""
    for staleness in BOUNDS:
        values = {"lr": 0.05, "staleness": staleness}
        tables, ages = [], []
        for in_process in (False, True):
            trainer = built_server(NoisyServer, values, workers=3, clocks_per_step=20, in_process=in_process)
            ages += [trainer.train()["age"] for _ in range(5)]
            tables.append({name: dict(fields) for name, fields in trainer.state_dict()["tables"].items()})
            tables[-1] = {name: {f: a.copy() for f, a in fields.items()} for name, fields in tables[-1].items()}
        yield row("equal bits in one process", f"s = {staleness}", same_tables(*tables), "", target=True)
        yield row("mean age of reads, pinned", f"s = {staleness}", round(max(ages), 2), "clocks")


def clocks_rows(pairs):
    """Yield clocks a second for s = 7 by those for s = 0, in turns."""
    for order in ("free", "pinned"):
        for workers in (2, 4):
            found = {0: [], 7: []}
            trainers = {
                s: built_server(Delayed, {"lr": 0.0, "staleness": s}, workers=workers, order=order) for s in found
            }
            for _ in range(pairs):
                for staleness, trainer in trainers.items():
                    began = time.perf_counter()
                    trainer.train()
                    found[staleness].append(trainer.clocks_per_step / (time.perf_counter() - began))
            ratios = [fast / slow for slow, fast in zip(found[0], found[7], strict=True)]
            case, spread = f"{workers} workers, {order}", f"{min(ratios):.2f} to {max(ratios):.2f}"
            target = 1.15 if (order, workers) == ("free", 2) else None
            yield row("clocks/s, s = 7 by s = 0", case, round(statistics.median(ratios), 2), "times", spread, target)
            yield row("clocks/s, s = 0", case, round(statistics.median(found[0])), "clocks/s")


def clocks_to_target(trainers, most):
    """Return how many clocks each trainer takes to its target; None: more than ten times as many as the best."""
    reached = dict.fromkeys(trainers)
    clocks = 0
    while clocks < min([most, *(10 * best for best in reached.values() if best)]):
        clocks += LOOK
        for rate, trainer in trainers.items():
            if reached[rate] is None:
                for _ in range(LOOK // trainer.clocks_per_step):
                    trainer.train()
                if trainer.evaluate()["loss"] <= TARGET:
                    reached[rate] = clocks
    return reached


def tuned_clocks(optimizer):
    """Return the clocks that MLTuner takes to the target, its branches included, and the rate that it found."""
    study = hippo.create_study(
        optimizer,
        trainer=Factorisation,
        trainer_args={"optimizer": optimizer},
        storage="memory://",
        checkpoints="memory://",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        evaluate_every=LOOK // Factorisation().clocks_per_step,
    )
    steps = 600
    study.optimize(tuner_of(steps=steps))
    path = max(study.trials, key=lambda trial: trial.step)
    first = next(step for step, metrics in sorted(path.history.items()) if metrics["loss"] <= TARGET)
    branches = study.statistics().steps_executed - path.step
    return (branches + first) * Factorisation().clocks_per_step, path.config.values_at(path.step - 1)["lr"]


def tuning_rows(most):
    """Yield what tuning costs by the best of the grid."""
    for optimizer in ("adagrad", "adarevision"):
        rates = [float(rate) for rate in np.geomspace(*RATES, 11)]
        grid = clocks_to_target(
            {rate: built_server(Factorisation, {"lr": rate}, optimizer=optimizer) for rate in rates},
            most,
        )
        best = min((clocks, rate) for rate, clocks in grid.items() if clocks)
        tuned, rate = tuned_clocks(optimizer)
        slow = sum(clocks is None or clocks >= 10 * best[0] for clocks in grid.values())
        yield row("best of 11 rates", f"{optimizer}, {best[1]:.3g}", best[0], "clocks")
        yield row("MLTuner, branches included", f"{optimizer}, {rate:.3g}", tuned, "clocks")
        yield row("MLTuner by the best", optimizer, round(tuned / best[0], 2), "times", target=2.0)
        yield row("rates ten times slower than the best", optimizer, slow, "of 11")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--most-clocks", type=int, default=20_000)
    arguments = parser.parse_args()
    rows = [
        *fork_rows(arguments.runs),
        *bits_rows(),
        *clocks_rows(arguments.pairs),
        *tuning_rows(arguments.most_clocks),
    ]
    write_report("ps", rows, f"medians of {arguments.runs} forks and {arguments.pairs} pairs of steps", seeds="0")


if __name__ == "__main__":
    main()
