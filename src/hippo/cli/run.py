"""`hippo run`: a Python script, as `python FILE` would run it, but with hippo's errors as one line."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(file: Path, arguments: tuple[str, ...]) -> None:
    """Run the Python script FILE with ARGUMENTS, as `python FILE` would.

    Running it again after a crash or Ctrl-C goes on where it was.
    """
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    runpy.run_path(str(file), run_name="__main__")
