"""Addresses as "host:port": whether anybody listens there, and whether two of them are one.

The first is asked before a library is handed an address at which it would wait for very long.
"""

from __future__ import annotations

import ipaddress
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


def are_same(one: str, other: str, *, own: str) -> bool:
    """Return whether two addresses are of one place.

    Args:
      one: such as "localhost:6379".
      other: such as "10.0.0.1:6379".
      own: how others call this machine, which calls itself by loopback addresses, too.
    """
    found, wanted = _HOST_AND_PORT.fullmatch(one), _HOST_AND_PORT.fullmatch(other)
    if one == other or found is None or wanted is None:
        return one == other
    return found["port"] == wanted["port"] and bool(
        _machines(found["six"] or found["host"], own) & _machines(wanted["six"] or wanted["host"], own)
    )


def is_of_ray_at(address: str | None, there: str, *, own: str) -> bool:
    """Return whether the Ray cluster at an address is what somebody means who gives Ray `address`.

    Args:
      address: as Ray takes it: None and "auto" mean any, and "local" one that runs on this machine.
      there: of the cluster.
      own: as `are_same` takes it.
    """
    if address in (None, "auto"):
        return True
    if address == "local":
        address = f"localhost:{there.rpartition(':')[2]}"
    return are_same(address, there, own=own)


def _machines(host: str, own: str) -> set[str]:
    """Return the IP addresses of a host, with `own` in the place of those by which a machine calls itself."""
    try:
        found = {str(info[4][0]).partition("%")[0] for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):  # no such host
        return {host}
    return {own if ipaddress.ip_address(address).is_loopback else address for address in found}
