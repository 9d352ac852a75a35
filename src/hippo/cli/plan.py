"""`hippo plan`: how much a search space would share, before anything runs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hippo.cli.options import format_option
from hippo.cli.output import show

if TYPE_CHECKING:
    from hippo.hparams import Config


@click.command()
@click.argument("space", metavar="MODULE:NAME")
@click.option("--until", type=click.IntRange(min=1), required=True, help="Steps that each config is trained for.")
@format_option
def plan(space: str, until: int, form: str) -> None:
    """Show the merge rate of the search space NAME in MODULE, before anything runs.

    NAME is a space, a list of configs, or a function that returns one. MODULE is looked for in the current folder, too.
    """
    from hippo.cli.near import near_misses
    from hippo.hparams import merge_rate

    configs = configs_of(space)
    rate = merge_rate(configs, until=until)
    asked = len(configs) * until
    distinct = round(asked / rate)
    row = {
        "configs": len(configs),
        "until": until,
        "steps_asked": asked,
        "steps_distinct": distinct,
        "merge_rate": rate,
    }
    show([row], form, title=space)
    for name, a, b in near_misses(configs, until=until):
        click.echo(f"hippo: {name}: {a!r} and {b!r} are nearly, but not exactly, equal: they share nothing", err=True)


def configs_of(reference: str) -> list[Config]:
    """Import "module:name" and return the configs that it stands for."""
    from hippo.hparams import as_config

    found = imported(reference)
    space = found() if callable(found) else found
    if not isinstance(space, Iterable):
        raise click.BadParameter(f"{reference} is a {type(space).__name__}, neither a space nor a list of configs")
    configs = [as_config(config) for config in space]
    if not configs:
        raise click.BadParameter(f"{reference} holds no config")
    return configs


def imported(reference: str) -> object:
    """Return what "module:name" or "file.py:name" stands for."""
    module_name, colon, name = reference.rpartition(":")
    if not (module_name and colon and name):
        raise click.BadParameter(f"{reference!r} is not of the form MODULE:NAME, such as my_study:space")
    folder = Path.cwd()
    if module_name.endswith(".py"):
        folder, module_name = Path(module_name).absolute().parent, Path(module_name).stem
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise click.BadParameter(f"cannot import {module_name!r}: {error}") from error
    if not hasattr(module, name):
        raise click.BadParameter(f"module {module_name!r} has no {name!r}")
    found: object = getattr(module, name)
    return found
