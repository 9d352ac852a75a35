"""What whoever stops a study is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippo.study.replicated import ReplicatedStudy
    from hippo.study.study import Study


def say_how_to_resume(studies: Sequence[Study | ReplicatedStudy], stop: KeyboardInterrupt) -> None:
    """Say on standard error what was trained, where it is, and how to go on; and a word of it in the exception."""
    for study in dict.fromkeys(studies):
        steps, url = study.statistics().steps_executed, study.storage
        where = "in memory only, until this process ends" if url.startswith("memory:") else f"in {url}"
        print(
            f"\nhippo: stopped study {study.name!r} after {steps} steps; what was trained is {where}. "
            "Run the same code again to go on from there.",
            file=sys.stderr,
        )
    stop.args = ("run the same code again to go on",)  # last in a traceback, and all that pytest shows
