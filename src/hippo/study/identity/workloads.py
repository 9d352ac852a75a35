"""Which workload a trainer's is, by whatever name the trainer is reached.

A class is `__main__:Blobs` in its script, `train:Blobs` where it is imported from it, and its script may come from
standard input. What is trained is the same. So the name of its module is for people: a plan is a workload's if all else
is equal. This module refuses to look at code: it compares fingerprints.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hippo.plan import PlanRow
from hippo.records import Workload

_MAIN = "__main__"
#: fields of a workload that are no part of what it is
_SAID_OTHERWISE = ("trainer", "code", "compiled")


def trainer_name(trainer: type) -> str:
    """Return a trainer class's name for people: where its module can be imported from, even while it is `__main__`."""
    module = trainer.__module__
    if module == _MAIN:
        main = sys.modules[_MAIN]
        spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
        if spec is not None:  # python -m
            module = spec.name.removesuffix(f".{_MAIN}")
        elif file is not None and Path(file).stem.isidentifier():
            module = Path(file).stem
    return f"{module}:{trainer.__qualname__}"


def workload_key(workload: Workload) -> str:
    """Return what is equal for equal workloads: a hash of all declared fields."""
    declared = asdict(workload)
    del declared["compiled"]  # says in other words what `code` says
    return hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()


def known_key(workload: Workload, plans: Sequence[PlanRow], *, of_study: int | None) -> str:
    """Return the key under which a workload is known, or else its own.

    Args:
      workload: in question.
      plans: all that there are.
      of_study: the plan of the study that goes on, which is preferred if the workload is its.
    """
    key = workload_key(workload)
    known = [row for row in plans if row.workload == key or _is_same(asdict(workload), _declared(row))]
    known.sort(key=lambda row: (row.plan != of_study, row.workload != key, row.plan))
    return known[0].workload if known else key


def _declared(row: PlanRow) -> Mapping[str, Any]:
    """Return what a plan was declared to be, in the fields of today; empty if it is of a later release."""
    try:
        return asdict(Workload(**json.loads(row.declared)))
    except TypeError:
        return {}


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if any(one[name] != other.get(name) for name in one.keys() - set(_SAID_OTHERWISE)):
        return False
    if one["code"] == other["code"]:
        # a fingerprint holds the code of the class; a version is the user's word, about one class
        return not one["code"].startswith("version ") or _is_one_class(one["trainer"], other["trainer"])
    compiled = one["compiled"]
    # Bytecode is what they have in common if one of them had no source. Two sources are compared as such.
    return bool(compiled) and compiled == other["compiled"] and compiled in (one["code"], other["code"])


def _is_one_class(one: str, other: str) -> bool:
    (module, _, name), (other_module, _, other_name) = one.partition(":"), other.partition(":")
    return name == other_name and (module == other_module or _MAIN in (module, other_module))
