"""The values in force, as a trainer sees them.

A read-only mapping that teaches when a name is missing, and remembers which names were looked at, so that a
hyper-parameter which the trainer never reads can be reported. It refuses to know sequences.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hippo.errors import HparamError, UnknownHparamError, nearest


class HparamValues(Mapping[str, Any]):
    """Name -> value in force.

    Args:
      values: the values.
      read: collects the names that are looked at.
      at: values at a (fractional) step t of the stage under way.
      step: at which they are in force; None where nobody walks a path.
      missing: a sentence that explains a missing name, instead of the usual one.
    """

    __slots__ = ("_at", "_missing", "_read", "_step", "_values")

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        read: set[str] | None = None,
        at: Callable[[float], Mapping[str, Any]] | None = None,
        step: int | None = None,
        missing: str = "",
    ) -> None:
        self._values = dict(values)
        self._read: set[str] = set() if read is None else read
        self._at = at
        self._step = step
        self._missing = missing

    @property
    def read(self) -> frozenset[str]:
        """The names looked at so far, through this mapping and those that share its record."""
        return frozenset(self._read)

    @property
    def step(self) -> int | None:
        """The step that these are the values of, or lie within; None where nobody walks a path."""
        return self._step

    @property
    def raw(self) -> Mapping[str, Any]:
        """The values, to look at without leaving a trace in `read`."""
        return self._values

    def changed_since(self, earlier: HparamValues) -> dict[str, Any]:
        """Return the values that are new or other than in `earlier`, without leaving a trace in `read`."""
        before = earlier._values
        return {n: v for n, v in self._values.items() if n not in before or not same_value(before[n], v)}

    def at(self, t: float) -> HparamValues:
        """Return the values at step `t`, which may lie between two steps of the stage under way."""
        values = self._values if self._at is None else self._at(t)
        return HparamValues(values, read=self._read, at=self._at, step=self._step, missing=self._missing)

    def recording(self, names: set[str]) -> HparamValues:
        """Return the same values, which also add the names looked at to `names`."""
        return _Recording(self, names)

    @contextmanager
    def lent(self, names: set[str]) -> Iterator[HparamValues]:
        """Lend the same values for the block, adding the names looked at to `names`; a later look is an error."""
        lent = _Lent(self, names)
        try:
            yield lent
        finally:
            lent.end()

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._values[name]
        except KeyError:
            raise UnknownHparamError(self._explain(name)) from None
        self._read.add(name)
        return own_value(value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no hp.{name}: values are looked up by name, hp[{name!r}], and never changed")

    def __setitem__(self, name: str, value: object) -> None:
        raise HparamError(
            f"hp[{name!r}] = {value!r}: values are read, not set; the config says them, and a sequence changes them"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of this name, or the default where the config has none."""
        return self[name] if name in self._values else default  # nobody reads the message of an error in between

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"HparamValues({self._values!r})"

    def _explain(self, name: str) -> str:
        if self._missing:
            return f"no hyper-parameter {name!r} here: {self._missing}"
        near = nearest(name, self._values)
        # the config is what was written last, and most often
        advice = (
            f" If {near!r} is meant, call it {name!r} in the config or space; or read {near!r} here." if near else ""
        )
        known = sorted(self._values)
        return f"the config has no hyper-parameter {name!r}, which the trainer reads; it has {known}.{advice}"


class _Recording(HparamValues):
    __slots__ = ("_records",)

    def __init__(self, outer: HparamValues, *records: set[str]) -> None:
        super().__init__(outer._values, read=outer._read, at=outer._at, step=outer._step, missing=outer._missing)
        #: the sets that names are added to: who recorded before goes on doing so
        self._records: tuple[set[str], ...] = (*records, *(outer._records if isinstance(outer, _Recording) else ()))

    def at(self, t: float) -> HparamValues:
        return _Recording(super().at(t), *self._records)

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        for record in self._records:
            record.add(name)
        return value


class _Lent(_Recording):
    __slots__ = ("_is_over",)

    def __init__(self, outer: HparamValues, names: set[str]) -> None:
        super().__init__(outer, names)
        self._is_over = False

    def end(self) -> None:
        self._is_over = True

    def __getitem__(self, name: str) -> Any:
        self._require_open(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._require_open(name)
        return super().get(name, default)

    def _require_open(self, name: str) -> None:
        if self._is_over:
            raise HparamError(
                f"hyper-parameter {name!r} was read after set_hparams(hp) had returned. Keep the values that you need, "
                "not hp itself: what is read later, perhaps in a loader worker, nobody sees."
            )


def own_value(value: Any) -> Any:
    """Return a value for somebody who may change it, as `options.pop("name")` does: the one in force stays."""
    return copy.deepcopy(value) if isinstance(value, dict | list) else value


def same_value(one: object, other: object) -> bool:
    """Whether two hyper-parameter values are one: 1, 1.0 and True are three."""
    return one is other or (type(one) is type(other) and one == other and repr(one) == repr(other))


def same_values(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two mappings have the same names with the same values."""
    return one.keys() == other.keys() and all(same_value(value, other[name]) for name, value in one.items())


def whole_number(value: object) -> int:
    """Return `value` as an int if it is a whole number of at least 1, an integral float included.

    Raises:
      HparamError: it is anything else.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value != int(value) or value < 1:  # type: ignore[call-overload,operator]
        raise HparamError(f"it must be a whole number of at least 1, but is {value!r}")
    return int(value)  # type: ignore[call-overload,no-any-return]
