"""What a step of several lanes that are walked as one costs, learned as such steps are run; and how many are worth it.

Seconds of F lanes are well described by a + b F: a is what a program costs however little it does, which fusion saves,
and b is what each lane adds. Whoever decides that lanes of a shape are walked as one says with how many to begin; from
there, more are tried as long as that pays.
"""

from __future__ import annotations

from hippo.schedulers import LaneCost

#: lanes that are tried first
FIRST_LANES = 4
#: if these are hardly better than one, so many are tried once
_MANY_LANES = 16
#: twice as many lanes are tried as long as this or less is left of a lane's share
_WORTH = 0.9
#: a formation is seldom full: how much of a number of lanes counts as having tried it
_FULL = 0.75
#: steps of which the longest is left out, since a process spends seconds in its first one on what it imports
_LEAST_STEPS = 2


class LaneCosts:
    """Seconds per step of lanes of one shape, by how many are walked as one."""

    def __init__(self) -> None:
        #: lanes -> sum of seconds, number of steps, and the longest of them
        self._steps: dict[int, tuple[float, int, float]] = {}
        self._cost: LaneCost | None = None

    def note(self, lanes: int, seconds: float) -> None:
        """Take the seconds of a step of so many lanes into account."""
        total, count, longest = self._steps.get(lanes, (0.0, 0, 0.0))
        self._steps[lanes] = (total + seconds, count + 1, max(longest, seconds))
        self._cost = None

    @property
    def cost(self) -> LaneCost:
        """The line that comes nearest to all steps; what is usual, as far as they do not say."""
        if self._cost is None:
            self._cost = self._fitted()
        return self._cost

    def worth(self, most: int, first: int = FIRST_LANES) -> int:
        """Return how many lanes, `most` at most, are worth walking as one: the number to try next, or the best of all.

        Each number is tried that is twice the one before, as long as a tenth of a lane's share is saved by it. Where a
        few are no better than one, many are tried once.

        Args:
          most: that may be walked as one.
          first: the number that is tried first.
        """
        lanes, alone = min(first, most), self._share(1)
        share = self._share(lanes)
        if share is None:
            return lanes
        if alone is not None and share > _WORTH * alone:
            if most < _MANY_LANES or lanes >= _MANY_LANES:
                return lanes if share < alone else 1
            many = self._share(_MANY_LANES)
            if many is None:
                return _MANY_LANES
            if many > _WORTH * alone:
                return min((alone, 1), (share, lanes), (many, _MANY_LANES))[1]
            lanes, share = _MANY_LANES, many
        while lanes < most:
            more = min(2 * lanes, most)
            share_of_more = self._share(more)
            if share_of_more is None:
                return more
            if share_of_more > _WORTH * share:
                return more if share_of_more < share else lanes
            lanes, share = more, share_of_more
        return lanes

    def _share(self, lanes: int) -> float | None:
        """Return a lane's share of a step of so many lanes, or somewhat fewer; None: that was not tried."""
        tried = [number for number, (_, count, _) in self._steps.items() if count >= _LEAST_STEPS]
        number = max((number for number in tried if _FULL * lanes <= number <= lanes), default=None)
        return None if number is None else self._mean(number) / number

    def _mean(self, lanes: int) -> float:
        total, count, longest = self._steps[lanes]
        return total if count < _LEAST_STEPS else (total - longest) / (count - 1)

    def _fitted(self) -> LaneCost:
        """Return the line of least squares, each step a point; neither of its numbers is below zero."""
        points = [(lanes, self._mean(lanes), count) for lanes, (_, count, _) in self._steps.items()]
        weight = sum(count for _, _, count in points)
        if not weight:
            return LaneCost()
        lanes_mean = sum(lanes * count for lanes, _, count in points) / weight
        seconds_mean = sum(seconds * count for _, seconds, count in points) / weight
        spread = sum(count * (lanes - lanes_mean) ** 2 for lanes, _, count in points)
        if not spread:  # one number of lanes says nothing of others
            usual = LaneCost()
            scale = seconds_mean / usual.seconds(points[0][0])
            return LaneCost(usual.fixed * scale, usual.per_lane * scale)
        slope = sum(count * (lanes - lanes_mean) * (seconds - seconds_mean) for lanes, seconds, count in points)
        per_lane = min(max(slope / spread, 0.0), seconds_mean / lanes_mean)
        return LaneCost(seconds_mean - per_lane * lanes_mean, per_lane)
