"""Callbacks: code of the user's that hears what happens to trials, in the process that runs the study.

They run on a thread of their own, one event after the other, so a slow one holds up no training, and one that raises
is reported and dropped while the study goes on. This module refuses to know what any of them does.
"""

from __future__ import annotations

import collections
import threading
import traceback
from collections.abc import Sequence

from hippo.errors import OptionError, did_you_mean
from hippo.runtime.studies.observers import (
    StepEvaluated,
    StepTrained,
    StudyBegun,
    StudyEvent,
    StudyWarned,
    TrialAnswered,
    TrialEnded,
    TrialFailed,
    study_of,
)
from hippo.saying import write_line
from hippo.training.process.turns import within_this_turn

#: how often a wait for callbacks looks whether somebody wants to stop it
_WAKE_S = 0.25
#: the thread waits so long for more: beginning one each time would hold up who tells, hundreds of times a second
_LINGER_S = 1.0


class Callback:
    """Hears what happens to the trials of a study; override what you want to hear of.

    Given as `hippo.create_study(..., callbacks=[...])`. One callback may be given to several studies: each event names
    its own. A script that is run again tells everything again from the start, known answers marked as such, so that
    whatever a callback keeps can be made complete after a crash.
    """

    def on_begin(self, event: StudyBegun) -> None:
        """A study is about to tell something; each study that the callback is given to says so once, first of all."""

    def on_step(self, event: StepTrained) -> None:
        """A step of a trial's path was trained. Trials that share it are each told, later ones when they come."""

    def on_evaluated(self, event: StepEvaluated) -> None:
        """A trial's path was evaluated after a step."""

    def on_answered(self, event: TrialAnswered) -> None:
        """The tuner was told a trial's metrics."""

    def on_failure(self, event: TrialFailed) -> None:
        """A trial failed."""

    def on_trial_end(self, event: TrialEnded) -> None:
        """A trial got its last state."""

    def flush(self) -> None:
        """A call of `optimize` has ended, however: what was told should now be where it is kept."""

    @property
    def hears_failures_only(self) -> bool:
        """Whether all that is overridden tells of failures: studies of a million trials spare the rest."""
        return not any(getattr(type(self), name) is not getattr(Callback, name) for name in _ALL_BUT_FAILURES)


class GenerationCallback(Callback):
    """Tells the generations of a study apart, by the names under which it keeps what it hears of them."""

    def __init__(self) -> None:
        #: by the identity of the study
        self._generations: dict[str, int] = {}

    def on_begin(self, event: StudyBegun) -> None:
        self._generations[event.identity] = event.generation

    def study_of(self, event: StudyEvent) -> str:
        """Return the name of an event's study: of a later generation, and of each member, one of its own."""
        return study_of(event, self._generations.get(event.identity, 1))


_METHODS = {
    StepTrained: "on_step",
    StepEvaluated: "on_evaluated",
    TrialAnswered: "on_answered",
    TrialFailed: "on_failure",
    TrialEnded: "on_trial_end",
}
_HEARD = ["on_begin", *_METHODS.values()]
#: `on_begin` comes with the first event, whichever that is
_ALL_BUT_FAILURES = [name for name in _HEARD if name != "on_failure"]


def check_callbacks(callbacks: Sequence[Callback] | None) -> tuple[Callback, ...]:
    """Return the callbacks of a study.

    Raises:
      OptionError: one of them is none, or has a method that looks like a misspelt one.
    """
    if callbacks is not None and not isinstance(callbacks, list | tuple):
        raise OptionError(f"callbacks must be a list of hippo.Callback objects, not {callbacks!r}")
    for callback in callbacks or ():
        if isinstance(callback, type):
            raise OptionError(f"callbacks: {callback.__name__} is a class; give an object, {callback.__name__}(...)")
        if not isinstance(callback, Callback):
            raise OptionError(
                f"callbacks: {callback!r} is not derived from hippo.Callback; write a class with the methods you need "
                f"({', '.join(_HEARD)})"
            )
        for name in vars(type(callback)):
            if name.startswith("on_") and not hasattr(Callback, name):
                raise OptionError(
                    f"callbacks: {type(callback).__name__}.{name} would never be called; there are "
                    f"{', '.join(_HEARD)}." + did_you_mean(name, _HEARD)
                )
    return tuple(callbacks or ())


class CallbackThread:
    """The observer of a study that hands its events to callbacks, on a thread that lives while there are some to come.

    Args:
      callbacks: who hears, in this order.
      begun: what they are told before the first event.
    """

    def __init__(self, callbacks: Sequence[Callback], begun: StudyBegun | None = None) -> None:
        self._callbacks = list(callbacks)
        self._begun = begun
        self._events: collections.deque[StudyEvent] = collections.deque()
        self._changed = threading.Condition()
        #: whether there is a thread, and whether callbacks have not heard everything yet
        self._is_running = False
        self._is_busy = False
        #: that thread, if there is one
        self._thread: int | None = None

    @property
    def hears_failures_only(self) -> bool:
        return all(callback.hears_failures_only for callback in self._callbacks)

    def observe(self, event: StudyEvent | StudyWarned) -> None:
        if isinstance(event, StudyWarned):
            return  # it was warned of in this process
        with self._changed:
            self._events.append(event)
            self._is_busy = True
            if self._is_running:
                self._changed.notify_all()
                return
            self._is_running = True
        # a trainer that trains another study waits for its callbacks, which may load what that has trained
        threading.Thread(target=within_this_turn(self._work), name="hippo-callbacks", daemon=True).start()

    def flush(self) -> None:
        """Wait until callbacks have heard everything that was told before, and let them write it where it is kept."""
        if self._thread == threading.get_ident():
            return  # a callback runs something of the study itself: it would wait for its own end
        with self._changed:
            while self._is_busy:
                self._changed.wait(_WAKE_S)  # in parts: a wait without end cannot be interrupted everywhere
        for callback in list(self._callbacks):
            self._call(callback, "flush")

    def _work(self) -> None:
        self._thread = threading.get_ident()
        if self._begun is not None:
            begun, self._begun = self._begun, None
            for callback in list(self._callbacks):
                self._call(callback, "on_begin", begun)
        while True:
            with self._changed:
                if not self._events:
                    self._is_busy = False
                    self._changed.notify_all()
                    if not self._changed.wait_for(lambda: self._events, _LINGER_S):
                        self._is_running, self._thread = False, None
                        return
                event = self._events.popleft()
            for callback in list(self._callbacks):
                self._call(callback, _METHODS[type(event)], event)

    def _call(self, callback: Callback, method: str, *arguments: StudyEvent | StudyBegun) -> None:
        try:
            getattr(callback, method)(*arguments)
        except BaseException:  # sys.exit() too: on this thread it would end nothing but what others wait for
            with self._changed:  # another thread may flush it
                if all(callback is not each for each in self._callbacks):
                    return  # which has said so
                self._callbacks = [each for each in self._callbacks if each is not callback]
            write_line(
                f"hippo: the callback {type(callback).__name__} raised in {method}() and is told nothing more; the "
                f"study goes on.\n{traceback.format_exc()}".rstrip()
            )
