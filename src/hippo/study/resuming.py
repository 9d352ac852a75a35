"""What a user who stops a study is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hippo.saying import write_line

if TYPE_CHECKING:
    from hippo.study.study import Study


def say_how_to_resume(studies: Sequence[Study]) -> None:
    """Say on standard error, in a line for each study, what was trained, where it is, and how to go on."""
    for study in dict.fromkeys(studies):
        url = study.storage
        where = "in memory only, until this process ends" if url.startswith("memory:") else f"in {url}"
        write_line(
            f"\nhippo: stopped study {study.name!r} after {study.counted().steps_executed} steps; what was trained is "
            f"{where}. Run the same code again to go on from there."
        )
