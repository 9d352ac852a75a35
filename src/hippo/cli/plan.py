"""`hippo plan`: how much a search space would share, before anything runs."""

from __future__ import annotations

import click

from hippo.cli.importing import configs_of
from hippo.cli.options import format_option
from hippo.cli.output import say, show, sign_of_life


@click.command()
@click.argument("space", metavar="MODULE:NAME")
@click.option("--until", type=click.IntRange(min=1), required=True, help="Steps that each config is trained for.")
@click.option("--samples", type=click.IntRange(min=1), help="Configs to draw from a RandomSearchSpace.")
@format_option
def plan(space: str, until: int, samples: int | None, form: str) -> None:
    """Show the merge rate of the search space NAME in MODULE, before anything runs.

    NAME is a space, a list of configs, or a function that returns one. MODULE is looked for in the current folder, too,
    and may be a file, as in grid.py:space. A script that runs a study is read only up to there: nothing is run.
    """
    from hippo.cli.near import near_misses
    from hippo.hparams import merge_rate

    configs = configs_of(space, samples=samples)
    with sign_of_life(f"comparing {len(configs):,} configs over {until:,} steps"):
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
    if samples is not None:
        say(f"of {samples} configs drawn with seed 0; others share more or less")
    with sign_of_life("looking for values that are nearly equal"):
        near = near_misses(configs, until=until)
    for name, a, b in near:
        say(f"{name}: {a!r} and {b!r} are nearly, but not exactly, equal: they share nothing")
