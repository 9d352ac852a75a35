"""A channel passes messages both ways and holds its loop up for nobody."""

from __future__ import annotations

import asyncio
import socket

from hippo.engines.channel import Channel
from hippo.engines.wire import pack

BIG = b"x" * 3_000_000  # more than the buffers of a socket hold


class Peer:
    """A channel whose messages can be awaited."""

    def __init__(self, connection: socket.socket) -> None:
        self.received: asyncio.Queue[object] = asyncio.Queue()
        self.ended = asyncio.Event()
        self.channel = Channel(connection, on_message=self.received.put_nowait, on_end=self.ended.set)


def test_messages_larger_than_the_sockets_buffer_arrive_both_ways():
    async def exchange() -> None:
        a, b = map(Peer, socket.socketpair())
        a.channel.send(BIG)
        b.channel.send(BIG)
        assert await a.received.get() == BIG
        assert await b.received.get() == BIG
        a.channel.close()
        b.channel.close()

    asyncio.run(asyncio.wait_for(exchange(), 20))


def test_half_a_message_does_not_hold_the_loop_up():
    async def wait_for_the_rest() -> None:
        ours, theirs = socket.socketpair()
        peer = Peer(ours)
        theirs.sendall(pack("hello")[:-1])
        await asyncio.sleep(0)
        peer.channel.drain()
        assert peer.received.empty()
        theirs.sendall(pack("hello")[-1:])
        assert await peer.received.get() == "hello"
        theirs.close()
        peer.channel.close()

    asyncio.run(asyncio.wait_for(wait_for_the_rest(), 20))


def test_what_was_sent_before_the_end_is_handled_before_the_end():
    async def end() -> None:
        ours, theirs = socket.socketpair()
        peer = Peer(ours)
        peer.channel.send("never read, so that the socket is reset when it closes")
        theirs.sendall(pack("last words"))
        theirs.close()
        await peer.ended.wait()
        assert peer.received.get_nowait() == "last words"

    asyncio.run(asyncio.wait_for(end(), 20))


def test_nothing_is_handled_after_close_and_sending_is_silent():
    async def close_first() -> None:
        a, b = map(Peer, socket.socketpair())
        b.channel.send("too late")
        a.channel.close()
        a.channel.drain()
        a.channel.send("into the void")
        assert a.received.empty()
        assert not a.ended.is_set()
        await b.ended.wait()

    asyncio.run(asyncio.wait_for(close_first(), 20))
