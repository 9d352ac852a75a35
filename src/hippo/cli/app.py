"""The group of commands, and how errors end: one line on stderr; 2 for bad input, 1 for failure, 130 for Ctrl-C."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

import hippo
from hippo.cli.ask import ask, tell
from hippo.cli.check import check
from hippo.cli.dashboard import dashboard
from hippo.cli.db import db
from hippo.cli.doctor import doctor
from hippo.cli.export import export
from hippo.cli.gc import gc, keep
from hippo.cli.join import join
from hippo.cli.logs import logs
from hippo.cli.managing import delete, rename, retry
from hippo.cli.output import blaming_only_users, prepare_output, say
from hippo.cli.plan import plan
from hippo.cli.plot import plot
from hippo.cli.reproduce import reproduce
from hippo.cli.results import best, studies, trials
from hippo.cli.run import run
from hippo.cli.serve import serve, token
from hippo.cli.simulate import simulate
from hippo.cli.tree import tree
from hippo.errors import HippoError

#: what is raised where a group is called without a command: before click 8.2 nothing is
_HELP: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())
BAD_INPUT = 2
FAILURE = 1
INTERRUPTED = 130
#: other tools' names of options -> ours; what click finds by their letters is something else
_OPTIONS = (
    dict.fromkeys(("--num-trials", "--n-trials", "--trials", "--num-samples"), "--samples")
    | dict.fromkeys(("--steps", "--epochs", "--max-t", "--max-resource"), "--until")
    | dict.fromkeys(("--grace-period", "--min-resource"), "--min-steps")
    | dict.fromkeys(("--reduction-factor", "--eta"), "--reduction")
    | dict.fromkeys(("--workers", "--n-jobs", "--jobs"), "--slots")
    | dict.fromkeys(("--db", "--database", "--url"), "--storage")
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(hippo.__version__)
def commands() -> None:
    """Tune deep models by searching a tree of training states."""


for _command in (
    run,
    check,
    plan,
    simulate,
    ask,
    tell,
    studies,
    trials,
    best,
    tree,
    plot,
    logs,
    export,
    reproduce,
    retry,
    rename,
    delete,
    keep,
    gc,
    db,
    doctor,
    dashboard,
    serve,
    join,
    token,
):
    commands.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process.

    Args:
      arguments: what follows the program's name; None: as the process was called.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        del sys.argv[1:]  # a trainer that reads the command line would take our options for its own
    code = exit_code(arguments)
    if code == INTERRUPTED:
        from hippo.study.interrupts import pass_over_presses

        pass_over_presses()
    sys.exit(code)


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return what the process should exit with."""
    prepare_output()
    try:
        with blaming_only_users():
            result = commands.main(arguments, prog_name="hippo", standalone_mode=False)
        sys.stdout.flush()  # a full disk is found out here, or at the process's end, where nobody can say so
    except UnicodeEncodeError as error:
        _give_up_output()
        sign = error.object[error.start : error.end]
        return _end(
            f"the output's encoding, {error.encoding}, has no {sign!a}; PYTHONIOENCODING=utf-8 writes it", FAILURE
        )
    except _HELP as error:
        error.show()  # its lines as they are: it is no error, but what a group of commands says for itself
        return int(error.exit_code)
    except click.ClickException as error:
        return _end(_named_here(error) or _plainly(error.format_message()), error.exit_code)
    except click.Abort:
        return _end("stopped", INTERRUPTED)
    except HippoError as error:
        # Each class inherits the builtin that it resembles: what resembles a bad argument is one.
        is_bad_input = isinstance(error, ValueError | KeyError | TypeError)
        return _end(str(error), BAD_INPUT if is_bad_input else FAILURE)
    except OSError as error:  # of our own output: what scripts and files raise was caught where it is read
        _give_up_output()
        if error.errno == errno.EPIPE:  # whoever reads, `head` say, has enough
            return FAILURE
        return _end(f"the output cannot be written: {error.strerror or error}", FAILURE)
    return result if isinstance(result, int) else 0


def _named_here(error: click.ClickException) -> str | None:
    """Return what to say of an option that other tools have, and the command by another name; None of all else."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return None
    ours = _OPTIONS.get(error.option_name)
    if ours not in {option for parameter in error.ctx.command.params for option in parameter.opts}:
        return None
    return f"{error.message.rstrip('.')}. It is called {ours} here."


def _plainly(message: str) -> str:
    """Return what click says of a number that is none, in words that say what was expected."""
    for kind, number in (("integer", "whole number"), ("float", "number")):
        message = message.replace(f"is not a valid {kind} range", f"is not a {number}")
        message = message.replace(f"is not a valid {kind}", f"is not a {number}")
    return message


def _end(message: str, code: int) -> int:
    # a traceback keeps its lines; all else is one
    summary, mark, traceback = message.partition("\nTraceback ")
    say(f"{' '.join(summary.split())}{mark}{traceback}")
    return code


def _give_up_output() -> None:
    """Let standard output lead nowhere, so that what it still holds is no second error at the process's end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass
