"""Small studies that are disturbed: what they ask for does not depend on the order in which answers come.

Each is run to its end by `run_calls`, which is called again by the next process after one that was killed: that is
resuming. This module refuses to know what disturbs them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hippo.errors import HippoError
from hippo.hparams import Config, Exponential, GridSearchSpace, MultiStep, Piecewise
from hippo.study import Study
from hippo.testing.fault_book import StudyLife, is_injected
from hippo.tuners import Ask, GridSearch, SuccessiveHalving, Tuner

_RATES = [0.1, 0.2, *(MultiStep(0.1, [at], 0.1) for at in (3, 5, 8)), Exponential(0.3, 0.9)]


class ForkingTuner(Tuner):
    """Goes on from the better of two forks, whose states are in memory only: each question follows from an answer."""

    def __init__(self, steps: int, every: int) -> None:
        self.steps = steps
        self.every = every

    async def tune(self, ask: Ask) -> Config:
        config = Config({"lr": 0.1, "momentum": 0.9})
        await ask(config, until=self.every)
        for step in range(self.every, self.steps, self.every):
            forks = [config, config.switch(at=step, lr=0.1 + step / 1000)]
            async with ask.pin(config, step):
                short = [await ask(fork, until=step + 1, is_transient=True) for fork in forks]
            best = min(range(2), key=lambda number: short[number].loss)
            ask.release(forks[1 - best])
            config = forks[best]
            await ask(config, until=step + self.every)
        return config


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakStudy:
    """What a study does."""

    #: makes the tuners of its calls, one after the other
    tuners: Callable[[], Sequence[Tuner]]
    #: of `create_study`
    options: Mapping[str, Any] = field(default_factory=dict)


def _built_in() -> GridSearchSpace:
    return GridSearchSpace({"lr": _RATES, "momentum": [0.9, Piecewise([0.9, 0.5], [6])]})


def _of_space(space: GridSearchSpace, until: int) -> dict[str, SoakStudy]:
    """Return studies that ask for configs of a space, until so many steps."""
    early = max(1, until // 2)
    return {
        "grid": SoakStudy(tuners=lambda: [GridSearch(space, until=until)]),
        "grid, longer": SoakStudy(
            tuners=lambda: [GridSearch(space, until=early), GridSearch(space, until=until)],
            options={"keep": "leaves", "evaluate_every": 2},
        ),
        "halving": SoakStudy(
            tuners=lambda: [SuccessiveHalving(space, min_steps=max(1, until // 4), max_steps=until, reduction=2)]
        ),
    }


SOAK_STUDIES: Mapping[str, SoakStudy] = {
    **_of_space(_built_in(), 12),
    "forks": SoakStudy(tuners=lambda: [ForkingTuner(24, 3)], options={"keep": "leaves"}),
}
#: those that any space has
STUDIES_OF_ANY_SPACE = ("grid", "grid, longer", "halving")


def soak_study(name: str, space: Mapping[str, Any] | None, until: int) -> SoakStudy:
    """Return the study of a name: a built-in one, or one of a user's space, whose trials have so many steps."""
    if space is None:
        return SOAK_STUDIES[name]
    return _of_space(GridSearchSpace(space), until)[name]


def run_calls(study: Study, of: SoakStudy, life: StudyLife) -> None:
    """Run all calls of a study, or what is left of them; one that a fault ended is made again, as in a notebook.

    Raises:
      HippoError: no fault brought it about, or the life is over.
    """
    for tuner in of.tuners():
        while not _has_run(study, tuner, life):
            pass


def _has_run(study: Study, tuner: Tuner, life: StudyLife) -> bool:
    try:
        study.optimize(tuner)
    except HippoError as error:
        if life.is_over or not is_injected(error):
            raise
        print(f"soak: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return False
    return True
