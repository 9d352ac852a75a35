"""What a check of a trainer came to, as values that can be read: `TrainerCheck` and its parts.

This module refuses to know how runs are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hippo.hparams import Config
from hippo.records import Fusion


class ComparisonVerdict(Enum):
    """What a comparison came to."""

    EQUAL = "equal"
    DIFFERENT = "different"
    #: the trainer raised, where it had not in the run that it is compared with
    RAISED = "raised"
    #: it does not apply, or would only say again what another comparison found
    NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerComparison:
    """One way in which the steps were trained a second time."""

    #: what was done otherwise, for people
    what: str
    verdict: ComparisonVerdict
    #: steps that were compared
    steps: int
    #: why it was not compared; empty otherwise
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """Something that keeps a trainer from being proven."""

    #: steps trained when two runs first differed
    step: int
    #: what changed it: "train()", "evaluate()", "build()", ...; empty where that is not known
    method: str
    #: what is held in one run and not in the other, such as "self.ema"; empty where nothing was found
    name: str
    #: what differs, why, and what to do
    message: str
    #: the method raised
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerCosts:
    """What a step of the trainer costs, as measured in the check."""

    #: of a step without its evaluation: the median, without the first one
    step_s: float
    evaluation_s: float
    #: of copying and writing a state
    saving_s: float
    state_bytes: int
    #: of each step, hippo's own seconds
    own_s: float

    @property
    def own_share(self) -> float:
        """The part of a step that is hippo's own, from 0 to 1."""
        return min(1.0, self.own_s / self.step_s) if self.step_s > 0 else 0.0

    def __str__(self) -> str:
        return (
            f"a step takes {_seconds(self.step_s)} (hippo's own share: {self.own_share:.1%}), an evaluation "
            f"{_seconds(self.evaluation_s)}; a state has {_bytes(self.state_bytes)}, saved in {_seconds(self.saving_s)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerCheck:
    """What a check of a trainer came to."""

    #: "module:Class"
    trainer: str
    config: Config
    seed: int
    #: steps that were trained
    steps: int
    comparisons: tuple[TrainerComparison, ...]
    findings: tuple[CheckFinding, ...]
    #: what is worth knowing and changes no result
    notes: tuple[str, ...]
    costs: TrainerCosts
    #: with numerics="fused": whether trials are walked as one, and what was found; else None
    fusion: Fusion | None = None

    @property
    def is_proven(self) -> bool:
        """Whether every comparison came to the same bits. It is proven for these steps, and for no others."""
        return not self.findings

    def __str__(self) -> str:
        name = self.trainer.partition(":")[2]
        with_config = "".join(f", {key}={value!r}" for key, value in self.config.params.items())
        given = f"{self.steps} steps, seed {self.seed}{with_config}"
        head = f"{name}: {'proven for these steps' if self.is_proven else 'NOT proven'} ({given})"
        lines = [head, *(_line(comparison) for comparison in self.comparisons)]
        lines += [f"\n{number}. {finding.message}" for number, finding in enumerate(self.findings, 1)]
        lines += [f"\nnote: {note}" for note in self.notes]
        lines += ["", str(self.costs)]
        if self.fusion is not None:
            how = "as one program" if self.fusion.is_fused else "one by one"
            lines.append(f"with such hyper-parameters, trials are walked {how}: {self.fusion.detail}")
        if self.is_proven:
            lines.append(f"What begins to matter after step {self.steps}, no check of {self.steps} steps can see.")
        return "\n".join(lines)


_SIGNS = {
    ComparisonVerdict.EQUAL: "equal",
    ComparisonVerdict.DIFFERENT: "DIFFERENT",
    ComparisonVerdict.RAISED: "RAISED",
    ComparisonVerdict.NOT_COMPARED: "not compared",
}


def _line(comparison: TrainerComparison) -> str:
    reason = f": {comparison.reason}" if comparison.reason else ""
    return f"  {_SIGNS[comparison.verdict]:<12}  {comparison.what}{reason}"


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _bytes(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
