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


class Heard(hippo.Callback):
    """Keeps which evaluations it heard of."""

    def __init__(self) -> None:
        self.steps: set[tuple[int, int]] = set()

    def on_evaluated(self, event: Any) -> None:
        self.steps.add((event.trial, event.step))


if __name__ == "__main__":
    heard = Heard()
    url, study_name, log, which = sys.argv[1:]
    study: Any = hippo.create_study(
        study_name,
        trainer="hippo.testing.trainers:ToyTrainer",
        trainer_args={"log": log, "sleep_s": 0.02},
        storage=url,
        metric="loss",
        mode="min",
        callbacks=[heard],
    )
    study.optimize(tuner(which))
    for trial in study.trials:
        unheard = [step for step in trial.history if (trial.number, step) not in heard.steps]
        assert not unheard, f"its callback did not hear of trial {trial.number} after steps {unheard}"
        print(trial.number, trial.state.value, trial.step, dict(trial.params), repr(trial.value))
