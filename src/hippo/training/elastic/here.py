"""With whom the trainer that is built in this process shares its parameters. Imported by who may have nobody: no torch.

It refuses to know how they are divided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.records import ELASTIC
from hippo.training.sharding.here import peers_here

if TYPE_CHECKING:
    from hippo.training.elastic.elastic_rank import ElasticRank


class _ElasticKnown:
    """What this process is at."""

    #: it runs code of a workload with elastic numerics
    is_elastic: bool = False
    #: what it is to trainers, where it is a peer
    rank: ElasticRank | None = None


_known = _ElasticKnown()


class elastic_numerics:
    """Have trainers that are built in the block divide what they train among the ranks, if `numerics` says so.

    A class, since each assignment is such a block: a generator takes three times as long.
    """

    __slots__ = ("_before", "_is_elastic")

    def __init__(self, numerics: str) -> None:
        self._is_elastic = numerics == ELASTIC

    def __enter__(self) -> None:
        self._before, _known.is_elastic = _known.is_elastic, self._is_elastic

    def __exit__(self, *_: object) -> None:
        _known.is_elastic = self._before


def set_elastic_rank(rank: ElasticRank | None) -> None:
    """Say what this process is to the trainers that it builds as a peer."""
    _known.rank = rank


def elastic_rank() -> ElasticRank | None:
    """Return with whom a trainer that is built now divides what it trains; None: with nobody."""
    if not _known.is_elastic:
        return None
    if _known.rank is not None:
        return _known.rank
    peers = peers_here()
    if peers is None:
        return None
    from hippo.training.elastic.elastic_peers import ElasticPeers

    return ElasticPeers(peers)


def is_elastic_here() -> bool:
    """Tell whether this process runs code of a workload with elastic numerics."""
    return _known.is_elastic


def num_ranks() -> int:
    """Return among how many processes a trainer of this assignment divides what it trains."""
    if not _known.is_elastic:  # nearly always, and it is asked at each step
        return 1
    peers = peers_here()
    return 1 if peers is None else peers.ranks
