"""What is awaited: told once, to the number it is meant for, and to nobody who went away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hippo.runtime.asking.limits import Limit
from hippo.runtime.asking.participants import Delivery
from hippo.runtime.call_source import CallSource
from hippo.runtime.futures import Futures


def on_a_loop(test: Callable[[Futures], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test(Futures()))


def test_a_number_is_told_its_value_or_its_error_and_others_hear_nothing() -> None:
    async def tell(futures: Futures) -> None:
        numbers = [futures.next_number() for _ in range(3)]
        first, second, third = map(futures.open, numbers)
        futures.settle(Delivery(numbers[0], "answer"))
        futures.settle(Delivery(numbers[1], error=ValueError("never")))
        assert numbers == sorted(set(numbers))
        assert first.result() == "answer"
        assert str(second.exception()) == "never"
        assert not third.done()

    on_a_loop(tell)


@pytest.mark.parametrize("away", [asyncio.Future.cancel, lambda future: future.set_result("other")])
def test_who_is_told_to_a_future_that_is_done_is_told_nothing(away: Callable[[asyncio.Future[Any]], object]) -> None:
    async def tell(futures: Futures) -> None:
        away(futures.open(1))
        futures.settle(Delivery(1, "late"))
        futures.settle(Delivery(2, "never asked"))

    on_a_loop(tell)


def test_nothing_is_kept_of_what_was_told_cancelled_or_forgotten() -> None:
    async def tell(futures: Futures) -> None:
        told, cancelled, forgotten = map(futures.open, range(3))
        futures.settle(Delivery(0))
        futures.cancel(1)
        futures.forget(2)
        assert (told.done(), cancelled.cancelled(), forgotten.done()) == (True, True, False)
        futures.cancel(2)
        assert not forgotten.done()
        assert futures._awaited == {}

    on_a_loop(tell)


def test_who_withdraws_cancels_what_waits_and_forgets_what_was_answered_and_could_not_be_told() -> None:
    async def withdraw(futures: Futures) -> None:
        call = SimpleNamespace(members=[""], row=SimpleNamespace(state=""), withdraw=lambda request: request.id == 1)
        source = CallSource(cast(Any, call), futures, cast(Any, None), cast(Any, None), lambda: None, cast(Any, None))
        waiting, answered = futures.open(1), futures.open(2)
        source.withdraw([cast(Any, SimpleNamespace(id=number)) for number in (2, 1)])
        assert (waiting.cancelled(), answered.done()) == (True, False)
        assert futures._awaited == {}

    on_a_loop(withdraw)


def test_a_limit_is_due_while_its_tuner_is_in_the_block_and_until_that_was_ended() -> None:
    limit, cancelled = Limit(lambda: True), []
    assert not limit.is_due
    limit.cancel = lambda: cancelled.append(True)
    assert limit.is_due
    limit.end()
    assert (limit.is_due, cancelled) == (False, [True])
