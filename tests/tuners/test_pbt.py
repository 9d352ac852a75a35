"""Population based training: who copies whom, what is explored, and that the past of a copy is shared."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hippo
from hippo.errors import BudgetError, HparamError, TunerError, UnknownHparamError
from hippo.hparams import Config, Piecewise
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.oracle import unit_steps
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.tuners.bohb import Modelled
from hippo.tuners.exploring import Lineage, perturbed
from hippo.tuners.pbt import PBT, Perturbation
from hippo.tuners.population import Rules
from hippo.tuners.tuner import record_text

MakeStudy = Callable[..., hippo.Study]

SPACE = hippo.RandomSearchSpace(
    {
        "lr": hippo.loguniform(1e-3, 1.0),
        "momentum": hippo.quniform(0.0, 0.9, 0.1),
        "augment": hippo.choice("none", "flip", "crop"),
        "layers": 3,
    }
)
LR = {"lr": hippo.uniform(0.0, 100.0)}


def rates(*values: float) -> list[dict[str, float]]:
    return [{"lr": float(value)} for value in values]


def lr_now(config: Config, step: int) -> float:
    return float(config["lr"](step - 1))


def ran(tuner: PBT, curve: Any = lr_now, *, slots: int = 1) -> tuple[FakeAsk, Any]:
    ask = FakeAsk(curve, slots=slots)
    return ask, asyncio.run(tuner.tune(ask))


def asked(ask: FakeAsk) -> list[tuple[Any, int, int]]:
    return [(proposal.config, proposal.until, proposal.occurrence) for proposal in ask.asked]


def perturbation(space: Any = SPACE, *, factor: float = 2.0, resample_probability: float = 0.0) -> Perturbation:
    mutable = {name: d for name, d in space.hparams.items() if hasattr(d, "sample")}
    return Perturbation(space, mutable, factors=(factor,), resample_probability=resample_probability)


@pytest.mark.parametrize(
    ("ranked", "quantile", "count"),
    [(4, 0.25, 1), (10, 0.2, 2), (10, 0.25, 3), (20, 0.2, 4), (2, 0.5, 1), (3, 0.5, 1), (2, 0.01, 1), (1, 0.5, 0)],
)
def test_winners_and_losers_are_a_quantile_each_and_never_the_same(ranked: int, quantile: float, count: int) -> None:
    assert Rules(interval=1, max_steps=2, quantile=quantile, synchronous=False, seed=0).count(ranked) == count


def test_the_loser_goes_on_as_the_winner_switched_where_it_stands() -> None:
    tuner = PBT(
        rates(1, 2, 3, 40), 4, interval=5, max_steps=10, mutations=LR, perturb_factors=(2.0,), resample_probability=0.0,
        synchronous=True,
    )  # fmt: skip
    ask, best = ran(tuner)
    first, second = asked(ask)[:4], asked(ask)[4:]
    assert first == [(Config({"lr": float(lr)}), 5, 0) for lr in (1, 2, 3, 40)]
    assert second == [
        (Config({"lr": 1.0}), 10, 0),
        (Config({"lr": 2.0}), 10, 0),
        (Config({"lr": 3.0}), 10, 0),
        (Config({"lr": Piecewise([1.0, 2.0], [5])}), 10, 0),
    ]
    assert best == Config({"lr": 1.0})
    assert ask.released == [Config({"lr": 40.0})]


def test_a_schedule_grows_by_one_switch_for_each_copy() -> None:
    tuner = PBT(rates(8, 40), 2, interval=2, max_steps=8, mutations=LR, perturb_factors=(0.5,),
                resample_probability=0.0, quantile=0.5, synchronous=True)  # fmt: skip
    _, best = ran(tuner)
    assert best == Config({"lr": Piecewise([8.0, 4.0, 2.0, 1.0], [2, 4, 6])})


@pytest.mark.parametrize("synchronous", [False, True])
def test_nothing_is_asked_for_twice_and_the_last_interval_is_final(synchronous: bool) -> None:
    tuner = PBT(SPACE, 6, interval=4, max_steps=10, synchronous=synchronous)
    ask, _ = ran(tuner, lambda config, step: lr_now(config, step) / step, slots=3)
    assert len(set(asked(ask))) == len(asked(ask))
    assert {proposal.until for proposal in ask.asked} == {4, 8, 10}
    assert all(proposal.final == (proposal.until == 10) for proposal in ask.asked)


def test_whoever_waits_longest_is_next() -> None:
    tuner = PBT(rates(1, 2, 3, 4), 4, interval=5, max_steps=20, mutations=LR)
    ask, _ = ran(tuner, lambda config, step: 1.0)  # all are equal: the first in age are the winners
    steps = [proposal.until for proposal in ask.asked]
    assert steps == sorted(steps)  # with one slot, nobody is two intervals ahead


def test_a_member_that_comes_later_is_no_loser_for_that() -> None:
    def falls_with_time(config: Config, step: int) -> float:
        return float(config["lr"](0)) - 10 * step

    # when the others' turn comes, the first one has gone on to a loss that is smaller than all of theirs
    tuner = PBT(rates(3, 2, 1, 4), 4, interval=5, max_steps=10, mutations=LR)
    ask, best = ran(tuner, falls_with_time)
    assert [proposal.config for proposal in ask.asked[4:7]] == [Config({"lr": lr}) for lr in (3.0, 2.0, 1.0)]
    assert ask.asked[7].config["lr"](0) == 1.0  # type: ignore[index]
    assert best["lr"](0) == 1.0


def test_those_who_copied_do_not_push_the_next_worst_down() -> None:
    tuner = PBT(rates(8, 7, 6, 5, 4, 3, 2, 1), 8, interval=5, max_steps=10, mutations=LR)
    ask, _ = ran(tuner)
    copies = [proposal for proposal in ask.asked if isinstance(proposal.config["lr"], Piecewise)]  # type: ignore[index]
    assert len(copies) == 2  # a quarter of eight


def test_a_member_that_failed_copies_at_once_and_learns_from_who_is_best() -> None:
    def fails_at_large_rates(config: Config, step: int) -> float | None:
        return None if lr_now(config, step) > 50 else lr_now(config, step)

    tuner = PBT(rates(60, 70, 1, 80, 90, 2), 6, interval=1, max_steps=3, mutations=LR, resample_probability=0.0)
    ask, best = ran(tuner, fails_at_large_rates)
    assert Counter(proposal.until for proposal in ask.asked) == {1: 6, 2: 6, 3: 6}
    assert best["lr"](0) == 1.0
    second = {proposal.config["lr"](0) for proposal in ask.asked if proposal.until == 2}  # type: ignore[index]
    assert second == {1.0, 2.0}


@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize("fails_from", [1, 4])
def test_members_that_all_fail_come_to_an_end(synchronous: bool, fails_from: int) -> None:
    tuner = PBT(SPACE, 5, interval=2, max_steps=20, synchronous=synchronous)
    ask, best = ran(tuner, lambda config, step: None if step >= fails_from else lr_now(config, step), slots=2)
    assert isinstance(best, Config)
    assert len(ask.asked) <= 5 * (1 + 2 * fails_from)


def test_equal_configs_are_members_of_their_own() -> None:
    ask, _ = ran(PBT(rates(1, 1, 1), 3, interval=2, max_steps=2, mutations=LR))
    assert asked(ask) == [(Config({"lr": 1.0}), 2, k) for k in range(3)]


def test_a_copy_that_changes_nothing_is_another_trial_of_the_winner() -> None:
    tuner = PBT(rates(1, 2), 2, interval=1, max_steps=2, mutations={"lr": [1.0]}, resample_probability=0.0)
    ask, _ = ran(tuner)
    assert asked(ask)[2:] == [(Config({"lr": 1.0}), 2, 0), (Config({"lr": 1.0}), 2, 1)]


def test_what_is_copied_and_explored_depends_on_the_seed_and_on_nothing_else() -> None:
    curve = lambda config, step: lr_now(config, step) / step  # noqa: E731
    runs = [ran(PBT(SPACE, 6, 2, 12, seed=seed), curve, slots=2)[0] for seed in (3, 3, 4)]
    assert asked(runs[0]) == asked(runs[1])
    assert asked(runs[0]) != asked(runs[2])


def test_when_all_wait_for_each_other_slots_change_nothing() -> None:
    curve = lambda config, step: lr_now(config, step) / step  # noqa: E731
    runs = [ran(PBT(SPACE, 6, 2, 12, synchronous=True), curve, slots=slots)[0] for slots in (1, 5)]
    assert asked(runs[0]) == asked(runs[1])


def test_several_objectives_and_ties_end_as_well() -> None:
    ask = FakeAsk(lambda config, step: [lr_now(config, step), -lr_now(config, step)], num_objectives=2)
    asyncio.run(PBT(SPACE, 4, 2, 8).tune(ask))
    assert {proposal.until for proposal in ask.asked} == {2, 4, 6, 8}


# ------------------------------------------------------------------------------------------------------- exploring


def begin(**hparams: Any) -> Lineage:
    return Lineage.begin(Config(hparams))


def test_numbers_are_multiplied_and_options_give_way_to_a_neighbour() -> None:
    lineage = begin(lr=0.1, momentum=0.3, augment="none", layers=3)
    values = perturbation().explore(lineage, 5, [], np.random.default_rng(0))
    assert values == {"augment": "flip", "lr": 0.2, "momentum": 0.6}


def test_numbers_stop_at_the_bounds_of_their_distribution() -> None:
    lineage = begin(lr=0.7, momentum=0.8, augment="crop", layers=3)
    values = perturbation().explore(lineage, 5, [], np.random.default_rng(0))
    assert values == {"augment": "flip", "lr": 1.0, "momentum": 0.9}


def test_the_middle_option_has_two_neighbours() -> None:
    lineage = begin(lr=0.1, momentum=0.3, augment="flip", layers=3)
    rng = np.random.default_rng(0)
    found = {perturbation().explore(lineage, 5, [], rng)["augment"] for _ in range(20)}
    assert found == {"none", "crop"}


def test_a_number_that_changes_with_time_is_multiplied_where_it_stands() -> None:
    lineage = begin(lr=hippo.MultiStep(0.4, [5], 0.5), momentum=0.3, augment="flip", layers=3)
    assert perturbation().explore(lineage, 5, [], np.random.default_rng(0))["lr"] == 0.4


def test_sequences_are_drawn_again_and_begin_where_they_are_switched() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.Exponential(hippo.uniform(0.1, 1.0), 0.5)})
    lineage = Lineage.begin(space.sample(np.random.default_rng(0)))
    values = perturbation(space).explore(lineage, 7, [], np.random.default_rng(1))
    switched = lineage.switch(at=7, values=values).config
    assert switched["lr"](7) == values["lr"](0)
    assert switched["lr"](8) == values["lr"](0) / 2


def test_sequences_among_options_are_recognised_after_a_switch() -> None:
    options = [hippo.Exponential(0.1, 0.9), hippo.Exponential(0.1, 0.5), hippo.Exponential(0.1, 0.1)]
    lineage = Lineage.begin(Config(lr=options[1])).switch(at=3, values={"lr": options[0]})
    rng = np.random.default_rng(0)
    assert perturbed(hippo.choice(options), lineage.written["lr"], None, 1.2, rng) == options[1]


def test_what_is_written_again_goes_on_with_its_clock() -> None:
    lineage = Lineage.begin(Config(lr=hippo.Exponential(0.1, 0.9), momentum=0.5))
    assert lineage.switch(at=4, values={"lr": hippo.Exponential(0.1, 0.9), "momentum": 0.5}) is lineage
    assert lineage.switch(at=4, values={"momentum": 0.9}).config["lr"] == hippo.Exponential(0.1, 0.9)


def test_resampling_draws_from_the_space() -> None:
    lineage = begin(lr=0.1, momentum=0.3, augment="none", layers=3)
    values = perturbation(resample_probability=1.0).explore(lineage, 5, [], np.random.default_rng(0))
    assert 1e-3 <= values["lr"] <= 1.0
    assert values["lr"] not in (0.1, 0.2)


def test_what_the_filter_refuses_is_explored_again_or_left() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1), "batch": hippo.choice(1, 2)}, filter=is_small)
    rng = np.random.default_rng(0)
    explored = [perturbation(space, factor=2.0).explore(begin(lr=0.3, batch=1), 5, [], rng) for _ in range(5)]
    assert explored == [{}] * 5  # 0.6 with the neighbour, 2, is refused, and there is nothing else
    drawn = [perturbation(space, resample_probability=1.0).explore(begin(lr=0.3, batch=1), 5, [], rng) for _ in "abc"]
    assert all(values["lr"] * values["batch"] < 1 for values in drawn)


def test_the_filter_of_a_grid_is_kept_too() -> None:
    options = {"lr": [0.1, 0.3, 0.6], "batch": [1, 2, 4]}
    space = hippo.GridSearchSpace(options, filter=is_small)
    ask = FakeAsk(lambda config, step: -config["lr"](step - 1) - config["batch"](step - 1))
    asyncio.run(hippo.PBT(space, 4, 1, 6, mutations=options).tune(ask))
    assert all(is_small(Config(asked.config.values_at(asked.until - 1))) for asked in ask.asked)


@pytest.mark.parametrize(
    "make",
    [
        lambda grid: hippo.PBT(grid, 4, 1, 6, mutations={"lr": hippo.uniform(0, 1)}),
        lambda grid: hippo.PB2(grid, 4, 1, 6, mutations={"lr": hippo.uniform(0, 1)}),
        lambda grid: hippo.BeamSearch(grid, [1, 2], beam=1, choices={"lr": [0.5, 0.7]}),
    ],
    ids=["PBT", "PB2", "BeamSearch"],
)
def test_the_filter_of_a_grid_is_in_the_record_of_who_explores_beside_its_options(make: Any) -> None:
    filters = [None, lambda config: config["lr"] < 0.6, lambda config: config["lr"] < 0.6, lambda config: True]
    grids = [hippo.GridSearchSpace({"lr": [0.1, 0.2, 0.3, 0.4]}, filter=filter) for filter in filters]
    assert len({tuple(grid) for grid in grids}) == 1
    none, bounded, equal, other = (record_text(make(grid).record()) for grid in grids)
    assert bounded == equal
    assert len({none, bounded, other}) == 3
    assert '"filter"' not in none  # as it was called before grids had their filters told


def is_small(config: Config) -> bool:
    return config["lr"](0) * config["batch"](0) < 1


# ---------------------------------------------------------------------------------------------- with a real study


def distinct_steps(study: hippo.Study) -> int:
    return len({key for trial in study.trials for key in unit_steps(trial.config, trial.step)})


@pytest.mark.parametrize("synchronous", [False, True])
def test_the_past_is_shared_and_every_metric_equals_solo_training(make_study: MakeStudy, synchronous: bool) -> None:
    study = make_study()
    study.optimize(PBT(SPACE, 5, interval=3, max_steps=12, synchronous=synchronous))
    statistics = study.statistics()
    assert statistics.steps_repeated == 0
    assert statistics.steps_executed == distinct_steps(study) <= 5 * 12
    copies = [trial for trial in study.trials if isinstance(trial.config["lr"], Piecewise)]
    assert copies
    for trial in study.trials:
        assert dict(trial.history) == train_alone(ToyTrainer, trial.config, until=trial.step)


def test_beginnings_that_members_share_are_trained_once(make_study: MakeStudy) -> None:
    warmups = [{"lr": hippo.Chain(hippo.Warmup(4, 0.1), hippo.Constant(lr))} for lr in (0.1, 0.05, 0.01)]
    study = make_study()
    study.optimize(PBT(warmups, 3, interval=5, max_steps=5, mutations=LR))
    assert study.statistics().steps_executed == 4 + 3
    assert study.statistics().steps_repeated == 0


@pytest.mark.slow
def test_a_re_run_asks_the_same_and_trains_nothing(make_study: MakeStudy, tmp_path: Any) -> None:
    def run(name: str) -> tuple[Any, int]:
        study = make_study(name, storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path / "states"))
        study.optimize(PBT(SPACE, 4, interval=2, max_steps=8))
        return [(trial.config, trial.step, trial.value) for trial in study.trials], study.statistics().steps_executed

    first, executed = run("one")
    assert run("one") == (first, executed)  # the same call, replayed
    again, executed_again = run("two")  # another study, everything known
    assert executed_again == 0
    assert {config for config, _, _ in again}


@pytest.mark.slow
def test_a_hundred_switches_stay_quick(make_study: MakeStudy) -> None:
    study = make_study()
    tuner = PBT(SPACE, 4, interval=1, max_steps=101, quantile=0.5, synchronous=True)
    study.optimize(tuner)
    longest = max(
        len(trial.config["lr"].milestones) for trial in study.trials if "milestones" in dir(trial.config["lr"])
    )
    assert longest > 30
    assert study.statistics().steps_repeated == 0


# ------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"population": 1}, TunerError, "a population of 1 has nobody to copy"),
        ({"population": 0}, BudgetError, "population must be at least 1, not 0"),
        ({"interval": 11}, BudgetError, "interval=11 is above max_steps=10"),
        ({"interval": 0}, BudgetError, "interval must be at least 1"),
        ({"max_steps": 10.0}, BudgetError, "max_steps must be an integer"),
        ({"quantile": 0}, TunerError, "above 0 and at most 0.5, not 0"),
        ({"quantile": 0.6}, TunerError, "above 0 and at most 0.5, not 0.6"),
        ({"explore": "mutate"}, TunerError, r"one of \['perturb', 'resample'\], not 'mutate'"),
        ({"perturb_factors": ()}, TunerError, "numbers above 0"),
        ({"perturb_factors": (0.8, 0)}, TunerError, "numbers above 0"),
        ({"resample_probability": 1.5}, TunerError, "between 0 and 1, not 1.5"),
        ({"mutations": {"lrr": hippo.uniform(0, 1)}}, UnknownHparamError, "Did you mean 'lr'"),
        ({"mutations": {"lr": 0.1}}, TunerError, "'lr' needs a distribution, .* not 0.1"),
        ({"mutations": {}}, TunerError, "nothing may change"),
        ({"mutations": {"lr": [0.1, float("nan")]}}, HparamError, "'lr': .* cannot be nan"),
        ({"space": rates(1, 2, 3, 4)}, TunerError, "a list does not say which values to explore"),
        ({"space": rates(1, 2), "mutations": LR}, TunerError, "needs as many configs, and the space has 2"),
        ({"space": rates(1, 2, 3, 4), "mutations": {"lrr": [1]}}, UnknownHparamError, "Did you mean 'lr'"),
        ({"space": hippo.RandomSearchSpace({"lr": 0.1})}, TunerError, "nothing may change"),
        ({"space": Modelled(SPACE), "mutations": LR}, TunerError, "not from a Modelled; give the RandomSearchSpace"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_trained(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        PBT(**{"space": SPACE, "population": 4, "interval": 2, "max_steps": 10, **arguments})


def test_a_record_tells_mutations_apart() -> None:
    records = {
        record_text(PBT(rates(1, 2), 2, 1, 2, mutations=mutations).record())
        for mutations in ({"lr": [1, 2]}, {"lr": [1, 3]}, {"lr": hippo.uniform(0, 1)}, {"lr": hippo.uniform(0, 1)})
    }
    assert len(records) == 3
