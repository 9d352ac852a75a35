"""Ports for servers that tests start: a server listens at its port a moment later, and again after it was killed.

It refuses to know who listens.
"""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress

#: systems give others, from 32768 or 49152 on, to whoever asks for any port: each connection that is made meanwhile may
#: get the one that was free just now. Ray gives its workers those up to 19999
_PORTS = range(20_000, 32_000)
_TRIES = 100


def free_port() -> int:
    """Return a port at which nobody listens, and that nobody is given who does not ask for this very one.

    Raises:
      RuntimeError: there is none, as far as that was tried.
    """
    for _ in range(_TRIES):
        port = secrets.choice(_PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"no free port found between {_PORTS.start} and {_PORTS.stop}")
