"""Laws that must hold however workers die, boundaries come late and tuners change their minds."""

import asyncio
import itertools
import warnings

import numpy as np
import pytest

import hippo
from hippo.hparams import Piecewise
from hippo.records import TrialState
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate

CURVE = RandomWalk(seed=11)


class Fickle(hippo.Tuner):
    """Asks, goes on, withdraws and branches by chance, in the order in which answers arrive."""

    def __init__(self, seed):
        self.seed = seed

    async def tune(self, ask):
        rng = np.random.default_rng(self.seed)
        pending, numbers = {}, itertools.count()

        def begin(config, until):
            task = asyncio.ensure_future(ask(config, until=until))
            pending[task] = next(numbers)

        for _ in range(6):
            begin(self._config(rng), int(rng.integers(1, 12)))
        for _ in range(25):
            if not pending:
                begin(self._config(rng), int(rng.integers(1, 12)))
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=pending.__getitem__):
                answer = task.result()
                del pending[task]
                if answer.failure is None and rng.random() < 0.6:
                    begin(answer.config, answer.step + int(rng.integers(1, 9)))
            if rng.random() < 0.5:
                begin(self._config(rng), int(rng.integers(1, 20)))
            if pending and rng.random() < 0.3:
                chosen = sorted(pending, key=pending.__getitem__)[int(rng.integers(len(pending)))]
                chosen.cancel()
                del pending[chosen]
        for task in pending:
            task.cancel()

    @staticmethod
    def _config(rng):
        milestones = sorted({int(m) for m in rng.integers(1, 15, size=2)})
        return {"lr": Piecewise([0.1, *(float(v) for v in rng.integers(1, 3, size=len(milestones)))], milestones)}


def run(seed, **workload):
    costs = SimulatedWorkload(seconds_per_step=9.7, start_s=4.0, load_s=1.0, save_s=0.9, evaluate_s=0.3, **workload)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return simulate(Fickle(seed), costs, slots=[1.0, 1.7, 0.6], seed=seed, curve=CURVE)


def solo(config, until):
    """The metrics of a config trained alone, without a stop on the way."""
    tuner = hippo.GridSearch([config], until=until)
    (trial,) = simulate(tuner, SimulatedWorkload(seconds_per_step=1.0), slots=1, curve=CURVE).study.trials
    return trial.metrics


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_metrics_are_those_of_solo_training_and_a_run_can_be_repeated(seed, late):
    workload = {"losses_per_device_hour": 25.0, "restart_s": 20.0, "late_results": late}
    first, second = run(seed, **workload), run(seed, **workload)
    assert first.losses > 0
    assert first.intervals == second.intervals
    for trial in first.study.trials:
        if trial.state is not TrialState.FAIL and trial.step:
            assert trial.metrics == solo(trial.config, trial.step)


@pytest.mark.parametrize("seed", range(6))
def test_without_losses_only_late_boundaries_and_states_that_were_not_kept_repeat_steps(seed):
    simulation = run(seed)
    statistics = simulation.study.statistics()
    assert set(statistics.repeated_by_cause) <= {"late", "not kept"}
    assert statistics.steps_repeated == simulation.steps_repeated
    assert not simulation.losses


def test_a_late_result_counts_if_nobody_was_faster():
    """The worker is out of reach just before it would tell; its checkpoint arrives before its successor gets there."""
    workload = SimulatedWorkload(seconds_per_step=100.0, losses_at=((350.0, 0),), restart_s=10.0, late_results=True)
    with pytest.warns(UserWarning, match="a worker was lost"):
        simulation = simulate(hippo.GridSearch([{"lr": 0.1}], until=4), workload, slots=1, curve=CURVE)
    (trial,) = simulation.study.trials
    assert trial.state is TrialState.COMPLETE
    assert trial.metrics == solo({"lr": 0.1}, 4)
    # told at 400; the successor, which began at 360, is told that nobody waits any more at the end of its first step
    assert simulation.makespan_s < 360.0 + 400.0
