"""Updates of stacked parameters, by optimizers of torch, with options of each lane's own.

Shapes: F lanes; a parameter, its gradient and its state are [F, ...]; a number that an update needs is one for all
lanes, or [F] of them as a column, [F, 1, ...]. The arithmetic is that of torch's own loops over single tensors,
operation by operation: numbers are computed in Python's floats, as there, and cast at last. So on a CPU the bits are
torch's, and one number for all lanes gives the bits of a column that is filled with it.

Nothing here is computed across lanes: there is no reduction. It refuses to know names, groups and user code.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.optim import Optimizer

#: options of a parameter group
Options = Mapping[str, Any]
#: a tensor for each parameter
Tensors = tuple[Tensor, ...] | list[Tensor]
#: what an update needs of options: one number for all lanes, or a column for each parameter
Number = float | list[Tensor]


class UpdateRule(Protocol):
    """How one class of optimizers updates parameters."""

    def slots(self, options: Options) -> tuple[str, ...]:
        """Return what is kept of a parameter with these options, by the names of torch's own state."""

    def form(self, options: Options) -> Any:
        """Return what decides which operations are carried out: lanes of one form are updated together."""

    def numbers(self, options: Options, updates: int) -> tuple[float, ...]:
        """Return what an update needs of a lane's options.

        Args:
          updates: how many updates of the state there have been since the lane's optimizer began.
        """

    def is_constant(self, updates: Sequence[int]) -> bool:
        """Whether `numbers` stay as they are until options change, after so many updates in lanes that count them."""

    def update(
        self, form: Any, params: Tensors, grads: Tensors, state: Mapping[str, Tensors], numbers: Sequence[Number]
    ) -> None:
        """Update parameters and state in place.

        Args:
          numbers: as `numbers` returned them, of all lanes.
        """

    def entry(self, options: Options, updates: int, kept: Mapping[str, Tensor]) -> dict[str, Any]:
        """Return what torch's state has of a parameter; {} for none.

        Args:
          kept: by slot, what is kept of it in one lane.
        """

    def updates_of(self, entry: Mapping[str, Any]) -> int:
        """Return how often the state was updated, by what torch's state has of a parameter."""


class _DescentForm(NamedTuple):
    maximize: bool
    has_decay: bool
    has_momentum: bool
    nesterov: bool


class DescentRule:
    """Stochastic gradient descent, as `torch.optim.SGD`."""

    def slots(self, options: Options) -> tuple[str, ...]:
        return ("momentum_buffer",) if options["momentum"] != 0 else ()

    def form(self, options: Options) -> _DescentForm:
        return _DescentForm(
            maximize=bool(options["maximize"]),
            has_decay=bool(options["weight_decay"] != 0),
            has_momentum=bool(options["momentum"] != 0),
            nesterov=bool(options["nesterov"]),
        )

    def numbers(self, options: Options, updates: int) -> tuple[float, ...]:
        momentum = float(options["momentum"])
        # the first gradient becomes the buffer as it is, undampened: added to zeros, which makes a zero of -0.0 alone
        gain = 1.0 - float(options["dampening"]) if updates else 1.0
        return float(options["lr"]), float(options["weight_decay"]), momentum, gain

    def is_constant(self, updates: Sequence[int]) -> bool:
        return 0 not in updates

    def update(
        self,
        form: _DescentForm,
        params: Tensors,
        grads: Tensors,
        state: Mapping[str, Tensors],
        numbers: Sequence[Number],
    ) -> None:
        lr, decay, momentum, gain = numbers
        if form.maximize:
            grads = torch._foreach_neg(grads)
        if form.has_decay:
            grads = _sum(grads, params, decay)
        if form.has_momentum:
            buffers = state["momentum_buffer"]
            torch._foreach_mul_(buffers, momentum)
            _add(buffers, grads, gain)
            grads = _sum(grads, buffers, momentum) if form.nesterov else buffers
        _add(params, grads, lr, sign=-1)

    def entry(self, options: Options, updates: int, kept: Mapping[str, Tensor]) -> dict[str, Any]:
        return dict(kept) if updates else {}  # a buffer stays where there is no momentum any more

    def updates_of(self, entry: Mapping[str, Any]) -> int:
        return int(entry.get("momentum_buffer") is not None)  # older releases of torch wrote None


class _AdamForm(NamedTuple):
    maximize: bool
    has_decay: bool
    is_decoupled: bool
    amsgrad: bool


class AdamRule:
    """Adam (Kingma and Ba 2015), as `torch.optim.Adam`; with decoupled weight decay, as `torch.optim.AdamW`.

    Args:
      is_decoupled: whether weights decay apart from the gradient, where options do not say.
    """

    def __init__(self, *, is_decoupled: bool) -> None:
        self._is_decoupled = is_decoupled

    def slots(self, options: Options) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if options["amsgrad"] else ("exp_avg", "exp_avg_sq")

    def form(self, options: Options) -> _AdamForm:
        return _AdamForm(
            maximize=bool(options["maximize"]),
            has_decay=bool(options["weight_decay"] != 0),
            is_decoupled=self._decouples(options),
            amsgrad=bool(options["amsgrad"]),
        )

    def numbers(self, options: Options, updates: int) -> tuple[float, ...]:
        lr, decay, eps = float(options["lr"]), float(options["weight_decay"]), float(options["eps"])
        beta1, beta2 = map(float, options["betas"])
        scale, root = _corrections(beta1, beta2, updates + 1)
        kept = 1 - lr * decay if self._decouples(options) else decay
        return kept, 1 - beta1, beta2, 1 - beta2, root, eps, lr / scale

    def is_constant(self, updates: Sequence[int]) -> bool:
        return False

    def update(
        self,
        form: _AdamForm,
        params: Tensors,
        grads: Tensors,
        state: Mapping[str, Tensors],
        numbers: Sequence[Number],
    ) -> None:
        decay, weight1, beta2, weight2, root, eps, step_size = numbers
        means, squares = state["exp_avg"], state["exp_avg_sq"]
        if form.maximize:
            grads = torch._foreach_neg(grads)
        if form.has_decay and form.is_decoupled:
            torch._foreach_mul_(params, decay)
        elif form.has_decay:
            grads = _sum(grads, params, decay)
        torch._foreach_lerp_(means, grads, weight1)
        torch._foreach_mul_(squares, beta2)
        if isinstance(weight2, float):
            torch._foreach_addcmul_(squares, grads, grads, value=weight2)
        else:
            torch._foreach_addcmul_(squares, torch._foreach_mul(grads, weight2), grads)
        if form.amsgrad:
            torch._foreach_maximum_(state["max_exp_avg_sq"], squares)
            squares = state["max_exp_avg_sq"]
        divisors = torch._foreach_sqrt(squares)
        torch._foreach_div_(divisors, root)
        torch._foreach_add_(divisors, eps)
        if isinstance(step_size, float):
            torch._foreach_addcdiv_(params, means, divisors, value=-step_size)
        else:  # not folded into the divisors: a learning rate may be 0
            torch._foreach_addcdiv_(params, torch._foreach_mul(means, step_size), divisors, value=-1)

    def entry(self, options: Options, updates: int, kept: Mapping[str, Tensor]) -> dict[str, Any]:
        if not updates:
            return {}
        is_double = torch.get_default_dtype() == torch.float64 and not options["fused"]
        is_on_device = options["capturable"] or options["fused"]
        step = torch.tensor(
            float(updates),
            dtype=torch.float64 if is_double else torch.float32,
            device=kept["exp_avg"].device if is_on_device else "cpu",
        )
        return {"step": step, **{slot: kept[slot] for slot in self.slots(options)}}

    def updates_of(self, entry: Mapping[str, Any]) -> int:
        return int(entry.get("step", 0))

    def _decouples(self, options: Options) -> bool:
        return bool(options.get("decoupled_weight_decay", self._is_decoupled))


@functools.lru_cache(maxsize=1024)  # lanes that began together have the same
def _corrections(beta1: float, beta2: float, updates: int) -> tuple[float, float]:
    """Return what the moments' bias is corrected by after so many updates, of the second the root."""
    return 1 - beta1 ** float(updates), (1 - beta2 ** float(updates)) ** 0.5


def _add(tensors: Tensors, others: Tensors, number: Number, *, sign: int = 1) -> None:
    """Add others, multiplied by a number, to tensors in place."""
    if isinstance(number, float):
        torch._foreach_add_(tensors, others, alpha=sign * number)
    else:
        torch._foreach_addcmul_(tensors, others, number, value=sign)


def _sum(tensors: Tensors, others: Tensors, number: Number) -> Tensors:
    """Return sums of tensors and of others, multiplied by a number."""
    if isinstance(number, float):
        return torch._foreach_add(tensors, others, alpha=number)
    return torch._foreach_addcmul(tensors, others, number)


#: class of optimizers -> how it updates
RULES: Mapping[type[Optimizer], UpdateRule] = {
    torch.optim.SGD: DescentRule(),
    torch.optim.Adam: AdamRule(is_decoupled=False),
    torch.optim.AdamW: AdamRule(is_decoupled=True),
}
