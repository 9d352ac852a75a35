"""What was tried, and what came of it; and how one try is bounded in time."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hippo.clock import SystemClock
from hippo.errors import HippoError
from hippo.plan.urls import shown_url


class ProbeVerdict(enum.Enum):
    """What came of a try."""

    OK = "ok"
    #: it works, and a study would wait for it
    SLOW = "slow"
    FAILED = "failed"
    #: something before it failed
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFinding:
    """One thing that was tried."""

    #: "database", "store", "engine", or "service"
    subject: str
    #: what of it: "lock"
    what: str
    verdict: ProbeVerdict
    #: what was found, or why not and what to do
    told: str
    #: how long the try took
    seconds: float


@dataclass(frozen=True, slots=True)
class Told:
    """What a try that did not fail found."""

    text: str
    is_slow: bool = False


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """A try: it returns what it found, or raises a `HippoError`."""

    what: str
    work: Callable[[], Told]


def tried(subject: str, steps: Sequence[ProbeStep], limit_s: float) -> list[ProbeFinding]:
    """Do steps one after the other, up to the first that fails.

    Args:
      subject: what they are about.
      steps: each with what the one before made.
      limit_s: a step that takes longer has failed. Its thread is left to itself: nothing else ends a call of a driver.
    """
    found: list[ProbeFinding] = []
    for step in steps:
        if any(each.verdict in (ProbeVerdict.FAILED, ProbeVerdict.SKIPPED) for each in found):
            found.append(_finding(subject, step.what, ProbeVerdict.SKIPPED, "not tried after what failed above", 0.0))
            continue
        found.append(_one(subject, step, limit_s))
    return found


def _one(subject: str, step: ProbeStep, limit_s: float) -> ProbeFinding:
    clock, outcome = SystemClock(), list[Told | Exception]()
    begun = clock.elapsed()

    def run() -> None:
        try:
            outcome.append(step.work())
        except Exception as error:  # drivers raise what they like: a doctor says so, and looks at the rest
            outcome.append(error)

    thread = threading.Thread(target=run, name=f"hippo-doctor-{subject}", daemon=True)
    thread.start()
    thread.join(limit_s)
    seconds = clock.elapsed() - begun
    if not outcome:
        why = f"no answer within {limit_s:g} s. Is it running, and reachable from this machine?"
        return _finding(subject, step.what, ProbeVerdict.FAILED, why, seconds)
    (said,) = outcome
    if isinstance(said, Told):
        verdict = ProbeVerdict.SLOW if said.is_slow else ProbeVerdict.OK
        return _finding(subject, step.what, verdict, said.text, seconds)
    why = str(said) if isinstance(said, HippoError) else shown_url(f"{type(said).__name__}: {said}")
    return _finding(subject, step.what, ProbeVerdict.FAILED, " ".join(why.split()), seconds)


def _finding(subject: str, what: str, verdict: ProbeVerdict, told: str, seconds: float) -> ProbeFinding:
    return ProbeFinding(subject=subject, what=what, verdict=verdict, told=told, seconds=seconds)
