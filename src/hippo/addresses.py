"""Whether anybody listens at an address: asked before a library is handed it that would wait for very long."""

from __future__ import annotations

import re
import socket

#: a machine that is there answers at once; one that is far away, or asleep, takes a moment
_PATIENCE_S = 10.0
_HOST_AND_PORT = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:]+)\]|(?P<host>[^:/\[\]]+)):(?P<port>\d{1,5})")


def listens(address: str, *, patience_s: float = _PATIENCE_S) -> bool:
    """Return whether somebody listens at "host:port"; of an address of another form nothing is known, which is True.

    Args:
      address: which.
      patience_s: how long it may take to answer.
    """
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None:
        return True
    try:
        socket.create_connection((found["six"] or found["host"], int(found["port"])), patience_s).close()
    except (OSError, OverflowError):  # no such host, nobody there, or no such port
        return False
    return True
