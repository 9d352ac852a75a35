"""A large model in a pipeline, step by step in virtual time, with guests in the gaps of its ranks.

One forward, one backward (1F1B): a rank runs its warm-up of forward passes, then a backward pass for each forward one,
then what is left. It waits for its neighbours, and at the end of a step for all others. What runs in a wait, and when,
is decided by `BubblePolicy`, the part of hippo that a real guest asks; passes and slices are lengths with noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hippo.engines.bubble_policy import BubblePolicy

#: (is it a forward pass, which micro-batch)
_Pass = tuple[bool, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A pipeline and its passes."""

    ranks: int = 4
    micro_batches: int = 8
    forward_s: float = 0.010
    backward_s: float = 0.020
    #: from one rank to the next
    message_s: float = 0.0005
    #: standard deviation of the logarithm of a pass
    noise: float = 0.02

    def order(self, rank: int) -> list[_Pass]:
        """Return the passes of a rank."""
        ahead = min(self.ranks - rank - 1, self.micro_batches)
        passes: list[_Pass] = [(True, number) for number in range(ahead)]
        for number in range(self.micro_batches - ahead):
            passes += [(True, ahead + number), (False, number)]
        return passes + [(False, number) for number in range(self.micro_batches - ahead, self.micro_batches)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What came of guests in a pipeline."""

    #: how much longer a step takes, as a fraction
    slowdown: float
    #: of the time in which ranks waited
    filled: float
    #: seconds of slices in waits, by all seconds of devices
    share: float


def fill(schedule: Schedule, slice_s: float, *, greedy: bool, steps: int = 200, seed: int = 0) -> Filled:
    """Return what guests do to a pipeline, beside the same pipeline without any.

    Args:
      schedule: of the large model.
      slice_s: how long slices take, with a tenth of noise.
      greedy: begin a slice whenever a rank waits, whatever the policy says: the control.
    """
    alone = _Run(schedule, None, seed)
    beside = _Run(schedule, _Guests(schedule.ranks, slice_s, greedy, seed), seed)
    lengths = [(alone.step(), beside.step()) for _ in range(steps)]
    without, with_guests = (sum(each) for each in zip(*lengths, strict=True))
    return Filled(
        slowdown=with_guests / without - 1.0,
        filled=beside.filled_s / beside.waited_s,
        share=beside.filled_s / (with_guests * schedule.ranks),
    )


class _Guests:
    """A guest in each rank."""

    def __init__(self, ranks: int, slice_s: float, greedy: bool, seed: int) -> None:
        self.policies = [BubblePolicy() for _ in range(ranks)]
        self._slice_s = slice_s
        self._greedy = greedy
        self._chance = np.random.default_rng((seed, 1))

    def work(self, rank: int, waits_s: float) -> float:
        """Return for how long a guest works in a wait: beyond its end, if the last slice does."""
        worked_s, policy = 0.0, self.policies[rank]
        while worked_s < waits_s and (self._greedy or policy.may_run(worked_s, self._slice_s)):
            worked_s += self._slice_s * float(np.exp(0.1 * self._chance.standard_normal()))
        policy.end_bubble(waits_s)
        return worked_s


@dataclass(slots=True)
class _Run:
    schedule: Schedule
    guests: _Guests | None
    seed: int
    waited_s: float = 0.0
    filled_s: float = 0.0
    _chance: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(self.seed)

    def step(self) -> float:
        """Run a step of the large model, and return how long it took."""
        of = self.schedule
        noise = np.exp(of.noise * self._chance.standard_normal((of.ranks, 2, of.micro_batches)))
        left = [of.order(rank) for rank in range(of.ranks)]
        free = [0.0] * of.ranks
        done: dict[tuple[int, bool, int], float] = {}
        while any(left):
            for rank in range(of.ranks):
                while left[rank] and (arrives_s := self._arrival(rank, left[rank][0], done)) is not None:
                    is_forward, number = left[rank].pop(0)
                    begins_s = self._wait(rank, free[rank], arrives_s)
                    length = of.forward_s if is_forward else of.backward_s
                    free[rank] = begins_s + length * float(noise[rank, int(is_forward), number])
                    done[rank, is_forward, number] = free[rank]
        ends_s = max(free)
        ends_s = max(self._wait(rank, free[rank], ends_s) for rank in range(of.ranks))
        for policy in self.guests.policies if self.guests is not None else ():
            policy.end_step(ends_s)
        return ends_s

    def _arrival(self, rank: int, one: _Pass, done: dict[tuple[int, bool, int], float]) -> float | None:
        """Return when what a pass needs is there; None: not known yet."""
        is_forward, number = one
        neighbour = rank - 1 if is_forward else rank + 1
        if not 0 <= neighbour < self.schedule.ranks:
            return 0.0
        sent_s = done.get((neighbour, is_forward, number))
        return None if sent_s is None else sent_s + self.schedule.message_s

    def _wait(self, rank: int, began_s: float, until_s: float) -> float:
        """Have a rank wait, and its guest work; return when it goes on."""
        waits_s = max(0.0, until_s - began_s)
        self.waited_s += waits_s
        if self.guests is None:
            return began_s + waits_s
        worked_s = self.guests.work(rank, waits_s)
        self.filled_s += min(worked_s, waits_s)
        return began_s + max(waits_s, worked_s)
