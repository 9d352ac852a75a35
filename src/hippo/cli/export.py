"""`hippo export`: the weights of a trial as a file of their own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hippo.cli.options import (
    NumberOrBest,
    TrialNumber,
    generation_option,
    opened,
    scale_option,
    storage_option,
    trial_of,
)
from hippo.cli.output import say, warnings_as_lines
from hippo.errors import HippoError


@click.command()
@click.argument("study")
@click.argument("trial", type=TrialNumber())
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(("model", "state")),
    default="model",
    show_default=True,
    help="The state_dict of the model, or of the average of its weights; or all that the trainer's state_dict() has.",
)
@click.option("--seed", type=int, help="Which of the seeds, of a study with several.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
@storage_option
@generation_option
@scale_option
def export(
    study: str,
    trial: NumberOrBest,
    file: Path,
    form: str,
    seed: int | None,
    overwrite: bool,
    storage: str,
    generation: int | None,
    scale: str | None,
) -> None:
    """Write the weights of TRIAL of STUDY, by number or as "best", to FILE.

    model.load_state_dict(torch.load(FILE)) loads them; the trainer's class is not needed.
    """
    if file.exists() and not overwrite:
        raise click.BadParameter(f"{str(file)!r} exists already; --overwrite replaces it")
    if not file.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(file.absolute().parent)!r} to write {file.name!r} to")
    found = trial_of(opened(study, storage, generation), trial, scale)
    try:
        import torch
    except ImportError:
        raise HippoError("hippo export needs torch: pip install 'hippo-tune[torch]'") from None
    with warnings_as_lines():
        state = found.load_state(seed)
    exported = state if form == "state" else _model_of(state)
    _write(file, lambda part: torch.save(exported, part))
    say(f"wrote the {form} of trial {found.number} of {study!r} after {found.step} steps to {file}")


def _model_of(state: Any) -> Any:
    """Return the model's part of a training state: a TorchTrainer's is called so, and others may follow it.

    Where weights are averaged it is the average, which was evaluated.
    """
    model = state.get("model") if isinstance(state, Mapping) else None
    if isinstance(model, Mapping) and (average := _averaged_model(state)) is not None:
        return average
    if not isinstance(model, Mapping):
        found = f"it has {sorted(map(str, state))}" if isinstance(state, Mapping) else f"it is a {type(state).__name__}"
        raise click.UsageError(
            f"this trainer's state has no 'model' that is a state_dict, as a TorchTrainer's has; {found}. "
            "--format state writes all of it"
        )
    return model


def _averaged_model(state: Mapping[str, Any]) -> Any:
    """Return the average of weights in a `TorchTrainer`'s state; None where there is none, or none yet."""
    average = state.get("average")
    if not isinstance(average, Mapping) or average.keys() != {"model", "updates"} or not average["updates"]:
        return None
    return average["model"]


def _write(file: Path, write: Any) -> None:
    """Write aside, then rename: a file that is there is whole."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        write(part)
        os.replace(part, file)
    except OSError as error:
        raise HippoError(f"{str(file)!r} cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
