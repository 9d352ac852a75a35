"""The search spaces of Hippo's evaluation, reconstructed: `spaces/*.json` read into `hippo.GridSearchSpace`s.

The paper prints examples (Tables 2 to 4), the numbers of trials and the merge rates (Table 1, section 6.2), not the
values. These spaces hold every printed example, and their rates are the printed ones, rounded to the digits that are
printed; thousands of others' are, too, and nothing tells which the authors used. Those of section 6.2 were found by
reconstruct.py.

One thing that one would expect cannot be: S4 of the second family does not hold its S2. Two studies with a q of 1.40
and two more with merge rates from 1.2 on have a q of 1.26 at least together, and the paper prints 1.19 for four. So S2
is studies 0 and 4, of which S8 holds both.

Two rules decide the merge rates: milestones count from a trial's first step, also behind a warm-up, and steps are
merged by the structure of the sequences (`hippo.merge_rate`), never by values that happen to coincide.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hippo import (
    Chain,
    Config,
    CosineWarmRestarts,
    Cyclic,
    Exponential,
    GridSearchSpace,
    Linear,
    MultiStep,
    Piecewise,
    Sequence,
    Warmup,
)

FOLDER = Path(__file__).parent / "spaces"

#: single studies of section 6.1, in the order of Table 1
SINGLE = ("resnet56", "mobilenet_v2", "bert_base")
#: families of studies of section 6.2: of Figure 13 and of Figure 14
MULTI = ("multi_high", "multi_low")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFamily:
    """Several studies on one workload, and which of them run together."""

    #: the space of each study
    spaces: tuple[GridSearchSpace, ...]
    #: "S1", "S2", ... -> the studies that run in parallel
    runs: Mapping[str, tuple[int, ...]]
    #: epochs that a trial may be trained
    until: int

    def together(self, run: str) -> list[GridSearchSpace]:
        """Return the spaces of the studies that run together."""
        return [self.spaces[number] for number in self.runs[run]]


def single_space(name: str) -> tuple[GridSearchSpace, int]:
    """Return the space of a single study and the steps that a trial may be trained."""
    content = _read(name)
    return _space(content), content["until"]


def study_family(name: str) -> StudyFamily:
    """Return the studies of one of the two multi-study experiments."""
    content = _read(name)
    return StudyFamily(
        spaces=tuple(map(_space, content["studies"])),
        runs={run: tuple(numbers) for run, numbers in content["studies_of"].items()},
        until=content["until"],
    )


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def _space(content: Mapping[str, Any]) -> GridSearchSpace:
    hparams = {name: list(options(written)) for name, written in content["hparams"].items()}
    conditions = [_condition(entry) for entry in content["conditions"]]
    return GridSearchSpace(hparams, filter=lambda config: all(holds(config) for holds in conditions))


def options(written: list[Any]) -> Iterator[Any]:
    """Yield the options of one hyper-parameter: plain values, piecewise constants, and families written out."""
    for option in written:
        if not isinstance(option, dict):
            yield option
        elif "family" in option:
            lists = {name: values for name, values in option.items() if name != "family"}
            for combination in itertools.product(*lists.values()):
                yield FAMILIES[option["family"]](**dict(zip(lists, combination, strict=True)))
        else:
            yield Piecewise(option["values"], option["milestones"])


def _condition(entry: Mapping[str, Any]) -> Callable[[Config], bool]:
    """Return whether a config may be: one hyper-parameter differs from a value exactly when another has its own."""
    ((other, value),) = entry["exactly_when"].items()
    return lambda config: (config[entry["hparam"]] != entry["is_not"]) == (config[other] == value)


# ---------------------------------------------------------------------------- the function families of Tables 2 to 4


def step(initial: float, gamma: float, milestones: list[int]) -> Sequence:
    return MultiStep(initial, milestones, gamma)


def warmup_step(warmup: int, initial: float, gamma: float, milestones: list[int]) -> Sequence:
    # What follows a warm-up is on its own clock; the paper's milestones are not.
    return Chain(Warmup(warmup, initial), MultiStep(initial, [m - warmup for m in milestones], gamma))


def warmup_exponential(warmup: int, initial: float, gamma: float) -> Sequence:
    return Chain(Warmup(warmup, initial), Exponential(initial, gamma))


def warmup_cosine(warmup: int, initial: float, t0: int, t_mult: int) -> Sequence:
    return Chain(Warmup(warmup, initial), CosineWarmRestarts(initial, t0, t_mult))


def cyclic(base: float, peak: float, up: int) -> Sequence:
    return Cyclic(base, peak, up)


def linear(initial: float, total: int) -> Sequence:
    return Linear(initial, final=0.0, steps=total)


def warmup_linear(warmup: int, initial: float, total: int) -> Sequence:
    # as the schedules that BERT is tuned with, the line reaches zero at `total`, counted from the first step
    return Chain(Warmup(warmup, initial), Linear(initial, final=0.0, steps=total - warmup))


FAMILIES: Mapping[str, Callable[..., Sequence]] = {
    family.__name__: family
    for family in (step, warmup_step, warmup_exponential, warmup_cosine, cyclic, linear, warmup_linear)
}
