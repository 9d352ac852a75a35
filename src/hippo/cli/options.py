"""Options that several commands share."""

from __future__ import annotations

import click

from hippo.cli.output import FORMATS

storage_option = click.option(
    "--storage",
    default="sqlite:///hippo.db",
    show_default=True,
    help="Database of the studies: any SQLAlchemy URL.",
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="What the rows are printed as.",
)
