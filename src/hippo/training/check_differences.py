"""What two runs of a step, or two evaluations of a state, differ in: the paths, and a sentence that says what to do.

Values in, sentences out: it refuses to know how anything is run again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hippo.errors import listed
from hippo.training.codec import PICKLED, difference

#: paths named in a message; a forgotten optimizer would otherwise name every parameter
MOST_PATHS = 8
NOT_ANEW = (
    "step [0, 1) was begun anew after this trainer had trained, and came to something else: {paths}. build() must "
    "begin anew each time: make there what train() changes (model, optimizer, counters, generators, buffers), not in "
    "__init__(), and keep none of it in the class or its module."
)
NOT_REPEATED = (
    "step [{start}, {stop}) was run twice from one checkpoint, and came to something else: {paths}. train() depends "
    "on something that is neither in state_dict() nor seeded: add it, or draw chance only from the global generators."
)
UNSTEADY = (
    "a sequence of your own gives another value each time it is asked for one step: that of {paths}. A value is a "
    "function of the step alone, as all who share it ask by themselves. Where chance is meant, seed it by the step: "
    "numpy.random.default_rng(int(t)).random() in value(self, t)."
)
HIDDEN_EVALUATION = (
    "evaluate() changes something that is not in state_dict() and that train() depends on: with an evaluation before "
    "it the step comes to something else: {paths}. Leave that to train(), or add it to state_dict()."
)
OTHER_EVALUATION = (
    "an evaluation of the state after {step} steps, loaded here, says something else than the recorded one: {paths}. "
    "evaluate() depends on something that load_state_dict() does not bring back (averaged weights, the best value so "
    "far), or that is not the same in every process: a file that has changed, the order of a set of strings (sort it, "
    "or set PYTHONHASHSEED), what __init__() draws without a seed (a split of the data: draw it from the global "
    "generators, which are seeded, or give your own a seed), what is kept in the class or in a data set."
)
OTHER_BASE = (
    "{name}.build() makes something else of {paths} than it did for the states that this study has: a pretrained file, "
    "or what else it reads, has changed. Trials that go on from a state get back what they were trained beside; those "
    "that begin now are trained from something else than those before, and compared with them. Put the file back, or "
    "change the trainer's `dataset` (or version=), which begins a new generation."
)
EVALUATE_LEAVES_STATE = (
    "It must leave the training state as it is, since how often it is called depends on who asks: draw chance there "
    "from the global generators, and let train() do the rest. What changes weights whenever it is called, such as "
    "nn.Embedding(max_norm=...), does so here, too: leave max_norm out, and bound them in train(), after an update."
)
EVALUATE_CHANGED = "evaluate() changed {paths}. " + EVALUATE_LEAVES_STATE
OTHER_SETUP = (
    "step [{start}, {stop}) comes to something else where setup() is given only the values that change at {start}, as "
    "in a trial that is trained on, than where it is given all, as in one that begins there: {paths}. Apply what is in "
    "hp, and leave the rest as it is: hp.get(name, default) resets what did not change."
)
NOT_IDEMPOTENT = (
    "setup() is not idempotent: before step {start} it was called twice with the same values, and the step came to "
    "something else: {paths}. It is called with all values where a lane begins, and with the changed ones where they "
    "change, so how often depends on who shares what: assign (self.lr = hp['lr']), and neither multiply nor add."
)
PICKLES = (
    "Pickles of equal objects may differ, and states are compared by their bytes: return what the object is made of, "
    "arrays and numbers, such as vars(model). An estimator of scikit-learn without a random_state may keep numpy's "
    "global generator; in a pickle that is a copy, which nobody seeds."
)


class Difference(NamedTuple):
    """What differs, in a sentence, and the paths that the sentence names."""

    text: str
    paths: Sequence[str]


def difference_of(text: str, paths: Sequence[str], **values: int) -> Difference:
    """Return a difference in these paths, told by a text with a place for them."""
    return Difference(text.format(paths=listed(paths, MOST_PATHS), **values), paths)


def not_resumed(start: int, paths: list[str], *, values_changed: bool = False) -> Difference:
    """Return how a step that was run again from its checkpoint differs, by what that tells of the trainer."""
    begun = f"step [{start}, {start + 1}) was run again from its checkpoint, and came to something else: "
    if only_metrics(paths):
        advice = (
            "evaluate() depends on something that load_state_dict() does not bring back, such as averaged weights or "
            "the best value so far: add it to state_dict(). A measured time is no function of the state: leave it out."
        )
    elif values_changed:
        advice = (
            "train() depends on something that load_state_dict() does not bring back: add it to state_dict(). Or it is "
            f"setup(): values changed at step {start}, and in the lane it was given those alone, here all of them, "
            "after build() under the old ones and load_state_dict(). Apply what is in hp, and leave the rest as it is: "
            "hp.get(name, default) resets what did not change."
        )
    else:
        advice = (
            "train() depends on something that load_state_dict() does not bring back: add it to state_dict(), or draw "
            "chance only from the global generators."
        )
    if tells_of_pickles(paths):
        advice = f"{PICKLES} Where that is not it, {advice}"
    return Difference(f"{begun}{listed(paths, MOST_PATHS)}. {advice}", paths)


def tells_of_pickles(paths: Sequence[str]) -> bool:
    """Tell whether among what differs are pickles, whose bytes may do so although what is in them does not."""
    return any(path.endswith(PICKLED) for path in paths)


def only_metrics(paths: list[str]) -> bool:
    """Tell whether two runs differ in nothing but what `evaluate` said."""
    return all(path.startswith("what evaluate()") for path in paths)


def named(method: str, one: Mapping[str, float], other: Mapping[str, float] | None) -> list[str]:
    """Return the paths in which two returns of a method differ."""
    paths = difference(canonical_metrics(one), canonical_metrics(other or {}))
    return [f"what {method}() returned{path.removeprefix('state')}" for path in paths]


def unequal(recorded: Mapping[str, float], now: Mapping[str, float], *, most: float = 0.0) -> list[str]:
    """Return in words which metrics are not what was recorded; no further apart than `most`, relatively, is alike."""
    if most:
        both = recorded.keys() & now.keys()
        close = {name for name in both if math.isclose(recorded[name], now[name], rel_tol=most)}
        recorded, now = ({name: each[name] for name in each.keys() - close} for each in (recorded, now))
    paths = difference(canonical_metrics(recorded), canonical_metrics(now))
    names = [name for name in sorted({*recorded, *now}) if any(repr(name) in path for path in paths)]
    return [f"{name!r} is {now.get(name)!r} and was {recorded.get(name)!r}" for name in names]


def canonical_metrics(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return metrics in which every NaN is one."""
    return {name: math.nan if value != value else value for name, value in metrics.items()}
