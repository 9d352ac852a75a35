"""Lines of trials say what the trials themselves do, without their paths."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.study.results.trial_lines import some_trials, trial_lines, trial_numbers, trial_way
from hippo.testing.trainers import ToyTrainer

from .looks import LooksInBetween

KINDS: dict[str, dict[str, Any]] = {
    "min": {"metric": "loss", "mode": "min"},
    "max": {"metric": "loss", "mode": "max"},
    "constrained": {"metric": "loss", "mode": "min", "constraints": ["loss <= 1"]},
    "several": {"metric": ["loss", "luck"], "mode": ["min", "max"]},
    "none": {},
    "seeds": {"metric": "loss", "mode": "min", "seeds": [0, 1]},
    "not a number": {"metric": "loss", "mode": "min", "nan": "worst", "trainer_args": {"nan_at": 4}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_says_what_the_trial_does(tmp_path: Path, kind: str) -> None:
    study = hippo.create_study(kind, trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/hippo.db",
                               checkpoints="memory://", engine=hippo.InlineEngine(), **KINDS[kind])  # fmt: skip
    configs = [{"lr": 0.1 * rate} for rate in range(1, 5)]
    if kind in ("several", "none"):
        study.optimize(hippo.GridSearch(configs, until=4))
    else:
        study.optimize(hippo.SuccessiveHalving(configs, min_steps=2, max_steps=4, reduction=2))
    view, metric = study.read(), "loss"
    lines, trials = trial_lines(view), study.trials
    told = [(line.number, line.state, line.step, line.until, line.call) for line in lines]
    assert told == [(each.number, each.state, each.step, each.until, each.call) for each in trials]
    for line, trial in zip(lines, trials, strict=True):
        own = trial.metrics.get(metric)
        if own is not None and math.isnan(own):
            assert math.isnan(line.metrics[metric])
        elif study.objectives:
            assert line.value(metric) == own
    assert trial_numbers(view) == [trial.number for trial in trials]
    few = some_trials(view, [3, 99, 1])
    assert [trial.number for trial in few] == [3, 1]
    assert [repr(trial) for trial in few] == [repr(trials[3]), repr(trials[1])]
    if kind != "seeds":
        ways = [trial_way(view, trial.number, trial.member) for trial in trials]
        assert [way[-1][2] for way in ways] == [trial.until for trial in trials]
    study.close()


@pytest.mark.parametrize("kind", ["min", "max", "not a number"])
def test_lines_that_were_made_before_are_those_of_a_first_look(tmp_path: Path, kind: str) -> None:
    url, seen = f"sqlite:///{tmp_path}/hippo.db", list[list[str]]()
    study = hippo.create_study(kind, trainer=ToyTrainer, storage=url, checkpoints="memory://",
                               engine=hippo.InlineEngine(), **KINDS[kind])  # fmt: skip
    looking = hippo.load_study(kind, url)

    def look() -> None:
        seen.append([repr(line) for line in trial_lines(looking.read())])
        assert seen[-1] == [repr(line) for line in trial_lines(hippo.load_study(kind, url).read())]

    further = [({"lr": 0.1 * rate}, until) for until in (1, 2, 5, 6) for rate in (1, 2)]
    study.optimize(LooksInBetween(further, look))
    study.close()
    assert len({tuple(lines) for lines in seen}) == len(seen) == 8


class Unevaluated(hippo.Tuner):
    """Has a config trained, and evaluated or not.

    Args:
      evaluate: which of it.
    """

    def __init__(self, *, evaluate: bool) -> None:
        self.evaluate = evaluate

    async def tune(self, ask: Any) -> None:
        await ask({"lr": 0.1}, until=2, evaluate=self.evaluate)


def test_a_line_hears_of_metrics_that_another_study_paid_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    for name in ("first", "second"):
        study = hippo.create_study(name, trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"),
                                   engine=hippo.InlineEngine(), metric="loss", mode="min",
                                   evaluate_every=5)  # fmt: skip
        study.optimize(Unevaluated(evaluate=name == "second"))
        study.close()
        if name == "first":
            looking = hippo.load_study("first", url)
            assert [line.metrics for line in trial_lines(looking.read())] == [{}]
    (line,) = trial_lines(looking.read())
    assert line.metrics == hippo.load_study("second", url).trials[0].metrics != {}
