"""Where new configs come from."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import numpy
import pytest

import hippo
from hippo.errors import BudgetError, SpaceError, TunerError
from hippo.hparams import Config
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.asha import ASHA
from hippo.tuners.ask import Proposal
from hippo.tuners.proposals import check_space, draw_configs, start_proposing
from hippo.tuners.rungs import NewTrials, together
from hippo.tuners.successive_halving import SuccessiveHalving

DRAWS = hippo.RandomSearchSpace({"lr": hippo.uniform(0, 1)})
ASK = FakeAsk(lambda config, step: 0.0)


def proposed(space: Any, num_trials: int | None, seed: int = 0) -> list[Config]:
    proposer = start_proposing(space, ASK, num_trials=num_trials, until=1, seed=seed)
    return list(iter(proposer.propose, None))


def test_a_collection_gives_its_configs_in_order() -> None:
    configs = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]
    assert proposed(configs, None) == [Config(config) for config in configs]
    assert proposed(configs, 2) == [Config(config) for config in configs[:2]]


def test_draws_depend_on_the_seed_alone() -> None:
    assert proposed(DRAWS, 5) == proposed(DRAWS, 5) == draw_configs(DRAWS, 5, 0)
    assert proposed(DRAWS, 5) != proposed(DRAWS, 5, seed=1)
    assert proposed(DRAWS, 3) == proposed(DRAWS, 5)[:3]


def test_who_has_no_end_needs_a_number() -> None:
    with pytest.raises(TunerError, match="RandomSearchSpace has no end; say how many configs to take: num_trials="):
        check_space(DRAWS, None)
    with pytest.raises(BudgetError, match="num_trials must be at least 1, not 0"):
        check_space([{"lr": 0.1}], 0)


def test_equal_configs_are_trials_of_their_own() -> None:
    configs = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.1}]
    trials = NewTrials(start_proposing(configs, ASK, num_trials=None, until=9, seed=0))
    taken = trials.take(2, until=3)
    assert [proposal.occurrence for proposal in (*taken, *trials.take_all(until=3))] == [0, 0, 1]
    assert trials.next(until=3) is None


class Empty:
    """A space that proposes nothing."""

    def start(self, ask: Any, **options: Any) -> Empty:
        return self

    def propose(self) -> Config | None:
        return None

    def tell(self, answer: hippo.Answer) -> None:
        raise AssertionError("nothing was asked")


@pytest.mark.parametrize(
    "tuner", [SuccessiveHalving(Empty(), 1, 4, num_trials=3), ASHA(Empty(), 1, 2, 2, num_trials=3)]
)
def test_a_space_that_gives_nothing_is_an_error(tuner: Any) -> None:
    with pytest.raises(SpaceError, match="the space gave no configs"):
        asyncio.run(tuner.tune(ASK))


def test_the_first_error_of_what_runs_together_ends_the_rest_and_is_raised_as_it_is() -> None:
    ended = []

    async def fail() -> None:
        raise BudgetError("no")

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(BudgetError, match="no"):
        asyncio.run(together(make() for make in (wait, fail)))
    assert ended == [True]


def test_the_fake_ask_answers_in_the_order_in_which_trials_end() -> None:
    ask = FakeAsk(lambda config, step: config["lr"](0), slots=2)
    left = iter([Proposal(config={"lr": lr}, until=until) for lr, until in ((1.0, 5), (2.0, 2), (3.0, 2), (4.0, 1))])

    async def answers() -> list[float]:
        return [answer.loss async for answer in ask.stream(lambda: next(left, None))]

    assert asyncio.run(answers()) == [2.0, 3.0, 1.0, 4.0]
    assert list(itertools.islice(left, 1)) == []


def test_numpys_arrays_list_the_options_of_a_grid() -> None:
    listed: Any = hippo.GridSearch({"lr": numpy.array([0.001, 0.01, 0.1])}, until=3).space
    assert list(listed) == list(hippo.GridSearchSpace({"lr": [0.001, 0.01, 0.1]}))
    with pytest.raises(TunerError, match="is a config rather than a space"):
        hippo.GridSearch({"lr": numpy.float64(0.1)}, until=3)


def test_a_set_is_told_that_it_has_no_order_and_not_that_it_is_one_value() -> None:
    with pytest.raises(SpaceError, match="a list, whose order is known, not the set"):
        hippo.GridSearch({"lr": {0.1, 0.2}, "width": [4, 8]}, until=3)
