"""What workers noticed of a trainer, told to its users once: no facts come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.errors import did_you_mean
from hippo.events import (
    ChangeUnread,
    HparamsUnread,
    LaneEvent,
    RecordingRefused,
    SettingsLeft,
    SurrogateTold,
    UpdatesCompiled,
)
from hippo.runtime.plans.outcomes import Outcome

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


def tell(run: PlanRun, event: LaneEvent, outcome: Outcome) -> None:
    """Note what users should hear of what a worker noticed, if it is news to them."""
    match event:
        case SettingsLeft():
            _tell_settings(run, event, outcome)
        case HparamsUnread():
            _tell_unread(run, event, outcome)
        case ChangeUnread():
            _tell_unread_change(run, event, outcome)
        case SurrogateTold(message=message):
            if run.is_news(message):
                outcome.warnings.append(message)
        case UpdatesCompiled():
            _tell_compiled(run, event, outcome)
        case RecordingRefused(reason=reason):
            if run.is_news(f"not recorded: {reason}"):
                which = run.spec.reference or "this trainer"
                outcome.news.append(f"kernels of updates of {which} are launched one by one: {reason}")
        case _:
            pass


def _tell_settings(run: PlanRun, event: SettingsLeft, outcome: Outcome) -> None:
    news = [change for change in event.changes if run.is_news(f"{event.where} {change}")]
    if news:
        outcome.warnings.append(
            f"the trainer left settings of the whole process changed after {event.where}: {'; '.join(news)}. They were "
            "set back, so that every trial begins alike. What shall hold in each trial belongs into build()."
        )


def _tell_unread(run: PlanRun, event: HparamsUnread, outcome: Outcome) -> None:
    if [name for name in event.names if run.is_news(_nobody_reads(name))]:
        hints = "".join(did_you_mean(name, event.read) for name in event.names)
        steps = "step" if event.steps == 1 else f"{event.steps} steps"
        outcome.warnings.append(
            f"the trainer did not look at {sorted(event.names)} in its first {steps}; it read {sorted(event.read)}."
            + hints
        )


def _tell_unread_change(run: PlanRun, event: ChangeUnread, outcome: Outcome) -> None:
    name = event.name
    if run.is_news(_nobody_reads(name)):
        outcome.warnings.append(
            f"{name!r} changed from {event.before} to {event.after} at step {event.step}, and the trainer has not "
            f"looked at it since: setup(), train() and evaluate() left it unread. So it trains on with what it made of "
            f"the old value, and trials that differ in {name!r} later may come out alike. Write setup(self, hp), which "
            f"is called when values change, and apply hp[{name!r}] there if {name!r} is in hp; or read "
            f"self.hp[{name!r}] in train()."
        )


def _nobody_reads(name: str) -> str:
    """Return under what is noted that it was told: whoever heard that a name is never read needs to hear no more."""
    return f"nobody reads {name}"


def _tell_compiled(run: PlanRun, event: UpdatesCompiled, outcome: Outcome) -> None:
    which = f"updates of {run.spec.reference or 'this trainer'}"
    if event.refusal and run.is_news(f"not compiled: {event.refusal}"):
        outcome.warnings.append(f"{which} are computed without being compiled: {event.refusal}")
    elif not event.refusal and run.is_news("compiled"):
        outcome.news.append(f"{which} were compiled, in {event.seconds:.0f} s (said once)")
