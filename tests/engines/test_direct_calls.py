"""Calls over a connection of one's own are those of the methods, for the one who knows the secret and nobody else."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hippo.engines import direct_calls
from hippo.engines.direct_calls import CallConnection, CallListener, _proof
from hippo.errors import HostLostError, HostSilentError

HERE = "127.0.0.1"
SECRET = b"known to both"


class Echo:
    """Something that is called."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.is_waiting = asyncio.Event()
        self.was_cancelled = asyncio.Event()

    async def say(self, *words: Any) -> tuple[Any, ...]:
        self.heard.append(words)
        return words

    async def wait(self) -> None:
        self.is_waiting.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled.set()
            raise

    async def fail(self) -> None:
        raise ValueError("no \ud800 such slot")

    async def return_what_cannot_be_read(self) -> Unreadable:
        return Unreadable()

    async def secret(self) -> str:
        return "of nobody's concern"


class Unreadable:
    """Can be pickled, and not unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _refuse, ()


def _refuse() -> None:
    raise RuntimeError("not here")


class _Marking:
    """Leaves a mark where it is unpickled."""

    marks: list[str] = []  # noqa: RUF012 # of the process

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.marks.append, ("unpickled",)


METHODS = ("say", "wait", "fail", "return_what_cannot_be_read")


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Echo, CallConnection]]:
    echo = Echo()
    port = await CallListener(echo, METHODS, secret=SECRET).listen(HERE)
    calls = await CallConnection.connect(HERE, port, secret=SECRET)
    try:
        yield echo, calls
    finally:
        calls.close()


def run(test: Callable[[Echo, CallConnection], Awaitable[None]]) -> None:
    async def go() -> None:
        async with connected() as (echo, calls):
            await asyncio.wait_for(test(echo, calls), 30)

    asyncio.run(go())


def test_calls_are_made_in_their_order_and_answered_each() -> None:
    async def test(echo: Echo, calls: CallConnection) -> None:
        large = bytes(range(256)) * 40_000  # many times what is read at once
        waiting = calls.call("wait")
        answers = [calls.call("say", number, large) for number in range(5)]
        assert await asyncio.gather(*answers) == [(number, large) for number in range(5)]
        assert [number for number, _ in echo.heard] == list(range(5))
        assert not waiting.done()

    run(test)


def test_classes_that_only_the_caller_has_are_brought_along() -> None:
    class Local:
        pass

    async def test(_: Echo, calls: CallConnection) -> None:
        (came,) = await calls.call("say", Local())
        assert type(came).__name__ == "Local"

    run(test)


def test_a_method_that_fails_says_so_and_others_go_on() -> None:
    async def test(_: Echo, calls: CallConnection) -> None:
        with pytest.raises(HostLostError, match=r"ValueError: no \\ud800 such slot"):
            await calls.call("fail")
        with pytest.raises(HostLostError, match="cannot be read: not here"):
            await calls.call("return_what_cannot_be_read")
        assert await calls.call("say", 1) == (1,)

    run(test)


def test_only_what_may_be_called_is_called() -> None:
    async def test(_: Echo, calls: CallConnection) -> None:
        for name in ("secret", "__init__", "heard"):
            with pytest.raises(HostLostError, match="cannot be called"):
                await calls.call(name)

    run(test)


def test_calls_without_an_answer_hear_of_a_lost_connection_and_so_do_later_ones() -> None:
    async def test(echo: Echo, calls: CallConnection) -> None:
        waiting = calls.call("wait")
        await echo.is_waiting.wait()
        calls._writer.transport.abort()
        with pytest.raises(HostSilentError, match="connection is lost"):
            await waiting
        assert not calls.is_open
        with pytest.raises(HostSilentError, match="connection is lost"):
            await calls.call("say", 1)
        await echo.was_cancelled.wait()

    run(test)


def test_a_connection_that_brings_nothing_is_given_up_only_if_something_should_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(direct_calls, "_SILENCE_S", 0.2)

    async def test(_: Echo, calls: CallConnection) -> None:
        await asyncio.sleep(0.6)
        assert await calls.call("say", 1) == (1,)
        with pytest.raises(HostSilentError, match="TimeoutError"):
            await calls.call("wait")

    run(test)


def test_a_loop_that_is_held_up_for_longer_gives_no_connection_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_calls, "_SILENCE_S", 0.4)

    async def test(echo: Echo, calls: CallConnection) -> None:
        waiting = calls.call("wait")
        await echo.is_waiting.wait()
        threading.Event().wait(0.6)
        assert await calls.call("say", 1) == (1,)
        assert not waiting.done()

    run(test)


def test_an_answer_to_nothing_ends_the_connection_and_leaves_nobody_waiting() -> None:
    async def test() -> None:
        async def answer_to_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(bytes(32))
            theirs = (await reader.readexactly(64))[:32]
            writer.write(_proof(SECRET, b"callee", bytes(32), theirs))
            await reader.readexactly(1)  # something was asked
            writer.write(direct_calls._HEAD.pack(99, 0, True))

        server = await asyncio.start_server(answer_to_nothing, HERE, 0)
        calls = await CallConnection.connect(HERE, server.sockets[0].getsockname()[1], secret=SECRET)
        with pytest.raises(HostSilentError, match="connection is lost"):
            await asyncio.wait_for(calls.call("say", 1), 10)
        assert not calls.is_open
        server.close()

    asyncio.run(test())


def test_a_closed_end_cancels_what_waits() -> None:
    async def test(echo: Echo, calls: CallConnection) -> None:
        waiting = calls.call("wait")
        await echo.is_waiting.wait()
        calls.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await echo.was_cancelled.wait()

    run(test)


# --- others


async def why_refused(port: int, *, secret: bytes = SECRET) -> str:
    """Return why no connection comes about; "" if one does."""
    try:
        connection = await CallConnection.connect(HERE, port, secret=secret)
    except OSError as error:
        return str(error)
    connection.close()
    return ""


def test_who_does_not_know_the_secret_is_not_heard_and_the_other_end_is_still_waited_for() -> None:
    async def test() -> None:
        echo = Echo()
        port = await CallListener(echo, METHODS, secret=SECRET).listen(HERE)
        assert "ended the connection" in await why_refused(port, secret=b"guessed")
        # one who sends its orders along with a proof that is none
        reader, writer = await asyncio.open_connection(HERE, port)
        packed = pickle.dumps(_Marking())
        writer.write(bytes(64) + direct_calls._HEAD.pack(1, len(packed), True) + packed)
        assert len(await reader.read()) == 32, "a challenge, and nothing that tells the secret"
        calls = await CallConnection.connect(HERE, port, secret=SECRET)
        assert await calls.call("say", 1) == (1,)
        assert _Marking.marks == []
        calls.close()

    asyncio.run(test())


@pytest.mark.parametrize(
    "proof",
    [
        pytest.param(lambda *_: bytes(32), id="none"),
        pytest.param(lambda _, __, proof: proof, id="the caller's own"),
        pytest.param(lambda ours, _, __: _proof(SECRET, b"callee", ours, bytes(32)), id="one of another time"),
    ],
)
def test_a_listener_that_does_not_know_the_secret_is_not_heard(proof: Callable[[bytes, bytes, bytes], bytes]) -> None:
    async def test() -> None:
        async def pretend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(bytes(32))
            theirs, proved = await reader.readexactly(32), await reader.readexactly(32)
            packed = pickle.dumps(_Marking())
            writer.write(proof(bytes(32), theirs, proved) + direct_calls._HEAD.pack(1, len(packed), True) + packed)

        server = await asyncio.start_server(pretend, HERE, 0)
        assert "does not know the secret" in await why_refused(server.sockets[0].getsockname()[1])
        assert _Marking.marks == []
        server.close()

    asyncio.run(test())


def test_what_proved_it_to_one_listener_proves_nothing_to_another() -> None:
    async def test() -> None:
        connections = []
        for _ in range(2):
            port = await CallListener(Echo(), METHODS, secret=SECRET).listen(HERE)
            reader, writer = await asyncio.open_connection(HERE, port)
            connections.append((reader, writer, await reader.readexactly(32)))
        (reader, writer, challenge), (other_reader, other_writer, _) = connections
        proof = bytes(32) + _proof(SECRET, b"caller", challenge, bytes(32))
        writer.write(proof)
        other_writer.write(proof)
        assert len(await reader.readexactly(32)) == 32
        assert await asyncio.wait_for(other_reader.read(), 10) == b""
        writer.close()
        other_writer.close()

    asyncio.run(test())


def test_of_two_who_know_the_secret_the_first_is_the_other_end() -> None:
    async def test() -> None:
        port = await CallListener(Echo(), METHODS, secret=SECRET).listen(HERE)
        ends = [await asyncio.open_connection(HERE, port) for _ in range(2)]
        challenges = [await reader.readexactly(32) for reader, _ in ends]
        for (reader, writer), challenge, size in zip(ends, challenges, (32, 0), strict=True):
            writer.write(bytes(32) + _proof(SECRET, b"caller", challenge, bytes(32)))
            assert len(await asyncio.wait_for(reader.read(32), 10)) == size
        for _, writer in ends:
            writer.close()

    asyncio.run(test())


def test_nobody_can_connect_any_more_once_the_other_end_has() -> None:
    async def test(_: Echo, calls: CallConnection) -> None:
        _, port = calls._writer.get_extra_info("peername")
        assert "Connect call failed" in await why_refused(port)
        assert await calls.call("say", 1) == (1,)

    run(test)


async def strangers(port: int) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Return as many connections that nothing is said over as a listener bears with."""
    silent = [await asyncio.open_connection(HERE, port) for _ in range(direct_calls._MOST_STRANGERS)]
    for reader, _ in silent:
        await reader.readexactly(32)
    return silent


def test_strangers_who_say_nothing_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_calls, "_HANDSHAKE_S", 60.0)

    async def test() -> None:
        port = await CallListener(Echo(), METHODS, secret=SECRET).listen(HERE)
        silent = await strangers(port)
        assert "ended the connection" in await why_refused(port)
        for _, writer in silent:
            writer.close()

    asyncio.run(test())


def test_strangers_who_say_nothing_go_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_calls, "_HANDSHAKE_S", 0.1)

    async def test() -> None:
        port = await CallListener(Echo(), METHODS, secret=SECRET).listen(HERE)
        silent = await strangers(port)
        for reader, _ in silent:
            assert await reader.read() == b"", "they are left"
        monkeypatch.setattr(direct_calls, "_HANDSHAKE_S", 60.0)
        calls = await CallConnection.connect(HERE, port, secret=SECRET)
        assert await calls.call("say", 1) == (1,)
        calls.close()
        for _, writer in silent:
            writer.close()

    asyncio.run(test())


def test_a_listener_is_not_open_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_calls, "_LISTEN_S", 0.1)

    async def test() -> None:
        port = await CallListener(Echo(), METHODS, secret=SECRET).listen(HERE)
        await asyncio.sleep(0.3)
        assert "Connect call failed" in await why_refused(port)

    asyncio.run(test())
