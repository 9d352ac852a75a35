"""What a service and its clients say to each other, as JSON that any language reads: entries, answers, errors.

A client says entries, numbered from 0 in its call; the service says events, numbered from 1. Numbers are what makes it
safe to say anything twice. Numbers that JSON does not know, NaN and infinities, are written as text. This module
refuses to know HTTP, and imports nothing that either side names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from hippo import errors
from hippo.errors import HippoError, RefusedError, ServiceError
from hippo.hparams import Config
from hippo.records import Answer, Failure, NodeId, Point
from hippo.tuners.ask import Proposal

#: of what is said; raised when an older side would misunderstand a newer one
PROTOCOL = 1
#: entries that one request may hold
MOST_ENTRIES = 10_000
#: bytes that one request may have
MOST_BYTES = 16_000_000
#: bytes of a config, and of a tuner's record: a database takes 8 MiB of text, and what it does not take it refuses
#: together with what others asked at the same time
MOST_KEPT_BYTES = 7_000_000
#: whole numbers that are kept of what a client says
MOST_NUMBER = 2**31 - 1

#: fields of a proposal beside its config -> what they must be
_FIELDS: Mapping[str, type[Any]] = {
    "until": int,
    "final": bool,
    "occurrence": int,
    "is_extension": bool,
    "is_speculative": bool,
    "comes_alone": bool,
    "evaluate": bool,
    "is_transient": bool,
    "has_company": bool,
    "member": str,
}
_DEFAULTS = Proposal(config={}, until=1)


#: `json.dumps` with options would make one for each text
_encoder = json.JSONEncoder(ensure_ascii=False)


def number_to_json(value: Any) -> Any:
    """Return a number as JSON holds it; "nan", "inf" or "-inf" for those that it does not."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def number_from_json(value: Any) -> Any:
    """Return the number that `number_to_json` wrote."""
    return float(value) if value in ("nan", "inf", "-inf") else value


def numbers_to_json(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping to numbers, such as metrics, as JSON holds it."""
    return {str(name): number_to_json(value) for name, value in values.items()}


def numbers_from_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping that `numbers_to_json` wrote."""
    return {name: number_from_json(value) for name, value in values.items()}


# --- proposals


def proposal_to_json(proposal: Proposal, config: Config) -> dict[str, Any]:
    """Return a proposal about a config; what is as usual is left out."""
    said = {name: getattr(proposal, name) for name in _FIELDS}
    usual = {name: value for name, value in said.items() if name == "until" or value != getattr(_DEFAULTS, name)}
    return {"config": config.to_json(), **usual}


def proposal_from_json(data: Any, *, custom: bool) -> Proposal:
    """Return the proposal that a client wrote.

    Args:
      data: as `proposal_to_json` wrote it.
      custom: take sequences of users' own, which imports modules that the client names.

    Raises:
      RefusedError: it is none.
      HparamError: a sequence of its config is none that is taken.
    """
    fields: dict[str, Any] = dict(_mapping(data, "a request"))
    config = config_from_json(fields.pop("config", None), custom=custom)
    for name, value in fields.items():
        wanted = _FIELDS.get(name)
        if wanted is None:
            raise RefusedError(f"a request has no field {name!r}; it has 'config' and {sorted(_FIELDS)}")
        if type(value) is not wanted:
            raise RefusedError(f"{name} of a request must be {_said(wanted)}, not {value!r}")
        if name == "occurrence" and not 0 <= value <= MOST_NUMBER:
            raise RefusedError(f"occurrence of a request must be 0 to {MOST_NUMBER}, not {value}")
    if "until" not in fields:
        raise RefusedError("a request says after how many steps it wants metrics: it has no 'until'")
    return Proposal(config=config, **fields)


def config_from_json(data: Any, *, custom: bool) -> Config:
    """Return the config that a client wrote.

    Raises:
      RefusedError: it is none, or too large.
      HparamError: one of its sequences is none that is taken.
    """
    check_text("a config", _encoder.encode(data))
    try:
        return Config.from_json(_mapping(data, "a config"), custom=custom)
    except HippoError:
        raise
    except Exception as error:  # a client may write anything in the place of a sequence
        raise RefusedError(f"this is no config, but {str(data)[:200]}: {type(error).__name__}: {error}") from None


def check_text(what: str, text: str) -> None:
    """Refuse a text that some database does not take.

    Raises:
      RefusedError: it is such a text.
    """
    if "\0" in text or (written := text.encode("utf-8", "replace")).decode() != text:
        raise RefusedError(f"{what} holds a zero or a lone surrogate, which databases do not take")
    if len(written) > MOST_KEPT_BYTES:
        raise RefusedError(
            f"{what} has {MOST_KEPT_BYTES} bytes at most, and this one {len(written)}; keep large values in files, and "
            "their names here"
        )


def _mapping(data: Any, what: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise RefusedError(f"{what} must be a JSON object, not {str(data)[:200]!r}")
    return data


def _said(wanted: type) -> str:
    return {int: "a whole number", bool: "true or false", str: "text"}[wanted]


# --- answers


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return an answer without its config, which the client has, and without its traces, which it asks for."""
    failure = answer.failure
    return {
        "step": answer.step,
        "trial": answer.trial,
        "metrics": numbers_to_json(answer.metrics),
        "losses": [number_to_json(loss) for loss in answer.losses],
        "violations": [number_to_json(violation) for violation in answer.violations],
        "state": None if answer.state is None else list(answer.state),
        "occurrence": answer.occurrence,
        "member": answer.member,
        "seconds": answer.seconds,
        "failure": failure
        and {
            "node": failure.node,
            "step": failure.step,
            "method": failure.method,
            "error": failure.error,
            "traceback": failure.traceback,
        },
    }


def answer_from_json(
    data: Mapping[str, Any], config: Config, *, train_metrics: Mapping[int, Any], step_seconds: Mapping[int, float]
) -> Answer:
    """Return the answer that `answer_to_json` wrote.

    Args:
      data: what was written.
      config: that was asked about.
      train_metrics, step_seconds: what is looked up when it is read.
    """
    state, failure = data["state"], data["failure"]
    return Answer(
        config=config,
        step=data["step"],
        trial=data["trial"],
        metrics=numbers_from_json(data["metrics"]),
        losses=tuple(map(number_from_json, data["losses"])),
        violations=tuple(map(number_from_json, data["violations"])),
        state=None if state is None else Point(NodeId(state[0]), state[1]),
        occurrence=data["occurrence"],
        member=data["member"],
        seconds=data["seconds"],
        train_metrics=train_metrics,
        step_seconds=step_seconds,
        failure=None if failure is None else Failure(**failure),
    )


# --- errors


def error_to_json(error: BaseException) -> dict[str, str]:
    """Return an error as its type and its message; of what is no error of hippo's, its type alone and its message."""
    return {"type": type(error).__name__, "message": str(error) or type(error).__name__}


def error_from_json(data: Any) -> HippoError:
    """Return the error that `error_to_json` wrote, as one of hippo's where it is one."""
    name, message = (data.get("type"), data.get("message")) if isinstance(data, dict) else (None, str(data))
    cls = getattr(errors, str(name), None)
    if isinstance(cls, type) and issubclass(cls, HippoError):
        return cls(str(message))
    return ServiceError(f"the service failed: {name}: {message}")
