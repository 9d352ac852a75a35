"""The group of commands, and how errors end: one line on stderr; 2 for bad input, 1 for failure, 130 for Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from hippo.cli.plan import plan
from hippo.cli.results import best, studies, trials
from hippo.cli.run import run
from hippo.cli.simulate import simulate
from hippo.cli.tree import tree
from hippo.errors import HippoError

BAD_INPUT = 2
FAILURE = 1
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="hippo")
def commands() -> None:
    """Tune deep models by searching a tree of training states."""


for _command in (run, plan, simulate, studies, trials, best, tree):
    commands.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process.

    Args:
      arguments: what follows the program's name; None: as the process was called.
    """
    sys.exit(exit_code(arguments))


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return what the process should exit with."""
    try:
        result = commands.main(arguments, prog_name="hippo", standalone_mode=False)
    except click.ClickException as error:
        return _say(error.format_message(), error.exit_code)
    except click.Abort:
        return _say("stopped", INTERRUPTED)
    except HippoError as error:
        # Each class inherits the builtin that it resembles: what resembles a bad argument is one.
        is_bad_input = isinstance(error, ValueError | KeyError | TypeError)
        return _say(str(error), BAD_INPUT if is_bad_input else FAILURE)
    return result if isinstance(result, int) else 0


def _say(message: str, code: int) -> int:
    click.echo(f"hippo: {' '.join(message.split())}", err=True)
    return code
