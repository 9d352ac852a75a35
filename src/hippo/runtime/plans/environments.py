"""What decides about bits in a slot beside the code: fields of environments, and which of those count."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping

from hippo.errors import EnvironmentChangedError

#: environments are of one kind if nothing in them differs that counts: these are all fields that do, with their values
Kind = tuple[tuple[str, str], ...]

#: whether these matter is what the first lane in a new process looks at
_MAY_DIFFER = frozenset({"hash_seed"})


def kind_of(environment: Mapping[str, str]) -> Kind:
    """Return the kind of an environment."""
    return tuple(sorted((name, value) for name, value in environment.items() if name not in _MAY_DIFFER))


@functools.lru_cache(maxsize=1024)
def recorded_kind(environment: str) -> Kind | None:
    """Return the kind of an environment as a plan records it; None if it records none."""
    return kind_of(json.loads(environment)) if environment else None


def compare_environments(recorded: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Compare the environment a plan was trained in with this one.

    Raises:
      EnvironmentChangedError: names each field that differs, with both values.
    """
    changed = changed_fields(recorded, now)
    lines = [f"{name} was {before!r} and is {after!r}" for name, (before, after) in changed.items()]
    if lines:
        raise EnvironmentChangedError(
            f"this search plan was trained in another environment: {'; '.join(lines)}. Results would not be "
            "comparable bit for bit. Go back to that environment, or begin a fork of the plan with environment='new'."
        )


def changed_fields(recorded: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """Return name -> (recorded value, value now) of the fields in which environments differ, as far as that counts."""
    return {
        name: (recorded.get(name), now.get(name))
        for name in sorted({*recorded, *now} - _MAY_DIFFER)
        if recorded.get(name) != now.get(name)
    }
