"""Where values change, a tuner that asks one trial at a time finds a state to branch from, if that is worth a file."""

from __future__ import annotations

import hippo
from hippo import Piecewise
from hippo.simulation import SimulatedWorkload, simulate

#: all change their rate at 10 and at 20
CONFIGS = [{"lr": Piecewise([0.1, second, third], [10, 20])} for second in (0.2, 0.3) for third in (0.4, 0.5, 0.6)]


class OneByOne(hippo.Tuner):
    async def tune(self, ask: hippo.Ask) -> None:
        for config in CONFIGS:
            await ask(config, until=30, final=True)


def repeated(tuner: hippo.Tuner, **costs: float) -> tuple[int, int]:
    done = simulate(tuner, SimulatedWorkload(seconds_per_step=60.0, **costs), slots=1)
    return done.steps_repeated, done.saves


def test_a_tuner_that_asks_one_by_one_repeats_nothing_where_values_change() -> None:
    assert repeated(OneByOne())[0] == 0
    assert repeated(OneByOne(), save_s=500.0)[0] == 0  # ten steps take 600 s


def test_a_state_that_is_sooner_made_again_than_written_is_not_kept() -> None:
    steps, saves = repeated(OneByOne(), save_s=700.0)
    assert steps > 0
    assert saves < repeated(OneByOne())[1]


def test_a_tuner_that_asks_together_writes_only_where_somebody_branches() -> None:
    workload = SimulatedWorkload(seconds_per_step=60.0)
    alone, together = (
        simulate(hippo.GridSearch(configs, until=30), workload, slots=1, metric=None, mode=None)
        for configs in (CONFIGS[:1], CONFIGS)
    )
    assert (alone.saves, together.saves) == (0, 1 + 2)  # at 10, and at 20 on each branch
    assert together.steps_repeated == 0
