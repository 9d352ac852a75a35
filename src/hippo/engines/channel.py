"""One end of a socket, served by an asyncio loop, which it never blocks.

A message that is only half there waits in a buffer, in both directions, so that neither a slow nor a dying peer
holds the control loop up. This module refuses to know what the messages mean.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from hippo.engines.wire import Inbox, pack

_CHUNK_BYTES = 1 << 18


class Channel:
    """Messages to and from one process.

    Args:
      connection: our end of the socket; the channel owns it from now on.
      on_message: called for each message that arrives.
      on_end: called once when the peer, and all who inherited its end, have closed it; not after `close`.
    """

    def __init__(
        self,
        connection: socket.socket,
        *,
        on_message: Callable[[Any], None],
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._socket = connection
        self._on_message = on_message
        self._on_end = on_end
        self._inbox = Inbox()
        self._outgoing = bytearray()
        #: whether anything can come, or be sent
        self.is_open = True
        self._loop = asyncio.get_running_loop()
        connection.setblocking(False)
        self._loop.add_reader(connection, self._read)

    def send(self, message: object) -> None:
        """Queue a message; lost in silence if the peer is gone, which `on_end` tells."""
        if self.is_open:
            self._outgoing += pack(message)
            self._write()

    def drain(self) -> None:
        """Handle all that has arrived by now."""
        while self.is_open and self._read():
            pass

    def close(self) -> None:
        """Close our end. What was queued and not yet taken is lost."""
        if self.is_open:
            self.is_open = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def _read(self) -> bool:
        """Handle one portion of what has arrived; return whether there may be more."""
        try:
            data = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:  # the peer was killed before it had read all that we sent
            data = b""
        for message in self._inbox.feed(data):
            self._on_message(message)
            if not self.is_open:  # its handler has closed this channel
                return False
        if not data:
            self.close()
            self._on_end()
        return bool(data)

    def _write(self) -> None:
        try:
            sent = self._socket.send(self._outgoing)
        except BlockingIOError:
            sent = 0
        except OSError:  # nobody will read the rest
            sent = len(self._outgoing)
        del self._outgoing[:sent]
        if self._outgoing:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)
