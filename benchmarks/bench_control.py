"""What deciding costs: CPU-milliseconds of the study process for each stage, with an engine that trains nothing.

    python benchmarks/bench_control.py [--size 10000] [--runs 5]

Plan in memory. Three trees: many leaves under one root, asked for at once; one chain, asked for at once; and one chain
asked for step by step, each request after the answer to the one before. Measured around `study.optimize`, so all of
it counts: building the configs' paths, plan, stage tree, scheduler, events, answers, trials.
"""

import argparse
import statistics
import time

import hippo
from hippo import Piecewise
from hippo.testing.fake_engine import FakeEngine
from report import write_report

TARGET_MS = 0.5


class StepByStep(hippo.Tuner):
    """Asks for one config's metrics after each step, one request after the answer to the one before."""

    def __init__(self, config, until):
        self.config = config
        self.until = until

    async def tune(self, ask):
        for until in range(1, self.until + 1):
            await ask(self.config, until=until)


def leaves(size):
    """One step, then a leaf for each config: size + 1 stages."""
    configs = [hippo.Config({"lr": Piecewise([0.1, 0.2 + i], [1])}) for i in range(size)]
    return hippo.GridSearch(configs, until=2), size + 1


def chain(size):
    """One config that changes at every step: size stages in one lane."""
    return hippo.GridSearch([changing(size)], until=size), size


def stepwise_chain(size):
    """A tenth as long, asked for step by step: each answer carries the train metrics of its whole path."""
    return StepByStep(changing(size // 10), size // 10), size // 10


def changing(size):
    """A config whose learning rate is another constant at every step."""
    return hippo.Config({"lr": Piecewise([1.0 + i for i in range(size)], list(range(1, size)))})


def cpu_ms_per_stage(make, size):
    """Run one study and return its CPU-milliseconds by stage."""
    tuner, stages = make(size)
    study = hippo.create_study(
        f"control-{make.__name__}",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage="memory://",
        checkpoints="memory://",
        engine=FakeEngine(slots=2),
        metric="loss",
        mode="min",
    )
    began = time.process_time()
    study.optimize(tuner)
    cpu_s = time.process_time() - began
    study.close()  # the collector would walk over all that it keeps in each later run
    return 1000 * cpu_s / stages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000, help="leaves, or stages of the chain")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    rows = []
    for make in (leaves, chain, stepwise_chain):
        costs = [cpu_ms_per_stage(make, arguments.size) for _ in range(arguments.runs)]
        rows.append(
            {
                "tree": make.__name__,
                "stages": make(arguments.size)[1],
                "median_cpu_ms_per_stage": round(statistics.median(costs), 4),
                "min": round(min(costs), 4),
                "max": round(max(costs), 4),
                "target": TARGET_MS,
            }
        )
    write_report("control", rows, f"CPU-ms of the study process by stage, {arguments.runs} runs each", seeds="none")


if __name__ == "__main__":
    main()
