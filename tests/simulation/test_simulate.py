"""Whole studies on virtual slots: the real runtime, so its laws must hold here, too."""

import asyncio
import itertools
import math

import pytest

import hippo
from hippo.errors import EngineError, HippoError, SimulationError
from hippo.hparams import Chain, Constant, Exponential, MultiStep, Piecewise, Warmup
from hippo.records import TrialState
from hippo.schedulers import BreadthFirst
from hippo.simulation import (
    Parametric,
    PowerLaw,
    RandomWalk,
    Replay,
    SimulatedEngine,
    SimulatedWorkload,
    Work,
    simulate,
)
from hippo.testing.trainers import ToyTrainer
from hippo.tuners.asha import ASHA
from hippo.tuners.hyperband import Hyperband
from hippo.tuners.pbt import PBT

HOUR = SimulatedWorkload(seconds_per_step=3600.0)
SPACE = hippo.GridSearchSpace(
    {
        "lr": [
            Constant(0.1),
            MultiStep(0.1, [4, 8], 0.1),
            MultiStep(0.1, [4, 10], 0.1),
            Chain(Warmup(3, 0.1), Exponential(0.1, 0.9)),
        ],
        "batch_size": [Constant(128), Piecewise([128, 256], [6])],
    }
)


class Asks(hippo.Tuner):
    """A tuner from a coroutine function."""

    def __init__(self, function):
        self._function = function

    async def tune(self, ask):
        return await self._function(ask)


def population(**options):
    space = hippo.RandomSearchSpace({"lr": hippo.loguniform(1e-4, 1.0)})
    return PBT(space, population=6, interval=3, max_steps=15, **options)


def sha(**options):
    return hippo.SuccessiveHalving(SPACE, min_steps=3, max_steps=12, reduction=2, **options)


def test_one_trial_takes_its_steps():
    simulation = simulate(hippo.GridSearch([{"lr": 0.1}], until=5), HOUR, slots=1)
    assert simulation.makespan_s == simulation.device_seconds == 5 * 3600.0
    assert simulation.device_hours == 5.0
    assert simulation.utilisation == 1.0


def test_two_runs_are_equal_in_every_interval():
    workload = SimulatedWorkload(
        seconds_per_step={"batch_size": {128: 10.0, 256: 7.0}}, start_s=3.0, load_s=1.0, save_s=0.5, evaluate_s=2.0,
        losses_per_device_hour=10.0,
    )  # fmt: skip
    first, second = (simulate(sha(), workload, slots=[1.0, 2.0, 0.7], seed=5) for _ in range(2))
    assert first.intervals
    assert first.intervals == second.intervals
    assert [t.history for t in first.study.trials] == [t.history for t in second.study.trials]


def test_another_seed_makes_other_metrics():
    first, second = (simulate(sha(), HOUR, slots=2, seed=seed).study.best_value for seed in (1, 2))
    assert first != second


def test_a_grid_executes_each_distinct_step_once():
    simulation = simulate(hippo.GridSearch(SPACE, until=12), HOUR, slots=3)
    assert simulation.steps_asked == 8 * 12
    assert simulation.steps_executed == round(8 * 12 / SPACE.merge_rate(until=12))
    assert simulation.steps_repeated == 0
    assert simulation.seconds[Work.TRAIN] == 3600.0 * simulation.steps_executed


@pytest.mark.parametrize("make", [sha, lambda: hippo.GridSearch(SPACE, until=12)])
def test_sharing_changes_no_metric_and_saves_steps(make):
    shared, alone = (simulate(make(), HOUR, slots=4, sharing=sharing) for sharing in (True, False))
    assert [trial.history[trial.step] for trial in shared.study.trials] == [
        trial.history[trial.step] for trial in alone.study.trials
    ]
    assert alone.steps_executed == alone.steps_asked == shared.steps_asked
    assert shared.steps_executed < alone.steps_executed
    assert alone.steps_repeated == 0  # a trial goes on from its own checkpoint


def test_noise_is_equal_along_shared_prefixes():
    configs = [{"lr": Piecewise([0.1, 0.2 + i], [5])} for i in range(3)]
    simulation = simulate(hippo.GridSearch(configs, until=9), HOUR, slots=2, evaluate_every=1)
    histories = [trial.history for trial in simulation.study.trials]
    for step in range(1, 10):
        metrics = {history[step]["loss"] for history in histories}
        assert len(metrics) == (1 if step <= 5 else 3)


def test_slots_never_do_two_things_at_once_and_rows_add_up():
    workload = SimulatedWorkload(
        seconds_per_step=2.0, start_s=1.0, load_s=1.0, save_s=0.3, evaluate_s=0.2, losses_per_device_hour=30.0
    )
    simulation = simulate(sha(), workload, slots=3, seed=1)
    for slot in range(3):
        intervals = sorted((i.began_s, i.ended_s) for i in simulation.intervals if i.slot == slot)
        assert all(end <= begin + 1e-9 for (_, end), (begin, _) in itertools.pairwise(intervals))
    held = sum(interval.ended_s - interval.began_s for interval in simulation.intervals)
    assert math.isclose(held, simulation.device_seconds)
    assert simulation.makespan_s == max(interval.ended_s for interval in simulation.intervals)
    assert 0.0 < simulation.utilisation <= 1.0


def test_virtual_days_pass_in_no_time_and_the_clock_is_the_tuners():
    async def tune(ask):
        try:
            async with ask.limited(seconds=5.5 * 3600.0):
                await ask({"lr": 0.1}, until=1000)
        except hippo.tuners.ask.LimitReached:
            return "limited"
        return "done"

    simulation = simulate(Asks(tune), HOUR, slots=1)
    assert simulation.makespan_s == 6 * 3600.0  # the step that was being run ended


def test_several_studies_share_and_count_apart():
    together = simulate([("a", hippo.GridSearch(SPACE, until=6)), ("b", sha())], HOUR, slots=4)
    apart = [simulate(tuner, HOUR, slots=4) for tuner in (hippo.GridSearch(SPACE, until=6), sha())]
    assert [study.name for study in together.studies] == ["a", "b"]
    assert together.steps_executed < sum(one.steps_executed for one in apart)
    assert together.trials == 16


def test_several_studies_are_equal_in_every_run():
    pairs = [hippo.GridSearch(SPACE, until=12), sha(), hippo.GridSearch(SPACE, until=5)]
    first, second = (simulate(pairs, HOUR, slots=3) for _ in range(2))
    assert first.intervals == second.intervals
    assert [study.name for study in first.studies] == ["simulation-1", "simulation-2", "simulation-3"]


def test_another_scheduler_decides():
    workload = SimulatedWorkload(seconds_per_step=1.0, start_s=5.0, resident_states=0)
    critical, breadth = (
        simulate(hippo.GridSearch(SPACE, until=12), workload, slots=2, scheduler=scheduler)
        for scheduler in (None, BreadthFirst())
    )
    assert breadth.starts > critical.starts
    assert breadth.steps_executed == critical.steps_executed


def test_a_lost_worker_costs_time_and_changes_no_metric():
    calm = simulate(sha(), HOUR, slots=2)
    workload = SimulatedWorkload(seconds_per_step=3600.0, losses_at=((1800.0, 0), (5.5 * 3600.0, 1)), restart_s=60.0)
    with pytest.warns(UserWarning, match="a worker was lost"):
        hit = simulate(sha(), workload, slots=2)
    assert hit.losses == 2
    assert hit.seconds[Work.LOST] > 0
    assert [trial.history[trial.step] for trial in hit.study.trials] == [
        trial.history[trial.step] for trial in calm.study.trials
    ]
    assert hit.makespan_s > calm.makespan_s
    assert hit.steps_executed == calm.steps_executed  # what was lost had not been told, so it is not a second run


@pytest.mark.filterwarnings("ignore:a worker was lost")
def test_a_stage_that_is_lost_three_times_fails_as_lost():
    workload = SimulatedWorkload(seconds_per_step=3600.0, losses_at=tuple((1800.0 + 3600.0 * i, 0) for i in range(9)))
    simulation = simulate(hippo.GridSearch([{"lr": 0.1}], until=4), workload, slots=1)
    (trial,) = simulation.study.trials
    assert trial.state is TrialState.FAIL
    assert "lost" in trial.error
    assert simulation.losses == 3


def test_a_failing_curve_fails_the_trials_that_meet_it_only():
    def curve(values, step, rng):
        if values["lr"] == 0.2:
            raise FloatingPointError("diverged")
        return values["lr"] / step

    simulation = simulate(
        hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}], until=4), HOUR, slots=1, curve=Parametric(curve)
    )
    assert [trial.state.value for trial in simulation.study.trials] == ["COMPLETE", "FAIL", "COMPLETE"]
    assert simulation.study.best_params == {"lr": 0.1}


def test_a_parametric_curve_draws_by_path_and_step():
    def curve(values, step, rng):
        return {"accuracy": rng.random(), "steps": step}

    first, second = (
        simulate(
            hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=4), HOUR, slots=slots, curve=Parametric(curve, 3),
            metric="accuracy", mode="max",
        )
        for slots in (1, 2)
    )  # fmt: skip
    assert [trial.metrics for trial in first.study.trials] == [trial.metrics for trial in second.study.trials]
    assert first.study.trials[0].value != first.study.trials[1].value


def test_a_power_law_falls_to_a_floor_that_values_decide():
    curve = PowerLaw(noise=0.0, floor=0.1, scale=0.9, exponent=1.0, floor_of=lambda values: values["lr"])
    simulation = simulate(hippo.GridSearch([{"lr": 0.5}], until=8), HOUR, slots=1, curve=curve, evaluate_every=1)
    losses = [metrics["loss"] for _, metrics in sorted(simulation.study.trials[0].history.items())]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(0.6 + 0.9 / 9)


def test_the_walk_has_the_drift_and_noise_that_it_was_given():
    configs = [{"lr": 0.001 * i} for i in range(1, 400)]
    curve = RandomWalk(seed=2, start=1.0, drift=-0.01, noise=0.05)
    values = [
        trial.value
        for trial in simulate(hippo.GridSearch(configs, until=25), HOUR, slots=400, curve=curve).study.trials
    ]
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
    assert mean == pytest.approx(0.75, abs=4 * 0.25 / 400**0.5)
    assert deviation == pytest.approx(0.25, rel=0.15)


def test_an_engine_of_ones_own_serves_an_ordinary_study():
    engine = SimulatedEngine(HOUR, RandomWalk(), slots=2)
    study = hippo.create_study(
        "own", trainer="hippo.testing.trainers:ToyTrainer", storage="memory://", checkpoints="memory://", engine=engine,
        metric="loss", mode="min", evaluate_every=10,
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=5))
    study.close()
    assert engine.elapsed() == 5 * 3600.0
    assert [trial.step for trial in study.trials] == [3, 3, 5, 5]


def test_a_replay_equals_the_study_that_it_replays():
    recorded = simulate(sha(), HOUR, slots=2, storage="memory://recorded", name="recorded", seed=9)
    replay = Replay("recorded", "memory://recorded")
    again = simulate(sha(), replay.workload(), slots=2, curve=replay)
    assert again.intervals == recorded.intervals
    assert [trial.metrics for trial in again.study.trials] == [trial.metrics for trial in recorded.study.trials]
    alone = simulate(replay.tuner(), replay.workload(), slots=8, curve=replay, sharing=False)
    assert alone.steps_executed == recorded.steps_asked
    assert alone.trials == recorded.trials


def test_a_study_that_was_trained_can_be_replayed():
    study = hippo.create_study(
        "trained",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage="memory://trained",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    study.optimize(sha())
    study.close()
    replay = Replay("trained", "memory://trained")
    again, alone = (
        simulate(sha(), replay.workload(start_s=20.0), slots=4, curve=replay, sharing=sharing)
        for sharing in (True, False)
    )
    expected = [trial.metrics for trial in study.trials]
    assert [trial.metrics for trial in again.study.trials] == expected
    assert [trial.metrics for trial in alone.study.trials] == expected
    assert again.seconds[Work.TRAIN] == pytest.approx(study.statistics().train_seconds)
    assert again.steps_executed == study.statistics().steps_executed


@pytest.mark.filterwarnings("ignore:a worker was lost .the engine failed")
def test_a_replay_says_what_was_never_recorded():
    simulate(hippo.GridSearch(SPACE, until=6), HOUR, slots=2, storage="memory://six", name="six")
    replay = Replay("six", "memory://six")
    assert len(replay.configs()) == 8
    with pytest.raises(EngineError, match=r"never trained step 7 .*fallback='last'"):
        simulate(hippo.GridSearch(replay.configs(), until=7), replay.workload(), slots=1, curve=replay)
    lasting = Replay("six", "memory://six", fallback="last")
    longer = simulate(hippo.GridSearch(lasting.configs(), until=7), lasting.workload(), slots=1, curve=lasting)
    assert [trial.metrics for trial in longer.study.trials] == [
        lasting_trial.metrics
        for lasting_trial in simulate(hippo.GridSearch(SPACE, until=6), HOUR, slots=1).study.trials
    ]
    drawn = Replay("six", "memory://six", fallback=RandomWalk(seed=8))
    fallen_back = simulate(hippo.GridSearch(drawn.configs(), until=7), drawn.workload(), slots=1, curve=drawn)
    assert len({trial.value for trial in fallen_back.study.trials}) > 1
    with pytest.raises(HippoError, match="there is no study 'seven'"):
        Replay("seven", "memory://six")


@pytest.mark.timeout(120)  # it waited for ever
def test_a_replay_that_goes_on_beyond_what_was_recorded_ends_with_an_error():
    for name, space in (("five", SPACE), ("two", [{"lr": 0.1}, {"lr": 0.2}])):  # as time goes on; as a lane begins
        simulate(hippo.GridSearch(space, until=5), HOUR, slots=2, storage=f"memory://{name}", name=name)
        replay = Replay(name, f"memory://{name}")
        with pytest.raises(HippoError, match=r"never trained step 6 .*fallback='last'"):
            simulate(hippo.GridSearch(replay.configs(), until=9), replay.workload(), slots=2, curve=replay)


def test_a_replay_tells_what_it_made_up():
    simulate(hippo.GridSearch([{"lr": 0.1}], until=5), HOUR, slots=1, storage="memory://short", name="short")
    replay = Replay("short", "memory://short", fallback="last")
    simulate(hippo.GridSearch(replay.configs(), until=5), replay.workload(), slots=1, curve=replay)
    assert replay.describe_guesses() == ""
    simulate(hippo.GridSearch(replay.configs(), until=9), replay.workload(), slots=1, curve=replay)
    assert "4 steps took the mean of those recorded" in replay.describe_guesses()


def trained(name, space, tuner=None, **options):
    """Return the finished study of `space`, whose trials with lr=0.3 fail at step 2 and with lr=0.4 diverge at 2."""
    study = hippo.create_study(
        name, trainer="hippo.testing.trainers:ToyTrainer", storage=f"memory://{name}", engine=hippo.InlineEngine(),
        trainer_args={"raise_in": "train", "raise_at": 2, "raise_if": {"lr": 0.3}}, **options,
    )  # fmt: skip
    study.optimize(tuner or hippo.GridSearch([{"lr": lr} for lr in space], until=4))
    study.close()
    return study


def test_a_replay_leaves_out_what_failed_and_says_so():
    trained("failing", [0.1, 0.3], metric="loss", mode="min", evaluate_every=4)
    replay = Replay("failing", "memory://failing", fallback="last")
    assert [config["lr"] for config in replay.configs()] == [0.1]
    again = simulate(replay.tuner(), replay.workload(), slots=1, curve=replay, **replay.options)
    assert [trial.config["lr"] for trial in again.study.trials] == [0.1]
    assert "what 1 trials of study 'failing' trained in vain" in replay.describe_guesses()


def test_a_replay_knows_who_was_better_and_which_seeds_there_are():
    study = trained("bound", [0.1, 0.2], metric="loss", mode="min", constraints="loss >= 1", nan="worst")
    replay = Replay("bound", "memory://bound")
    assert replay.options == {"metric": ["loss"], "mode": ["min"], "constraints": ["loss >= 1.0"], "nan": "worst"}
    again = simulate(replay.tuner(), replay.workload(), slots=1, curve=replay, **replay.options)
    assert again.study.best_trial.number == study.best_trial.number == 0
    trained("seeded", [0.1], metric="loss", mode="min", seeds=[1, 2])
    with pytest.raises(SimulationError, match=r"^study 'seeded' has \['seed 1', 'seed 2'\], so seed=None"):
        Replay("seeded", "memory://seeded")


@pytest.mark.parametrize("tuners", [[], 7, [("a", sha()), ("a", sha())]])
def test_what_is_no_tuner_is_refused(tuners):
    with pytest.raises(SimulationError):
        simulate(tuners, HOUR, slots=1)


def test_a_tuner_that_fails_ends_the_simulation_with_its_error():
    async def tune(ask):
        await ask({"lr": 0.1}, until=2)
        raise KeyError("tuner")

    with pytest.raises(KeyError, match="tuner"):
        simulate(Asks(tune), HOUR, slots=1)


def test_withdrawn_work_ends_at_the_step_under_way():
    async def tune(ask):
        long = asyncio.ensure_future(ask({"lr": 0.1}, until=100))
        await ask({"lr": 0.2}, until=3)
        long.cancel()

    simulation = simulate(Asks(tune), HOUR, slots=2)
    assert simulation.makespan_s == 3 * 3600.0
    assert simulation.steps_executed == 6


def test_resident_states_save_starts():
    workloads = [SimulatedWorkload(seconds_per_step=10.0, start_s=60.0, resident_states=n) for n in (0, 4)]
    none, some = (simulate(sha(), workload, slots=2) for workload in workloads)
    assert none.starts == none.lanes
    assert some.starts < some.lanes
    assert some.device_seconds < none.device_seconds


def test_what_runs_when_the_last_answer_comes_is_heard_to_its_end():
    async def tune(ask):
        long = [asyncio.ensure_future(ask({"lr": 0.1 * i}, until=100)) for i in range(1, 20)]
        await ask({"lr": 7.0}, until=2)
        for task in long:
            task.cancel()

    workload = SimulatedWorkload(seconds_per_step=3600.0, save_s=1800.0)
    runs = [simulate(Asks(tune), workload, slots=[1.0 + 0.01 * i for i in range(20)]) for _ in range(5)]
    assert all(run.intervals == runs[0].intervals for run in runs)
    trained = sum(interval.stop - interval.start for interval in runs[0].intervals if interval.work is Work.TRAIN)
    assert {run.steps_executed for run in runs} == {trained}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda: sha(extra_steps=6, speculate=True),
        lambda: ASHA(SPACE, min_steps=3, max_steps=12, reduction=2, extra_steps=6, speculate=True),
        lambda: Hyperband(SPACE, max_steps=9, reduction=3),
        lambda: population(synchronous=False),
        lambda: population(synchronous=True),
    ],
    ids=["sha", "asha", "hyperband", "pbt", "pbt synchronous"],
)
def test_every_kind_of_tuner_can_be_simulated_and_repeated(make):
    workload = SimulatedWorkload(seconds_per_step=60.0, start_s=7.0, save_s=2.0, losses_per_device_hour=1.0)
    first, second = (simulate(make(), workload, slots=[1.0, 1.3, 0.8], seed=2) for _ in range(2))
    assert first.steps_executed > 0
    assert first.intervals == second.intervals
    assert [trial.value for trial in first.study.trials] == [trial.value for trial in second.study.trials]


def test_a_search_on_surrogates_fills_as_many_lanes_as_one_on_the_target():
    configs = [{"lr": 0.1 + number} for number in range(60)]
    search = hippo.ASHA(configs, 1, 9, 3, num_trials=60)
    workload = SimulatedWorkload(seconds_per_step=1.0, start_s=0.0, scale_costs={8: 1.0}, fused=(0.9, 0.1))
    lanes = {
        name: simulate(tuner, workload, slots=1, lanes=64, keep_intervals=False).mean_lanes
        for name, tuner in {"target": search, "surrogates": hippo.Surrogate(search, 8)}.items()
    }
    assert lanes["surrogates"] > 0.5 * lanes["target"], lanes  # a few steps are of the target's one lane


class Forgetful(ToyTrainer):
    """Lacks the study's metric at one learning rate."""

    def evaluate(self):
        return {"other": 0.0} if self.hp["lr"] == 0.2 else super().evaluate()


def test_a_replay_in_which_a_trial_without_the_metric_comes_first_has_it_fail_alone():
    study = hippo.create_study(
        "lacking", trainer=Forgetful, storage="memory://lacking", engine=hippo.InlineEngine(),
        checkpoints="memory://", metric=["loss", "luck"], mode=["min", "max"],
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    study.close()
    replay = Replay("lacking", "memory://lacking")
    turned = hippo.GridSearch(replay.configs()[::-1], until=2)
    again = simulate(turned, replay.workload(), slots=1, curve=replay, **replay.options)
    assert [trial.state for trial in again.study.trials] == [TrialState.FAIL, TrialState.COMPLETE]
    with pytest.raises(HippoError, match="metric is 'lost'"):
        simulate(turned, replay.workload(), slots=1, curve=replay, metric="lost", mode="min")
