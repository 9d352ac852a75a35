"""`hippo run`: a Python script, as `python FILE` would run it, but with hippo's errors as one line."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import click

from hippo.cli.importing import short_traceback
from hippo.errors import HippoError


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(file: Path, arguments: tuple[str, ...]) -> int:
    """Run the Python script FILE with ARGUMENTS, as `python FILE` would.

    Running it again after a crash or Ctrl-C goes on where it was. Ends with 1 if the script raised, which it does when
    every trial failed.
    """
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        runpy.run_path(str(file), run_name="__main__")
    except HippoError:
        raise
    except Exception as error:
        click.echo(short_traceback(error), err=True)
        return 1
    return 0
