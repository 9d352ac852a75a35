"""Sequences as Hippo's paper prints them: `Exponential(init=0.1, gamma=0.95)`, `StepLR`, `CyclicLR`.

Shin et al. 2020, "Hippo: Taming Hyper-parameter Optimization of Deep Learning with Stage Trees", section 3.2, Figure 10
and Tables 2 to 4. Each is a sequence of ours under another name, of the same pieces: the two share all their steps. The
paper's functions have names of PyTorch's schedulers, which they are not: they take a value first, and no optimizer.
"""

from __future__ import annotations

from collections.abc import Sequence as Listed
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import HparamError
from hippo.hparams.constants import MultiStep, Step
from hippo.hparams.cycles import CosineWarmRestarts, Cyclic
from hippo.hparams.joined import Piecewise
from hippo.hparams.sequence import Sequence
from hippo.hparams.templates import Template


@explain_calls(total_iters="a StepLR has no end", lr="it is called init here")
def StepLR(
    init: Any = None,
    step_size: Any = None,
    gamma: Any = None,
    *,
    milestones: Any = None,
    values: Listed[Any] | None = None,
) -> Sequence | Template:
    """The paper's StepLR, a `MultiStep`, a `Step` or a `Piecewise`, by its arguments.

    Args:
      init: the first value.
      step_size: steps between two falls, as PyTorch's StepLR has them.
      gamma: the factor at each of them.
      milestones: steps at which the value falls, instead of `step_size`.
      values: all values, one more than milestones, instead of `init` and `gamma`.

    Raises:
      HparamError: they say too little, or too much.
    """
    _require_value("StepLR", init)
    given = {name for name, each in {"init": init, "gamma": gamma, "step_size": step_size}.items() if each is not None}
    if values is not None and milestones is not None and not given:
        return Piecewise(values, milestones)
    if values is None and {"init", "gamma"} <= given and ("step_size" in given) != (milestones is not None):
        return Step(init, step_size, gamma) if milestones is None else MultiStep(init, milestones, gamma)
    raise HparamError(
        "StepLR is written StepLR(init=0.1, gamma=0.1, milestones=[90, 135]), StepLR(init=0.1, gamma=0.1, "
        "step_size=30) or StepLR(values=[128, 256], milestones=[70])"
    )


@explain_calls(base_lr="it is called base here", max_lr="it is called max here", mode="it is always triangular")
def CyclicLR(base: Any, max: Any, step_size_up: Any, step_size_down: Any = None) -> Sequence | Template:
    """The paper's CyclicLR, a `Cyclic`: triangles from `base` to `max` in `step_size_up` steps, and back."""
    _require_value("CyclicLR", base)
    return Cyclic(base, max, step_size_up, step_size_down)


@explain_calls(T_0="it is called t0 here", T_mult="it is called t_mult here", eta_min="it is called final here")
def CosineAnnealingWarmRestarts(init: Any, t0: Any, t_mult: Any = 1, final: Any = 0) -> Sequence | Template:
    """The paper's CosineAnnealingWarmRestarts, a `CosineWarmRestarts`: the first cosine from `init` has `t0` steps."""
    _require_value("CosineAnnealingWarmRestarts", init)
    return CosineWarmRestarts(init, t0, t_mult, final)


def _require_value(name: str, first: Any) -> None:
    if hasattr(first, "param_groups"):
        raise HparamError(
            f"hippo's {name} is a sequence, whose first argument is a value, not an optimizer; the scheduler is "
            f"torch.optim.lr_scheduler.{name}"
        )
