"""What a surrogate's forward pass does otherwise than its target's: attention's logits, and tied output layers.

Where heads are narrower, their logits are scaled by the rule; where an output layer shares its weight with an
embedding, its input is. Both are done by giving a module a class of its own, so that it can be copied, saved and walked
in lanes as before. This module refuses to know where the factors come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from hippo.errors import TrainerError
from hippo.training.scaled.layouts import TABLES
from hippo.training.scaled.pairing import head_dim


class ScaledReadout(nn.Linear):
    """An output layer, tied to an embedding, that multiplies its input by a factor."""

    input_factor: float

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input * self.input_factor, self.weight, self.bias)


class ScaledLogits(nn.MultiheadAttention):
    """Attention that multiplies its logits by a factor."""

    logit_factor: float

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with _ScaledQueries(self.logit_factor) as queries:
            result = super().forward(*args, **kwargs)
        if not queries.were_scaled:
            raise TrainerError(
                f"{type(self).__mro__[2].__name__} has narrower heads than in the target, and its forward() does not "
                "call that of nn.MultiheadAttention, so that its logits cannot follow: scale the number of heads, and "
                "keep their width; or derive it from nn.Module, and multiply logits by self.attention_scale()"
            )
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        own = type(self)  # one that was made of another class has no name by which it would be found
        return super().__reduce_ex__(protocol) if own is ScaledLogits else (_new, (own.__mro__[2],), self.__dict__)


class _ScaledQueries(TorchFunctionMode):
    """Multiplies what queries are projected by: logits are linear in them, and no parameter changes."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self._factor = factor
        self.were_scaled = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is F.multi_head_attention_forward:
            self.were_scaled = True
            names = ("query", "key", "value", "embed_dim_to_check", "num_heads", "in_proj_weight", "in_proj_bias")
            kwargs |= dict(zip(names, args, strict=False))
            args = args[len(names) :]
            width = kwargs["embed_dim_to_check"]
            for name in ("in_proj_weight", "in_proj_bias"):
                if kwargs[name] is not None:
                    queries, others = kwargs[name][:width], kwargs[name][width:]
                    kwargs[name] = torch.cat([queries * self._factor, others])
            if kwargs.get("q_proj_weight") is not None:
                kwargs["q_proj_weight"] = kwargs["q_proj_weight"] * self._factor
            places = [kwargs.pop(name) for name in names]
            return func(*places, *args, **kwargs)
        return func(*args, **kwargs)


@lru_cache(maxsize=64)
def _scaled_class(cls: Any) -> type[ScaledLogits]:
    """Return a class that scales logits around the `forward` of another one."""
    return ScaledLogits if cls is nn.MultiheadAttention else type(cls.__name__, (ScaledLogits, cls), {})


def _new(cls: Any) -> ScaledLogits:
    scaled = _scaled_class(cls)
    return scaled.__new__(scaled)


def scale_attention(target: nn.Module, surrogate: nn.Module, factor: Callable[[int, int], float]) -> None:
    """Scale the logits of all attention whose heads are narrower than the target's.

    Args:
      target: may be without memory.
      surrogate: changed in place.
      factor: returns the factor beside the target's own, for heads that are so wide in the target, and here.

    Raises:
      TrainerError: an attention module does not say what it multiplies its logits by.
    """
    wide = dict(target.named_modules())
    narrowed = set()
    for name, module in surrogate.named_modules():
        dim, target_dim = head_dim(module), head_dim(wide[name]) if name in wide else None
        if dim is None or target_dim is None or dim == target_dim:
            continue
        narrowed.add(name)
        if isinstance(module, nn.MultiheadAttention):
            cls: Any = type(module)
            module.__class__ = _scaled_class(cls)
            # it multiplies by dim ** -0.5 itself
            module.logit_factor = factor(target_dim, dim) * (dim / target_dim) ** 0.5
        elif isinstance(own := getattr(wide[name], "scaling", None), float):
            module.scaling = own * factor(target_dim, dim)
        else:
            raise TrainerError(
                f"{name!r} ({type(module).__name__}) has heads of {dim}, and of {target_dim} in the target, and "
                "nothing is known by which its logits could follow: scale the number of heads, and keep their width"
            )
    _leave_fast_paths(surrogate, narrowed)


def _leave_fast_paths(model: nn.Module, narrowed: set[str]) -> None:
    """Keep torch from what it does in evaluation: it goes past the attention, or makes what that cannot take."""
    for name, module in model.named_modules():
        within = f"{name}.".lstrip(".")
        if isinstance(module, nn.TransformerEncoderLayer) and f"{within}self_attn" in narrowed:
            module.activation_relu_or_gelu = 0
        if isinstance(module, nn.TransformerEncoder) and any(each.startswith(within) for each in narrowed):
            module.use_nested_tensor = False  # of what is padded


def tied_readouts(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield the layers, by name, whose weight is that of an embedding."""
    tables = {id(each.weight) for each in model.modules() if isinstance(each, TABLES)}
    for name, module in model.named_modules():
        weight = getattr(module, "weight", None)
        if not isinstance(module, TABLES) and isinstance(weight, nn.Parameter) and id(weight) in tables:
            yield name, module


def scale_readouts(model: nn.Module, factor: Callable[[nn.Parameter], float]) -> None:
    """Scale the input of all layers whose weight is that of an embedding.

    Args:
      model: changed in place.
      factor: returns it, by the weight that is shared.

    Raises:
      TrainerError: such a layer is of a class that is not known, or nothing normalises what comes into it.
    """
    tied = list(tied_readouts(model))
    if tied and not any("norm" in type(module).__name__.lower() for module in model.modules()):
        raise TrainerError(
            f"{tied[0][0]!r} shares its weight with an embedding, and no layer normalises what comes into it: its "
            "output then grows with the width by the embedding's own scale. Put a norm before it, or untie the two."
        )
    for name, module in tied:
        if type(module) is not nn.Linear:
            raise TrainerError(
                f"{name!r} ({type(module).__name__}) shares its weight with an embedding; of such layers, only "
                "torch.nn.Linear is known. Untie the two, or use nn.Linear."
            )
        weight = cast(nn.Parameter, module.weight)
        module.__class__ = ScaledReadout
        module.input_factor = factor(weight)  # type: ignore[assignment]
