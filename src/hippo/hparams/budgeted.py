"""Sequences that are planned for a total number of steps: one cycle, and warm-up, stable, decay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from hippo.errors import HparamError
from hippo.hparams.curves import Warmup
from hippo.hparams.pieces import Piece, constant, curve
from hippo.hparams.sequence import PieceInForce, Sequence
from hippo.hparams.values import number, whole


@dataclass(frozen=True, eq=False, repr=False)
class OneCycle(Sequence):
    """Up to `peak` and down again to nearly nothing within `total` steps, as PyTorch's OneCycleLR.

    Smith and Topin 2018, "Super-Convergence". It starts at peak / div_factor and ends final_div_factor below that.
    Deviation from PyTorch, within steps only: where a phase ends between two steps, its end value is held until the
    next step.
    """

    peak: float
    total: int
    pct_start: float = 0.3
    div_factor: float = 25.0
    final_div_factor: float = 1e4
    anneal: Literal["cos", "linear"] = "cos"
    three_phase: bool = False

    def __post_init__(self) -> None:
        self._keep(peak=number("peak", self.peak), total=whole("total", self.total, 1))
        for name in ("pct_start", "div_factor", "final_div_factor"):
            self._keep(**{name: number(name, getattr(self, name))})
        if not 0 <= self.pct_start <= 1:
            raise HparamError(f"pct_start is a share of the total, between 0 and 1, not {self.pct_start!r}.")
        if self.div_factor <= 0 or self.final_div_factor <= 0:
            raise HparamError("div_factor and final_div_factor divide the peak and must be above 0.")
        if self.anneal not in ("cos", "linear"):
            raise HparamError(f"anneal must be 'cos' or 'linear', not {self.anneal!r}.")
        if not isinstance(self.three_phase, bool):
            raise HparamError(f"three_phase must be True or False, not {self.three_phase!r}.")

    @property
    def length(self) -> int | None:
        return self.total

    def _phases(self) -> list[tuple[float, float, float]]:
        """Return (value at its start, value at its end, end in steps) of each phase; ends are real, as in PyTorch."""
        low = self.peak / self.div_factor
        least = low / self.final_div_factor
        rise = (low, self.peak, self.pct_start * self.total - 1)
        if not self.three_phase:
            return [rise, (self.peak, least, self.total - 1)]
        return [rise, (self.peak, low, 2 * self.pct_start * self.total - 2), (low, least, self.total - 1)]

    def segment_at(self, t: float) -> PieceInForce:
        initial, final, begin, end, stop = self._phase_at(t)
        piece = self._piece(initial, final, begin, end)
        if t < self.total:
            return PieceInForce(piece, stop)
        return PieceInForce(constant(float(final) if end <= self.total - 1 else piece.at(self.total - 1)), None)

    def _phase_at(self, t: float) -> tuple[float, float, float, float, int]:
        """Return a phase: the values between which it leads, where it begins and ends, and what it holds no more.

        As in PyTorch the step at which a phase ends is its own, so that one behind it may be left without a step.
        """
        begin: float = 0
        *earlier, (initial, final, end) = self._phases()
        for phase in earlier:
            stop = self.total if begin < phase[2] >= self.total - 1 else math.ceil(phase[2])
            if t < stop or stop == self.total:
                return phase[0], phase[1], begin, phase[2], stop
            begin = phase[2]
        return initial, final, begin, end, self.total

    def _piece(self, initial: float, final: float, begin: float, end: float) -> Piece:
        if initial == final:
            return constant(float(initial))
        return curve(f"anneal_{self.anneal}", initial, final, begin, end)


@dataclass(frozen=True, eq=False, repr=False)
class WSD(Sequence):
    """Warm-up to `peak`, stay there, and decay to `final` in the last `decay` of `total` steps.

    Hu et al. 2024, "MiniCPM", section 4.2; the shapes of the decay: Hägele et al. 2024, "Scaling Laws and
    Compute-Optimal Training Beyond Fixed Training Durations", section 3. The warm-up is that of `Warmup`.
    Trials that differ only in `total` share all of their trunk.
    """

    peak: float
    warmup: int
    total: int
    decay: int
    shape: Literal["linear", "1-sqrt", "cosine"] = "linear"
    final: float = 0

    def __post_init__(self) -> None:
        self._keep(peak=number("peak", self.peak), final=number("final", self.final))
        self._keep(warmup=whole("warmup", self.warmup, 0), decay=whole("decay", self.decay, 1))
        self._keep(total=whole("total", self.total, 1))
        if self.warmup + self.decay > self.total:
            raise HparamError(
                f"A warm-up of {self.warmup} and a decay of {self.decay} steps do not fit into a total of {self.total}."
            )
        if self.shape not in ("linear", "1-sqrt", "cosine"):
            raise HparamError(f"shape must be 'linear', '1-sqrt' or 'cosine', not {self.shape!r}.")

    @property
    def length(self) -> int | None:
        return self.total

    def segment_at(self, t: float) -> PieceInForce:
        if t < self.warmup:
            return Warmup(self.warmup, self.peak).segment_at(t).moved(0, self.warmup)
        if t < self.total - self.decay or self.peak == self.final:
            return PieceInForce(
                constant(float(self.peak)), None if self.peak == self.final else self.total - self.decay
            )
        if t < self.total:
            return PieceInForce(self._decay().shifted(self.total - self.decay), self.total)
        return PieceInForce(constant(float(self.final)), None)

    def _decay(self) -> Piece:
        match self.shape:
            case "linear":
                return curve("linear", self.peak, (self.final - self.peak) / self.decay)
            case "1-sqrt":
                return curve("one_minus_sqrt", self.peak, self.decay, self.final)
            case "cosine":
                return curve("cosine", self.peak, self.decay, self.final)
