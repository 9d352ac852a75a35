"""`hippo reproduce`: whether a recorded trial comes to the same bits again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hippo.cli.importing import find_modules_here, imported_trainer
from hippo.cli.options import (
    NumberOrBest,
    TrialNumber,
    check_storage,
    format_option,
    generation_option,
    scale_option,
    storage_option,
    trial_of,
)
from hippo.cli.output import show, show_json, show_text, sign_of_life

if TYPE_CHECKING:
    from hippo.study.reproduction import Reproduction


@click.command()
@click.argument("study")
@click.argument("trial", type=TrialNumber())
@click.option("--seed", type=int, help="Which of the seeds, of a study with several.")
@click.option("--checkpoints", help="Folder of the training states.  [default: where they were written]")
@click.option("--trainer", metavar="MODULE:CLASS", help="The trainer, if it cannot be imported by the name it had.")
@storage_option
@generation_option
@scale_option
@format_option
def reproduce(
    study: str,
    trial: NumberOrBest,
    seed: int | None,
    checkpoints: str | None,
    trainer: str | None,
    storage: str,
    generation: int | None,
    scale: str | None,
    form: str,
) -> int:
    """Train TRIAL of STUDY, by number or as "best", once more, alone, and compare it with its record bit for bit.

    Database and checkpoints may be copies from another machine; nothing is written to them. Where something differs,
    the first such step is named, the part of the state if a checkpoint is there, and what of the environment is another
    one here. Ends with 0 if all is equal, with 1 if not.
    """
    import hippo

    check_storage(storage)
    find_modules_here()
    cls, runs_a_study = (None, False) if trainer is None else imported_trainer(trainer)
    loaded = hippo.load_study(study, storage=storage, generation=generation, trainer=cls)
    found = trial_of(loaded, trial, scale)
    with sign_of_life(f"training trial {found.number} of {study!r} again, {found.step} steps"):
        result = loaded.reproduce(found, seed, checkpoints=checkpoints, trainer=cls if runs_a_study else None)
    if form == "table":
        show_text(str(result))
    elif form == "json":
        show_json(_row(result))
    else:
        show([_row(result)], form)
    return 0 if result.is_equal else 1


def _row(result: Reproduction) -> dict[str, object]:
    parted = result.parted
    return {
        "study": result.study,
        "trial": result.trial,
        "member": result.member,
        "is_equal": result.is_equal,
        "steps": result.steps,
        "steps_trained": result.steps_trained,
        "evaluations": result.evaluations,
        "states": result.states,
        "first_difference": None if parted is None else parted.step,
        "metrics": None if parted is None else parted.metrics,
        "train_metrics": None if parted is None else parted.training,
        "paths": None if parted is None or parted.paths is None else list(parted.paths),
        "error": "" if result.failure is None else result.failure.error,
        "environment": result.environment,
        "notes": [*result.causes, *result.notes],
    }
