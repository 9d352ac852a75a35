"""A guest in one rank of a pipeline: work in slices that runs while the rank waits, and only then.

The rank hands each wait to its guest. A thread of the guest's waits in its place, so that the rank's own thread can
see to it that slices run until what it waits for has come; gloo tells that to nobody else. Where no slice may run, the
rank waits by itself, as if there were no guest. It refuses to know what a pipeline is, and where its work comes from.
"""

from __future__ import annotations

import queue
import statistics
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import torch

from hippo.clock import Clock, SystemClock
from hippo.engines.bubble_policy import BubbleLimits, BubblePolicy, Restraint
from hippo.engines.bubble_report import BubbleReport, BubbleSpan
from hippo.training.fusion.slices import SlicedWork
from hippo.training.slice_memory import SliceMemory

T = TypeVar("T")

#: how much of an earlier, longer way back counts when the next one is expected
_MEMORY = 0.95
#: what is left, after a step in which no slice ran, of what the next one is expected to take
_FORGIVEN = 0.9
#: why a guest stops that nothing is wrong with
_ENDED = "the large job ended"
#: of so many steps the median is reported: in a mean, one in which the large job is saved, or evaluated, would be the
#: guest's fault
_COMPARED_STEPS = 1000
#: steps with the guest that are kept for pictures
_TRACED_STEPS = 2


class WorkSource(Protocol):
    """Where a guest's work comes from."""

    def next_work(self) -> SlicedWork | None:
        """Return what it is to go on with once the last work is over; None: nothing now. Never blocks."""

    @property
    def lane_steps(self) -> int:
        """Steps of lanes that were trained."""

    @property
    def memory(self) -> SliceMemory | None:
        """What caps its memory; None: nothing."""


class BubbleGuest:
    """Computes in the waits of one rank. All is called in the rank's own thread.

    Whatever the work raises stops the guest, and never reaches the rank; what a wait raises is raised where the rank
    waits.

    Args:
      source: of its work.
      limits: it keeps to; by default it may slow the large job down by 2 %.
      threads: of the work's operations.
      tell: hears once why it stopped.
      clock: measures steps and waits.
      is_greedy: a slice begins whenever the rank waits, whatever is expected: the control of measurements.
    """

    def __init__(
        self,
        source: WorkSource,
        *,
        limits: BubbleLimits | None = None,
        threads: int = 1,
        tell: Callable[[str], None] | None = None,
        clock: Clock | None = None,
        is_greedy: bool = False,
    ) -> None:
        self.policy = BubblePolicy(limits)
        #: why it stopped; empty: it has not
        self.stopped = ""
        #: whether its work raised, and so cannot go on anywhere
        self.is_broken = False
        #: whether no more work will come, so that the rank takes its steps alone; set from any thread
        self.has_ended = False
        self._source, self._threads, self._tell = source, threads, tell
        self._clock = clock or SystemClock()
        self._is_greedy = is_greedy
        self._work: SlicedWork | None = None
        self._waiter = _Waiter()
        #: seconds from a slice's end until the rank's thread goes on
        self._back_s = 0.0
        self._step, self._is_set_up = 0, False
        #: whether a slice ran in a bubble of this step
        self._has_run = False
        self._step_began_s: float | None = None
        #: of lanes, until this step began; those trained in steps that have ended
        self._lane_steps = self._beside_steps = 0
        #: whether there was no guest any more when this step began
        self._was_out = False
        self._trace: deque[BubbleSpan] = deque()
        self._alone, self._beside = _StepMedian(), _StepMedian()
        self._waited_s = self._filled_s = self._overrun_s = 0.0
        self._overruns = 0

    # ----------------------------------------------------------------------------------------- the large job's side

    def begin_step(self) -> None:
        """Take note of a step of the large job that begins, and so of the end of the one before it.

        The very first step is none of the guest's: torch sets its stages up in it, with waits of their own.
        """
        if not self._is_set_up:
            self._is_set_up = True
            return
        now_s, lane_steps = self._clock.elapsed(), self._source.lane_steps
        if self._step_began_s is not None:
            self._beside_steps += lane_steps - self._lane_steps
            lasted_s = now_s - self._step_began_s
            (self._alone if self._was_out or self.policy.is_observing else self._beside).add(lasted_s)
            self._forgive()
            self.policy.end_step(lasted_s, had_guest=not self._was_out)
            self._step += 1
            if self.policy.restraint is Restraint.STOPPED and not self.stopped:
                self.stop(f"it slowed the large job down by {100 * self.policy.slowdown:.1f} %")
        self._step_began_s, self._lane_steps, self._was_out = now_s, lane_steps, self._is_out

    def wait(self, call: Callable[[], T]) -> T:
        """Have `call` wait for others, and slices run meanwhile; return what it returned.

        Args:
          call: blocks until something has come; in a thread of the guest's, if slices run.
        """
        if self._step_began_s is None:
            return call()  # no step, so no bubble of one
        began_s = self._clock.elapsed()
        if not self._may_begin():
            result = call()
            self._note(began_s, self._clock.elapsed(), self._clock.elapsed(), ())
            return result
        arrival = self._waiter.begin(call, self._clock)
        filled = self._fill(arrival, began_s)
        arrival.is_there.wait()
        self._note(began_s, arrival.at_s, self._clock.elapsed(), tuple(filled))
        if arrival.error is not None:
            raise arrival.error
        return arrival.result  # type: ignore[no-any-return]

    def warm_up(self, seconds: float, has_begun: Callable[[], bool]) -> None:
        """Let the work run as long as that, before there are bubbles, so that it is loaded and its slices are known.

        Args:
          seconds: it may take.
          has_begun: whether there is any to wait for.
        """
        until_s = self._clock.elapsed() + seconds
        self._run_alone(lambda: has_begun() and self._clock.elapsed() < until_s)

    def run_out(self, seconds: float, goes_on: Callable[[], bool]) -> None:
        """Let the work come to its end without any bubble: the large job has none any more.

        Args:
          seconds: it may take.
          goes_on: whether more of it may come.
        """
        until_s = self._clock.elapsed() + seconds
        self._run_alone(lambda: goes_on() and self._clock.elapsed() < until_s)

    @property
    def has_work(self) -> bool:
        """Whether work was begun that is not over."""
        return self._work is not None and not self._work.is_over

    def stop(self, reason: str) -> None:
        """Have no slice run in a bubble any more, and tell why; what stands there may still be run out."""
        if self.stopped:
            return
        self.stopped = reason
        if self._tell is not None:
            self._tell(reason)

    def close(self) -> None:
        """Break off what is left of the work, and end the thread that waits."""
        self.stopped = self.stopped or _ENDED
        self._drop()
        self._waiter.close()

    def report(self) -> BubbleReport:
        """Return what came of it so far."""
        stopped = "" if self.stopped == _ENDED else self.stopped
        return BubbleReport(
            steps=self._alone.count + self._beside.count,
            alone_s=self._alone.median,
            with_guest_s=self._beside.median,
            waited_s=self._waited_s,
            filled_s=self._filled_s,
            overruns=self._overruns,
            overrun_s=self._overrun_s,
            lane_steps=self._source.lane_steps,
            lane_steps_beside=self._beside_steps,
            seconds=self._alone.total + self._beside.total,
            restraint=self.policy.restraint,
            most_bytes=None if self._source.memory is None else self._source.memory.most_bytes,
            stopped=stopped,
            trace=tuple(self._trace),
        )

    # --------------------------------------------------------------------------------------------- the guest's side

    @property
    def _is_out(self) -> bool:
        return bool(self.stopped) or (self.has_ended and not self.has_work)

    def _may_begin(self) -> bool:
        if self._is_out or self.policy.is_observing:
            return False
        work = self._current_work()
        return work is not None and self._may_run(0.0, work.next_s)

    def _may_run(self, elapsed_s: float, slice_s: float) -> bool:
        return self._is_greedy or self.policy.may_run(elapsed_s, slice_s + self._back_s)

    def _current_work(self) -> SlicedWork | None:
        if self._work is None or self._work.is_over:
            self._work = self._source.next_work()
        return self._work

    def _fill(self, arrival: _Arrival, began_s: float) -> list[tuple[float, float]]:
        """Run slices until what the rank waits for has come, or will have before one is over; return when they ran."""
        filled: list[tuple[float, float]] = []
        asked_s = began_s

        def may_run(slice_s: float) -> bool:
            nonlocal asked_s
            asked_s = self._clock.elapsed()
            return not arrival.is_there.is_set() and self._may_run(asked_s - began_s, slice_s)

        while not self._is_out and (work := self._current_work()) is not None:
            begins_s = asked_s = self._clock.elapsed()
            is_over = self._go(work, may_run)
            ends_s = self._clock.elapsed()
            if not is_over:
                self._back_s = max(ends_s - asked_s, _MEMORY * self._back_s)
            filled.append((begins_s, ends_s))
            self._has_run = True
            if not is_over:
                break
        return filled

    def _go(self, work: SlicedWork, may_run: Callable[[float], bool]) -> bool:
        """Run slices with threads of their own number; whatever they raise stops the guest.

        Raises:
          BaseException: what a signal's handler raised meanwhile, SIGTERM's perhaps: that is the large job's.
        """
        threads = torch.get_num_threads()
        if threads != self._threads:
            torch.set_num_threads(self._threads)
        try:
            return work.go(may_run)
        except (Exception, SystemExit) as error:
            if error is work.interrupt or (isinstance(error, SystemExit) and error is not work.raised):
                raise
            self.is_broken, self._work = True, None  # what was raised holds all that it was raised in
            self.stop(f"{type(error).__name__}: {error}")
            return True
        finally:
            if (
                threads != self._threads
            ):  # also where it is torch's own thread that has changed: kernels ask the process
                torch.set_num_threads(threads)

    def _forgive(self) -> None:
        """Expect less of a slice for which each bubble of a step was too short, and of the way back.

        What took long once, since something was loaded, would never be tried again, and nothing after it.
        """
        if not (self._has_run or self._is_out or self.policy.is_observing) and self._work is not None:
            self._work.forgive(_FORGIVEN)
            self._back_s *= _FORGIVEN
        self._has_run = False

    def _run_alone(self, goes_on: Callable[[], bool]) -> None:
        while not self.is_broken and goes_on():
            work = self._current_work()
            if work is None:
                self._waiter.pause()
            else:
                self._go(work, lambda _seconds: goes_on())

    def _drop(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            work.drop()

    def _note(self, began_s: float, arrived_s: float, ended_s: float, filled: tuple[tuple[float, float], ...]) -> None:
        if not self._is_out and not self.policy.is_observing:
            self._waited_s += arrived_s - began_s
            self._filled_s += sum(max(0.0, min(end, arrived_s) - begin) for begin, end in filled)
            if filled and filled[-1][1] > arrived_s:
                self._overruns += 1
                self._overrun_s += filled[-1][1] - arrived_s
            self._keep(began_s, arrived_s, ended_s, filled)
        self.policy.end_bubble(arrived_s - began_s)

    def _keep(self, began_s: float, arrived_s: float, ended_s: float, filled: tuple[tuple[float, float], ...]) -> None:
        origin_s = self._step_began_s or 0.0
        while self._trace and self._trace[0].step <= self._step - _TRACED_STEPS:
            self._trace.popleft()
        self._trace.append(
            BubbleSpan(
                step=self._step,
                began_s=began_s - origin_s,
                arrived_s=arrived_s - origin_s,
                ended_s=ended_s - origin_s,
                filled=tuple((begin - origin_s, end - origin_s) for begin, end in filled),
            )
        )


class _StepMedian:
    """Seconds of some steps."""

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0
        self._newest: deque[float] = deque(maxlen=_COMPARED_STEPS)

    def add(self, seconds: float) -> None:
        self.total += seconds
        self.count += 1
        self._newest.append(seconds)

    @property
    def median(self) -> float | None:
        return statistics.median(self._newest) if self._newest else None


class _Arrival:
    """What a rank waits for, and whether it has come."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call = call
        self.is_there = threading.Event()
        self.at_s = 0.0
        self.result: Any = None
        self.error: BaseException | None = None


class _Waiter:
    """A thread that waits in the place of others."""

    #: while there is nothing to do
    _PAUSE_S = 0.002

    def __init__(self) -> None:
        self._waits: queue.SimpleQueue[tuple[_Arrival, Clock] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._never = threading.Event()

    def begin(self, call: Callable[[], Any], clock: Clock) -> _Arrival:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="hippo-bubbles", daemon=True)
            self._thread.start()
        arrival = _Arrival(call)
        self._waits.put((arrival, clock))
        return arrival

    def pause(self) -> None:
        self._never.wait(self._PAUSE_S)

    def close(self) -> None:
        if self._thread is not None:
            self._waits.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (given := self._waits.get()) is not None:
            arrival, clock = given
            try:
                arrival.result = arrival.call()
            except BaseException as error:
                arrival.error = error
            arrival.at_s = clock.elapsed()
            arrival.is_there.set()
