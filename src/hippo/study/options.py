"""What users write when they make a study, checked."""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from hippo.engines import AbstractEngine
from hippo.errors import MetricError, OptionError, did_you_mean
from hippo.plan import KeepRule
from hippo.records import FUSED, FUSED_FAST, NUMERICS, may_fuse
from hippo.runtime import DEFAULT_BUDGET, NanPolicy, NondeterminismPolicy, Settings
from hippo.schedulers import FairShare
from hippo.study.objective_options import Names, make_constraints, make_objectives, one_of
from hippo.training.trainer import check_names
from hippo.tuners.averaged import AGGREGATES


def make_settings(
    *,
    metric: Names,
    mode: Names,
    direction: Names,
    constraints: str | Sequence[str] | None,
    keep: str = "leaves",
    checkpoint_budget: str | int | None = DEFAULT_BUDGET,
    nan: str,
    nondeterminism: str,
    sharing: bool,
    checkpoint_every_s: float,
    hparams: Sequence[str] | None,
    aggregate: str = "mean",
    keep_base: bool = True,
    twin: bool = False,
    compile: bool = False,
) -> Settings:
    """Return the settings of a study.

    Raises:
      OptionError: a value is none of those that are known; the message lists them.
      MetricError: `metric` is no name, or there are more modes than metrics.
    """
    check_names("hparams", hparams)
    if not (_is_number(checkpoint_every_s) and checkpoint_every_s > 0):
        raise OptionError(f"checkpoint_every_s must be a positive number of seconds, not {checkpoint_every_s!r}")
    objectives = make_objectives(metric, mode, direction)
    if constraints is not None and not objectives:
        raise MetricError(f"constraints={constraints!r} need a metric: they say which trials rank behind others")
    return Settings(
        objectives=objectives,
        constraints=make_constraints(constraints),
        keep=make_keep_rule(keep),
        checkpoint_budget=make_budget(checkpoint_budget),
        nan=NanPolicy(one_of("nan", nan, [policy.value for policy in NanPolicy])),
        nondeterminism=NondeterminismPolicy(
            one_of("nondeterminism", nondeterminism, [policy.value for policy in NondeterminismPolicy])
        ),
        sharing=bool(sharing),
        checkpoint_every_s=float(checkpoint_every_s),
        keep_base=keep_base,
        twin=twin,
        compile=compile,
        hparams=None if hparams is None else tuple(hparams),
        aggregate=one_of("aggregate", aggregate, sorted(AGGREGATES)),
    )


def make_fair_shares(
    count: int, priorities: Sequence[int] | None, shares: Sequence[float] | None
) -> list[FairShare | None]:
    """Return the fair share of each of so many studies; None for each if their user gave neither priorities nor shares.

    Raises:
      OptionError: there is not one value for each study, or one of them cannot be used.
    """
    if priorities is None and shares is None:
        return [None] * count
    for name, given in (("priorities", priorities), ("shares", shares)):
        if given is not None and not isinstance(given, list | tuple):
            raise OptionError(f"{name} must be a list with one value for each study, not {given!r}")
        if given is not None and len(given) != count:
            raise OptionError(f"{name} has {len(given)} values for {count} studies; give one for each")
    fair_shares: list[FairShare | None] = []
    for priority, share in zip(priorities or [0] * count, shares or [1.0] * count, strict=True):
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise OptionError(f"a priority is a whole number, larger goes first, not {priority!r}")
        if not (_is_number(share) and 0 < share < math.inf):
            raise OptionError(f"a share is a number above 0, not {share!r}")
        fair_shares.append(FairShare(priority=priority, share=float(share)))
    return fair_shares


def check_numerics(numerics: Any) -> str:
    """Return how exact a study's numbers are to be, if that is known."""
    return one_of("numerics", numerics, list(NUMERICS))


def check_seed(seed: Any) -> int:
    """Return a seed that is one.

    Raises:
      OptionError: it is not a whole number from 0 on.
    """
    try:
        whole = operator.index(seed)
    except TypeError:
        whole = -1
    if isinstance(seed, bool) or not 0 <= whole < 2**63:
        raise OptionError(f"a seed must be a whole number of at least 0 (and below 2**63), not {seed!r}")
    return whole


def check_flags(**flags: Any) -> None:
    """Refuse flags that are neither True nor False: "no" would be true.

    Raises:
      OptionError: names the flag.
    """
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise OptionError(f"{name} must be True or False, not {value!r}")


def check_twin(twin: bool, numerics: str) -> None:
    """Refuse a twin where trials are never walked as one program.

    Raises:
      OptionError: they are not.
    """
    if twin and not may_fuse(numerics):
        raise OptionError(
            f"twin=True walks a moved copy beside trials that are walked as one program, which numerics={numerics!r} "
            f"never does; say numerics={FUSED!r}, or leave twin out"
        )


def check_compile(compile: bool, numerics: str) -> None:
    """Refuse compiled updates where a trial's bits are promised, or nothing is walked as one program.

    Raises:
      OptionError: they are.
    """
    if compile and numerics != FUSED_FAST:
        raise OptionError(
            f"compile=True lets seconds decide when updates come to other last bits, which numerics={numerics!r} "
            f"excludes; say numerics={FUSED_FAST!r}, or leave compile out"
        )


def check_timeout(name: str, seconds: Any) -> float | None:
    """Return a time-out in seconds, or None for none.

    Raises:
      OptionError: it is no number above 0.
    """
    if seconds is None:
        return None
    if not (_is_number(seconds) and 0 < seconds < math.inf):
        raise OptionError(f"{name} must be a number of seconds above 0, or None for no limit, not {seconds!r}")
    return float(seconds)


def check_storage(storage: Any) -> Any:
    """Return what may name a storage.

    Raises:
      OptionError: it is neither a URL nor a store.
    """
    if isinstance(storage, str) and storage.lower().startswith(("http://", "https://")):
        raise OptionError(
            "a study service makes, trains and reads studies: hippo.create_study, hippo.load_study and "
            "hippo.get_all_study_names take its URL. All else is done where its database is"
        )
    if isinstance(storage, str) and storage:
        return storage
    if hasattr(storage, "commit"):
        return storage
    raise OptionError(
        f"storage must be a database URL such as 'sqlite:///hippo.db', not {storage!r}; 'memory://' keeps nothing, and "
        "left out it is 'sqlite:///hippo.db'"
    )


def check_engine(engine: Any) -> AbstractEngine | None:
    """Return what may be an engine; None for the default.

    Raises:
      OptionError: it is a class, or nothing to which work could be submitted.
    """
    is_one = callable(getattr(engine, "submit", None))
    if engine is None or (is_one and not isinstance(engine, type)):
        return engine
    said = f"the class {engine.__name__}; make one of it: {engine.__name__}()" if is_one else repr(engine)
    raise OptionError(
        f"engine must be hippo.LocalEngine(workers=...), hippo.InlineEngine() or another engine, not {said}"
    )


def check_checkpoints(checkpoints: Any) -> str | None:
    """Return where checkpoints go, as text; None for the default.

    Raises:
      OptionError: it names no folder.
    """
    if checkpoints is None:
        return None
    place = os.fspath(checkpoints) if isinstance(checkpoints, os.PathLike) else checkpoints
    scheme = place.partition(":")[0].lower() if isinstance(place, str) else ""
    if not isinstance(place, str) or not place or "\0" in place:
        raise OptionError(f"checkpoints must be a folder, or 'memory://', not {checkpoints!r}")
    if scheme in ("memory", "file") and not place.startswith("memory://"):
        raise OptionError(f"checkpoints={checkpoints!r}: write the folder's path as it is, or 'memory://'")
    if scheme == "memory" and place != "memory://":
        raise OptionError(
            f"checkpoints={checkpoints!r}: states in memory are one engine's, and nobody finds them by a name; write "
            "'memory://'"
        )
    return place


def checked_path(name: str, path: Any) -> Any:
    """Return what may be a path, a "~" at its beginning as the folder that it stands for.

    Raises:
      OptionError: it is no text and no `Path`, or an empty one.
    """
    if isinstance(path, str | os.PathLike) and os.fspath(path) and "\0" not in str(path):
        return os.path.expanduser(path)
    raise OptionError(f"{name} must be a path, a text that is not empty, not {path!r}")


def check_version(version: Any) -> None:
    """Refuse a version that tells nothing.

    Raises:
      OptionError: it is neither a text nor a whole number.
    """
    if version is None or (version and type(version) in (str, int)):
        return
    raise OptionError(f"version must be a text that is not empty, such as '2', not {version!r}")


def check_seeds(seeds: Sequence[int], seed: int) -> list[int]:
    """Return the seeds of a study with several.

    Raises:
      OptionError: there is none, one comes twice, or `seed` was given as well.
    """
    if isinstance(seeds, str | bytes | set | frozenset | dict) or not isinstance(seeds, Iterable):
        raise OptionError(f"seeds must be a list of whole numbers, such as [0, 1, 2], not {seeds!r}")
    checked = [check_seed(each) for each in seeds]
    if not checked or len(set(checked)) < len(checked):
        raise OptionError(f"seeds={checked} must hold at least one seed, and none twice")
    if seed != 0:
        raise OptionError(f"seed={seed} and seeds={checked} contradict each other; give one of them")
    return checked


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def make_keep_rule(keep: Any) -> KeepRule:
    """Return which last states a study keeps.

    Raises:
      OptionError: there is no such rule; the message lists those there are.
    """
    if not KeepRule.known(keep):
        known = ["best", "top:3", "leaves", "all"]
        hint = did_you_mean(keep, known) if isinstance(keep, str) else ""
        raise OptionError(
            f"keep={keep!r} is none of 'best' (the best trial's last state), 'top:K' with a number of trials, as in "
            f"'top:3', 'leaves' (the last state of each trial) and 'all' (every state at the end of a stage).{hint}"
        )
    return KeepRule(keep)


#: by the prefix in small letters, since kilo is written both ways
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_BYTES = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[kKMGT]i?)?B\s*")


def make_budget(budget: Any, argument: str = "checkpoint_budget") -> int | None:
    """Return how many bytes states may take; None for as many as there are.

    Args:
      budget: a number of bytes, or text such as "50GB" or "512MiB".
      argument: what it was given as.

    Raises:
      OptionError: it is neither, or not above zero.
    """
    if budget is None:
        return None
    size: float | None = None
    if isinstance(budget, int) and not isinstance(budget, bool):
        size = budget
    elif isinstance(budget, str) and (found := _BYTES.fullmatch(budget)):
        size = float(found["number"]) * _UNITS[(found["unit"] or "").lower()]
    if size is None or not 1 <= size < 2**63:
        raise OptionError(
            f"{argument}={budget!r} is no number of bytes: write '50GB' or '512MiB', a number above zero, or None "
            "for no bound"
        )
    return int(size)
