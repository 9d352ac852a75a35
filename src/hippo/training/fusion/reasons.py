"""Why lanes could not be walked as one, in a line: what was raised, and where in the user's code."""

from __future__ import annotations

import traceback
from pathlib import Path

import torch

#: code below these is nobody's own
_FOREIGN = (Path(torch.__file__).parent, Path(__file__).parents[1])


def reason_of(error: BaseException) -> str:
    """Return the first line of what an exception says, with the last line of the user's code that led there."""
    said = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)]
    if not own:
        return said
    return f"{said} (in {Path(own[-1].filename).name}, line {own[-1].lineno}: {own[-1].line})"


def _is_own(file: str) -> bool:
    path = Path(file)
    return not file.startswith("<") and not any(path.is_relative_to(folder) for folder in _FOREIGN)
