"""What came of a guest in the bubbles of one rank, as values for people. It refuses to measure anything."""

from __future__ import annotations

from hippo.engines.bubble_policy import Restraint
from hippo.frozen import frozen


@frozen
class BubbleSpan:
    """One bubble as it was: seconds are counted from the beginning of its step."""

    #: the number of the large job's step
    step: int
    #: when the rank began to wait
    began_s: float
    #: when what it waited for had come
    arrived_s: float
    #: when it went on: after `arrived_s` by what the guest's last slice overran, and by the way back
    ended_s: float
    #: (begin, end) of what the guest computed
    filled: tuple[tuple[float, float], ...] = ()


@frozen
class BubbleReport:
    """What came of a guest, and what it cost the large job."""

    #: of the large job, those with the guest and those without
    steps: int
    #: seconds that a step takes without the guest, the median of the newest; None: none was seen
    alone_s: float | None
    #: the same with the guest
    with_guest_s: float | None
    #: seconds that the rank waited, in steps with the guest
    waited_s: float
    #: seconds of these in which the guest computed
    filled_s: float
    #: bubbles that were over before the guest's last slice was
    overruns: int
    #: seconds that the large job lost in them
    overrun_s: float
    #: steps of lanes that the guest trained, before the large job's first step and after its last included
    lane_steps: int
    #: seconds of the large job's steps, all of them
    seconds: float
    #: how far the guest was held back
    restraint: Restraint
    #: bytes that the guest added to its process's memory at most; None: nobody looked
    most_bytes: int | None = None
    #: those of `lane_steps` that the guest trained in `seconds`
    lane_steps_beside: int = 0
    #: why it stopped before the large job ended; empty: it did not
    stopped: str = ""
    #: the newest bubbles, of two steps with the guest
    trace: tuple[BubbleSpan, ...] = ()

    @property
    def slowdown(self) -> float:
        """How much slower a step is with the guest, as a fraction; 0.0 where that is not known."""
        if not self.alone_s or self.with_guest_s is None:
            return 0.0
        return self.with_guest_s / self.alone_s - 1.0

    @property
    def filled(self) -> float:
        """The part of bubble time in which the guest computed."""
        return self.filled_s / self.waited_s if self.waited_s > 0 else 0.0

    @property
    def lane_steps_per_s(self) -> float:
        """Steps of lanes by seconds of the large job, of those trained in these."""
        return self.lane_steps_beside / self.seconds if self.seconds > 0 else 0.0

    def __str__(self) -> str:
        lines = [
            f"{self.steps} steps of the large job, {self.lane_steps_beside} of lanes in {self.seconds:.1f} s, "
            f"{self.lane_steps} of lanes in all"
        ]
        if self.alone_s is not None and self.with_guest_s is not None:
            lines.append(
                f"a step takes {self.alone_s:.4g} s alone and {self.with_guest_s:.4g} s with the guest: "
                f"{100 * self.slowdown:+.1f} %"
            )
        lines.append(
            f"{100 * self.filled:.0f} % of bubble time filled, {self.overruns} overruns ({self.overrun_s:.3g} s)"
        )
        if self.most_bytes is not None:
            lines.append(f"the guest had {self.most_bytes >> 20} MiB at most")
        if self.stopped:
            lines.append(f"the guest stopped: {self.stopped}")
        return "\n".join(lines)
