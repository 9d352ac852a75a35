import asyncio
import math

import pytest

from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config, Piecewise, RandomSearchSpace, choice, loguniform, merge_rate, quniform, uniform
from hippo.records import Answer, Failure, NodeId
from hippo.simulation import SimulatedWorkload, simulate
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.asha import ASHA
from hippo.tuners.improvement import ExpectedImprovement, Improvement, log_density
from hippo.tuners.sampled import Sampled
from hippo.tuners.sampler_search import SamplerSearch
from hippo.tuners.sharing_aware import SharingAware

#: the first ten steps of a config depend on two of its three rates and one of its two batch sizes
SPACE = RandomSearchSpace(
    {
        "lr": Piecewise([loguniform(1e-3, 1), loguniform(1e-4, 1), loguniform(1e-5, 1)], [10, 20]),
        "batch_size": Piecewise([choice(64, 128), choice(128, 256)], [15]),
    }
)
UNTIL = 30


def valley(config, step=UNTIL):
    """Return a loss that is least where the rates are 0.1, 0.01 and 0.001."""
    rates = [config.values_at(t)["lr"] for t in (0, 10, 20)]
    return sum((math.log10(rate) + 1 + i) ** 2 for i, rate in enumerate(rates))


def search(*, num_trials=40, seed=0, slots=1, sampler="random", candidates=5):
    ask = FakeAsk(valley, slots=slots)
    tuner = SamplerSearch(sampler, SPACE, until=UNTIL, num_trials=num_trials, seed=seed, candidates=candidates)
    return asyncio.run(tuner.tune(ask))


def proposer(space, *, num_trials=40):
    return space.start(FakeAsk(valley), num_trials=num_trials, until=UNTIL, seed=0)


def answer(config, loss, trial, *, step=UNTIL, failure=None):
    return Answer(config=config, step=step, trial=trial, metrics={}, losses=(loss,), failure=failure)


def rate_of(answers):
    return merge_rate([given.config for given in answers], UNTIL)


# ------------------------------------------------------------------------------------------------------- proposing


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["random", "tpe", "cmaes"])
def test_its_trials_share_steps_where_the_samplers_own_share_none(sampler):
    assert rate_of(search(sampler=sampler, candidates=1)) == 1.0
    assert rate_of(search(sampler=sampler)) > 1.1


@pytest.mark.slow
def test_it_learns_even_from_random_proposals():
    def median(candidates):
        return sorted(min(a.loss for a in search(seed=seed, candidates=candidates)) for seed in range(3))[1]

    assert median(5) < median(1)


def test_the_first_ten_trials_are_the_samplers_own():
    kept, alone = proposer(SharingAware(Sampled("tpe", SPACE))), proposer(Sampled("tpe", SPACE))
    for trial in range(10):
        config = alone.propose()
        assert kept.propose() == config
        for each in (kept, alone):
            each.tell(answer(config, valley(config), trial))


def test_nothing_is_proposed_twice_while_there_is_something_else():
    configs = [given.config for given in search(num_trials=40)]
    assert len(set(configs)) == 40


@pytest.mark.slow
def test_without_a_price_on_steps_it_shares_less():
    def rate(power):
        ask = FakeAsk(valley)
        space = SharingAware(Sampled("random", SPACE), candidates=9, cost_power=power)
        kept = space.start(ask, num_trials=40, until=UNTIL, seed=0)
        answers = []
        for _ in range(40):
            answers.append(asyncio.run(ask(kept.propose(), until=UNTIL)))
            kept.tell(answers[-1])
        return rate_of(answers)

    assert rate(0.0) < rate(2.0)


@pytest.mark.slow
def test_a_search_run_again_asks_the_same():
    assert [a.config for a in search(slots=4)] == [a.config for a in search(slots=4)]


@pytest.mark.slow
def test_shared_steps_are_not_trained_again():
    space = RandomSearchSpace({"lr": Piecewise([loguniform(1e-3, 0.5), loguniform(1e-3, 0.5)], [4]), "momentum": 0.5})
    tuner = SamplerSearch("random", space, until=8, num_trials=40, candidates=5)
    counted = simulate(tuner, SimulatedWorkload(seconds_per_step=60.0), slots=1)
    assert counted.steps_executed <= 0.9 * counted.steps_asked
    assert counted.steps_repeated == 0


def test_it_stops_after_its_trials():
    kept = proposer(SharingAware(Sampled("random", SPACE)), num_trials=2)
    assert [kept.propose() is None for _ in range(3)] == [False, False, True]


def test_successive_halving_takes_it_as_a_space():
    ask = FakeAsk(lambda config, step: valley(config) + 1 / step, slots=3)
    space = SharingAware(Sampled("tpe", SPACE))
    asyncio.run(ASHA(space, min_steps=10, max_steps=UNTIL, reduction=3, num_trials=30).tune(ask))
    assert {asked.until for asked in ask.asked} == {10, 30}
    assert merge_rate(sorted({asked.config for asked in ask.asked}, key=lambda c: c.key), 10) > 1.0


def test_its_filter_is_kept_by_grafts():
    space = RandomSearchSpace({"x": uniform(0, 1), "y": uniform(0, 1)}, filter=lambda c: c.params["x"] < c.params["y"])
    kept = proposer(SharingAware(Sampled("random", space)))
    for trial in range(40):
        config = kept.propose()
        assert config.params["x"] < config.params["y"]
        kept.tell(answer(config, config.params["x"], trial))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sampled": SPACE}, TunerError, r"Sampled\(\"tpe\", space\)"),
        ({"candidates": 1}, BudgetError, "at least 2"),
        ({"cost_power": -1}, BudgetError, "cost_power"),
        ({"cost_power": math.nan}, BudgetError, "cost_power"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        SharingAware(**{"sampled": Sampled("tpe", SPACE), **arguments})


# ----------------------------------------------------------------------------------------------------- improvement


class Distributions:
    def distribution(self, name):
        return {"x": uniform(0, 1), "n": quniform(0, 1, 0.1), "kind": choice("a", "b")}[name]


def promise(best_first):
    return ExpectedImprovement(Distributions(), best_first)


def test_what_is_like_the_good_ones_promises_more():
    good = [{"x": 0.2 + i / 1000, "kind": "a"} for i in range(3)]
    poor = [{"x": 0.5 + i / 60, "kind": "b"} for i in range(27)]
    log_of = promise([*good, *poor]).log_of
    assert log_of({"x": 0.2, "kind": "a"}) > log_of({"x": 0.2, "kind": "b"}) > log_of({"x": 0.8, "kind": "b"})


def test_improvement_is_bounded_by_the_share_of_good_ones():
    """1 / (gamma + g/l (1 - gamma)) is below 1 / gamma, here 10 (Bergstra et al. 2011, section 4.1)."""
    log_of = promise([{"x": 0.2}] * 2 + [{"x": 0.9}] * 18).log_of
    assert math.log(5) < log_of({"x": 0.2}) < math.log(10)
    assert log_of({"x": 0.9}) < 0


def test_a_parameter_that_is_not_in_use_counts_neither_way():
    log_of = promise([{"x": 0.2, "kind": "a"}] * 2 + [{"x": 0.9, "kind": "a"}] * 18).log_of
    assert log_of({}) == pytest.approx(0.0)


@pytest.mark.parametrize("values", [[], [0.5], [0.0, 1.0, 1.0], [0.9] * 30])
def test_densities_over_a_range_are_densities(values):
    density = log_density(uniform(0, 1), values)
    grid = [(i + 0.5) / 2000 for i in range(2000)]
    # the midpoint rule on 2,000 points, for kernels not narrower than 1/31
    assert sum(math.exp(density(x)) for x in grid) / 2000 == pytest.approx(1.0, rel=1e-4)


def test_densities_over_a_choice_are_densities_against_the_uniform_one():
    density = log_density(choice("a", "b"), ["a", "a", "b"])
    assert math.exp(density("a")) == pytest.approx(5 / 4)
    assert (math.exp(density("a")) + math.exp(density("b"))) / 2 == pytest.approx(1.0)


def test_trials_rank_by_how_far_they_came_then_by_loss_and_failed_ones_last():
    improvement = Improvement(Distributions())
    failed = Failure(node=NodeId(1), step=9, method="train", error="ValueError: told to")
    told = [
        (0.1, 1, 5.0, None),
        (0.2, 9, 2.0, None),
        (0.3, 9, math.inf, failed),
        (0.4, 9, 1.0, None),
        (0.5, 1, 0.1, None),
    ]
    for trial, (x, step, loss, failure) in enumerate(told):
        improvement.learn({"x": x}, answer(Config(x=x), loss, trial, step=step, failure=failure))
    improvement.learn({"x": 0.4}, answer(Config(x=0.4), 9.0, 3, step=3))  # came late
    assert [params["x"] for params in improvement.promise.best_first] == [0.4, 0.2, 0.5, 0.1, 0.3]
