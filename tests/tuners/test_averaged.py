"""A tuner asks every member of a study at once, and is told averages."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import pytest

import hippo
from hippo.errors import TunerError
from hippo.records import Answer
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.averaged import AGGREGATES, Averaged, combine

MEMBERS = {f"seed {n}": lambda config, step, n=n: float(n + step) for n in (1, 2, 6)}
#: at step 1 the members say 2, 3 and 7
MEAN_AT_1, MEDIAN_AT_1 = 4.0, 3.0


def ask_of(members: Any = MEMBERS, aggregate: str = "mean", slots: int = 1) -> tuple[Averaged, FakeAsk]:
    fake = FakeAsk(lambda config, step: math.nan, members=members, slots=slots)
    return Averaged(fake, members, AGGREGATES[aggregate]), fake


def asked(fake: FakeAsk) -> list[tuple[Any, int, str | None]]:
    return [(hippo.Config(each.config).params["lr"], each.until, each.member) for each in fake.asked]


def test_a_mean_of_values_whose_sum_no_float_holds_is_their_mean() -> None:
    assert AGGREGATES["mean"]([1.7e308, 1.7e308]) == 1.7e308
    assert AGGREGATES["mean"]([-1.7e308, -1.7e308, 1.7e308]) == pytest.approx(-1.7e308 / 3)
    assert math.isnan(AGGREGATES["mean"]([math.inf, -math.inf]))


async def by_call(ask: Ask) -> list[hippo.Answer]:
    return [await ask({"lr": 0.1}, until=1), await ask({"lr": 0.2}, until=1)]


async def by_all(ask: Ask) -> list[hippo.Answer]:
    return await ask.all([{"lr": 0.1}, {"lr": 0.2}], until=1)


async def by_any(ask: Ask) -> list[hippo.Answer]:
    return [answer async for answer in ask.any([{"lr": 0.1}, {"lr": 0.2}], until=1)]


async def by_stream(ask: Ask) -> list[hippo.Answer]:
    left = [Proposal(config={"lr": lr}, until=1) for lr in (0.2, 0.1)]
    return [answer async for answer in ask.stream(lambda: left.pop() if left else None)]


@pytest.mark.parametrize("way", [by_call, by_all, by_any, by_stream])
def test_every_way_of_asking_asks_all_members_and_answers_once_with_their_average(
    way: Callable[[Ask], Any],
) -> None:
    ask, fake = ask_of()
    answers = asyncio.run(way(ask))
    assert asked(fake) == [(lr, 1, member) for lr in (0.1, 0.2) for member in MEMBERS]
    assert [(answer.config.params["lr"], answer.loss) for answer in answers] == [(0.1, MEAN_AT_1), (0.2, MEAN_AT_1)]
    assert {answer.member for answer in answers} == {""}


def test_the_median_is_not_the_mean() -> None:
    ask, _ = ask_of(aggregate="median")
    assert asyncio.run(ask({"lr": 0.1}, until=1)).loss == MEDIAN_AT_1


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_a_trial_that_fails_under_one_member_has_failed_and_ranks_last(aggregate: str) -> None:
    ask, _ = ask_of({**MEMBERS, "seed 2": lambda config, step: None}, aggregate)
    answer = asyncio.run(ask({"lr": 0.1}, until=1))
    assert answer.failure is not None
    assert answer.losses == (math.inf,)


def test_a_member_is_reached_by_its_name_and_answers_alone() -> None:
    ask, fake = ask_of()
    assert asyncio.run(ask.at("seed 6")({"lr": 0.1}, until=1)).loss == 7.0
    assert len(fake.asked) == 1


def test_one_trial_asked_at_two_steps_and_ahead_of_time_is_told_apart() -> None:
    async def tune(ask: Ask) -> list[tuple[int, float]]:
        left = [
            Proposal(config={"lr": 0.1}, until=2),
            Proposal(config={"lr": 0.1}, until=1),
            Proposal(config={"lr": 0.1}, until=1, is_speculative=True),
        ]
        return [(a.step, a.loss) async for a in ask.stream(lambda: left.pop() if left else None)]

    answers = asyncio.run(tune(ask_of(slots=9)[0]))
    assert sorted(answers) == [(1, MEAN_AT_1), (1, MEAN_AT_1), (2, MEAN_AT_1 + 1)]


def test_answers_of_members_that_come_in_different_orders_are_paired_by_what_was_asked() -> None:
    class Shuffled:
        """Yields what a member was asked first last, for every other member."""

        def __init__(self, ask: FakeAsk) -> None:
            self._ask = ask
            self.objectives = ask.objectives

        async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[hippo.Answer]:
            answers = await self._ask.together(proposals)
            for member in MEMBERS:
                own = [answer for answer in answers if answer.member == member]
                for answer in reversed(own) if member == "seed 2" else own:
                    yield answer

    async def tune(ask: Averaged) -> list[tuple[int, float]]:
        wanted = [Proposal(config={"lr": 0.1}, until=until) for until in (1, 2)]
        return [(answer.step, answer.loss) async for answer in ask.any_of(wanted)]

    ask = Averaged(cast(Ask, Shuffled(ask_of()[1])), MEMBERS, AGGREGATES["mean"])
    assert sorted(asyncio.run(tune(ask))) == [(1, MEAN_AT_1), (2, MEAN_AT_1 + 1)]


def test_a_tuner_that_has_nothing_to_ask_is_asked_again_when_all_members_have_answered_and_not_before() -> None:
    told: list[int] = []

    async def tune(ask: Ask) -> None:
        came = 0

        def propose() -> Proposal | None:
            told.append(came)
            return Proposal(config={"lr": 0.1 * (came + 1)}, until=1) if told.count(came) == 1 and came < 2 else None

        async for _ in ask.stream(propose):
            came += 1

    asyncio.run(tune(ask_of(slots=9)[0]))
    assert told == [0, 0, 1, 1, 2]


def test_what_is_missing_is_missing_under_every_member_and_what_is_released_is_under_all() -> None:
    ask, fake = ask_of()
    config = hippo.Config({"lr": 0.1})
    asyncio.run(ask.at("seed 1")(config, until=4))
    assert ask.uncovered(config, 6) == 2 + 6 + 6
    ask.release(config)
    assert fake.released == [config] * 3


def test_what_is_pinned_is_pinned_under_all_members_and_an_answer_of_one_under_that_one() -> None:
    ask, fake = ask_of()
    config = hippo.Config({"lr": 0.1})

    async def tune() -> None:
        answer = await ask(config, until=2)
        async with ask.pin(config), ask.pin(answer):
            assert fake.pinned == {(config, 2): 6}
            alone = await ask.at("seed 6")(config, until=3)
            async with ask.pin(alone):
                assert fake.pinned == {(config, 2): 6, (config, 3): 1}
        assert not fake.pinned
        with pytest.raises(TunerError, match="not answered yet"):
            async with ask.pin({"lr": 0.2}):
                pass
        with pytest.raises(TunerError, match="about step 2, not 1"):
            async with ask.pin(answer, 1):
                pass

    asyncio.run(tune())
    assert fake.pins == [(config, 2)] * 6 + [(config, 3)]


def test_the_seconds_of_a_step_are_those_of_all_members_that_have_trained_it() -> None:
    one, other = (Answer(config=hippo.Config({"lr": 0.1}), step=2, trial=0, metrics={}, losses=()) for _ in range(2))
    told = [replace(one, step_seconds={1: 0.25, 2: 0.5}), replace(other, step_seconds={1: 0.75})]
    assert dict(combine(told, AGGREGATES["mean"], ()).step_seconds) == {1: 1.0}


def test_what_training_said_is_averaged_in_each_step_whatever_the_order_of_the_members() -> None:
    plain = Answer(config=hippo.Config({"lr": 0.1}), step=2, trial=0, metrics={}, losses=())
    told = [
        replace(plain, train_metrics={1: {"loss": 4.0, "norm": 1}, 2: {"loss": 3.0}}),
        replace(plain, train_metrics={1: {"loss": 2.0}}),
    ]
    for members in (told, told[::-1]):
        assert dict(combine(members, AGGREGATES["mean"], ()).train_metrics) == {1: {"loss": 3.0}}


def test_members_that_a_study_lacks_are_refused_by_name(make_study: Callable[..., hippo.Study]) -> None:
    class Lost(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask.at("seed 8")({"lr": 0.1}, until=1)

    with pytest.raises(TunerError, match=r"no member 'seed 8'; it has \['seed 0', 'seed 7'\]"):
        make_study(seeds=[0, 7]).optimize(Lost())


# --- members at a scale


SCALED = {**MEMBERS, **{f"{name} at 1/8": lambda config, step, n=n: 10.0 * n for n, name in enumerate(MEMBERS)}}


def scaled() -> tuple[Averaged, FakeAsk]:
    fake = FakeAsk(lambda config, step: math.nan, members=SCALED, slots=2)
    groups = {"1/8": [name for name in SCALED if name not in MEMBERS]}
    return Averaged(fake, MEMBERS, AGGREGATES["mean"], groups=groups), fake


@pytest.mark.parametrize("way", [by_call, by_all, by_any, by_stream])
def test_a_scale_is_asked_and_averaged_by_itself_and_watched_once_for_each_average(way: Callable[[Ask], Any]) -> None:
    ask, fake = scaled()
    heard: list[Answer] = []
    answers = asyncio.run(way(ask.at("1/8", watch=heard.append)))
    assert {member for _, _, member in asked(fake)} == SCALED.keys() - MEMBERS.keys()
    assert [(each.config.params["lr"], each.loss, each.member) for each in answers] == [
        (0.1, 10.0, ""),
        (0.2, 10.0, ""),
    ]
    assert [(each.config, each.loss, each.member) for each in heard] == [(a.config, a.loss, "") for a in answers]


def test_from_a_scale_others_are_reached() -> None:
    ask, fake = scaled()
    asyncio.run(ask.at("1/8").at("seed 6")({"lr": 0.1}, until=1))
    assert [member for _, _, member in asked(fake)] == [None]
    ask.at("1/8").release({"lr": 0.1})
    assert len(fake.released) == 3


@pytest.mark.parametrize("values", itertools.permutations([math.nan, 1.0, 9.0]))
@pytest.mark.parametrize("aggregate", sorted(AGGREGATES))
def test_what_is_no_number_for_a_member_is_none_for_all_whatever_their_order(
    values: tuple[float, ...], aggregate: str
) -> None:
    assert math.isnan(AGGREGATES[aggregate](values))


def test_infinities_of_both_signs_have_no_mean_and_end_nothing() -> None:
    assert math.isnan(AGGREGATES["mean"]([math.inf, -math.inf, 1.0]))
    assert AGGREGATES["mean"]([math.inf, 1.0]) == math.inf
    assert AGGREGATES["median"]([math.inf, -math.inf, 1.0]) == 1.0
