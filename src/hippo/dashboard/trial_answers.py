"""What the page is told of one trial. This module refuses to know the web."""

from __future__ import annotations

from typing import Any

from hippo.dashboard.plain import plain_number, written
from hippo.study import Study, Trial
from hippo.study.results.trial_lines import trial_way

#: steps of one trial of which metrics are told: the last ones
_MOST_STEPS = 1_000


def trial_answer(study: Study, number: int) -> dict[str, Any]:
    """Return all about one trial.

    Raises:
      OptionError: there is none of this number.
    """
    trial = study.trial(number)
    history = [
        [step, {name: plain_number(value) for name, value in each.items()}] for step, each in trial.history.items()
    ]
    view, own = study.read(), trial.replicates or (trial,)
    way = [(each.member, span) for each in own for span in trial_way(view, each.number, each.member)]
    return {
        **trial_row(trial),
        "way": [{"member": member, "node": node, "start": start, "stop": stop} for member, (node, start, stop) in way],
        "config": {name: repr(sequence) for name, sequence in trial.config.sequences},
        "values": {name: written(value) for name, value in trial.config.to_json().items()},
        "until": trial.until,
        "history": history[-_MOST_STEPS:],
        "error": trial.error,
        "traceback": trial.traceback,
    }


def trial_row(trial: Trial) -> dict[str, Any]:
    """Return what a table of trials says of one."""
    return {
        "number": trial.number,
        "state": trial.state.value,
        "step": trial.step,
        "value": plain_number(trial.value),
        "seconds": trial.seconds,
        "params": params_text(trial)[:500],
        "error": trial.error[:300],
    }


def params_text(trial: Trial) -> str:
    """Return all hyper-parameters of a trial as one text."""
    return ", ".join(f"{name}={sequence!r}" for name, sequence in trial.config.sequences)
