"""Names of studies as those of files, which may not have all their characters."""

from __future__ import annotations

import hashlib


def told_apart(plain: str, study: str) -> str:
    """Return what is left of a study's name in a file's, with a hash where that is not all of it."""
    return plain if plain == study else f"{plain}-{hashlib.sha256(study.encode()).hexdigest()[:6]}"
