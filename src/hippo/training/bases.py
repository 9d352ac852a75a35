"""The bases of one workload in this process: what `build()` made, as far as states have kept any of it.

Whoever begins anew takes a base, and each state is encoded beside it. Where the first one has kept next to nothing,
all is trained, and nobody takes one again: it would be a copy of the model for nothing. A state that was read comes
with its base, from its file's neighbour in the store, or made anew by `build()` where that comes to the same bits. This
module refuses to know lanes, and when a state is due.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hippo.training.codec import EncodedState, encode
from hippo.training.codec.bases import BaseNeed
from hippo.training.codec.hashing import leaf_digest
from hippo.training.codec.leaves import form_of
from hippo.training.live_states import HeldState
from hippo.training.process.streams import seed_everything
from hippo.training.trainer import Trainer

#: a base is worth a file, and memory, from so much that a state has kept of it: a file's block, rounded up
LEAST_SHARED_BYTES = 1 << 16
#: and from this part of the whole state
LEAST_SHARED = 0.1
#: models of so many forms take turns without being taken anew
_MOST_KNOWN = 4

#: what tells trainers apart that were built alike, and train other parts
Kind = tuple[str, ...]


class Bases:
    """The bases that are known of one workload."""

    def __init__(self) -> None:
        #: the one used last at the end
        self._known: list[EncodedState] = []
        self._useless: set[Kind] = set()
        #: to some kind
        self._is_of_use = False

    @property
    def latest(self) -> EncodedState | None:
        """The base used last."""
        return self._known[-1] if self._known else None

    def of_fresh(self, kind: Kind, fresh: Callable[[], Mapping[str, Any]]) -> EncodedState | None:
        """Return the base of a trainer that was just built; None if states keep nothing of it.

        Args:
          kind: which of its parts it trains, as far as anybody can tell.
          fresh: returns those of its tensors that states hold.
        """
        if kind in self._useless:
            return None
        try:
            encoded = encode(fresh(), self.latest)
        except Exception:  # it is not ready for that yet: what it makes in setup() is no base
            self._useless.add(kind)
            return None
        latest = self.latest
        if latest is not None and len(encoded.shared()) == len(encoded.leaves) == len(latest.leaves):
            return latest
        if not encoded.leaves:
            self._useless.add(kind)
            return None
        return self.add(encoded)

    def add(self, encoded: EncodedState) -> EncodedState:
        """Know a state as a base, and return it as such."""
        base = replace(encoded, base=None, digests={**encoded.digests})
        self._known = [*self._known[1 - _MOST_KNOWN :], base]
        return base

    def note_first(self, kind: Kind, state: EncodedState) -> bool:
        """Take note of the first state of a trainer that was built here; return whether its base is of use."""
        if is_worth_a_base(state):
            self._is_of_use = True
            return True
        self._useless.add(kind)
        if not self._is_of_use:
            self._known.clear()
        return False

    def having(self, need: BaseNeed) -> EncodedState | None:
        """Return a base that has the tensors that a file leaves out; None if none is known here."""
        for base in reversed(self._known):
            if next(others(base, need), None) is None:
                self._known = [*(known for known in self._known if known is not base), base]
                return base
        return None


class StateEncoder:
    """Encodes the states of one trainer, beside a base where there is one.

    Args:
      trainer: just built, and not loaded yet.
      bases: of its workload; None: each state is a copy of all.
      begin: the state that will be loaded; None: it begins anew.
    """

    def __init__(self, trainer: Trainer, bases: Bases | None, *, begin: HeldState | None) -> None:
        self.bases = bases
        self._base: EncodedState | None = None
        #: of a trainer that was built here, until its first state shows whether its base is of use
        self._first_of: Kind | None = None
        if bases is None:
            return
        if begin is not None:  # any base will do, as bits are compared, but its own serves best
            self._base = _base_of(begin) or bases.latest
        elif _holds_tensors(trainer):
            self._first_of = tuple(getattr(trainer, "_frozen_at_first", ()))
            self._base = bases.of_fresh(self._first_of, functools.partial(fresh_state, trainer))

    def encode(self, state: object) -> EncodedState:
        """Return a copy of a state, but for what it shares with the base."""
        encoded = encode(state, self._base)
        if self._first_of is not None and self._base is not None and self.bases is not None:
            if not self.bases.note_first(self._first_of, encoded):
                self._base, encoded = None, replace(encoded, base=None)
            self._first_of = None
        return encoded

    def take_over(self, state: HeldState) -> None:
        """Go on from another state, which the trainer was brought to."""
        self._base, self._first_of = _base_of(state) or self._base, None


def _base_of(state: HeldState) -> EncodedState | None:
    return state.base if isinstance(state, EncodedState) else None


def fresh_state(trainer: Trainer) -> Mapping[str, Any]:
    """Return what of a trainer's states, as it was just built, may stay as it is."""
    seed_everything(trainer.seed, "state_dict", 0)
    return trainer._base_state()


def _holds_tensors(trainer: Trainer) -> bool:
    """Tell whether a trainer has tensors, arrays or modules: another one is not asked for a state that it can spare."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    kinds = ((torch.Tensor, torch.nn.Module) if torch else ()) + ((numpy.ndarray,) if numpy else ())
    return any(isinstance(thing, kinds) for value in vars(trainer).values() for thing in _within(value))


def _within(value: object) -> Iterable[object]:
    if type(value) is dict:  # no other mapping: looking at a hyper-parameter would count as reading it
        return value.values()
    return value if type(value) in (list, tuple) else (value,)  # type: ignore[return-value]


def others(base: EncodedState, need: BaseNeed) -> Iterator[str]:
    """Yield the paths of tensors that are needed, and that a base does not have, or has otherwise."""
    for path, digest in zip(need.names, need.digests, strict=True):
        leaf = base.leaves.get(path)
        if leaf is None or leaf_digest(leaf, base.digests) != digest:
            yield path


def is_worth_a_base(state: EncodedState) -> bool:
    """Tell whether so much of a state is its base's that leaving it out saves something."""
    shared = sum(form_of(leaf).size_bytes for leaf in state.shared().values())
    return shared >= max(LEAST_SHARED_BYTES, LEAST_SHARED * (shared + state.size_bytes))
