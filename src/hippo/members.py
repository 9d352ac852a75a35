"""What the members of a study are called: by their seed, by their scale or whose branches they are, or by both.

The only member of most studies is called "". Names are texts in rows, so they say all that there is to know. This
module refuses to know plans, and what is trained on them.
"""

from __future__ import annotations

from hippo.scale import TARGET

#: the scale of all members of a study without surrogates
TARGET_NAME = str(TARGET)

#: the "scale" of members that walk branches of the target as one program, from a new model on
BRANCHES = "branches"

_SEED, _AT = "seed ", " at "
#: of a digest in a name
_DIGITS = 16


def seed_member(seed: object, scale: str = TARGET_NAME) -> str:
    """Return the name of the member of a study with several seeds that is trained with one of them, at a scale."""
    return at_scale(f"{_SEED}{seed}", scale)


def at_scale(member: str, scale: str) -> str:
    """Return the name that a member of the target has at a scale: "1/8" for "", "seed 3 at 1/8" for "seed 3"."""
    if scale == TARGET_NAME:
        return member
    return f"{member}{_AT}{scale}" if member else scale


def scale_of(member: str) -> str:
    """Return the scale that a member is trained at, as `hippo.Scale` is written; "1" is the target's.

    Members that walk branches have what `BRANCHES` and `branches_from` say in its place.
    """
    if not member:
        return TARGET_NAME
    if not member.startswith(_SEED):
        return member
    return member.partition(_AT)[2] or TARGET_NAME


def branches_from(step: int, digest: str) -> str:
    """Return the "scale" of members that walk branches which begin at one state of the target, named by a digest."""
    return f"{BRANCHES} from step {step} ({digest[:_DIGITS]})"


def branched_off(member: str) -> str:
    """Return the member of the target whose branches a member walks."""
    return member.partition(_AT)[0] if member.startswith(_SEED) else ""


def is_of_branches(scale: str) -> bool:
    """Tell whether members at a "scale" walk branches of the target, and so are no models that anybody asked for."""
    return scale.startswith(BRANCHES)


def is_of_a_seed(member: str) -> bool:
    """Whether it is one of those of a study that was made with several seeds, or with a list of one."""
    return member.startswith(_SEED)
