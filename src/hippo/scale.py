"""How much smaller than its target a surrogate model is.

This module refuses to know of models: it is what a user names, and what makes one workload differ from another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from hippo.errors import OptionError

#: how hyper-parameters of the target are read by a surrogate: see `hippo.Scale`
PARAMETRIZATIONS = ("mup", "standard", "completep")

_TEXT = re.compile(
    r"(?P<width>1(/[1-9]\d*)?)(, depth 1/(?P<depth>[1-9]\d*))?(, rank (?P<rank>[1-9]\d*))?(, (?P<rule>[a-z]+))?"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """How much smaller than its target a surrogate is: `Scale(8)` is 8 times narrower.

    Args:
      width: so many times narrower; 1: as wide as the target.
      depth: so many times fewer blocks; 1: as deep as the target.
      rank: that of the surrogate's low-rank adapters; None: the target's.
      parametrization: how values that suit the target are turned into the surrogate's: "mup" (maximal update: Yang et
        al. 2022, "Tensor Programs V"), "completep" (the same for narrower and shallower ones: Dey et al. 2025), or
        "standard" (they are not: the control of an experiment).

    Raises:
      OptionError: a number is not whole or below 1, or the parametrization is unknown.
    """

    width: int = 1
    depth: int = 1
    rank: int | None = None
    parametrization: str = "mup"

    def __post_init__(self) -> None:
        for name, number in (("width", self.width), ("depth", self.depth), ("rank", self.rank)):
            if name == "rank" and number is None:
                continue
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise OptionError(f"{name}={number!r} of a scale is no whole number of at least 1")
        if self.parametrization not in PARAMETRIZATIONS:
            known = ", ".join(map(repr, PARAMETRIZATIONS))
            raise OptionError(f"parametrization={self.parametrization!r} is none of {known}")

    def __str__(self) -> str:
        """Return what it is called: "1/8" for `Scale(8)`."""
        parts = [str(Fraction(1, self.width))]
        if self.depth > 1:
            parts.append(f"depth 1/{self.depth}")
        if self.rank is not None:
            parts.append(f"rank {self.rank}")
        if self.parametrization != "mup":
            parts.append(self.parametrization)
        return ", ".join(parts)

    @property
    def is_target(self) -> bool:
        """Whether it is the target itself: nothing is smaller."""
        return self.width == self.depth == 1 and self.rank is None

    @classmethod
    def named(cls, name: str) -> Scale:
        """Return the scale that is called so.

        Raises:
          OptionError: none is.
        """
        found = _TEXT.fullmatch(name)
        if found is None:
            raise OptionError(f"{name!r} names no scale; one of a surrogate 8 times narrower is called '1/8'")
        width = Fraction(found["width"]).denominator
        rank = int(found["rank"]) if found["rank"] else None
        return cls(width, int(found["depth"] or 1), rank, found["rule"] or "mup")


#: the model that is wanted in the end
TARGET = Scale()


def surrogate_scale(given: object, parametrization: str = "mup") -> Scale:
    """Return the scale of a surrogate that a user named: a number is how many times narrower it is.

    Raises:
      OptionError: it is neither a whole number of at least 2 nor a `Scale`, or a `Scale` by which nothing is smaller.
    """
    if isinstance(given, Scale):
        if given.is_target:
            raise OptionError(f"scale={given!r} is the target itself: give a width or depth of at least 2, or a rank")
        return given if parametrization == "mup" else replace(given, parametrization=parametrization)
    if not isinstance(given, int) or isinstance(given, bool) or given < 2:
        raise OptionError(
            f"scale={given!r} is neither a whole number of at least 2, as 8 for a model 8 times narrower, "
            "nor a hippo.Scale(width=, depth=, rank=)"
        )
    return Scale(given, parametrization=parametrization)
