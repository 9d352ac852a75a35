"""Sequences that come back to where they were, without end: warm restarts and triangles.

Every cycle, or half of one, is a piece with an origin of its own, so that sequences which differ only later share it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hippo.hparams.curves import unchanging
from hippo.hparams.pieces import curve
from hippo.hparams.sequence import PieceInForce, Sequence
from hippo.hparams.values import number, whole


@dataclass(frozen=True, eq=False, repr=False)
class CosineWarmRestarts(Sequence):
    """Cosines from `initial` to `final`, the first `t0` steps long, each next one `t_mult` times as long.

    As PyTorch's CosineAnnealingWarmRestarts. Loshchilov and Hutter 2017, "SGDR", eq. 5.
    """

    initial: float
    t0: int
    t_mult: int = 1
    final: float = 0

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), final=number("final", self.final))
        self._keep(t0=whole("t0", self.t0, 1), t_mult=whole("t_mult", self.t_mult, 1))

    def segment_at(self, t: float) -> PieceInForce:
        if self.initial == self.final:
            return unchanging(self.initial)
        start, period = self._cycle(t)
        return PieceInForce(curve("cosine", self.initial, period, self.final).shifted(start), start + period)

    def _cycle(self, t: float) -> tuple[int, int]:
        """Return the start and the period of the cycle that holds `t`, counted with integers."""
        if self.t_mult == 1:
            return int(t // self.t0) * self.t0, self.t0
        start, period = 0, self.t0
        while start + period <= t:
            start, period = start + period, period * self.t_mult
        return start, period


@dataclass(frozen=True, eq=False, repr=False)
class Cyclic(Sequence):
    """Triangles: from `base` to `peak` in `up` steps and back in `down`, which is `up` if not given.

    As PyTorch's CyclicLR, in steps. Smith 2017, "Cyclical Learning Rates for Training Neural Networks".
    """

    base: float
    peak: float
    up: int
    down: int | None = None

    def __post_init__(self) -> None:
        self._keep(base=number("base", self.base), peak=number("peak", self.peak), up=whole("up", self.up, 1))
        if self.down is not None:
            self._keep(down=whole("down", self.down, 1))

    def segment_at(self, t: float) -> PieceInForce:
        if self.base == self.peak:
            return unchanging(self.base)
        down = self.up if self.down is None else self.down
        start = int(t // (self.up + down)) * (self.up + down)
        top, stop = start + self.up, start + self.up + down
        if t < top:
            return PieceInForce(curve("linear", self.base, (self.peak - self.base) / self.up).shifted(start), top)
        return PieceInForce(curve("linear", self.peak, (self.base - self.peak) / down).shifted(top), stop)
