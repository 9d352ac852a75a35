"""An engine whose one slot lives in the bubbles of a pipeline's rank: its lanes are the guest's work.

It trains what `InlineEngine` does, with the same bits, but in no thread that waits for the study: whoever has bubbles
takes the work from it, slice by slice. It refuses to know when that may be.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.inline import InlineEngine
from hippo.errors import EngineError
from hippo.events import EngineEvent, StepDone, StepsDone
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.waiting import wait_until_done

if TYPE_CHECKING:
    from hippo.training.fusion.slices import SlicedWork
    from hippo.training.slice_memory import SliceMemory

_LEFT = "the large job went on, or ended, without its guest"


class BubbleEngine(AbstractEngine):
    """Trains in the waits of a large job that is trained in a pipeline; given to a study that `hippo.squeeze` is given.

    Results are those of `hippo.InlineEngine` with as many threads, to the bit, so that studies can go on there.

    Args:
      max_lanes: how many lanes it walks at once at most; fewer where they would take more memory than
        `hippo.BubbleLimits(max_bytes=...)` lets them have.
      threads: intra-op threads of the guest's operations. Results may depend on it in their last bits.
      resident_bytes: how much memory recent states may fill besides; none by default.

    Raises:
      EngineError: an argument is out of its bounds.
    """

    trains_in_this_process = True

    @explain_calls()
    def __init__(self, *, max_lanes: int = 8, threads: int = 1, resident_bytes: int = 0) -> None:
        self._inline = InlineEngine(threads=threads, resident_bytes=resident_bytes, max_lanes=max_lanes)
        self.max_lanes, self.threads = max_lanes, threads
        #: whether somebody has bubbles for it; set by who has them
        self.has_bubbles = False
        #: steps of lanes that it trained
        self.lane_steps = 0
        #: caps what it adds to its process; set by who has the bubbles. None: it may take what there is
        self.memory: SliceMemory | None = None
        #: what slices take, by the operations that they begin with
        self._times: dict[str, float] = {}

    def next_work(self) -> SlicedWork | None:
        """Return what was submitted, as work that runs in slices; None: nothing was."""
        if not self._inline.has_waiting:
            return None
        from hippo.training.fusion.slices import SlicedWork

        return SlicedWork(lambda: self._inline.serve_waiting(_LEFT), times=self._times, memory=self.memory)

    @property
    def is_idle(self) -> bool:
        return self._inline.is_idle

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        def counted(event: EngineEvent) -> None:
            if isinstance(event, StepDone):
                self.lane_steps += 1
            elif isinstance(event, StepsDone):
                self.lane_steps += len(event.seconds)
            emit(event)

        self._inline.start(counted, checkpoints=checkpoints, clock=clock)

    def environment(self) -> Mapping[str, str]:
        return self._inline.environment()

    def open_workload(self, spec: TrainerSpec) -> None:
        self._inline.open_workload(spec)

    def submit(self, assignment: Assignment) -> None:
        self._inline.submit(assignment)

    def send(self, command: Command) -> None:
        self._inline.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        self._inline.lose(slot, reason)

    def describe(self, slot: SlotId) -> str:
        return f"the bubbles of {self._inline.describe(slot)}"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        """As promised; the caller's thread trains nothing.

        Raises:
          EngineError: there are no bubbles that it could train in.
        """
        if not self.has_bubbles and not done.done():
            raise EngineError(
                "a BubbleEngine trains only in the waits of a large job: give the study to hippo.squeeze(schedule, "
                "study, tuner), or make it with engine=hippo.InlineEngine() to train here and now"
            )
        wait_until_done(done)

    async def close(self, *, timeout_s: float) -> None:
        await self._inline.close(timeout_s=timeout_s)
