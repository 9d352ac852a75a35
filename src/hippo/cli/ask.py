"""`hippo ask` and `hippo tell`: for optimisers that are no Python, or no process: a shell script, an agent."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from hippo.cli.importing import find_modules_here, imported_trainer
from hippo.cli.options import check_storage, format_option, opened, storage_option
from hippo.cli.output import say, show, warnings_as_lines
from hippo.cli.printed import has_sequence, needs_rows, put_together, refuse_namesakes
from hippo.cli.results import metrics_of, trial_row
from hippo.errors import did_you_mean

if TYPE_CHECKING:
    from hippo import Answer, Config, Study


#: methods of sequences that return sequences
_GOING_ON = ("take", "then")


@click.command()
@click.argument("study")
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...")
@click.option("--until", type=click.IntRange(min=1), required=True, help="Steps, counted from the beginning.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes.  [default: one a config, at most one a core]")
@click.option("--trainer", metavar="MODULE:CLASS", help="The trainer, if it cannot be imported by the name it had.")
@storage_option
@format_option
def ask(
    study: str, configs: tuple[str, ...], until: int, workers: int | None, trainer: str | None, storage: str, form: str
) -> int:
    """Train each CONFIG of STUDY to a step, and print what it came to: a trial each, in the order of the configs.

    A CONFIG is a JSON object, '{"lr": 0.1, "momentum": 0.9}'; a sequence is written as `hippo trials --format json`
    prints it, '{"lr": "MultiStep(0.1, [8], 0.1)"}': the table rounds. "-" reads one from each line of standard input.
    What any trial has trained is not trained again: asked for more steps, a config goes on. Ends with 1 if a trial
    failed.
    """
    from hippo import LocalEngine, load_study
    from hippo.hparams import Config

    lines = [line for config in configs for line in (_lines() if config == "-" else [config])]
    written = [config_of(line) for line in lines]
    asked = [Config(config) for config in written]
    if not asked:
        raise click.UsageError("standard input has no config: write a JSON object in each line")
    check_storage(storage)
    find_modules_here()
    cls = None if trainer is None else imported_trainer(trainer)[0]
    engine = LocalEngine(workers=workers or min(len(asked), os.cpu_count() or 1))
    loaded = load_study(study, storage=storage, engine=engine, trainer=cls)
    with warnings_as_lines():
        try:
            if any(needs_rows(config) or has_sequence(config) for config in written):
                known = [trial.config for trial in loaded.trials]
                refuse_namesakes(written, known)
                asked = [Config(put_together(config, known) if needs_rows(config) else config) for config in written]
            answers = asyncio.run(_answers(loaded, asked, until))
        finally:
            loaded.close()
    trials = {trial.number: trial for trial in loaded.trials}
    told = [trials[answer.trial] for answer in answers]
    show([{**trial_row(trial, form), **metrics_of(trial)} for trial in told], form, title=study)
    return 1 if any(answer.failure is not None for answer in answers) else 0


@click.command()
@click.argument("study")
@click.argument("state", type=click.Choice(["pruned", "complete"]))
@click.argument("numbers", nargs=-1, required=True, type=click.IntRange(min=0), metavar="TRIAL...")
@storage_option
def tell(study: str, state: str, numbers: Sequence[int], storage: str) -> None:
    """Tell STUDY that TRIALs, by number, are pruned: `best` compares those that are complete; or complete after all.

    For an optimiser that asks for a few steps first, and goes on with the best. Trials that failed, or are on their
    way, stay what they are.
    """
    from hippo.records import TrialState
    from hippo.study import end_trials

    loaded = opened(study, storage)
    ended = end_trials(loaded, numbers, TrialState[state.upper()])
    others = sorted(set(numbers) - set(ended))
    if ended:
        which = f"trial {ended[0]}" if len(ended) == 1 else f"trials {', '.join(map(str, ended))}"
        say(f"{which} of study {study!r} {'is' if len(ended) == 1 else 'are'} {state}")
    if others:
        raise click.UsageError(f"not changed: {', '.join(map(str, others))}, which failed or are on their way")


async def _answers(study: Study, configs: Sequence[Config], until: int) -> list[Answer]:
    return await asyncio.gather(*(study.ask(config, until=until) for config in configs))


def _lines() -> Iterator[str]:
    return (line for line in sys.stdin if line.strip())


def _each_name_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON as a dictionary; JSON itself takes the last value where a name has several."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} has two values")
    return found


def config_of(text: str) -> dict[str, Any]:
    """Return the config that a JSON object stands for, in which texts such as "Cosine(0.1, 100)" are sequences.

    Raises:
      click.BadParameter: it is no JSON object.
      HparamError: a sequence has wrong arguments.
    """
    try:
        found = json.loads(text, object_pairs_hook=_each_name_once)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no JSON object, such as '{{\"lr\": 0.1}}': {error}") from None
    if not isinstance(found, dict) or not found:
        raise click.BadParameter(
            f'{text!r} is no JSON object with a value for each hyper-parameter, such as {{"lr": 0.1}}'
        )
    return {name: _value(value) for name, value in found.items()}


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _value(each) for name, each in value.items()}
    return value if not isinstance(value, str) else _sequence_of(value)


def _sequence_of(text: str) -> Any:
    """Return the sequence that a text is the formula of, or the text."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError):  # no formula, or what nobody writes as one
        return text
    called = _called(tree)
    if called is None:
        return text
    if _is_sequence(called):
        return _made(tree)
    from hippo import hparams

    if hint := did_you_mean(called, filter(_is_sequence, hparams.__all__)):
        raise click.BadParameter(f"{text!r} is no sequence, and would be a text.{hint}")
    return text


def _called(tree: ast.expr) -> str | None:
    """Return the name that a formula begins with: of `Exponential(0.1, 0.9).take(5)`, too; None if it is none."""
    if not isinstance(tree, ast.Call):
        return None
    if isinstance(tree.func, ast.Attribute):
        if tree.func.attr in _GOING_ON:
            return _called(tree.func.value)
        is_ours = isinstance(tree.func.value, ast.Name) and tree.func.value.id == "hippo"
        return tree.func.attr if is_ours else None
    return tree.func.id if isinstance(tree.func, ast.Name) else None


def _is_sequence(name: str) -> bool:
    from hippo import hparams

    cls = getattr(hparams, name, None)
    return isinstance(cls, type) and issubclass(cls, hparams.Sequence)


def _made(tree: ast.expr) -> Any:
    from hippo import hparams

    called = _called(tree)
    if isinstance(tree, ast.Call) and called is not None and _is_sequence(called):
        named = {str(keyword.arg): _made(keyword.value) for keyword in tree.keywords}
        if isinstance(tree.func, ast.Attribute) and tree.func.attr in _GOING_ON:
            return getattr(_made(tree.func.value), tree.func.attr)(*map(_made, tree.args), **named)
        return getattr(hparams, called)(*map(_made, tree.args), **named)
    if isinstance(tree, ast.List | ast.Tuple):
        return [_made(each) for each in tree.elts]
    try:
        return ast.literal_eval(tree)
    except ValueError:
        raise click.BadParameter(f"{ast.unparse(tree)!r} is neither a value nor a sequence of hippo's") from None
