"""What users should hear while a study runs, as warnings that name no line of ours, or as a line on standard error.

Those of the control loop blame no line of the user's code, and ours would only be noise. What a user's own call brought
about is said of the line that made it.
"""

from __future__ import annotations

from hippo.saying import said_to_be_passed_on as said_to_be_passed_on
from hippo.saying import say as say
from hippo.saying import warn_caller as warn_caller
from hippo.training.telling import warn as warn


def warn_or_say(message: str) -> None:
    """Warn where an exception would be somebody else's trouble: say it, if warnings are errors."""
    try:
        warn(message)
    except UserWarning:
        say(message)
