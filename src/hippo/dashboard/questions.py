"""What a question of the page says."""

from __future__ import annotations

from starlette.requests import Request

from hippo.errors import OptionError


def study_of(request: Request) -> str:
    """Return the name of the study that a question is about.

    Raises:
      OptionError: it names none.
    """
    name = request.query_params.get("study")
    if not name:
        raise OptionError("which study? Name it: ?study=NAME")
    return name
