"""What workers may read: the bound as values, and what gangs of delayed workers were seen to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.errors import HparamError, TrainerError
from hippo.ps.staleness import checked_staleness, order_named, read_clock
from hippo.ps.transport import InProcessTransport
from hippo.testing.ps_trainers import CountingServer, NoisyServer, Sight, built_server, same_tables, serve_plainly

from .apart import ApartTransport

BOUNDS = st.sampled_from([0, 1, 3, 7])
#: who goes on next, as long as it lasts
DELAYS = st.lists(st.integers(0, 3), max_size=60)
#: workers on one memory, and such as have only their own
TRANSPORTS = st.sampled_from([InProcessTransport, ApartTransport])


class Delays:
    """Picks workers as told, and then whoever waited longest."""

    def __init__(self, told: Sequence[int]) -> None:
        self._told = list(told)

    def __call__(self, ready: Sequence[int]) -> int:
        return ready[self._told.pop(0) % len(ready)] if self._told else ready[0]


@pytest.mark.parametrize(
    ("clock", "start", "staleness", "seen"),
    [(0, 0, 0, -1), (5, 0, 0, 4), (5, 0, 3, 1), (5, 4, 3, 3), (7, 4, 3, 3), (8, 4, 3, 4), (20, 0, 7, 12)],
)
def test_at_a_clock_all_is_seen_that_the_bound_or_the_steps_beginning_asks_for(
    clock: int, start: int, staleness: int, seen: int
) -> None:
    assert read_clock(clock, start=start, staleness=staleness) == seen


def sights_of(
    order: str,
    workers: int,
    clocks: int,
    staleness: int,
    delays: Sequence[int],
    transport: type[InProcessTransport] = InProcessTransport,
) -> list[Sight]:
    """Return what counting workers saw in two steps, under these delays."""
    sights: list[Sight] = []

    class Delayed(CountingServer):
        pick = staticmethod(Delays(delays))

    Delayed.sights, Delayed.transport = sights, transport
    trainer = built_server(
        Delayed, {"lr": 1.0, "staleness": staleness}, workers=workers, clocks_per_step=clocks, order=order
    )
    for _ in range(2):
        trainer.train()
    assert trainer.evaluate() == {"count": 2 * clocks * workers}
    return sights


@given(st.sampled_from(["pinned", "free"]), st.integers(1, 4), st.integers(1, 10), BOUNDS, DELAYS, TRANSPORTS)
@settings(deadline=None)
def test_no_read_lacks_an_update_that_is_older_than_the_bound(
    order: str, workers: int, clocks: int, staleness: int, delays: list[int], transport: type[InProcessTransport]
) -> None:
    for worker, clock, counts in sights_of(order, workers, clocks, staleness, delays, transport):
        assert counts[worker] == clock  # its own, all of them
        ages = [clock - count for other, count in enumerate(counts) if other != worker]
        assert max(ages, default=0) <= staleness
        if clock % clocks == 0:
            assert max(ages, default=0) <= 0  # a step begins where all have met


@given(st.integers(1, 4), st.integers(1, 10), BOUNDS, DELAYS, TRANSPORTS)
@settings(deadline=None)
def test_pinned_workers_see_exactly_what_the_bound_says_whoever_is_delayed(
    workers: int, clocks: int, staleness: int, delays: list[int], transport: type[InProcessTransport]
) -> None:
    for worker, clock, counts in sights_of("pinned", workers, clocks, staleness, delays, transport):
        start = clock // clocks * clocks
        seen = read_clock(clock, start=start, staleness=staleness) + 1
        assert counts == tuple(clock if other == worker else seen for other in range(workers))


def test_free_workers_see_what_has_come_and_so_depend_on_delays() -> None:
    one = sights_of("free", 2, 8, 3, [])
    other = sights_of("free", 2, 8, 3, [0] * 5 + [1] * 3 + [0] * 40)
    assert sorted(one) != sorted(other)


@given(
    st.sampled_from(["sgd", "adagrad", "adarevision"]),
    st.integers(1, 3),
    st.lists(BOUNDS, min_size=1, max_size=3),
    st.integers(1, 9),
    DELAYS,
    TRANSPORTS,
)
@settings(deadline=None, max_examples=100)
def test_a_pinned_gang_comes_to_the_bits_that_the_definitions_say(
    optimizer: str,
    workers: int,
    bounds: list[int],
    clocks: int,
    delays: list[int],
    transport: type[InProcessTransport],
) -> None:
    class Delayed(NoisyServer):
        def make_transport(self):  # type: ignore[no-untyped-def]
            return transport(Delays(delays))

    momentum = 0.5 if optimizer == "sgd" else 0.0
    values = [{"lr": 0.05, "momentum": momentum, "staleness": bound} for bound in bounds]
    arguments = {"optimizer": optimizer, "workers": workers, "clocks_per_step": clocks}
    trainer = built_server(Delayed, values[0], **arguments)
    for in_force in values:
        trainer.hp = type(trainer.hp)(in_force)
        assert math.isfinite(trainer.train()["loss"])
    plain = built_server(NoisyServer, values[0], in_process=True, **arguments)
    assert same_tables(trainer.state_dict()["tables"], serve_plainly(plain, values))


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adarevision"])
def test_a_free_worker_that_is_alone_comes_to_what_a_pinned_one_comes_to(optimizer: str) -> None:
    class Alternating(NoisyServer):
        def gradients(self, tables, share):  # type: ignore[no-untyped-def]
            found = super().gradients(tables, share)
            name = ["large", "small"][share.clock % 2]
            return replace(found, tables={name: found.tables[name]})

    values = {"lr": 0.05, "momentum": 0.9 if optimizer == "sgd" else 0.0, "staleness": 3}
    states = []
    for order in ("free", "pinned"):
        arguments = {"order": order, "optimizer": optimizer, "workers": 1, "in_process": True}
        trainer = built_server(Alternating, values, **arguments)
        told = [trainer.train()["loss"] for _ in range(3)]
        states.append((told, trainer.state_dict()["tables"], trainer))
    assert states[0][0] == states[1][0]
    assert same_tables(states[0][1], states[1][1])


@pytest.mark.parametrize("staleness", [2, -1, 0.5, True, "1", None, float("inf"), float("nan")])
def test_another_staleness_is_refused(staleness: object) -> None:
    with pytest.raises(HparamError, match=r"is no bound of this server: .* one of 0, 1, 3, 7"):
        checked_staleness(staleness)


@pytest.mark.parametrize(("staleness", "bound"), [(0, 0), (7, 7), (3.0, 3)])
def test_a_bound_is_a_whole_number(staleness: object, bound: int) -> None:
    assert checked_staleness(staleness) == bound
    assert type(checked_staleness(staleness)) is int


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(TrainerError, match=r"order='fre' is no order of updates; .* Did you mean 'free'"):
        order_named("fre")
