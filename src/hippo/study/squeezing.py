"""`hippo.squeeze`: a study that is trained in the bubbles of a large job, in one call of the large job's script.

The tuner waits in a thread of its own; lanes are computed in the rank's thread, where the rank would wait. Whatever
becomes of the study, the large job goes on: what it raises is told once, as a warning.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from numbers import Real
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hippo.arguments import explain_calls
from hippo.engines.bubble_engine import BubbleEngine
from hippo.errors import MissingExtraError, OptionError
from hippo.records import may_fuse
from hippo.runtime.studies.warnings import warn_or_say
from hippo.study.schemes import module_for
from hippo.study.study import Study

if TYPE_CHECKING:
    from types import TracebackType

    from hippo.engines.bubble_policy import BubbleLimits
    from hippo.engines.bubble_report import BubbleReport
    from hippo.training import TorchTrainer
    from hippo.training.slice_memory import SliceMemory

T = TypeVar("T")

#: how long a study that was stopped may take to be gone
_END_S = 10.0
#: how long a thread of the study may hold the interpreter while the large job's wants it. Python's own 5 ms are as long
#: as many a bubble, and are waited for after each of them
_TURN_S = 1e-4


class SqueezedWork(Protocol):
    """What is trained in bubbles, as a thread of its own sees it."""

    #: takes its work
    engine: BubbleEngine

    def run(self) -> None:
        """Return when all is over; raises what ended it."""

    def stop(self) -> None:
        """Have its lanes come to their step's end, and `run` return; from another thread."""

    def give_up(self) -> None:
        """Hear that no more of it is run in bubbles, but for what `stop` leaves to be done; from another thread."""

    def force(self) -> None:
        """Have `run` return now; from another thread."""


class _LocalStudy(SqueezedWork):
    """A study of this process, which nobody else trains."""

    def __init__(self, study: Study, tuner: Any) -> None:
        self.engine = _engine_of(study)
        self._study, self._tuner = study, tuner

    def run(self) -> None:
        self._study.optimize(self._tuner)

    def stop(self) -> None:
        self._study.stop()

    def give_up(self) -> None:
        """Its lanes stand still until the large job has ended: nobody else could go on with them."""

    def force(self) -> None:
        self._study._runtime().force()


class Squeeze:
    """A study in the bubbles of a large job, as `hippo.squeeze` returns it; ended by its `with` block or `close`."""

    def __init__(self, schedule: Any, work: SqueezedWork, limits: BubbleLimits | None, grace_s: float) -> None:
        from hippo.engines.bubble_guest import BubbleGuest
        from hippo.engines.pipeline_waits import waits_handed_to

        self._work, self._engine, self._grace_s = work, work.engine, grace_s
        self._guest = BubbleGuest(self._engine, limits=limits, threads=self._engine.threads, tell=self._give_up)
        self._hook = ExitStack()
        self._hook.enter_context(waits_handed_to(self._guest, schedule))
        self._hook.enter_context(_short_turns())
        self._engine.has_bubbles = True
        self._engine.memory = _memory_of(limits)
        #: what the study raised; None: nothing
        self.error: BaseException | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="hippo-squeeze", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the study has ended, well or not."""
        return not self._thread.is_alive()

    def wait(self, call: Callable[[], T]) -> T:
        """Wait for other ranks outside of the schedule, at a barrier, say, and let the study train meanwhile.

        Args:
          call: what waits, without arguments, in a thread of the study's perhaps. It only waits: what it computed would
            compete with the study.

        Returns:
          What it returned.

        Raises:
          OptionError: it cannot be called: it has waited already, perhaps.
        """
        if not callable(call):
            raise OptionError(
                f"squeezed.wait({call!r}): give what waits, without calling it: squeezed.wait(dist.barrier)"
            )
        return self._guest.wait(call)

    def report(self) -> BubbleReport:
        """Return what came of it so far: how much of the bubbles was filled, and what that cost the large job."""
        return self._guest.report()

    def warm_up(self, seconds: float) -> None:
        """Train alone for so long, before the large job begins: see `hippo.squeeze`."""
        self._guest.warm_up(seconds, lambda: not self.is_over)

    def close(self) -> None:
        """End the study, if it has not ended: its lanes come to their step's end and leave a checkpoint there.

        The same study goes on from there wherever it is run again.
        """
        if self._is_closed:
            return
        self._is_closed = True
        self._hook.close()
        try:
            if not self.is_over:
                with suppress(Exception):  # it may just have ended
                    self._work.stop()
                # its thread may end before its lanes have: they are on their way to their checkpoints
                self._guest.run_out(self._grace_s, lambda: not self.is_over or self._guest.has_work)
            self._guest.close()
            self._end()
        finally:
            self._engine.has_bubbles = False

    def __enter__(self) -> Squeeze:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _end(self) -> None:
        """Wait for the study's thread; by force, if its lanes did not come to a step's end."""
        self._thread.join(0.0 if self._guest.is_broken else _END_S)
        if self._thread.is_alive():
            with suppress(Exception):
                self._work.force()
            self._thread.join(_END_S)
        if self._thread.is_alive():
            warn_or_say("the study in the bubbles did not end; it is left behind, and the large job goes on")

    def _run(self) -> None:
        try:
            self._work.run()
        except BaseException as error:  # of the study: nothing of it may reach the large job
            self.error = error
            if not self._is_closed:
                self._tell(f"{type(error).__name__}: {error}")
        finally:
            self._guest.has_ended = True

    def _give_up(self, reason: str) -> None:
        self._tell(reason)
        self._work.give_up()

    def _tell(self, reason: str) -> None:
        warn_or_say(f"the study in the bubbles of this rank stopped, and the large job goes on without it: {reason}")


@contextmanager
def _short_turns() -> Iterator[None]:
    """Have threads of the block give way to one another sooner; no bit depends on it."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN_S))
    taken = sys.getswitchinterval()  # as it is kept: in whole microseconds
    try:
        yield
    finally:
        if sys.getswitchinterval() == taken:
            sys.setswitchinterval(before)


@explain_calls()
def squeeze(
    schedule: Any,
    study: Study | str,
    tuner: Any = None,
    *,
    engine: BubbleEngine | None = None,
    checkpoints: str | None = None,
    limits: BubbleLimits | None = None,
    warm_up_s: float | None = None,
    grace_s: float = 60.0,
) -> Squeeze:
    """Run a study in the bubbles of a large job, while the large job is trained in a pipeline.

    Called in one rank or several, each with a study of its own, after the process group was initialised and the
    schedule made, and before the first `schedule.step`. What the large job sends, computes and draws is unchanged.
    Hu et al. 2023, "Hydro", section 5.1, has the idea.

    Given the URL of a service, all ranks train its studies, those of any user: each rank becomes a slot of the service,
    as by `hippo join`, while there are bubbles. The large job never waits for the service, there or not.

    Args:
      schedule: of torch.distributed.pipelining: 1F1B, GPipe, interleaved 1F1B or looped BFS, on gloo.
      study: made with `engine=hippo.BubbleEngine(...)`, a `TorchTrainer` and numerics="fused" or "fused-fast"; or the
        URL of a service (`hippo serve --hosts`), "http://HOST:8400", with a token as in "http://NAME:TOKEN@HOST:8400".
        Studies that it has this rank train are to be of that kind, too: given another one, the rank leaves it.
      tuner: that the study's `optimize` would be given; none for a service.
      engine: for a service, how its lanes are trained here; by default as by `hippo.BubbleEngine()`.
      checkpoints: for a service, where its states are on this machine, if it has them elsewhere.
      limits: for how much it may slow the large job down, and more; by default 2 %.
      warm_up_s: seconds that the study may train alone, here and now, so that its trainer is loaded and the lengths of
        its slices are known before the first bubble; by default 10, and 0 for a service.
      grace_s: seconds that its lanes may take to come to their step's end and leave a checkpoint, when it is closed.

    Returns:
      What to close when the large job ends: a context manager, with `report()`.

    Raises:
      OptionError: the schedule leaves no bubbles that can be had, or the study cannot be trained in them.
      EngineError: torch does not wait where hippo looks.
    """
    try:
        from hippo.engines.pipeline_waits import check_schedule, has_one_rank
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError("hippo.squeeze needs torch: pip install 'hippo-tune[torch]'") from None
    given: list[tuple[str, Any]] = [("warm_up_s", 0.0 if warm_up_s is None else warm_up_s), ("grace_s", grace_s)]
    for name, seconds in given:
        if not (isinstance(seconds, Real) and 0 <= float(seconds) < float("inf")):
            raise OptionError(f"{name}={seconds!r} is no number of seconds: 0 or more")
    check_schedule(schedule)
    _check_limits(limits)
    work = _work_of(study, tuner, engine, checkpoints)
    if has_one_rank(schedule):
        warn_or_say(
            "the pipeline has one rank, which waits for no other one: there are no bubbles, and the study trains in "
            "warm_up_s and in squeezed.wait(...) alone"
        )
    squeezed = Squeeze(schedule, work, limits, grace_s)
    squeezed.warm_up((10.0 if isinstance(study, Study) else 0.0) if warm_up_s is None else warm_up_s)
    return squeezed


def _work_of(study: Any, tuner: Any, engine: Any, checkpoints: Any) -> SqueezedWork:
    """Return what is to be trained in bubbles.

    Raises:
      OptionError: it cannot be.
    """
    elsewhere = module_for(study)
    if elsewhere is None:
        for name, given in (("engine", engine), ("checkpoints", checkpoints)):
            if given is not None:
                raise OptionError(f"{name}= is for a service: hippo.create_study(..., {name}=...) says it of a study")
        _check_study(study, tuner)
        return _LocalStudy(study, tuner)
    if tuner is not None:
        raise OptionError(
            "the tuners of a service are in its users' scripts: squeeze(schedule, URL) trains what they ask"
        )
    if engine is not None and not isinstance(engine, BubbleEngine):
        raise OptionError(f"engine={engine!r} has no bubbles: give hippo.BubbleEngine(...)")
    if checkpoints is not None and not isinstance(checkpoints, str):
        raise OptionError(f"checkpoints={checkpoints!r} is no folder or URL")
    work: SqueezedWork = elsewhere.squeezed_work(study, engine or BubbleEngine(), checkpoints)
    return work


def _check_study(study: Any, tuner: Any) -> None:
    if not isinstance(study, Study):
        raise OptionError(f"{study!r} is no study: hippo.create_study(..., engine=hippo.BubbleEngine()) makes one")
    _engine_of(study)  # refuses others
    trainer = study._opened.trainer()
    numerics = next(iter(trainer.specs.values())).numerics
    if not may_fuse(numerics):
        raise OptionError(
            f"study {study.name!r} has numerics={numerics!r}: lanes in bubbles are walked as one, so make it with "
            "numerics='fused'"
        )
    from hippo.training.torch_trainer import TorchTrainer

    cls = trainer.cls
    if not issubclass(cls, TorchTrainer):
        raise OptionError(
            f"{cls.__name__} is no hippo.TorchTrainer: a step of it cannot be cut into slices that end with a bubble"
        )
    _check_device(cls)
    if not hasattr(tuner, "tune"):
        raise OptionError(f"{tuner!r} is no tuner: give hippo.GridSearch(space, until=...), say")


def _check_device(cls: type[TorchTrainer]) -> None:
    """Refuse a trainer that would compute on a GPU: nobody would wait for its slices, and its memory is not capped."""
    from hippo.training.declarative.torch_attributes import device_of

    device: Any = cls.device
    if isinstance(device, property):  # shows once there is a trainer
        return
    if device_of(device).type != "cpu":
        raise OptionError(
            f"{cls.__name__}.device = {device!r} lets it compute on a GPU, and guests live in ranks that compute on "
            "cpu: write device = 'cpu' in the class"
        )


def _check_limits(limits: BubbleLimits | None) -> None:
    from hippo.engines.bubble_policy import BubbleLimits
    from hippo.training.slice_memory import resident_reader

    if limits is not None and not isinstance(limits, BubbleLimits):
        raise OptionError(f"limits={limits!r} are none: give hippo.BubbleLimits(slowdown=0.02), say")
    if limits is not None and limits.max_bytes is not None and resident_reader() is None:
        raise OptionError(
            f"max_bytes={limits.max_bytes}: this system does not say how much memory a process has, so that it cannot "
            "be kept to. Leave it out, and bound lanes by hippo.BubbleEngine(max_lanes=...)"
        )


def _memory_of(limits: BubbleLimits | None) -> SliceMemory | None:
    """Return the cap of the guest's memory; None where nobody says how much it has, or could have."""
    import torch.distributed as dist

    from hippo.training.slice_memory import SliceMemory, free_bytes, resident_reader

    resident, free = resident_reader(), free_bytes()
    most = None if limits is None else limits.max_bytes
    if most is None and free is not None:
        most = free // (2 * dist.get_world_size())  # all ranks may be on this machine, and each have a guest
    return None if most is None or resident is None else SliceMemory(most, resident)


def _engine_of(study: Study) -> BubbleEngine:
    engine = study._runtime().engine
    if not isinstance(engine, BubbleEngine):
        raise OptionError(
            f"study {study.name!r} has engine={type(engine).__name__}: one that lives in bubbles is made with "
            "engine=hippo.BubbleEngine()"
        )
    return engine
