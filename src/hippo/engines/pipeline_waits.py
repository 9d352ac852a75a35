"""The waits of torch's pipeline schedules, handed to whoever has a use for them.

All waits of a rank for its neighbours go through one function of torch's, `_wait_batch_p2p`: torch has no other place
to hook in. It is replaced while a guest is there; what is sent, and in which order, stays torch's. This module refuses
to know what happens in a wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import torch
import torch.distributed as dist

from hippo.errors import EngineError, OptionError
from hippo.hparams.code_forms import names_in
from hippo.training.telling import warn

T = TypeVar("T")

#: what torch calls the one function
HOOK = "_wait_batch_p2p"
#: schedules without bubbles
_FULL = ("ScheduleInterleavedZeroBubble", "ScheduleZBVZeroBubble", "ScheduleDualPipeV")


class WaitingRank(Protocol):
    """Who has a use for waits."""

    def begin_step(self) -> None:
        """Hear that a step of the large job begins."""

    def wait(self, call: Callable[[], T]) -> T:
        """Call what waits, and return what it returned."""


def check_schedule(schedule: Any) -> None:
    """Refuse what has no bubbles that can be had.

    Raises:
      OptionError: it is no schedule of a pipeline, or one that leaves no bubbles, or its ranks do not compute on
        processors and talk by gloo, or the waits of this process are somebody's already.
      EngineError: this torch does not wait where others do.
    """
    from torch.distributed.pipelining import schedules

    base: Any = schedules._PipelineSchedule
    if not isinstance(schedule, base):
        raise OptionError(
            f"{schedule!r} is no pipeline schedule: give what was made by torch.distributed.pipelining.Schedule1F1B, "
            "ScheduleGPipe or ScheduleInterleaved1F1B"
        )
    name = type(schedule).__name__
    if isinstance(schedule, tuple(getattr(schedules, each) for each in _FULL if hasattr(schedules, each))):
        raise OptionError(
            f"{name} fills its bubbles itself: a guest would find none. Tune elsewhere, or use Schedule1F1B"
        )
    if not dist.is_available() or not dist.is_initialized():
        raise OptionError("torch.distributed is not initialised: call init_process_group before hippo.squeeze")
    _check_devices(schedule)
    check_hook(type(schedule))
    if getattr(schedules, HOOK).__module__ == __name__:
        raise OptionError(
            "a guest lives in the bubbles of this process already: close what hippo.squeeze returned first"
        )


def check_hook(kind: type) -> None:
    """Refuse a kind of schedule that does not wait through the hook: a guest would never be asked.

    Raises:
      EngineError: it does not.
    """
    from torch.distributed.pipelining import schedules

    names = {
        name
        for cls in kind.__mro__
        for each in ("_step_microbatches", "step")
        if (code := getattr(vars(cls).get(each), "__code__", None)) is not None
        for name in names_in(code)
    }
    if not callable(getattr(schedules, HOOK, None)) or HOOK not in names:
        raise EngineError(
            f"{kind.__name__} of torch {torch.__version__} does not wait through {HOOK}, as that of torch 2.13 does: "
            "hippo does not know where its bubbles are"
        )


def has_one_rank(schedule: Any) -> bool:
    """Whether all of a pipeline is in this rank, so that nobody waits."""
    return all(dist.get_world_size(stage.group) == 1 for stage in _stages(schedule))


def _stages(schedule: Any) -> list[Any]:
    return [schedule._stage] if hasattr(schedule, "_stage") else list(schedule._stages)


def _check_devices(schedule: Any) -> None:
    for stage in _stages(schedule):
        kind, backend = torch.device(stage.device).type, dist.get_backend(stage.group)
        if kind != "cpu" or backend != "gloo":
            raise OptionError(
                f"stage {stage.stage_index} computes on {kind} and talks by {backend}: guests live in ranks that "
                "compute on cpu and talk by gloo"
            )


@contextmanager
def waits_handed_to(rank: WaitingRank, schedule: Any) -> Iterator[None]:
    """Hand the waits of this schedule's training steps to `rank` in the block; those of others stay as they are."""
    from torch.distributed.pipelining import schedules

    original, step = getattr(schedules, HOOK), schedule.step
    own_step = vars(schedule).get("step")  # a profiler's, say; else the class has it
    is_within = is_known = has_ended = False

    def wait(works: list[Any]) -> None:
        nonlocal is_known
        if is_within and works:
            rank.wait(lambda: original(works))
            return
        if works and not is_known:
            is_known = True
            warn(
                "a pipeline waits outside of the schedule.step that hippo.squeeze has put into its place, so that its "
                "guest is not asked: if it is the schedule that was squeezed, call schedule.step itself, or squeeze "
                "before you keep or wrap it"
            )
        original(works)

    def begin_step(*args: Any, **kwargs: Any) -> Any:
        nonlocal is_within, is_known
        is_known = True  # other waits are those of other schedules, or of evaluations
        if has_ended or not schedule._has_backward:
            return step(*args, **kwargs)  # an evaluation has other waits
        rank.begin_step()
        is_within = True
        try:
            return step(*args, **kwargs)
        finally:
            is_within = False

    setattr(schedules, HOOK, wait)
    schedule.step = begin_step
    try:
        yield
    finally:
        # what somebody has put around ours since stays; ours is then a way through to what was there before
        if vars(schedule).get("step") is begin_step:
            if own_step is None:
                del schedule.step
            else:
                schedule.step = own_step
        has_ended = True
        if getattr(schedules, HOOK) is wait:
            setattr(schedules, HOOK, original)
