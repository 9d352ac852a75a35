"""Fewer points of a curve that looks the same.

Largest-triangle-three-buckets: S. Steinarsson, Downsampling Time Series for Visual Representation, 2013, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

#: its place, its value, and what else is known of it
Point = TypeVar("Point", bound=tuple[float, ...])


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """Return at most so many points of a curve, the first and the last among them, peaks and dips as far as possible.

    Args:
      points: ascending in their first number; second numbers that are none count as 0.
      most: at least 3.

    Raises:
      ValueError: `most` is less than 3.
    """
    if most < 3:
        raise ValueError(f"a curve is drawn with 3 points or more, not {most}")
    if len(points) <= most:
        return list(points)
    size = (len(points) - 2) / (most - 2)
    bounds = [1 + int(number * size) for number in range(most - 1)]
    xs, ys = [point[0] for point in points], [_height(point[1]) for point in points]
    chosen = [0]
    for number in range(most - 2):
        begin, end = bounds[number], bounds[number + 1]
        following = slice(end, bounds[number + 2]) if number < most - 3 else slice(len(points) - 1, None)
        next_x = sum(xs[following]) / len(xs[following])
        next_y = sum(ys[following]) / len(ys[following])
        last_x, last_y = xs[chosen[-1]], ys[chosen[-1]]
        across, up = last_x - next_x, next_y - last_y
        ahead = zip(xs[begin:end], ys[begin:end], strict=True)
        sizes = [abs(across * (y - last_y) - (last_x - x) * up) for x, y in ahead]
        chosen.append(begin + sizes.index(max(sizes)))
    return [*(points[place] for place in chosen), points[-1]]


def _height(value: float) -> float:
    return value if value - value == 0 else 0.0  # of NaN and infinity, no triangle has a size
