"""Whose turn it is to train in this process, and the global generators of those who wait meanwhile.

Generators, determinism flags, settings and the current folder are the whole process's: two trainers at once would draw
each other's numbers. So threads that train take turns, an assignment each, whichever engine or study it is for; and
whoever loads a model takes one, too. A worker process has one such thread. This module refuses to know what is trained.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import Context, ContextVar

from hippo.saying import say
from hippo.training.process.streams import HeldStates, fence

#: how often a thread that waits for its turn looks whether it still wants it
_LOOK_UP_S = 0.1
#: after so many looks a line says what it waits for, once in a process: a lane may go on for hours
_SAID_AFTER = 50

#: whether the code that runs is a trainer's: it may train another study, also in a thread that hippo began for it
_is_in_turn: ContextVar[bool] = ContextVar("hippo_is_in_turn", default=False)


class _TrainingThreads:
    """What threads that train in this process share."""

    def __init__(self) -> None:
        #: held by the one that trains
        self.lock = threading.Lock()
        self.is_said = False
        #: guards what follows, and the moment at which a turn ends
        self.guard = threading.Lock()
        #: the generators as they were before one that serves an engine trained; None: they are given back
        self.found: AbstractContextManager[HeldStates] | None = None
        #: one that served has left in the middle of another one's turn, at whose end they are given back
        self.is_owed = False

    def give_back(self) -> None:
        """Give the generators back what they had. Guarded, and in nobody else's turn."""
        found, self.found, self.is_owed = self.found, None, False
        if found is not None:
            found.__exit__(None, None, None)


_turns = _TrainingThreads()


@contextmanager
def turn_taken(check: Callable[[], None] = lambda: None, *, serves: bool = False) -> Iterator[None]:
    """Run a trainer's code in the block, while no other thread does.

    Args:
      check: called now and then while another one does; what it raises ends the wait.
      serves: it is within `generators_kept`, which sees to the generators; others keep them by themselves.
    """
    if _is_in_turn.get():
        yield
        return
    turns, num_looks = _turns, 0
    while not turns.lock.acquire(timeout=_LOOK_UP_S):
        check()
        num_looks += 1
        if num_looks == _SAID_AFTER and not turns.is_said:
            turns.is_said = True
            say(
                "another thread of this process trains, and one waits until what it trains has ended: for ever, if "
                "that is a trainer which waits for this very thread. To train or load models beside it use worker "
                "processes: engine=hippo.LocalEngine(workers=1)"
            )
    token = _is_in_turn.set(True)
    try:
        if serves:
            with turns.guard:
                if turns.found is None:
                    turns.found = fence()
                    turns.found.__enter__()
        yield
    finally:
        _is_in_turn.reset(token)
        with turns.guard:
            if turns.is_owed:
                turns.give_back()
            turns.lock.release()


def within_this_turn(work: Callable[[], None]) -> Callable[[], None]:
    """Return what does this in another thread, for which the calling one may wait: it shares the turn, if there is one.

    Nothing else of the caller's context goes along.
    """
    context = Context()
    context.run(_is_in_turn.set, _is_in_turn.get())
    return functools.partial(context.run, work)


@contextmanager
def generators_kept() -> Iterator[None]:
    """Give the global generators back what they had before turns in the block, at its end.

    If another thread trains then, and draws from them, at the end of its turn; one that only waits for work has them
    given back, too, for it may wait for ever.
    """
    if _is_in_turn.get():
        with fence():
            yield
        return
    turns = _turns
    try:
        yield
    finally:
        with turns.guard:
            if turns.lock.acquire(blocking=False):
                turns.give_back()
                turns.lock.release()
            else:
                turns.is_owed = turns.found is not None


def _forget_parents_threads() -> None:
    global _turns
    _turns = _TrainingThreads()


os.register_at_fork(after_in_child=_forget_parents_threads)
