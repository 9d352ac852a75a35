"""The body of a request as values, within bounds: so large, so deep, and of finite numbers only."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from hippo.errors import RefusedError
from hippo.server.wire import MOST_BYTES

#: brackets within brackets; a config of a chain of chains of sequences has ten
MOST_NESTING = 32


class BodyTooLargeError(RefusedError):
    """A request is larger than the service takes."""


def parsed_body(body: bytes, *, finite: bool = True, most: int = MOST_BYTES) -> dict[str, Any]:
    """Return the JSON object that a request holds.

    Args:
      body: the bytes.
      most: bytes that are taken.
      finite: take no NaN and no infinities, which JSON does not know.

    Raises:
      BodyTooLargeError: it has too many bytes.
      RefusedError: it is no JSON object, too deep, or holds a number that is none.
    """
    if len(body) > most:
        raise BodyTooLargeError(f"a request has {most} bytes at most; send less at once")
    try:
        data = json.loads(body, parse_constant=_refuse_constant, parse_float=_finite) if finite else json.loads(body)
    except (ValueError, RecursionError) as error:
        if isinstance(error, RefusedError):
            raise
        raise RefusedError(f"the request is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise RefusedError(f"the request must be a JSON object, not {str(data)[:100]!r}")
    _check_nesting(data)
    return data


def _check_nesting(data: object) -> None:
    """Refuse what is nested too deeply for whoever walks through it.

    Raises:
      RefusedError: it is.
    """
    level, depth = [data], 0
    while level:
        level = [
            part
            for whole in level
            for part in (whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ())
            if isinstance(part, dict | list)
        ]
        depth += 1
        if depth > MOST_NESTING:
            raise RefusedError(f"the request is nested deeper than {MOST_NESTING} brackets")


def _refuse_constant(name: str) -> NoReturn:
    raise RefusedError(f"the request holds {name}, which is no finite number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise RefusedError(f"the request holds {text[:40]}, which is no finite number")
    return value
