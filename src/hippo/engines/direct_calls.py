"""Calls of an object's coroutines over a connection of its caller's own: a cluster's calls cost ten times as much.

Who connects proves that it knows a secret, which something else has brought to both ends, and is shown the same, before
a byte of what either says is unpickled. Whether a call was carried out that is lost with its connection is not known.
This module refuses to know what is called, and what else brings calls there.
"""

from __future__ import annotations

import asyncio
import hmac
import itertools
import pickle
import secrets
import struct
from collections.abc import Collection
from typing import Any

import cloudpickle

from hippo.errors import HostLostError, HostSilentError

_HANDSHAKE_S = 5.0
#: whoever has not connected by then, never will
_LISTEN_S = 30.0
#: so many may try at the same time to prove that they know the secret
_MOST_STRANGERS = 8
#: with calls under way, a connection that brings nothing for so long is given up; polls are answered sooner
_SILENCE_S = 10.0
#: of a challenge, and of a proof
_PROOF_BYTES = 32
#: number of the call, length of what follows, and whether that is its result
_HEAD = struct.Struct("!QQ?")


class CallListener:
    """The end that is called, by the one who knows the secret.

    Args:
      target: has the methods, which are coroutines.
      methods: names of those that may be called.
      secret: that the other end knows, too.
    """

    def __init__(self, target: object, methods: Collection[str], *, secret: bytes) -> None:
        self._target = target
        self._methods = frozenset(methods)
        self._secret = secret
        self._server: asyncio.Server | None = None
        self._strangers = 0
        self._calls: set[asyncio.Task[None]] = set()

    async def listen(self, address: str) -> int:
        """Wait for the other end at an address of this machine, and for nobody else; return the port."""
        self._server = await asyncio.start_server(self._connected, address, 0)
        asyncio.get_running_loop().call_later(_LISTEN_S, self._server.close)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if await self._is_known(reader, writer):
                await self._serve(reader, writer)
        except (OSError, EOFError):
            pass  # the other end sees it, and has another way
        finally:
            writer.close()

    async def _is_known(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Tell whether who has connected knows the secret; if so, show that it is known here, and listen no more."""
        if self._strangers == _MOST_STRANGERS:
            return False
        self._strangers += 1
        try:
            async with asyncio.timeout(_HANDSHAKE_S):
                ours = secrets.token_bytes(_PROOF_BYTES)
                writer.write(ours)
                theirs, proof = await reader.readexactly(_PROOF_BYTES), await reader.readexactly(_PROOF_BYTES)
        finally:
            self._strangers -= 1
        assert self._server is not None, "nobody connects before"
        if (
            not hmac.compare_digest(proof, _proof(self._secret, b"caller", ours, theirs))
            or not self._server.is_serving()
        ):
            return False
        self._server.close()
        writer.write(_proof(self._secret, b"callee", ours, theirs))
        return True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                number, length, _ = _HEAD.unpack(await reader.readexactly(_HEAD.size))
                call = asyncio.create_task(self._answer(number, await reader.readexactly(length), writer))
                self._calls.add(call)
                call.add_done_callback(self._calls.discard)
        finally:
            for call in self._calls:  # such as polls, whose answers nobody would get
                call.cancel()

    async def _answer(self, number: int, packed: bytes, writer: asyncio.StreamWriter) -> None:
        try:
            method, arguments = pickle.loads(packed)
            if method not in self._methods:
                raise ValueError(f"{method!r} cannot be called")
            is_result, body = True, cloudpickle.dumps(await getattr(self._target, method)(*arguments))
        except Exception as error:
            is_result, body = False, f"{type(error).__name__}: {error}".encode(errors="backslashreplace")
        writer.write(_HEAD.pack(number, len(body), is_result) + body)


class CallConnection:
    """The end that calls. All on one event loop.

    Args:
      reader: of a connection whose other end has proved who it is.
      writer: of the same.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[Any]] = {}
        #: False once the connection is lost, or closed
        self.is_open = True
        self._hearing = asyncio.get_running_loop().create_task(self._hear(reader))

    @classmethod
    async def connect(cls, address: str, port: int, *, secret: bytes) -> CallConnection:
        """Connect to a callee that listens.

        Raises:
          OSError: it cannot be reached, or does not know the secret.
        """
        writer = None
        try:
            async with asyncio.timeout(_HANDSHAKE_S):
                reader, writer = await asyncio.open_connection(address, port)
                theirs, ours = await reader.readexactly(_PROOF_BYTES), secrets.token_bytes(_PROOF_BYTES)
                writer.write(ours + _proof(secret, b"caller", theirs, ours))
                if hmac.compare_digest(await reader.readexactly(_PROOF_BYTES), _proof(secret, b"callee", theirs, ours)):
                    return cls(reader, writer)
            raise ConnectionError("who answers there does not know the secret")
        except BaseException as error:
            if writer is not None:
                writer.close()
            if isinstance(error, EOFError):
                raise ConnectionError("who answers there ended the connection") from error
            raise

    def call(self, method: str, *arguments: Any) -> asyncio.Future[Any]:
        """Begin a call, before this returns; what is awaited is its result.

        Raises:
          HostLostError: when awaited: the method has failed.
          HostSilentError: when awaited: the connection was lost before there was an answer.
        """
        answer = asyncio.get_running_loop().create_future()
        if not self.is_open:
            answer.set_exception(HostSilentError("its connection is lost"))
            return answer
        body = cloudpickle.dumps((method, arguments))
        number = next(self._numbers)
        self._calls[number] = answer
        self._writer.write(_HEAD.pack(number, len(body), True) + body)
        return answer

    def close(self) -> None:
        """Close the connection; nothing more is heard of calls that have no answer."""
        self._hearing.cancel()
        self._end(None)

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                number, length, is_result = _HEAD.unpack(await self._read(reader, _HEAD.size))
                self._take(number, is_result, await self._read(reader, length))
        except Exception as error:  # whatever it is, nobody hears of calls any more
            self._end(HostSilentError(f"its connection is lost ({type(error).__name__})"))

    async def _read(self, reader: asyncio.StreamReader, size: int) -> bytes:
        """Return the next bytes.

        Raises:
          OSError, EOFError: the connection is lost, or has brought nothing for `_SILENCE_S`, and something should come.
        """
        silent_for = 0
        while True:
            try:
                async with asyncio.timeout(_SILENCE_S / 2) as limit:
                    return await reader.readexactly(size)
            except TimeoutError:
                if not limit.expired():  # the network's own
                    raise
                # the first one may have begun before the call; and a loop that is held up finds one time-out, not three
                silent_for = silent_for + 1 if self._calls else 0
                if silent_for == 3:
                    raise

    def _take(self, number: int, is_result: bool, body: bytes) -> None:
        answer = self._calls.pop(number)
        if answer.done():  # cancelled
            return
        try:
            if is_result:
                answer.set_result(pickle.loads(body))
            else:
                answer.set_exception(HostLostError(f"its host failed: {body.decode()}"))
        except Exception as error:
            answer.set_exception(HostLostError(f"what its host answered cannot be read: {error}"))

    def _end(self, error: HostSilentError | None) -> None:
        self.is_open = False
        self._writer.close()
        calls, self._calls = self._calls, {}
        for answer in calls.values():
            if answer.done():
                continue
            if error is None:
                answer.cancel()
            else:
                answer.set_exception(error)


def _proof(secret: bytes, end: bytes, callees: bytes, callers: bytes) -> bytes:
    """Return what only an end that knows the secret can say in answer to both ends' challenges."""
    return hmac.digest(secret, end + callees + callers, "sha256")
