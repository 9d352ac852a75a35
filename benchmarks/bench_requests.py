"""What a request costs that takes no time to train: wall-milliseconds, on the roads that users take.

    python benchmarks/bench_requests.py [--requests 2000] [--trials 4000] [--runs 3] [--only inline-memory ...]

Two kinds. A chain: one-step requests, each after the answer to the one before, with five forks at every twentieth step,
of which the chain follows one; inline with everything in memory, inline on SQLite, and with a worker process on SQLite.
Each with states that are written, and with transient ones, as those who fork short branches ask for them.
Its time is told for stretches of 100 steps, the median and the last one, since a cost that grows shows in the last.
And many trials of two steps, asked for at once, on two worker processes and SQLite, by stage: `stages` keeps the best
trial's state, `stages-leaves` that of each trial, which is the default, and a file flushed to the disk for each. The
trainer counts its steps and does nothing else; each run is on a new database. The first stretch of a chain, in which
workers start, is left out; for the trials one study of a few is run before.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time

import hippo
from hippo import Piecewise
from report import write_report

STRETCH = 100
FORKS, EVERY = 5, 20
TARGETS_MS = {
    "inline-memory": 0.5,
    "inline-memory-transient": 0.5,
    "inline-sqlite": 0.55,
    "inline-sqlite-transient": 0.55,
    "local-sqlite": 0.8,
    "local-sqlite-transient": 0.8,
    "stages": 1.2,
    "stages-leaves": None,
}


class Chain(hippo.Tuner):
    """Asks step by step, and keeps when each stretch began."""

    def __init__(self, steps, is_transient):
        self.steps = steps
        self.is_transient = is_transient
        self.began = []
        self.requests = []
        #: seconds of each request that goes on, and of each fork: a fifth of what the five of a place take
        self.step_s, self.fork_s = [], []

    def record(self):
        return {"tuner": "chain", "steps": self.steps}

    async def tune(self, ask):
        config, asked = hippo.Config({"lr": 0.1}), 0
        for step in range(1, self.steps + 1):
            if (step - 1) % STRETCH == 0:
                self.began.append(time.perf_counter())
                self.requests.append(asked)
            if step % EVERY:
                began = time.perf_counter()
                await ask(config, until=step, is_transient=self.is_transient)
                self.step_s.append(time.perf_counter() - began)
                asked += 1
            else:
                forks = [config.switch(at=step - 1, lr=0.1 + fork / 10 + step / 1e6) for fork in range(FORKS)]
                began = time.perf_counter()
                await ask.together(
                    hippo.Proposal(config=fork, until=step, is_transient=self.is_transient) for fork in forks
                )
                self.fork_s.append((time.perf_counter() - began) / FORKS)
                config = forks[step // EVERY % FORKS]
                asked += FORKS
        self.began.append(time.perf_counter())
        self.requests.append(asked)

    def stretches_ms(self):
        """Return the milliseconds of a request in each stretch but the first."""
        spans = zip(self.began[1:], self.began[2:], self.requests[1:], self.requests[2:], strict=False)
        return [1000 * (ended - began) / (after - before) for began, ended, before, after in spans]


def make_study(road, folder, name="requests"):
    kind, *_, how = road.split("-") if "-" in road else (road, "best")
    engine = hippo.InlineEngine() if kind == "inline" else hippo.LocalEngine(2 if kind == "stages" else 1)
    in_memory = road.startswith("inline-memory")
    return hippo.create_study(
        name,
        trainer="hippo.testing.trainers:ToyTrainer",
        storage="memory://" if in_memory else f"sqlite:///{folder}/hippo.db",
        checkpoints="memory://" if in_memory else f"{folder}/states",
        engine=engine,
        metric="loss",
        mode="min",
        keep=how if kind == "stages" else "leaves",
    )


def asked_of(road, tuner):
    """Run a tuner on this road, and return it."""
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(road, folder)
        study.optimize(tuner)
        study.close()
    return tuner


def time_chain(road, requests):
    """Return the milliseconds of a request: the median over stretches, and the last one."""
    stretches = asked_of(road, Chain(requests, road.endswith("-transient"))).stretches_ms()
    return statistics.median(stretches), stretches[-1]


def time_stages(road, trials):
    """Return the milliseconds of a stage of two steps, each a trial of its own."""
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(road, folder)
        study.optimize(hippo.GridSearch([{"lr": Piecewise([9.0 + i, 1.0], [1])} for i in range(4)], until=2))
        began = time.perf_counter()
        study.optimize(hippo.GridSearch([{"lr": 0.1 + i} for i in range(trials)], until=2))
        took_s = time.perf_counter() - began
        study.close()
    return 1000 * took_s / trials


def row_of(road, values, lasts):
    return {
        "road": road,
        "median_wall_ms": round(statistics.median(values), 3),
        "least_and_greatest": f"{min(values):.3f} to {max(values):.3f}",
        "last_stretch_ms": round(statistics.median(lasts), 3) if lasts else None,
        "target": TARGETS_MS[road],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000, help="steps of the chain")
    parser.add_argument("--trials", type=int, default=4000, help="trials of two steps")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=TARGETS_MS, default=list(TARGETS_MS), help="these roads alone")
    parser.add_argument("--print", action="store_true", help="print the figures, and keep them nowhere")
    arguments = parser.parse_args()
    rows = []
    for road in arguments.only:
        if road.startswith("stages"):
            values, lasts = [time_stages(road, arguments.trials) for _ in range(arguments.runs)], []
        else:
            pairs = [time_chain(road, arguments.requests) for _ in range(arguments.runs)]
            values, lasts = [median for median, _ in pairs], [last for _, last in pairs]
        rows.append(row_of(road, values, lasts))
        if arguments.print:
            print(rows[-1], flush=True)
    if not arguments.print:
        how = f"chains of {arguments.requests} one-step requests, and {arguments.trials} trials of 2 steps"
        what = f"Wall-ms of a request, or of a stage: {how}; {arguments.runs} runs each"
        write_report("requests", rows, what, seeds="none")


if __name__ == "__main__":
    main()
