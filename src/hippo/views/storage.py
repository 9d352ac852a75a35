"""What the states of a study take in files, by who would miss them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hippo.plan import Rank
from hippo.study import KeptState, KeptStates

#: rank -> who would miss such a state, in the order in which they go
WHY: Mapping[Rank, str] = {
    Rank.SPARE: "nobody keeps it",
    Rank.PASSED: "on the way, kept by keep='all'",
    Rank.LAST: "last of a trial that is over",
    Rank.LIVE: "last of a trial that may go on",
    Rank.BEST: "of a best trial",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKind:
    """The states that are kept for one reason."""

    rank: Rank
    count: int
    size_bytes: int
    #: what it would take to make each of them again by itself, in all
    steps: int
    seconds: float

    @property
    def why(self) -> str:
        """Who would miss them."""
        return WHY[self.rank]


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageUse:
    """What states take in files."""

    #: those that there are, in the order in which they go when room is needed
    kinds: tuple[KeptKind, ...]
    #: the largest states, largest first
    largest: tuple[KeptState, ...]
    #: bytes of all of them, of those that `hippo gc` removes, and that all of the database may take (None: no bound)
    size_bytes: int
    spare_bytes: int
    budget: int | None
    #: why states went -> how many, and their bytes
    gone: Mapping[str, tuple[int, int]]


def storage(kept: KeptStates, *, largest: int = 100) -> StorageUse:
    """Return what states take, by who would miss them.

    Args:
      kept: what `Study.kept_states` returns.
      largest: of how many of the largest ones it is told which they are.
    """
    kinds: list[KeptKind] = []
    for rank in WHY:
        own = [state for state in kept.states if state.rank is rank]
        if own:
            kinds.append(
                KeptKind(
                    rank=rank,
                    count=len(own),
                    size_bytes=sum(state.size_bytes for state in own),
                    steps=sum(state.steps for state in own),
                    seconds=sum(state.seconds for state in own),
                )
            )
    return StorageUse(
        kinds=tuple(kinds),
        largest=tuple(sorted(kept.states, key=lambda state: -state.size_bytes)[:largest]),
        size_bytes=sum(kind.size_bytes for kind in kinds),
        spare_bytes=sum(kind.size_bytes for kind in kinds if kind.rank is Rank.SPARE),
        budget=kept.budget,
        gone=kept.gone,
    )
