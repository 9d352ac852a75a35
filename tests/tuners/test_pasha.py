"""PASHA: when rankings are settled, how noise is estimated, and how far it goes."""

from __future__ import annotations

import asyncio

import pytest

import hippo
from hippo.errors import BudgetError
from hippo.hparams import Config, as_config
from hippo.records import Answer
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.pasha import PASHA, Noise, are_settled, crossings


def ranking(**losses: float) -> list[Answer]:
    """Return answers, best first, of trials a, b, c, ..."""
    answers = [
        Answer(config=Config({"lr": 0.1}), step=1, trial=ord(name), metrics={}, losses=(loss,))
        for name, loss in losses.items()
    ]
    return sorted(answers, key=lambda answer: answer.loss)


def test_an_order_that_stays_is_settled() -> None:
    assert are_settled(ranking(a=0.1, b=0.2), ranking(a=0.3, b=0.4, c=0.5), 0.0)


def test_an_order_that_changes_is_not_settled() -> None:
    assert not are_settled(ranking(a=0.2, b=0.1), ranking(a=0.3, b=0.4), 0.0)


def test_trials_within_epsilon_may_change_places() -> None:
    # Bohdal et al. 2023, section 4.2: below, b and c are within 0.05 of each other, and a is alone
    below = ranking(a=0.3, b=0.5, c=0.54)
    assert are_settled(ranking(a=0.1, c=0.2, b=0.3), below, 0.05)
    assert not are_settled(ranking(a=0.1, c=0.2, b=0.3), below, 0.03)
    assert not are_settled(ranking(b=0.1, a=0.2, c=0.3), below, 0.05)


def test_one_trial_is_settled() -> None:
    assert are_settled(ranking(a=0.2), ranking(a=0.9, b=0.1), 0.0)


def test_crossings_are_counted() -> None:
    assert crossings([1, 1, 1], [2, 2, 2]) == 0
    assert crossings([1, 3, 1], [2, 2, 2]) == 2
    assert crossings([1, 3, 3], [2, 2, 2]) == 1


def test_noise_is_the_90th_percentile_of_the_distances_of_those_that_cross_twice() -> None:
    noise = Noise()
    noise.add([0.5, 0.5, 0.5, 0.5])
    noise.add([0.1, 0.1, 0.1, 0.1])  # never crosses
    assert noise.epsilon == 0.0
    noise.add([0.4, 0.6, 0.4, 0.3])  # crosses the first one twice: distance 0.2
    assert noise.epsilon == pytest.approx(0.2)
    noise.add([0.6, 0.4, 0.6, 0.55])  # crosses the first twice, 0.05, and the third once, at once with the first
    assert noise.epsilon == pytest.approx(
        0.2 * 0.9 + 0.05 * 0.1 if crossings([0.4, 0.6, 0.4], [0.6, 0.4, 0.6]) < 2 else 0.24
    )
    noise.forget_curves()
    assert noise.epsilon > 0


def space(count: int) -> list[dict[str, float]]:
    return [{"lr": number / 100} for number in range(1, count + 1)]


def highest(tuner: PASHA, ask: FakeAsk) -> int:
    asyncio.run(tuner.tune(ask))
    return max(asked.until for asked in ask.asked)


def test_settled_rankings_never_go_beyond_the_second_rung() -> None:
    ask = FakeAsk(lambda config, step: config["lr"](0), slots=4)
    assert highest(PASHA(space(27), 1, 81, 3), ask) == 3


def test_rankings_that_turn_over_at_each_rung_go_to_the_end() -> None:
    def turning(config: Config, step: int) -> float:
        lr = float(config["lr"](0))
        return lr if step in (1, 9, 81) else 1 - lr

    ask = FakeAsk(turning, slots=4)
    assert highest(PASHA(space(200), 1, 81, 3), ask) == 81


def test_a_ranking_that_settles_later_stops_there() -> None:
    def early_noise(config: Config, step: int) -> float:
        lr = float(config["lr"](0))
        return 1 - lr if step == 1 else lr

    ask = FakeAsk(early_noise)
    assert highest(PASHA(space(81), 1, 81, 3), ask) == 9


def test_curves_are_asked_for_where_a_trial_has_been() -> None:
    ask = FakeAsk(lambda config, step: config["lr"](0))
    asyncio.run(PASHA(space(9), 2, 18, 3, curve_every=2).tune(ask))
    reached: dict[object, int] = {}
    for asked in ask.asked:
        config = as_config(asked.config)
        if asked.until in (4,):
            assert reached[config] == 6
        reached[config] = max(reached.get(config, 0), asked.until)


def test_what_failed_settles_nothing_and_ends_nothing() -> None:
    ask = FakeAsk(lambda config, step: None if config["lr"](0) < 0.05 and step > 1 else config["lr"](0))
    assert highest(PASHA(space(27), 1, 81, 3), ask) >= 3


@pytest.mark.parametrize(("turned", "count", "last"), [((2, 3), 32, 8), ((2, 4), 8, 4)])
def test_a_trial_that_failed_between_rungs_is_neither_promoted_nor_the_best(
    turned: tuple[int, ...], count: int, last: int
) -> None:
    def curve(config: Config, step: int) -> float | None:
        lr = float(config["lr"](0))
        if lr == 0.01:  # the best at each rung
            return None if step == 3 else lr
        return 1 - lr if step in turned else lr

    ask = FakeAsk(curve)
    winner = asyncio.run(PASHA(space(count), 1, 8, 2, extra_steps=2).tune(ask))
    untils = [asked.until for asked in ask.asked if as_config(asked.config)["lr"] == 0.01]
    assert 3 in untils
    assert max(untils) == 4
    assert (ask.asked[-1].config, ask.asked[-1].until) == (winner, last + 2)


def test_curves_that_touch_do_not_cross_whichever_comes_first() -> None:
    for one, other, count in (([1, 3, 1], [1, 2, 1], 0), ([1, 2, 2, 3], [2, 2, 2, 2], 1), ([1, 2, 3, 1], [2] * 4, 2)):
        assert crossings(one, other) == crossings(other, one) == count


def test_a_point_of_a_curve_is_a_whole_step() -> None:
    with pytest.raises(BudgetError, match="curve_every must be at least 1, not 0"):
        PASHA(space(9), 1, 9, curve_every=0)


@pytest.mark.slow
def test_points_of_curves_train_nothing(make_study: hippo.Study) -> None:
    decays = hippo.GridSearchSpace({"lr": [number / 40 for number in range(1, 28)]})
    study = make_study()
    study.optimize(PASHA(decays, 1, 27, 3))
    assert study.statistics().steps_executed == sum(trial.step for trial in study.trials)
    assert study.statistics().steps_repeated == 0


def test_curves_that_cross_once_have_changed_their_order_and_are_no_noise() -> None:
    noise = Noise()
    noise.add([0.5, 0.5, 0.5])
    noise.add([0.4, 0.6, 0.7])
    assert noise.epsilon == 0.0
