"""Why two runs of one step parted: what was held in one and not in the other just before it.

Values in, values out. It refuses to know how runs are made, who asked for them, and how it is said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from hippo.errors import listed
from hippo.records import Metrics
from hippo.training.check_differences import canonical_metrics
from hippo.training.codec import difference
from hippo.training.inquiry.check_runs import RunReport, StepReport, WatchedMoment

#: culprits that are named; what one forgets mostly drags others along
MOST_NAMED = 4
_MOST_PATHS = 3


#: kinds of what differs by the way, wherever steps were trained
BY_THE_WAY = ("gradient", "order", "mode")


class RunVariation(Enum):
    """In what a run differed from the one that it is compared with."""

    AGAIN = "again"
    HASH_SEED = "hash seed"
    ELSEWHERE = "elsewhere"
    UNDISTURBED = "undisturbed"
    AFTER_ANOTHER = "after another config"
    RESUMED = "resumed"
    RESUMED_TWICE = "resumed twice"
    STEP_BY_STEP = "step by step"
    LOADER_WORKERS = "loader workers"


#: ways in which a run begins from a state
RESUMING = (RunVariation.RESUMED, RunVariation.RESUMED_TWICE, RunVariation.STEP_BY_STEP)


@dataclass(frozen=True, slots=True)
class StepDifference:
    """The first step after which two runs differ."""

    #: steps trained
    step: int
    #: of the state, and of what `train` and `evaluate` returned
    paths: tuple[str, ...]
    #: what training made is the same, and only its evaluation says something else
    is_of_evaluation: bool


def first_difference(one: RunReport, other: RunReport) -> StepDifference | None:
    """Return where a run first differs from another one; None if it does so nowhere."""
    known = {report.step: report for report in one.steps}
    for report in sorted(other.steps, key=lambda report: report.step):
        trained = list(report.paths) + _named("train", known[report.step].training, report.training)
        evaluated = _evaluated(known[report.step], report)
        if trained or evaluated:
            return StepDifference(report.step, (*trained, *evaluated), is_of_evaluation=not trained)
    return None


def _evaluated(one: StepReport, other: StepReport) -> list[str]:
    if one.metrics is None or other.metrics is None:
        return []
    return _named("evaluate", one.metrics, other.metrics)


def _named(method: str, one: Metrics, other: Metrics) -> list[str]:
    paths = difference(canonical_metrics(one), canonical_metrics(other))
    return [f"what {method}() returned{path.removeprefix('state')}" for path in paths]


# -------------------------------------------------------------------------------------------------------- culprits


@dataclass(frozen=True, slots=True)
class Culprit:
    """Something that two runs held differently before the step at which they parted."""

    #: such as "self.ema", or "self.model.1.running_mean" where the rest of the model is the same
    name: str
    #: what is to be given to a trainer that lacks it: an attribute, or a kind of what the model holds
    group: str
    #: as in `HeldValue`
    kind: str
    #: in the run that went through, and in the other one
    through: str
    other: str
    #: the method that changed it last, "" if none did, and how many steps were trained then
    changed_by: str
    changed_at: int
    #: whether it was changed in the run that is compared, and not in the one that went through
    is_others: bool


def find_culprits(
    through: Sequence[WatchedMoment], other: Sequence[WatchedMoment], difference: StepDifference
) -> list[Culprit]:
    """Return what the runs held differently just before the step, or the evaluation, at which they parted.

    Args:
      through: of the run that went through.
      other: of the one that is compared with it.
      difference: where they parted.
    """
    method, step = ("evaluate()", difference.step) if difference.is_of_evaluation else ("train()", difference.step - 1)
    one, another = _index_before(through, method, step), _index_before(other, method, step)
    if one is None or another is None:
        return []
    held, counterpart = through[one].held, other[another].held
    differing = [path for path in {**held, **counterpart} if _digest(held, path) != _digest(counterpart, path)]
    groups: dict[str, list[str]] = defaultdict(list)
    for path in differing:
        kind = (held.get(path) or counterpart[path]).kind
        suffix = f" ({kind})" if kind in ("mode", "gradient") else ""
        groups[_group_of(path) + suffix].append(path)
    found = [_culprit(group, paths, through[: one + 1], other[: another + 1]) for group, paths in groups.items()]
    return sorted(found, key=_rank)


def first_parting(through: Sequence[WatchedMoment], other: Sequence[WatchedMoment]) -> StepDifference | None:
    """Return the first step before which two runs hold different things; None if there is none."""
    there = {moment.step: moment.held for moment in other if moment.method == "train()" and not moment.is_after}
    for moment in through:
        if moment.method == "train()" and not moment.is_after and moment.step in there:
            held, counterpart = moment.held, there[moment.step]
            if any(
                _digest(held, path) != _digest(counterpart, path)
                for path, value in {**held, **counterpart}.items()
                if value.kind not in ("gradient", "order")
            ):
                return StepDifference(moment.step + 1, (), is_of_evaluation=False)
    return None


def likely(culprits: Sequence[Culprit], variation: RunVariation) -> list[Culprit]:
    """Return those of which one may say that they are to blame, where nobody can try.

    What differs by the way (a model's mode, gradients of the last step, the order of a dict) is to blame only where
    nothing else is; and two places that were chosen to differ are told apart by what they do to the trainer.
    """
    found = list(culprits)
    if variation is RunVariation.ELSEWHERE:
        found = [culprit for culprit in found if not culprit.name.startswith("process ")] or found
    if variation is RunVariation.LOADER_WORKERS:
        found = [culprit for culprit in found if culprit.name != "self.num_workers"]
    for kind in BY_THE_WAY:
        found = [culprit for culprit in found if culprit.kind != kind] or found
    return found


def _index_before(moments: Sequence[WatchedMoment], method: str, step: int) -> int | None:
    for index, moment in enumerate(moments):
        if (moment.method, moment.is_after, moment.step) == (method, False, step):
            return index
    return None


def _digest(held: Mapping[str, tuple[str, str, str]], path: str) -> str | None:
    return held[path][0] if path in held else None


def _bare(path: str) -> str:
    path = path.removesuffix(" (order)")
    return path[4:-1] if path.startswith("len(") else path


def _group_of(path: str) -> str:
    """Return the attribute, or the name in a class or module, to which a path leads."""
    bare = _bare(path)
    if bare.startswith("process "):
        return bare
    found = re.match(r"(self\.hp\[[^]]*\]|self\.\w+|class \w+\.\w+|module [\w.]+|\w+_set\(\)\.?\w*)", bare)
    return found[0] if found else bare


#: the most telling first
_KINDS = ("generator", "position", "buffer", "mode", "parameter", "tensor", "value", "order", "gradient")


def _culprit(group: str, paths: list[str], through: Sequence[WatchedMoment], other: Sequence[WatchedMoment]) -> Culprit:
    held, counterpart = through[-1].held, other[-1].held
    kinds = {path: (held.get(path) or counterpart[path]).kind for path in paths}
    telling = min(paths, key=lambda path: (_KINDS.index(kinds[path]), path.startswith("len("), len(path), path))
    of_kind = [path for path in paths if kinds[path] == kinds[telling]]
    method, step = _last_change(through, of_kind)
    again = _last_change(other, of_kind)
    # a trainer that was loaded is set up again, and what that changes is mostly in the state
    is_others = not method or again[0] == "setup()"
    if is_others:
        method, step = again
    bare = sorted({_bare(path) for path in paths})
    bare = [path for path in bare if path.removesuffix(".requires_grad") not in bare or "requires_grad" not in path]
    name = bare[0] if len(bare) == 1 else group
    if len(bare) > 1 and kinds[telling] == "mode":
        name = f"{group.removesuffix(' (mode)')}.training"
    elif len(bare) > 1 and kinds[telling] == "gradient":
        name = f"the gradients of {group.removesuffix(' (gradient)')}"
    elif len(bare) > 1 and group == "self.model":  # most of it is in the state
        name = listed(sorted({_bare(path) for path in of_kind}), _MOST_PATHS)
    return Culprit(
        name=name,
        group=group,
        kind=kinds[telling],
        through=held[telling].shown if telling in held else "not there",
        other=counterpart[telling].shown if telling in counterpart else "not there",
        changed_by=method,
        changed_at=step,
        is_others=is_others,
    )


#: after these a trainer is as its state says; what they do is not told as a change
_MAKING = ("build()", "load_state_dict()")


def _last_change(moments: Sequence[WatchedMoment], paths: Sequence[str]) -> tuple[str, int]:
    """Return the method in which one of these values was changed last, "" if none was since the trainer was built."""
    made = [i for i, moment in enumerate(moments) if moment.method in _MAKING and moment.is_after]
    built = made[-1] if made else 0
    for i in range(len(moments) - 1, built, -1):
        before, after = moments[i - 1], moments[i]
        if any(_digest(before.held, path) != _digest(after.held, path) for path in paths):
            return after.method if after.is_after else "setup()", after.step
    return "", 0


def _rank(culprit: Culprit) -> tuple[object, ...]:
    place = culprit.name.split(".")[0].split(" ")[0]
    return (
        culprit.kind in ("gradient", "order"),
        not culprit.changed_by,
        culprit.name.startswith("self._"),
        place != "self",
        culprit.name,
    )


def is_in_reach(culprit: Culprit) -> bool:
    """Whether one can try what a culprit does, by giving it to a trainer."""
    return culprit.group.startswith("self.") and not culprit.group.startswith("self.hp[")
