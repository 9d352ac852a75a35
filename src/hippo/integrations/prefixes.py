"""Which run of a tracker has which rows, so that what trials share is written once, and linked.

A trial follows another one while all it was told of is in runs of others; from its first row of its own on it writes
them all. It refuses to know what a tracker is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hippo.hparams import Config
from hippo.hparams.paths import Walk

Kind = Literal["train", "evaluate"]


class RowKey(NamedTuple):
    """What was measured after a step."""

    kind: Kind
    step: int


@dataclass(slots=True)
class Held:
    """What the run of a trial has, and where what it lacks is."""

    #: the rows that are in the run itself
    rows: set[RowKey] = field(default_factory=set)
    #: the trial whose run, or what that is linked to, has the rows up to `fork_step`
    parent: int | None = None
    #: 0: it shares nothing
    fork_step: int = 0


class Prefixes:
    """Decides which rows go into a trial's run.

    Args:
      sharing: False: each run gets all rows of its trial.
    """

    def __init__(self, *, sharing: bool = True) -> None:
        self._sharing = sharing
        self._held: dict[int, Held] = {}
        self._paths: dict[int, _PathDigests] = {}
        #: (what tells the path up to the row's step, the row) -> the trial whose run has it
        self._holders: dict[tuple[bytes, RowKey], int] = {}

    def held(self, trial: int) -> Held:
        """Return what a trial's run has and is linked to."""
        return self._held[trial]

    def knows(self, trial: int) -> bool:
        """Tell whether `adopt` was told of a trial."""
        return trial in self._held

    def adopt(self, trial: int, held: Held | None = None) -> None:
        """Begin with a trial's run: with what it has from an earlier time, if anything."""
        self._held[trial] = held or Held()

    def claim(self, trial: int, config: Config, row: RowKey) -> bool:
        """Tell whether a row is to be written into a trial's run now; it is then taken for written."""
        held = self._held[trial]
        key = (self._digest(trial, config, row.step), row)
        if row in held.rows:  # from an earlier time
            self._holders.setdefault(key, trial)
            return False
        holder = self._holders.get(key) if self._sharing else None
        if holder == trial:  # its run was lost, and is made anew
            holder = None
        if holder is not None and not held.rows:
            if row.step >= held.fork_step:
                held.parent, held.fork_step = holder, row.step
            return False
        if row.step <= held.fork_step and (holder is not None or self._is_up_the_chain(held, row)):
            return False
        held.rows.add(row)
        self._holders.setdefault(key, trial)
        return True

    def _is_up_the_chain(self, held: Held, row: RowKey) -> bool:
        seen = set()
        while held.parent is not None and held.parent not in seen and row.step <= held.fork_step:
            seen.add(held.parent)
            held = self._held.get(held.parent, _NOTHING)
            if row in held.rows:
                return True
        return False

    def _digest(self, trial: int, config: Config, step: int) -> bytes:
        if trial not in self._paths:
            self._paths[trial] = _PathDigests(config)
        return self._paths[trial].at(step)


_NOTHING = Held()


class _PathDigests:
    """What tells the beginnings of a config's path from those of other configs."""

    def __init__(self, config: Config) -> None:
        self._walk = Walk(config)
        #: (where a stretch of equal pieces starts, what tells the path from its beginning to there)
        self._starts: list[tuple[int, bytes]] = []

    def at(self, step: int) -> bytes:
        """Return what two configs have in common iff their paths are the same through `step` steps, from 1 on."""
        for start, pieces in self._walk.up_to(step):
            before = self._starts[-1][1] if self._starts else b""
            text = repr((start, [(name, piece.key) for name, piece in sorted(pieces.items())]))
            self._starts.append((start, hashlib.sha256(before + text.encode()).digest()))
        return next(digest for start, digest in reversed(self._starts) if start < step)
