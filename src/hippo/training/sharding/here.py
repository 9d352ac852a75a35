"""The peers of this process, if it has any. Imported by who may have none: it knows no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippo.training.sharding.peers import Peers


class _PeersKnown:
    """What this process has."""

    peers: Peers | None = None


_known = _PeersKnown()


def set_peers(peers: Peers | None) -> None:
    """Say with which processes this one computes batches."""
    _known.peers = peers


def peers_here() -> Peers | None:
    """Return the processes with which this one computes batches; None: it is alone."""
    return _known.peers
