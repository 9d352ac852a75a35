"""States of a parameter server's branches, held where the branches are: a fork is a copy within the pool.

`LiveBranch` is what a slot of hippo holds in the place of an encoded state, `BuiltPSTrainer` is how a trainer that
stands goes to another state without being built anew. This module refuses to know how branches are trained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hippo.errors import StateError
from hippo.ps.gang import BranchSlot
from hippo.training.codec import EncodedState, decode, encode
from hippo.training.live_states import HeldState
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.ps.trainer import PSTrainer

#: what `PSTrainer.build`, and walkers, set on a trainer
_SET = frozenset({"hp", "_branch", "_clocks"})
#: what a class must leave as it is, for a branch to be all that a trainer knows
_LEFT = (
    "build", "state_dict", "load_state_dict", "train", "setup", "close", "must_start_over", "_live_copy",
    "_load_live",
)  # fmt: skip


class LiveBranch:
    """A copy of a branch in the pool of its gang. The memory outlives the gang's workers.

    Args:
      slot: where it is.
      clocks: that it has behind it.
    """

    def __init__(self, slot: BranchSlot, clocks: int) -> None:
        self.slot = slot
        self.clocks = clocks

    @property
    def size_bytes(self) -> int:
        return self.slot.gang.layout.branch_bytes

    def encoded(self) -> EncodedState:
        return encode(state_of(self.slot, self.clocks))


def state_of(slot: BranchSlot, clocks: int) -> dict[str, Any]:
    """Return the state of a branch, to be encoded; its arrays are those of the pool."""
    return {"clocks": clocks, "tables": slot.gang.gather(slot)}


class BuiltPSTrainer:
    """A parameter server's trainer as it was built, which can go to other states.

    Args:
      trainer: just built.
      pristine: what it is a copy of.
    """

    def __init__(self, trainer: PSTrainer, pristine: object) -> None:
        self._trainer = trainer
        self._pristine = pristine

    def settle(self) -> bool:
        return is_all_in_its_branch(self._trainer, self._pristine) and not self._trainer._branch.gang.is_lost

    def load(self, state: HeldState, values: HparamValues) -> bool:
        try:
            if isinstance(state, EncodedState):
                self._trainer.load_state_dict(decode(state))
            else:
                self._trainer._load_live(state)
        except StateError:  # other tables, by other values: these are built anew
            return False
        return True


def is_all_in_its_branch(trainer: PSTrainer, pristine: object) -> bool:
    """Whether a trainer knows nothing but its branch, and what all copies share."""
    from hippo.ps.trainer import PSTrainer

    own, shared = vars(trainer), vars(pristine)
    is_left = all(getattr(type(trainer), name) is getattr(PSTrainer, name) for name in _LEFT)
    return (
        is_left
        and own.keys() == shared.keys() | _SET
        and all(value is shared[name] for name, value in own.items() if name not in _SET)
    )
