"""Makes a database of an older schema one of today's."""

from __future__ import annotations

from pathlib import Path

from hippo.plan.migrations import schema_version, upgrade
from hippo.plan.tables import SCHEMA_VERSION

from .studies import HERE, made_from


def upgraded_from(version: int, folder: Path) -> str:
    """Return the URL of a database in a folder that was of this schema."""
    url = made_from(HERE / f"schema_{version}.sql", folder)
    assert schema_version(url) == version
    assert upgrade(url).after == SCHEMA_VERSION
    return url
