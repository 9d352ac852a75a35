"""The study that `test_kills_of_tuners` kills: run as `python killed_tuner.py FOLDER TUNER`."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from killed_study import SEQUENCES, PathLogger, space

import hippo
from hippo.hparams import as_config
from hippo.records import Answer
from hippo.runtime.asking.participants import Delivery
from hippo.runtime.futures import Futures
from hippo.testing.trainers import append_line
from hippo.tuners.ask import Proposal

DRAWS = hippo.RandomSearchSpace({"lr": hippo.quniform(0.05, 0.6, 0.05), "momentum": hippo.choice(0.0, 0.5)})
RATES = hippo.RandomSearchSpace({"lr": hippo.uniform(0.05, 0.6)})
#: of sequences that begin alike
CURVES = hippo.RandomSearchSpace({"lr": hippo.choice(*SEQUENCES), "momentum": hippo.choice(0.0, 0.3, 0.6, 0.9)})
#: of sequences whose beginnings can be had from others
TAILS = hippo.RandomSearchSpace({"lr": hippo.Piecewise([hippo.uniform(0.1, 0.6), hippo.uniform(0.01, 0.1)], [6])})
MILESTONES = hippo.Schedule.from_milestones((5, 12), (13, 6), (24, 3))

#: tuners whose questions do not depend on the order in which answers arrive
ORDERLY: dict[str, Callable[[], Any]] = {
    "random": lambda: hippo.RandomSearch(DRAWS, num_trials=10, until=12, seed=1),
    "early-stop": lambda: hippo.EarlyStopTuner(
        MILESTONES, space(), hippo.metric.ExtractSingleNumber("loss"), mode="min"
    ),
    "hyperband": lambda: hippo.Hyperband(CURVES, 16, 2, min_steps=2, seed=1),
    "beam": lambda: hippo.BeamSearch(
        [{"lr": 0.1}, {"lr": 0.5}], milestones=[4, 8, 13], beam=2, choices={"lr": [0.05, 0.2, hippo.Linear(0.3, -0.01)]}
    ),
    "pbt-synchronous": lambda: hippo.PBT(DRAWS, population=5, interval=4, max_steps=20, synchronous=True, seed=1),
    "pb2-synchronous": lambda: hippo.PB2(RATES, population=4, interval=4, max_steps=20, synchronous=True, seed=1),
}

#: tuners that hear one answer at a time, and decide by it, or by the seconds that steps took
HASTY: dict[str, Callable[[], Any]] = {
    "mltuner": lambda: hippo.MLTuner(
        RATES, 24, check_every=4, sampler="tpe", progress="slope", windows=2, max_trials=7, patience=2, seed=1
    ),
    "asha": lambda: hippo.ASHA(CURVES, 3, 12, 2, num_trials=20, extra_steps=6, seed=1),
    "asha-speculating": lambda: hippo.ASHA(CURVES, 3, 12, 2, num_trials=20, extra_steps=12, speculate=True, seed=1),
    "stopping-asha": lambda: hippo.StoppingASHA(CURVES, 3, 24, 2, num_trials=24, seed=1),
    "pasha": lambda: hippo.PASHA(DRAWS, 3, 24, 2, num_trials=16, seed=1),
    "median-stopping": lambda: hippo.MedianStopping(space(), 4, 16, min_trials=2),
    "pbt": lambda: hippo.PBT(DRAWS, population=5, interval=4, max_steps=20, seed=1),
    "tpe": lambda: hippo.SamplerSearch("tpe", DRAWS, until=8, num_trials=14, seed=1),
    "tpe-sharing": lambda: hippo.SamplerSearch("tpe", TAILS, until=9, num_trials=16, seed=1, candidates=3),
    "asha-over-tpe": lambda: hippo.ASHA(hippo.Sampled("tpe", DRAWS), 3, 12, 2, num_trials=18, seed=1),
    "bohb": lambda: hippo.BOHB(DRAWS, 16, 2, min_steps=2, seed=1),
}

#: tuners that ask for steps without their evaluation
UNEVALUATED = {"mltuner"}

#: no trial goes further
LONGEST = 24

TUNERS = {**ORDERLY, **HASTY}


def log_answers(log: Path) -> None:
    """Append each answer that is told from now on to a file, as a line of JSON, just before it is told."""
    settle = Futures.settle

    def logging(futures: Futures, delivery: Delivery) -> None:
        answer, future = delivery.value, futures._awaited.get(delivery.to)
        if isinstance(answer, Answer) and future is not None and not future.done():
            told = [answer.trial, answer.step, answer.losses, answer.state, answer.seconds]
            append_line(log, json.dumps(told))
        settle(futures, delivery)

    Futures.settle = logging  # type: ignore[method-assign]


def log_questions(log: Path) -> None:
    """Append each config that is asked for from now on to a file, as a line of JSON: a kill may lose its trial."""
    make, seen = Proposal.__init__, set[str]()

    def logging(proposal: Proposal, **fields: Any) -> None:
        make(proposal, **fields)
        config = as_config(proposal.config)
        if config.key not in seen:
            seen.add(config.key)
            append_line(log, json.dumps(config.to_json()))

    Proposal.__init__ = logging  # type: ignore[method-assign]


def asked_log(folder: Path) -> Path:
    """Return the log of what was asked in all runs of the study."""
    return folder / "asked.log"


def heard_logs(folder: Path) -> list[Path]:
    """Return the logs of what was told, one for each run of the study, in their order."""
    return sorted(folder.glob("heard-*.log"))


def main(folder: str, which: str) -> None:
    """Run the study, or go on with it."""
    warnings.simplefilter("ignore")  # of spaces smaller than some brackets would like
    log = Path(folder) / f"heard-{len(heard_logs(Path(folder))):02}.log"
    log.touch()
    log_answers(log)
    log_questions(asked_log(Path(folder)))
    study = hippo.create_study(
        "killed",
        trainer=PathLogger,
        trainer_args={"log": f"{folder}/steps.log", "sleep_s": 0.003},
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=f"{folder}/states",
        engine=hippo.LocalEngine(workers=2),
        metric="loss",
        mode="min",
        checkpoint_every_s=0.02,
    )
    study.optimize(TUNERS[which]())
    study.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
