"""Beam search: which prefixes go on, in how many ways, and that what they share is trained once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, HparamError, TunerError, UnknownHparamError
from hippo.hparams import Config, Piecewise
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.oracle import unit_steps
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.tuners.beam_search import BeamSearch
from hippo.tuners.bohb import Modelled
from hippo.tuners.tuner import record_text

MakeStudy = Callable[..., hippo.Study]

START = {"lr": 3.0, "momentum": 0.5}
RANDOM = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})
LISTED: dict[str, Any] = {"lr": [1.0, 2.0]}


def sum_of_rates(config: Config, step: int) -> float:
    return float(sum(config["lr"](t) for t in range(step)))


def ran(tuner: BeamSearch, curve: Any = sum_of_rates) -> tuple[FakeAsk, Any]:
    ask = FakeAsk(curve)
    return ask, asyncio.run(tuner.tune(ask))


def rungs(ask: FakeAsk) -> dict[int, list[Any]]:
    """Return the learning rates that were asked for at each milestone."""
    found: dict[int, list[Any]] = {}
    for asked in ask.asked:
        schedule = asked.config["lr"]  # type: ignore[index]
        found.setdefault(asked.until, []).append([schedule(t) for t in range(0, asked.until, 2)])
    return found


def test_a_beam_of_one_goes_on_from_the_best_alone() -> None:
    ask, best = ran(BeamSearch(START, [2, 4, 6], beam=1, choices=LISTED))
    assert rungs(ask) == {
        2: [[3.0]],
        4: [[3.0, 3.0], [3.0, 1.0], [3.0, 2.0]],
        6: [[3.0, 1.0, 1.0], [3.0, 1.0, 2.0]],  # 1 is what it has already
    }
    assert best == Config({"lr": Piecewise([3.0, 1.0], [2]), "momentum": 0.5})


def test_the_best_prefixes_of_all_parents_together_go_on() -> None:
    ask, _ = ran(BeamSearch([{"lr": 1.0}, {"lr": 5.0}, {"lr": 2.0}], [2, 4, 6], beam=2, choices={"lr": [1.0, 2.0]}))
    assert rungs(ask) == {
        2: [[1.0], [5.0], [2.0]],
        4: [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]],
        6: [[1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 2.0, 2.0], [1.0, 2.0, 1.0]],
    }


def test_the_last_milestone_is_final_and_what_nobody_goes_on_from_is_given_up() -> None:
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, choices=LISTED))
    assert [asked.final for asked in ask.asked] == [False, True, True, True]
    ask, _ = ran(BeamSearch(START, [2, 4, 6], beam=1, choices=LISTED))
    assert set(ask.released) == {
        Config(START),
        Config({**START, "lr": Piecewise([3.0, 2.0], [2])}),
    }


def test_prefixes_on_one_state_count_as_one() -> None:
    equal = [{"lr": 1.0}, {"lr": Piecewise([1.0, 9.0], [4])}, {"lr": 2.0}]  # the first two share four steps
    ask, _ = ran(BeamSearch(equal, [2, 4], beam=2, choices={"lr": [1.0]}))
    assert rungs(ask)[4] == [[1.0, 1.0], [2.0, 2.0], [2.0, 1.0]]


def test_all_combinations_are_tried_where_options_are_listed() -> None:
    choices = {"lr": [1.0, 2.0], "momentum": [0.5, 0.9]}
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, choices=choices, keep_current=False))
    tried = [(asked.config["lr"](2), asked.config["momentum"](2)) for asked in ask.asked[1:]]  # type: ignore[index]
    assert tried == [(1.0, 0.5), (1.0, 0.9), (2.0, 0.5), (2.0, 0.9)]


def test_as_many_ways_as_wanted_are_drawn_and_all_differ() -> None:
    choices = {"lr": hippo.quniform(0.0, 10.0, 1.0)}
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, branch=5, choices=choices))
    tried = [asked.config["lr"](2) for asked in ask.asked[1:]]  # type: ignore[index]
    assert len(set(tried)) == len(tried) == 5
    assert tried[0] == 3.0  # unchanged
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, branch=5, choices=choices, keep_current=False))
    tried = [asked.config["lr"](2) for asked in ask.asked[1:]]  # type: ignore[index]
    assert len(set(tried)) == len(tried) == 5


def test_what_is_listed_is_tried_even_if_it_changes_nothing() -> None:
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, choices={"lr": [3.0, 1.0]}, keep_current=False))
    assert [asked.config["lr"](2) for asked in ask.asked[1:]] == [3.0, 1.0]  # type: ignore[index]


def test_where_there_are_fewer_ways_all_are_taken() -> None:
    ask, _ = ran(BeamSearch(START, [2, 4], beam=1, branch=9, choices=LISTED))
    assert sorted(asked.config["lr"](2) for asked in ask.asked[1:]) == [1.0, 2.0, 3.0]  # type: ignore[index]


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    drawn = {"lr": hippo.uniform(0.0, 10.0)}
    asks = [ran(BeamSearch(START, [2, 4, 6], beam=2, branch=3, choices=drawn, seed=seed))[0] for seed in (1, 1, 2)]
    assert rungs(asks[0]) == rungs(asks[1])
    assert rungs(asks[0]) != rungs(asks[2])


def halved(config: Config, step: int, rng: Any) -> Iterable[dict[str, float]]:
    return [{"lr": config["lr"](step) / 2}, {"lr": config["lr"](step) / 2, "momentum": 0.9}]


def test_a_function_says_how_a_prefix_goes_on() -> None:
    ask, best = ran(BeamSearch(START, [2, 4, 6], beam=1, choices=halved))
    assert [asked.until for asked in ask.asked] == [2, 4, 4, 4, 6, 6, 6]
    assert best["lr"](5) == 0.75
    assert "halved" not in record_text(BeamSearch(START, [2], beam=1, choices=halved).record())


def test_a_function_of_other_code_is_another_record() -> None:
    def doubled(config: Config, step: int, rng: Any) -> Iterable[dict[str, float]]:
        return [{"lr": config["lr"](step) * 2}]

    records = [record_text(BeamSearch(START, [2], beam=1, choices=f).record()) for f in (halved, halved, doubled)]
    assert records[0] == records[1] != records[2]


def test_the_filter_of_a_space_is_kept() -> None:
    space = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 5), "batch": 1}, filter=lambda c: c["lr"](0) < 5)
    ask, _ = ran(BeamSearch(space, [2, 4], beam=1, choices={"lr": [4.0, 6.0]}, num_trials=2))
    assert len(ask.asked) == 2 + 2
    assert all(asked.config["lr"](3) < 5 for asked in ask.asked)  # type: ignore[index]


def test_the_filter_of_a_grid_is_kept_too() -> None:
    space = hippo.GridSearchSpace({"lr": [1.0, 6.0]}, filter=lambda c: c["lr"] < 5)
    ask, _ = ran(BeamSearch(space, [2, 4], beam=1, choices={"lr": [4.0, 6.0]}))
    assert [asked.config["lr"](3) for asked in ask.asked] == [1.0, 1.0, 4.0]


def test_what_failed_does_not_go_on() -> None:
    ask, best = ran(
        BeamSearch([{"lr": 1.0}, {"lr": 2.0}], [2, 4], beam=2, choices={"lr": [2.0]}),
        lambda config, step: None if config["lr"](0) == 1.0 else 1.0,
    )
    assert rungs(ask)[4] == [[2.0, 2.0]]
    assert best == Config({"lr": 2.0})


def test_when_all_fail_it_ends() -> None:
    ask, best = ran(BeamSearch(START, [2, 4], beam=2, choices=LISTED), lambda config, step: None)
    assert len(ask.asked) == 1
    assert best == Config(START)


def test_where_all_ways_to_go_on_fail_the_best_that_was_not_tried_further_is_returned() -> None:
    starts = [{"lr": 0.3}, {"lr": 0.2}, {"lr": 0.1}]

    def curve(config: Config, step: int) -> float | None:
        return config["lr"](0) if step == 2 else None

    _, best = ran(BeamSearch(starts, [2, 4], beam=2, choices=LISTED), curve)
    assert best == Config({"lr": 0.3})  # the two better ones went on, and failed
    _, best = ran(BeamSearch(starts, [2, 4], beam=2, choices=LISTED, keep_current=False), curve)
    assert best == Config({"lr": 0.1})  # it never went on as it was


@pytest.mark.parametrize("branch", [None, 3])
def test_no_step_is_repeated_and_every_metric_equals_solo_training(make_study: MakeStudy, branch: int | None) -> None:
    study = make_study()
    choices = {"lr": [0.3, 0.1, 0.03], "momentum": [0.5, 0.9]}
    start = {"lr": 0.1, "momentum": 0.5}
    study.optimize(BeamSearch(start, [3, 5, 8], beam=2, branch=branch, choices=choices))
    distinct = {key for trial in study.trials for key in unit_steps(trial.config, trial.step)}
    statistics = study.statistics()
    assert statistics.steps_repeated == 0
    assert statistics.steps_executed == len(distinct)
    ways = branch or 6
    assert statistics.steps_executed == 3 + 2 * ways + 3 * 2 * ways
    for trial in study.trials:
        assert dict(trial.history) == train_alone(ToyTrainer, trial.config, until=trial.step)


@pytest.mark.slow
def test_a_hundred_milestones_stay_quick(make_study: MakeStudy) -> None:
    study = make_study()
    start = {"lr": 0.1, "momentum": 0.5}
    choices = {"lr": [0.3, 0.1, 0.03]}
    study.optimize(BeamSearch(start, range(1, 101), beam=1, choices=choices, keep_current=False))
    assert study.statistics().steps_executed == 1 + 99 * 3
    assert study.statistics().steps_repeated == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"beam": 0}, BudgetError, "beam must be at least 1, not 0"),
        ({"branch": 0}, BudgetError, "branch must be at least 1, not 0"),
        ({"branch": 1}, TunerError, "only ever go on unchanged"),
        ({"milestones": []}, BudgetError, "at least one milestone"),
        ({"milestones": [4, 4]}, BudgetError, "step 4 comes after step 4"),
        ({"milestones": [4, 2]}, BudgetError, "step 2 comes after step 4"),
        ({"milestones": [2.5]}, BudgetError, "a milestone must be an integer"),
        ({"choices": {}}, TunerError, "choices is empty"),
        ({"choices": {"lr": [1.0, object()]}}, HparamError, "'lr': .* must be what JSON can hold"),
        ({"choices": {"lr": [1.0, hippo.uniform(1, 2)]}}, TunerError, "drawn from a distribution.* say branch="),
        ({"choices": {"lrr": [1.0]}}, UnknownHparamError, "Did you mean 'lr'"),
        ({"choices": {"lr": 1.0}}, TunerError, "'lr' needs a distribution, .* not 1.0"),
        ({"choices": {"lr": hippo.uniform(0, 1)}}, TunerError, "say branch="),
        ({"space": RANDOM}, TunerError, "num_trials="),
        ({"space": [START], "choices": halved, "num_trials": 0}, BudgetError, "num_trials must be at least 1"),
        ({"space": Modelled(RANDOM), "num_trials": 2}, TunerError, "not from a Modelled; give the RandomSearchSpace"),
        ({"space": [START], "num_trials": 0}, BudgetError, "num_trials must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BeamSearch(**{"space": START, "milestones": [2, 4], "beam": 1, "choices": LISTED, **arguments})
