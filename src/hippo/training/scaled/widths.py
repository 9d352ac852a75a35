"""Which sizes of a model are widths, told by what one symbolic pass asked of them.

A width is made by one layer and summed over by another, and is neither a size of what comes in nor of what goes out.
All that must go along with a width, such as the numbers that a layer reads off a flattened map, goes along. This
module refuses to know modules and tensors.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import sympy  # type: ignore[import-untyped]

from hippo.training.scaled.model_places import TensorDim
from hippo.training.scaled.symbolic import SizePlace, SymbolicSizes


class Side(enum.Enum):
    """What a layer does over a dimension of one of its parameters."""

    #: makes it
    OUT = "out"
    #: sums over it
    IN = "in"
    #: nobody knows
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class WidthConflict:
    """What keeps a dimension that looks like a width from being smaller."""

    #: the dimension; None: it is none of a parameter
    tensor: TensorDim | None
    #: its size, or that of heads
    size: int
    place: SizePlace
    #: an equation that does not hold of smaller sizes, if it is that
    equation: str = ""


class WidthFinder:
    """Finds the widths among the symbols of a pass.

    Args:
      sizes: what the pass told.
      sides: of each dimension of each parameter that may vary.
      times: by how much widths shall be divided.
    """

    def __init__(self, sizes: SymbolicSizes, sides: Mapping[TensorDim, Side], times: int) -> None:
        self._sizes = sizes
        self._sides = sides
        self._times = times
        self._given = sizes.batch | sizes.returned
        self._equations = [guard.holds for guard in sizes.guards if isinstance(guard.holds, sympy.Eq)]
        uses = self._uses()
        #: made and summed over, each or together with those that are equal to it in another way
        self.widths = frozenset(
            symbol
            for group in self._linked(uses)
            if _is_width([side for each in group for side in uses[each]])
            for symbol in group
        )
        #: those of them that something sums over: what else is a width may be small, as a number of heads is
        self.summed = frozenset(each for each in self.widths if Side.IN in uses[each] or _is_width(uses[each]))
        self._smaller = set(self.widths)
        #: widths that cannot be divided
        self.uneven = frozenset(symbol for symbol in self.widths if sizes.hints[symbol] % times)
        if not self.uneven:
            self._take_along()

    def dims(self, symbols: frozenset[sympy.Symbol]) -> Iterator[TensorDim]:
        """Yield the dimensions of parameters that are one of these symbols."""
        return (each for each in self._sides if self._expr(each) in symbols)

    def new_size(self, tensor: TensorDim) -> int:
        """Return the size of a dimension when widths are divided; 0: nothing would be left."""
        return self._after(self._expr(tensor))

    def conflicts(self) -> Iterator[WidthConflict]:
        """Yield what keeps widths from being smaller: sizes that were fixed, and heads that would get narrower."""
        for maker in sorted(self._fixed, key=lambda each: self._sides[each] is Side.EITHER):
            if self._is_summed_later(maker):
                yield WidthConflict(maker, int(self._expr(maker)), self._sizes.fixed[maker])
        for expr, place in self._sizes.sums:
            if self._after(expr) != (before := self._before(expr)):
                yield WidthConflict(None, int(before), place)

    def broken(self) -> Iterator[WidthConflict]:
        """Yield the equations that held of sizes and do not when widths are divided, and where each was asked for."""
        for guard in self._sizes.guards:
            if isinstance(guard.holds, sympy.Eq) and not self._holds(guard.holds):
                yield WidthConflict(None, 0, guard.place, str(guard.holds))

    @property
    def _fixed(self) -> list[TensorDim]:
        """The dimensions of parameters that became a number, in the order in which they did."""
        return [each for each in self._sizes.fixed if each in self._sides]

    def _is_summed_later(self, maker: TensorDim) -> bool:
        """Whether a layer that comes later sums over a number, which then may be what another layer made.

        Symbols that became numbers do not tell any more what they were equal to. Nobody knows whether an unknown
        module's tensor makes its dimensions: it does if a number of just that size is summed over.
        """
        if self._sides[maker] is Side.IN:
            return False
        dims, places = self._fixed, self._sizes.fixed
        later = [each for at, each in enumerate(dims) if at > dims.index(maker) or places[each] == places[maker]]
        sizes = {int(self._expr(each)) for each in later if each != maker and self._sides[each] is not Side.OUT}
        return bool(sizes) if self._sides[maker] is Side.OUT else int(self._expr(maker)) in sizes

    # --- which are smaller

    def _uses(self) -> dict[sympy.Symbol, list[Side]]:
        uses: dict[sympy.Symbol, list[Side]] = {}
        for each, side in self._sides.items():
            for symbol in self._expr(each).free_symbols - self._given:
                uses.setdefault(symbol, []).append(side)
        return uses

    def _linked(self, symbols: Iterable[sympy.Symbol]) -> list[set[sympy.Symbol]]:
        """Return groups of symbols that stand in one equation, which torch could not solve."""
        groups = [{symbol} for symbol in symbols]
        for equation in self._equations:
            apart = [group for group in groups if group & equation.free_symbols]
            if len(apart) > 1:
                groups = [group for group in groups if group not in apart] + [set().union(*apart)]
        return groups

    def _take_along(self) -> None:
        """Let sizes be smaller that are equal to what is, where torch could not solve the equation."""
        of_tensors = {symbol for exprs in self._sizes.of.values() for expr in exprs for symbol in expr.free_symbols}
        while added := self._unbalanced(of_tensors - self._given):
            self._smaller |= added

    def _unbalanced(self, may_be: set[sympy.Symbol]) -> set[sympy.Symbol]:
        for equation in self._equations:
            others: set[sympy.Symbol] = (equation.free_symbols & may_be) - self._smaller
            if any(self._sizes.hints[each] % self._times for each in others):
                continue
            if others and not self._holds(equation) and self._holds(equation, self._smaller | others):
                return others
        return set()

    def _holds(self, relation: sympy.Basic, smaller: set[sympy.Symbol] | None = None) -> bool:
        try:
            return bool(relation.xreplace(self._values(relation, self._smaller if smaller is None else smaller)))
        except (ZeroDivisionError, TypeError, AssertionError):
            return False  # a part became nothing, or less

    # --- sizes

    def _expr(self, tensor: TensorDim) -> sympy.Expr:
        return self._sizes.of[tensor[0]][tensor[1]]

    def _before(self, expr: sympy.Expr) -> int:
        return int(expr.xreplace(self._values(expr, set())))

    def _after(self, expr: sympy.Expr) -> int:
        try:
            return int(expr.xreplace(self._values(expr, self._smaller)))
        except (ZeroDivisionError, TypeError, AssertionError):
            return 0

    def _values(self, expr: sympy.Basic, smaller: set[sympy.Symbol]) -> dict[sympy.Basic, sympy.Basic]:
        hints = self._sizes.hints
        return {
            symbol: sympy.Integer(hints[symbol] // self._times if symbol in smaller else hints[symbol])
            for symbol in expr.free_symbols
        }


def _is_width(sides: list[Side]) -> bool:
    is_made, is_summed = (any(side in (one, Side.EITHER) for side in sides) for one in (Side.OUT, Side.IN))
    # what none but tensors of unknown modules have may count tokens, or experts, as well
    return len(sides) > 1 and is_made and is_summed and set(sides) != {Side.EITHER}
