"""Roots that are states of another plan: how they are named, and told from those that begin with a new model.

A plan is of one workload, and so of one numerics. Branches that are walked as one program begin all the same at a state
of the exact live path: in their plan that state is a root of its own, named by its step and its hash. So a state is one
root whoever made it, and nothing that is trained from it is ever taken for what the exact plan would have come to.

Such a root holds one state, at its last step, which is brought there. Its pieces are those that were in force before.
"""

from __future__ import annotations

_STATE, _AFTER = "state ", " after "


def beginning(step: int, state_hash: str) -> str:
    """Return the owner of the root that is a state.

    Args:
      step: after how many steps, at least 1.
      state_hash: of the whole of it.
    """
    return f"{_STATE}{state_hash}{_AFTER}{step}"


def begun(owner: str) -> tuple[int, str] | None:
    """Return after how many steps a root's state was taken, and its hash, given its owner; None: it is no state."""
    if not owner.startswith(_STATE):
        return None
    state_hash, _, step = owner.removeprefix(_STATE).rpartition(_AFTER)
    return int(step), state_hash
