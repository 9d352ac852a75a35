"""What a user's `gradients` is given and what it returns, and the checks of that.

Sums over samples come in, and means go out to the shards: a gradient is divided by its number of samples before it is
sent, so that a learning rate means the same with any batch size. This module refuses to know who takes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hippo.errors import MetricError, TrainerError, did_you_mean
from hippo.ps.layout import Array, BranchLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockShare:
    """Which part of which clock a worker is to compute."""

    #: this one: 0, 1, ...
    worker: int
    #: how many there are
    workers: int
    #: how many clocks the path has behind it
    clock: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGradients:
    """Gradients of some rows of a table; those of all others are 0."""

    #: numbers of the rows, ascending, each once
    rows: Any
    #: rows x shape of a row: sums over samples
    sums: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockGradients:
    """What a worker found in a clock: sums over the samples that it looked at."""

    #: sum over samples
    loss: float
    #: how many
    samples: int
    #: table -> its gradient, in the table's shape, summed over samples; or of some rows. Tables may be left out
    tables: Mapping[str, Any]


class SentGradient(NamedTuple):
    """A mean gradient on its way to the shards."""

    #: None: of all rows
    rows: Array | None
    mean: Array


def mean_gradients(found: object, layout: BranchLayout, share: ClockShare) -> dict[str, SentGradient]:
    """Return what goes to the shards: table -> mean gradient.

    Raises:
      TrainerError: it is not what `gradients` is to return.
      MetricError: its loss, or a gradient, is not finite.
    """
    if not isinstance(found, ClockGradients):
        raise TrainerError(
            f"gradients() returned {found!r:.80}; return hippo.ps.ClockGradients(loss=, samples=, tables=)"
        )
    where = f"worker {share.worker} in clock {share.clock}"
    samples: Any = found.samples
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise TrainerError(f"gradients() of {where} is of samples={samples!r}; give how many it summed over")
    try:
        loss = float(found.loss)
    except (TypeError, ValueError):
        raise TrainerError(f"gradients() of {where} has loss={found.loss!r:.80}; give its sum, a number") from None
    tables: Any = found.tables
    if not isinstance(tables, Mapping):
        raise TrainerError(f"gradients() of {where} has tables={tables!r:.80}; give {{name: gradient}}")
    if not math.isfinite(loss):
        raise MetricError(
            f"the loss of {where} is {loss!r}: training has diverged, as it does where the learning rate "
            "is too large; nothing of it was added to the tables"
        )
    return {name: _mean(name, gradient, int(samples), layout, where) for name, gradient in sorted(tables.items())}


def _mean(name: str, gradient: object, samples: int, layout: BranchLayout, where: str) -> SentGradient:
    shapes = {table.name: table for table in layout.tables}
    if name not in shapes:
        raise TrainerError(
            f"gradients() has a gradient of {name!r}; tables are {list(shapes)}.{did_you_mean(name, shapes)}"
        )
    table = shapes[name]
    rows, sums = (gradient.rows, gradient.sums) if isinstance(gradient, RowGradients) else (None, gradient)
    if rows is not None:
        rows = _checked_rows(name, np.asarray(rows), table.shape[0], where)
    total = np.asarray(sums)
    wanted = table.shape if rows is None else (len(rows), *table.shape[1:])
    if total.shape != wanted or total.dtype != np.dtype(table.dtype):
        raise TrainerError(
            f"gradients() has for {name!r} a gradient {total.dtype}{list(total.shape)}, and the table wants "
            f"{table.dtype}{list(wanted)}"
        )
    # a number of 16 bits ends at 65,504, and would make a mean of more samples 0
    divisor = total.dtype.type(samples) if total.dtype.itemsize > 2 else np.float64(samples)
    mean = (total / divisor).astype(total.dtype, copy=False)
    if not np.isfinite(mean).all():
        raise MetricError(
            f"the gradient of {name!r} by {where} is not finite: training has diverged, as it does where the learning "
            "rate is too large; nothing of it was added to the tables"
        )
    return SentGradient(rows, mean)


def _checked_rows(name: str, rows: Array, num_rows: int, where: str) -> Array:
    is_whole = rows.ndim == 1 and (rows.dtype.kind in "iu" or not len(rows))  # [] is an array of floats
    if is_whole and len(rows) and not (rows[0] >= 0 and rows[-1] < num_rows and (rows[1:] > rows[:-1]).all()):
        is_whole = False
    if not is_whole:
        raise TrainerError(
            f"gradients() of {where} names rows of {name!r} that are not whole numbers from 0 to {num_rows - 1}, "
            "ascending and each once; numpy.unique(rows, return_inverse=True) and numpy.add.at make them so"
        )
    return rows.astype(np.int64, copy=False)
