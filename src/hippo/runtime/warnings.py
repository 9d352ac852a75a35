"""What users should hear while a study runs, as warnings that name no line of ours, or as a line on standard error.

They come from the control loop, so no line of the user's code is to blame, and ours would only be noise.
"""

from __future__ import annotations

import sys
import warnings


def warn(message: str) -> None:
    """Warn each time: two workers may be lost for one reason."""
    warnings.warn_explicit(message, UserWarning, "hippo", 1)


def say(message: str) -> None:
    """Say what goes on, where nothing is wrong."""
    print(f"hippo: {message}", file=sys.stderr, flush=True)
