"""`hippo gc` and `hippo keep`: which states stay on the disk."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import click

from hippo.cli.options import format_option, storage_option
from hippo.cli.output import say, show, sign_of_life

if TYPE_CHECKING:
    from hippo.study import Garbage

#: of the scheduler of the operating system: training that goes on beside it comes first
_NICE = 10


@click.command()
@storage_option
@click.option("--checkpoints", help="Folder of the training states.  [default: where they were written]")
@click.option("--budget", help="What all states may take together, such as 5GB; the worst trials' go first.")
@click.option("--uploads", is_flag=True, help="Look also for what was begun to be sent a day ago, by anybody.")
@click.option("--yes", is_flag=True, help="Remove it without being asked.")
@format_option
def gc(storage: str, checkpoints: str | None, budget: str | None, uploads: bool, yes: bool, form: str) -> None:
    """Show which training states nobody keeps, what they take, and what making them again would, and remove them.

    A study keeps what its keep= says. Beside that there may be files of deleted studies, and of processes that were
    killed. Results do not change: what is asked for again is trained again. What somebody trains on now is left alone,
    and so are the files of other databases.
    """
    import hippo

    with contextlib.suppress(OSError):
        os.nice(_NICE)

    def collect(*, delete: bool) -> Garbage:
        with sign_of_life("removing files" if delete else "looking at the files"):
            return hippo.collect_garbage(
                storage, budget=budget, checkpoints=checkpoints, uploads=uploads, delete=delete
            )

    found = collect(delete=yes)
    _show(found, form, is_done=yes)
    if not found.count:
        say("there is nothing to remove")
        return
    if not yes:
        again = f"; to make all of it again would take {found.steps} steps, about {found.seconds:.3g} device-seconds"
        what = f"{found.count} files, {_size(found.size_bytes, 'table')}{again if found.steps else ''}"
        if not sys.stdin.isatty():
            say(f"{what}: `--yes` removes them")
            return
        if not click.confirm(f"Remove {what}?", err=True):
            say("nothing was removed")
            return
        found = collect(delete=True)
    say(f"removed {found.count} files, {_size(found.size_bytes, 'table')}")


def _show(found: Garbage, form: str, *, is_done: bool) -> None:
    """Print what can be removed, or was, and say what is left alone and why."""
    rows = [
        {"what": kind, "files": files.count, "size": _size(files.size_bytes, form)}
        for kind, files in {**found.removable(), "stays": found.kept + found.back + found.unknown}.items()
        if files.count or kind == "stays"
    ]
    show(rows, form)
    if found.busy:
        plans = ", ".join(map(str, found.busy))
        say(f"plans {plans} are being trained on: their files are left alone until that has ended")
    if found.unknown.count:
        say(
            f"{found.unknown.count} files are later than all that this database knows, and are left alone: is it a "
            "copy of one that went on? If its study was killed a moment ago, they go after its next run"
        )
    if found.back.count:
        known = "they are known again" if is_done else "`hippo gc --yes` has them known again"
        say(
            f"{found.back.count} states were missing when they were wanted, and are there again (was their disk not "
            f"mounted?): {known}"
        )
    if found.missing:
        say(f"{found.missing} states are known that are not there: their steps are run again when they are asked for")


@click.command()
@click.argument("study")
@click.argument("rule")
@storage_option
def keep(study: str, rule: str, storage: str) -> None:
    """Keep from now on what RULE says of the states of STUDY: best, top:K, leaves or all.

    `hippo gc` removes the others. A script that makes the study with keep= says it anew.
    """
    import hippo

    hippo.keep_states(study, rule, storage)
    say(f"study {study!r} keeps {rule} from now on; `hippo gc` shows and removes what nobody keeps")


def _size(size_bytes: int, form: str) -> object:
    from hippo.runtime.studies.settings import bytes_as_text

    return bytes_as_text(size_bytes) if form == "table" else size_bytes
