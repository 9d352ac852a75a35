"""A user's script: `python a_client.py URL STUDY LOG TUNER`. It prints its trials at the end."""

from __future__ import annotations

import sys
from typing import Any

import hippo

RATES = [{"lr": round(0.02 * i, 2), "momentum": hippo.Piecewise([0.0, 0.1 * (i % 3)], [4])} for i in range(1, 13)]


def tuner(name: str) -> Any:
    if name == "grid":
        return hippo.GridSearch(RATES, until=12)
    return hippo.ASHA(RATES, min_steps=2, max_steps=18, reduction=3)


if __name__ == "__main__":
    url, study_name, log, which = sys.argv[1:]
    study: Any = hippo.create_study(
        study_name,
        trainer="hippo.testing.trainers:ToyTrainer",
        trainer_args={"log": log, "sleep_s": 0.02},
        storage=url,
        metric="loss",
        mode="min",
    )
    study.optimize(tuner(which))
    for trial in study.trials:
        print(trial.number, trial.state.value, trial.step, dict(trial.params), repr(trial.value))
