"""Running tuners, on one study or on several at once."""

from __future__ import annotations

import concurrent.futures
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import HippoError, StudyStoppedError, TunerError
from hippo.runtime.studies.warnings import say
from hippo.study.interrupts import CTRL_C_TIMEOUT_S, Interruption, interruptible, told
from hippo.study.looking import stop_if_only_looking
from hippo.study.options import make_fair_shares
from hippo.study.resuming import say_how_to_resume
from hippo.study.schemes import module_for
from hippo.study.study import Study
from hippo.study.study_calls import Begin
from hippo.study.watching.progress import progress_bar
from hippo.training.failures import end_of


@explain_calls(
    n_trials="the tuner has it: hippo.RandomSearch(space, num_trials=..., until=...)",
    weights="it is called shares here",
)
def optimize(
    pairs: Sequence[tuple[Study, Any]],
    *,
    priorities: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
) -> None:
    """Run tuners on several studies at once: whatever they have in common is trained once.

    Studies share if their trainers, arguments, data and seeds are equal, and their storage is. Unless priorities or
    shares are given, the longest remaining way goes first whoever asked for it, which ends the whole soonest.

    Args:
      pairs: studies, each with its tuner.
      priorities: one for each pair; work of a higher one goes first, by default all are 0.
      shares: one for each pair, above 0: among equal priorities device-seconds are shared in proportion, by default
        all are 1.

    Raises:
      HippoError: bad input, before anything is begun; or the first error that stopped one of them, after the others
        have ended; other errors are said on standard error.
      TrialFailedError: all trials of a call failed; the message names the first, and what it failed of.
      KeyboardInterrupt: Ctrl-C, after running steps were saved; a second one does not wait for them.
      SystemExit: SIGTERM, after running steps were saved.
    """
    stop_if_only_looking("optimize")
    given: Any = pairs
    if not isinstance(given, Iterable):
        raise TunerError(f"hippo.optimize takes a list of pairs, [(study, tuner), ...], not {given!r}")
    checked = [_checked(pair) for pair in given]
    if not checked:
        raise TunerError("hippo.optimize was given no pair of a study and its tuner: there is nothing to run")
    fair_shares = make_fair_shares(len(checked), priorities, shares)
    prepared = [
        (study, study._calls.of_tuner(tuner, share)) for (study, tuner), share in zip(checked, fair_shares, strict=True)
    ]
    known = [study._known_trials() for study in dict.fromkeys(study for study, _ in prepared)]
    run_together(prepared)
    for study in dict.fromkeys(study for study, _ in prepared):
        study._keep_only_best()
    for trials in known:
        if trials is not None:
            trials.say_known()


def run_enqueued(study: Study) -> None:
    """Wait until all that was enqueued has an answer, while signals stop it as they stop `optimize`.

    Raises:
      TunerError: nothing was.
    """
    stop_if_only_looking("optimize")
    enqueued = study._take_enqueued()
    if not enqueued:
        raise TunerError(
            f"study {study.name!r} has nothing to run: optimize() without a tuner runs what study.enqueue(config, "
            "until=...) was given; else write study.optimize(hippo.GridSearch(space, until=...)), say"
        )
    run_together([(study, partial(_itself, future)) for future in enqueued])
    study._keep_only_best()


def _itself(future: concurrent.futures.Future[Any]) -> concurrent.futures.Future[Any]:
    return future


def run_together(prepared: Sequence[tuple[Study, Begin]]) -> list[Any]:
    """Begin calls, wait until all have ended, and return what they returned; see `optimize` for what it raises.

    Raises:
      TunerError: one of the studies runs the code that calls this.
      StudyStoppedError: an engine was closed meanwhile.
    """
    studies, is_said = [study for study, _ in prepared], False
    for study in studies:
        study._runtime().refuse_own_thread()
    try:
        with interruptible(study._runtime() for study in studies) as interruption:
            try:
                return _run(prepared, interruption)
            except (KeyboardInterrupt, SystemExit) as stop:
                if isinstance(stop, SystemExit) and not interruption.is_asked_for:
                    say(f"the program is ended by {end_of(stop)}")  # a trainer's, which Python would not say
                say_how_to_resume(studies)  # here another press does not break it off
                is_said = True
                raise
    except (KeyboardInterrupt, SystemExit) as stop:
        if not is_said:
            say_how_to_resume(studies)
        if isinstance(stop, KeyboardInterrupt):
            raise told(stop) from None
        raise


def _run(prepared: Sequence[tuple[Study, Begin]], interruption: Interruption) -> list[Any]:
    begun: list[concurrent.futures.Future[Any]] = []
    calls: deque[tuple[Study, concurrent.futures.Future[Any]]] = deque()
    results, errors, others = list[Any](), list[Exception](), dict[str, str]()
    try:
        with ExitStack() as stack:
            for runtime in dict.fromkeys(study._runtime() for study, _ in prepared):
                stack.enter_context(runtime.beginning())
            for study, begin in prepared:
                if interruption.is_asked_for:
                    break
                begun.append(begin())
                calls.append((study, begun[-1]))
        interruption.check()
        while calls:
            study, future = calls.popleft()
            try:
                results.append(_wait(study, future))
            except concurrent.futures.CancelledError:
                interruption.check()
                raise StudyStoppedError(
                    f"study {study.name!r} was stopped, or its engine closed, before this was done; the same code, run "
                    "again, goes on there"
                ) from None
            except Exception as error:
                if not future.done():
                    raise  # not the call's own: it comes from what the engine ran in this thread
                errors.append(error)
                text = _text_of(error)
                others.setdefault(text, f"study {study.name!r} was ended, too: {type(error).__name__}: {text}")
            calls.extend((study, enqueued) for enqueued in study._take_enqueued())
    except BaseException:
        if interruption.is_asked_for:
            for future in begun:
                future.cancel()  # it began after all others had been stopped
        else:
            interruption.stop_all()
            concurrent.futures.wait(begun, CTRL_C_TIMEOUT_S)  # so that the same code, run again, finds them stopped
        raise
    finally:
        for study, _ in prepared:
            study._flush_callbacks()
    if errors and interruption.is_asked_for:
        # a state that could not be written as all stopped, say: whoever catches that goes on to the next study, where
        # the signal would be forgotten
        for text in others:
            say(text)
        interruption.check()
    if errors:
        for message in list(others.values())[1:]:  # nobody else tells them
            say(message)
        # our own errors say all there is to say; the lines in which we waited would only hide that
        raise errors[0].with_traceback(None) if isinstance(errors[0], HippoError) else errors[0]
    return results


def _text_of(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # a class of the tuner's own: what it raises here would end the studies that go on
        return "<exception str() failed>"


def _checked(pair: Any) -> tuple[Study, Any]:
    """Return a study and its tuner.

    Raises:
      TunerError: it is no such pair.
    """
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    if is_pair and module_for(getattr(pair[0], "storage", None)) is not None:
        raise TunerError(
            f"hippo.optimize runs studies of this process together, and {pair[0]!r} is trained at a service, which "
            "shares what several scripts ask: study.optimize(tuner) in each"
        )
    if not (is_pair and isinstance(pair[0], Study)):
        raise TunerError(
            f"hippo.optimize takes pairs of a study and its tuner, [(study, tuner), ...], not {pair!r}; "
            "for one study write study.optimize(tuner)"
        )
    return pair[0], pair[1]


def _wait(study: Study, future: concurrent.futures.Future[Any]) -> Any:
    with progress_bar(study._progress, title=study.name, steps=study._steps_executed):
        return study._runtime().serve(future)
