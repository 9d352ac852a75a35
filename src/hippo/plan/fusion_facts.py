"""What was found out about walking lanes of a plan as one: a value, which the plan's row holds as text.

It refuses to know what a shape is, and what anybody makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field, replace
from typing import Any

from hippo.frozen import frozen
from hippo.records import Fusion

#: what lanes agree in that cost the same: (name, value as text) of each hyper-parameter that counts
Shape = tuple[tuple[str, str], ...]
#: all are written whenever one is told
_MOST_DRIFTS = 256


@frozen
class FusionFacts:
    """How lanes of each shape are walked, and what workers found out when they did."""

    #: shape -> whether its lanes are walked as one. The first word stays: bits depend on it
    verdicts: Mapping[Shape, Fusion] = field(default_factory=dict)
    #: names of hyper-parameters in which lanes of one program may not differ, ascending
    splitting: tuple[str, ...] = ()
    #: shape -> how many of its lanes fit into memory at once, where that is known. No bits depend on it
    most_lanes: Mapping[Shape, int] = field(default_factory=dict)
    #: study -> seconds that devices spent to find out how lanes are walked, where it asked for the first of a shape
    check_seconds: Mapping[int, float] = field(default_factory=dict)
    #: node -> how far a twin of a lane came away from it where it ended in that node, by the way that the lane walked;
    #: the largest of what was seen, of the nodes with the largest ones
    drifts: Mapping[int, float] = field(default_factory=dict)

    def decided(self, shape: Shape, fusion: Fusion) -> FusionFacts:
        """Return these facts and how lanes of a shape are walked, unless that was decided before."""
        return self if shape in self.verdicts else replace(self, verdicts={**self.verdicts, shape: fusion})

    def split(self, names: Iterable[str]) -> FusionFacts:
        """Return these facts and the names in which lanes of one program may not differ, either."""
        return replace(self, splitting=tuple(sorted({*self.splitting, *names})))

    def limited(self, shape: Shape, lanes: int) -> FusionFacts:
        """Return these facts and how many lanes of a shape fit; the smallest number counts, and one always does."""
        return replace(
            self, most_lanes={**self.most_lanes, shape: max(1, min(lanes, self.most_lanes.get(shape, lanes)))}
        )

    def checked(self, study: int, seconds: float) -> FusionFacts:
        """Return these facts and the seconds that a study paid for finding out how lanes of a shape are walked."""
        spent = self.check_seconds.get(study, 0.0) + seconds
        return replace(self, check_seconds={**self.check_seconds, study: spent})

    def drifted(self, node: int, drift: float) -> FusionFacts:
        """Return these facts and how far a twin came; whoever says it later, or twice, changes nothing."""
        drifts = {**self.drifts, node: max(drift, self.drifts.get(node, drift))}
        most = sorted(drifts, key=lambda each: (-drifts[each], each))[:_MOST_DRIFTS]
        return replace(self, drifts={each: drifts[each] for each in sorted(most)})

    def to_text(self) -> str:
        """Return them as JSON; empty if there are none."""
        if self == FusionFacts():
            return ""
        verdicts = [[shape, asdict(fusion)] for shape, fusion in sorted(self.verdicts.items())]
        most_lanes = [[shape, lanes] for shape, lanes in sorted(self.most_lanes.items())]
        facts = {"verdicts": verdicts, "splitting": self.splitting, "most_lanes": most_lanes}
        drifts = {"drifts": sorted(self.drifts.items())} if self.drifts else {}
        return json.dumps({**facts, "check_seconds": sorted(self.check_seconds.items()), **drifts})

    @classmethod
    def from_text(cls, text: str) -> FusionFacts:
        """Return the facts that `to_text` wrote."""
        if not text:
            return cls()
        read = json.loads(text)
        return cls(
            verdicts={_shape(shape): _fusion(fusion) for shape, fusion in read["verdicts"]},
            splitting=tuple(read["splitting"]),
            most_lanes={_shape(shape): lanes for shape, lanes in read["most_lanes"]},
            check_seconds=dict(read.get("check_seconds", ())),  # which plans had not at first
            drifts=dict(read.get("drifts", ())),
        )


def _fusion(read: Mapping[str, Any]) -> Fusion:
    """Return a verdict; those of earlier releases know nothing of floats in modules."""
    return Fusion(**{**read, "own_floats": tuple(map(tuple, read.get("own_floats", ())))})


def _shape(read: Iterable[Iterable[str]]) -> Shape:
    return tuple((name, value) for name, value in read)
