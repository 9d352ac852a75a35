"""The study that `test_kills_of_mltuner` kills: run as `python tuned_study.py FOLDER ENGINE`.

A live path that is tuned at the beginning and at plateaus. All that its tuner says and hears is logged, one file for
each run, so that two runs can be compared move by move.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from killed_study import append_step

import hippo
from hippo.hparams import as_config
from hippo.records import Answer
from hippo.testing.trainers import append_line
from hippo.tuners.ask import Proposal

SPACE = {"lr": hippo.loguniform(1e-4, 1.0), "decay": hippo.uniform(0.0, 0.1)}
MOST_STEPS = 220


class NoisyBowl(hippo.Trainer):
    """Descends in a bowl of ten dimensions by noisy slopes: near its floor, only a smaller rate helps.

    Args:
      log: a file that gets a line as each step begins.
      sleep_s: how long a step takes at least.
    """

    def __init__(self, log: str, sleep_s: float) -> None:
        self.log = log
        self.sleep_s = sleep_s

    def build(self) -> None:
        self.place = [1.0] * 10

    def train(self) -> dict[str, float]:
        append_step(self.log, "step")
        time.sleep(self.sleep_s)
        loss, rate, decay = self._loss(), float(self.hp["lr"]), float(self.hp["decay"])
        slopes = [(i + 1) * x + random.gauss(0.0, 1.0) + decay * x for i, x in enumerate(self.place)]
        self.place = [min(max(x - rate * slope, -1e6), 1e6) for x, slope in zip(self.place, slopes, strict=True)]
        return {"loss": loss}

    def evaluate(self) -> dict[str, float]:
        return {"loss": self._loss()}

    def _loss(self) -> float:
        return sum((i + 1) * x * x for i, x in enumerate(self.place))

    def state_dict(self) -> dict[str, Any]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.place = list(state["place"])


class NotedAsk:
    """Logs each question before it is asked, and each answer as it is heard.

    Args:
      ask: who answers.
      log: where to.
    """

    def __init__(self, ask: hippo.Ask, log: str) -> None:
        self._ask = ask
        self._log = log

    async def __call__(self, config: Any, *, until: int, **options: Any) -> Answer:
        return (await self.together([Proposal(config=config, until=until, **options)]))[0]

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        asked = list(proposals)
        for each in asked:
            kind = [each.final, each.is_extension, each.evaluate, each.is_transient]
            self._note("asked", as_config(each.config).to_json(), each.until, kind)
        answers = await self._ask.together(asked)
        for answer in answers:
            losses = [repr(told["loss"]) for _, told in sorted(answer.train_metrics.items())]
            self._note("heard", answer.config.to_json(), answer.step, [losses, repr(answer.losses)])
        return answers

    def release(self, config: Any) -> None:
        self._note("released", as_config(config).to_json())
        self._ask.release(config)

    def show(self, where: str) -> None:
        self._ask.show(where)

    @asynccontextmanager
    async def pin(self, answer: Answer) -> AsyncIterator[None]:
        self._note("pinned", answer.config.to_json(), answer.step)
        async with self._ask.pin(answer):
            yield

    @asynccontextmanager
    async def branching(self, answer: Answer | None) -> AsyncIterator[NotedAsk]:
        async with self._ask.branching(answer) as ask:
            self._note("branching", 0 if answer is None else answer.step, ask.member)
            yield NotedAsk(ask, self._log)

    @property
    def objectives(self) -> Any:
        return self._ask.objectives

    def _note(self, *what: Any) -> None:
        append_line(self._log, json.dumps(what))


class NotedTuner(hippo.Tuner):
    """A tuner whose moves are logged.

    Args:
      of: whose moves.
      log: where to.
    """

    needs_metric = True

    def __init__(self, of: hippo.Tuner, log: str) -> None:
        self.asks_branches = of.asks_branches
        self._of = of
        self._log = log

    def record(self) -> Any:
        return self._of.record()

    async def tune(self, ask: hippo.Ask) -> Any:
        return await self._of.tune(NotedAsk(ask, self._log))  # type: ignore[arg-type]


def moves_logs(folder: Path) -> list[Path]:
    """Return the logs of moves, one for each run of the study, in their order."""
    return sorted(folder.glob("moves-*.log"))


def main(folder: str, engine: str) -> None:
    """Run the study, or go on with it."""
    log = Path(folder) / f"moves-{len(moves_logs(Path(folder))):02}.log"
    log.touch()
    trainer: type[hippo.Trainer] = NoisyBowl
    if engine == "lanes":
        from lanes_bowl import LanesBowl  # and with it torch, which the others do not need

        trainer = LanesBowl
    engines = {"inline": hippo.InlineEngine, "local": lambda: hippo.LocalEngine(workers=2)}
    study = hippo.create_study(
        "killed",
        trainer=trainer,
        trainer_args={"log": f"{folder}/steps.log", "sleep_s": 0.002},
        storage=f"sqlite:///{folder}/hippo.db",
        checkpoints=f"{folder}/states",
        engine=engines.get(engine, lambda: hippo.LocalEngine(workers=1, max_lanes=8))(),
        metric="loss",
        mode="min",
        evaluate_every=10 * MOST_STEPS,
        nan="worst",
    )
    space: dict[str, Any] = SPACE
    options: dict[str, Any] = {"check_every": 10, "patience": 3, "max_trials": 12, "seed": 4}
    if engine == "lanes":
        options |= {"branches": "fused", "together": 4, "fixed": {"batch_size": 4}}
        space = {"lr": SPACE["lr"], "weight_decay": SPACE["decay"]}  # both are applied to an optimizer as it is
    tuner = hippo.MLTuner(space, MOST_STEPS, **options)
    study.optimize(NotedTuner(tuner, str(log)))
    study.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
