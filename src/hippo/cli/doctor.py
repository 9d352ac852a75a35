"""`hippo doctor`: whether what a study would use is there, works, and is fast enough."""

from __future__ import annotations

import click

from hippo.cli.options import format_option, storage_option
from hippo.cli.output import show, sign_of_life


@click.command()
@storage_option
@click.option("--checkpoints", help="Folder or URL of a store of checkpoints, as s3://bucket/prefix.")
@click.option("--engine", type=click.Choice(["local", "ray"]), help="Also let this one walk two steps.")
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds after which a try has failed.",
)
@format_option
def doctor(storage: str, checkpoints: str | None, engine: str | None, limit_s: float, form: str) -> int:
    """Try what a study would use, and leave nothing behind.

    One line for each try: ok, slow, failed and why, or skipped, since something before it failed. Of a database, or a
    study service (--storage http://NAME:TOKEN@HOST:8400); of a store of checkpoints, and of an engine, if one is named.
    Ends with 1 if something failed.
    """
    import hippo

    with sign_of_life("trying what is named"):
        made = None if engine is None else hippo.RayEngine() if engine == "ray" else hippo.LocalEngine()
        found = hippo.diagnose(storage=storage, checkpoints=checkpoints, engine=made, limit_s=limit_s)
    rows = [
        {
            "subject": each.subject,
            "what": each.what,
            "verdict": each.verdict.value,
            "seconds": round(each.seconds, 3),
            "told": each.told,
        }
        for each in found
    ]
    show(rows, form)
    return int(any(each["verdict"] == "failed" for each in rows))
