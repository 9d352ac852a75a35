"""`hippo check`: whether a trainer resumes exactly, and if not, what it forgets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.importing import configs_of, imported_trainer
from hippo.cli.options import format_option, opened, storage_option
from hippo.cli.output import say, show, show_json, show_text, sign_of_life

if TYPE_CHECKING:
    from hippo import Config, Trainer
    from hippo.study.checking.trainer_check import TrainerCheck
    from hippo.surrogates import CoordinateCheck

    NamedValueType = click.ParamType[tuple[str, Any]]
else:
    NamedValueType = click.ParamType  # which takes a type since click 8.4

#: so many times narrower a surrogate is taken to be, where nobody says
DEFAULT_SCALE = 8


#: a number as Python writes it, and JSON does not
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
#: likewise; as a text, "False" would count as true
_NAMES = {"True": True, "False": False, "None": None}


class NamedValue(NamedValueType):
    """A name and a value, as in lr=0.1: what JSON reads is that, and so are .1, True and None; all else is text."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, equals, text = str(value).partition("=")
        if not equals or not name.strip():
            self.fail(f"{value!r} is not of the form NAME=VALUE, such as lr=0.1", param, ctx)
        try:
            return name.strip(), json.loads(text)
        except ValueError:
            return name.strip(), float(text) if _NUMBER.fullmatch(text) else _NAMES.get(text.strip(), text)


@click.command()
@click.argument("trainer", metavar="MODULE:CLASS")
@click.option("--hparam", "hparams", type=NamedValue(), multiple=True, help="A hyper-parameter; repeat it for others.")
@click.option("--space", metavar="MODULE:NAME", help="Train the first config of this space, before --hparam.")
@click.option("--study", help="Train the first config of this study, with its seed and trainer arguments.")
@click.option("--arg", "arguments", type=NamedValue(), multiple=True, help="An argument of the trainer's __init__.")
@click.option("--steps", type=click.IntRange(min=2), default=8, show_default=True, help="Steps that are trained.")
@click.option("--seed", type=int, help="Of all chance.  [default: 0]")
@click.option(
    "--numerics",
    default="exact",
    show_default=True,
    help="As in create_study; with fused, also tell whether trials are walked as one program.",
)
@click.option(
    "--scale",
    type=click.IntRange(min=2),
    help="So many times narrower a surrogate will be.  [default: 8, where make_model calls scaled]",
)
@storage_option
@format_option
def check(
    trainer: str,
    hparams: Sequence[tuple[str, Any]],
    space: str | None,
    study: str | None,
    arguments: Sequence[tuple[str, Any]],
    steps: int,
    seed: int | None,
    numerics: str,
    scale: int | None,
    storage: str,
    form: str,
) -> int:
    """Tell whether the trainer CLASS of MODULE resumes exactly; if not, name what it forgets.

    MODULE is looked for in the current folder, too, and may be a file, as in digits.py:DigitsTrainer. A few steps are
    trained in worker processes, in several ways that must come to the same bits. No database is written. Ends with 0 if
    the trainer is proven for these steps, with 1 if not. Where its model can be narrowed, it is also told whether what
    suits a narrower one suits the model: the coordinate check, which ends with 1, too, where it fails.
    """
    from hippo.study.checking.trainer_check import check_trainer

    if space is not None and study is not None:
        raise click.UsageError("--space and --study both say what is trained; give one")
    cls, runs_a_study = imported_trainer(trainer)
    config: dict[str, Any] = {} if space is None else dict(configs_of(space, or_first=True)[0])
    trainer_args, its_seed = dict(arguments), seed
    if study is not None:
        its_config, its_args, its_seed = _of_study(study, storage)
        config, trainer_args = dict(its_config), {**its_args, **trainer_args}
    config, its_seed = {**config, **dict(hparams)}, seed if seed is not None else its_seed or 0
    coordinates = _coordinates_of(cls, config, trainer_args, its_seed, scale)
    with sign_of_life(f"training {steps} steps of {cls.__name__} in several ways"):
        result = check_trainer(
            cls,
            config,
            trainer_args=trainer_args,
            steps=steps,
            seed=its_seed,
            numerics=numerics,
            by_value=runs_a_study,
        )
    _show(result, coordinates, form)
    return 0 if result.is_proven and (coordinates is None or coordinates.is_passed) else 1


def _coordinates_of(
    cls: type[Trainer], config: Mapping[str, Any], trainer_args: Mapping[str, Any], seed: int, scale: int | None
) -> CoordinateCheck | None:
    """Return the coordinate check of a trainer whose model can be narrowed, or which is asked for; else None."""
    from hippo.errors import OptionError, TrainerError
    from hippo.training.coordinate_check import calls_scaled, coordinate_check

    if scale is None and not calls_scaled(cls):
        return None
    with sign_of_life(f"training {cls.__name__} at several widths"):
        try:
            return coordinate_check(cls, config, scale=scale or DEFAULT_SCALE, trainer_args=trainer_args, seed=seed)
        except (TrainerError, OptionError) as error:
            if scale is not None:
                raise
            say(f"no coordinate check at 1/{DEFAULT_SCALE} (--scale says another): {error}")
            return None


def _of_study(name: str, storage: str) -> tuple[Config, dict[str, Any], int]:
    """Return what a study trains first: config, arguments of its trainer, seed."""
    from hippo.study.checking.trainer_check import what_a_study_trains

    return what_a_study_trains(opened(name, storage))


def _show(result: TrainerCheck, coordinates: CoordinateCheck | None, form: str) -> None:
    if form == "table":
        show_text(str(result))
        if coordinates is not None:
            show_text(f"\n{coordinates}")
        return
    rows = [
        {"comparison": each.what, "verdict": each.verdict.value, "steps": each.steps, "reason": each.reason}
        for each in result.comparisons
    ]
    if form == "csv":
        show(rows + ([] if coordinates is None else [_row(coordinates)]), form)
        return
    findings = [
        {"step": each.step, "method": each.method, "name": each.name, "message": each.message}
        for each in result.findings
    ]
    costs = result.costs
    show_json(
        {
            "trainer": result.trainer,
            "is_proven": result.is_proven,
            "steps": result.steps,
            "seed": result.seed,
            "config": result.config.params,
            "comparisons": rows,
            "findings": findings,
            "notes": result.notes,
            "fusion": None if result.fusion is None else asdict(result.fusion),
            "coordinates": None if coordinates is None else {**asdict(coordinates), "is_passed": coordinates.is_passed},
            "costs": {
                "step_s": costs.step_s,
                "evaluation_s": costs.evaluation_s,
                "saving_s": costs.saving_s,
                "state_bytes": costs.state_bytes,
                "own_s": costs.own_s,
                "own_share": costs.own_share,
            },
        }
    )


def _row(coordinates: CoordinateCheck) -> dict[str, Any]:
    """Return a coordinate check as one of the comparisons."""
    verdict, reason = ("passed", "") if coordinates.is_passed else ("failed", str(coordinates))
    return {"comparison": "coordinate check", "verdict": verdict, "steps": coordinates.num_updates, "reason": reason}
