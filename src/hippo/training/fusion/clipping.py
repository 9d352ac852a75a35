"""Gradients of lanes, each clipped by its own norm.

Shapes: F lanes; gradients are [F, ...]. It refuses to know losses and optimizers.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor


@torch.no_grad()
def clip_lanes(grads: Mapping[str, Tensor | None], clip_norm: float) -> None:
    """Scale gradients down in place where the norm of a lane's, all of them together, is above a bound.

    As `torch.nn.utils.clip_grad_norm_` does it with one lane's: a lane whose gradients are not finite disturbs none.

    Args:
      grads: name -> [F, ...]; None is left out.
      clip_norm: the largest norm.
    """
    given = [each for each in grads.values() if each is not None]
    if not given:
        return
    # each row is reduced by itself: what comes out does not depend on the others, nor on how many there are
    norms = torch.stack([torch.linalg.vector_norm(each.flatten(1), dim=1) for each in map(_with_columns, given)], dim=1)
    factors = torch.clamp(clip_norm / (torch.linalg.vector_norm(norms, dim=1) + 1e-6), max=1.0)  # 1e-6: torch's
    shaped = {each.dim(): factors.view(-1, *[1] * (each.dim() - 1)) for each in given}
    torch._foreach_mul_(given, [shaped[each.dim()] for each in given])


def _with_columns(grad: Tensor) -> Tensor:
    return grad.unsqueeze(1) if grad.dim() == 1 else grad
