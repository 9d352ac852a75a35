"""`hippo retry`, `hippo rename` and `hippo delete`: what changes a study."""

from __future__ import annotations

import sys

import click

from hippo.cli.options import opened, storage_option
from hippo.cli.output import say


@click.command()
@click.argument("study")
@storage_option
def retry(study: str, storage: str) -> None:
    """Let the failed trials of STUDY be tried again when its script is run the next time."""
    loaded = opened(study, storage, may_be_remote=True)
    failed = loaded.statistics().trials.get("FAIL", 0)
    if not failed:
        say(f"no trial of study {study!r} has failed")
        return
    count = len(loaded.retry_failed())
    if count:
        what = "1 failed trial is" if count == 1 else f"{count} failed trials are"
        say(f"{what} tried again when the script of study {study!r} is run the next time")
    if left := failed - count:
        what = "1 trial was trained and stays" if left == 1 else f"{left} trials were trained and stay"
        say(f"{what} failed: an objective is NaN, and no retry changes that; create_study(nan='worst') ranks it last")


@click.command()
@click.argument("study")
@click.argument("new_name")
@storage_option
def rename(study: str, new_name: str, storage: str) -> None:
    """Call STUDY by NEW_NAME. Scripts that go on with it must use the new name, too."""
    import hippo

    hippo.rename_study(study, new_name, storage)
    say(f"study {study!r} is now {new_name!r}; change its name in the script that goes on with it, too")


@click.command()
@click.argument("study")
@click.option("--yes", is_flag=True, help="Do not ask.")
@storage_option
def delete(study: str, yes: bool, storage: str) -> None:
    """Forget STUDY and its trials, after asking.

    What was trained stays in the search plan, where other studies may share it.
    """
    import hippo

    count = sum(opened(study, storage).statistics().trials.values())
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"to delete study {study!r} without being asked, add --yes")
        if not click.confirm(
            f"Delete study {study!r} with {'1 trial' if count == 1 else f'{count} trials'}?", err=True
        ):
            say("nothing was deleted")
            return
    hippo.delete_study(study, storage)
    say(f"deleted study {study!r}; what was trained stays in the search plan")
