"""Lays a surrogate's tensors beside its target's, and refuses pairs that no rule is for.

It looks at two models, of which the target may be without memory. It refuses to know how they came about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from torch import nn

from hippo.errors import TrainerError, listed
from hippo.scale import Scale
from hippo.surrogates import Layout, ScaledTensor
from hippo.training.scaled.layouts import layout_of, owner_of, tables_of

#: least channels of a group, or width of a head: fewer, and what is computed of them is mostly noise
LEAST_PER_GROUP = 4

#: by what hold a list of blocks
_LISTS = (nn.ModuleList, nn.Sequential)


def paired(target: nn.Module, surrogate: nn.Module, scale: Scale) -> dict[str, ScaledTensor]:
    """Return, for each of a surrogate's parameters by name, how it compares to the target's; tied ones once.

    Raises:
      TrainerError: the two are not one network at two scales; the message names the parameter, or the way out.
    """
    of_target, of_surrogate = dict(target.named_parameters()), dict(surrogate.named_parameters())
    blocks = shortened(target, surrogate, scale)
    _check_names(of_target.keys(), of_surrogate.keys(), scale)
    modules = dict(target.named_modules()), dict(surrogate.named_modules())
    tables = tables_of(surrogate)
    found = {}
    for name, parameter in of_surrogate.items():
        shapes = tuple(of_target[name].shape), tuple(parameter.shape)
        owners = owner_of(name, modules[0]), owner_of(name, modules[1])
        if len(shapes[0]) != len(shapes[1]) or type(owners[0]).__name__ != type(owners[1]).__name__:
            raise TrainerError(
                f"{name!r} is {_said(owners[1], shapes[1])} at {_at(scale)} and {_said(owners[0], shapes[0])} in the "
                "target: a name must mean the same at both. Put blocks that may be fewer into a list of their own."
            )
        found[name] = ScaledTensor(
            layout=Layout.TABLE if id(parameter) in tables else layout_of(name, modules[1]),  # tied: looked up first
            target=shapes[0],
            surrogate=shapes[1],
            groups=(getattr(owners[0], "groups", 1), getattr(owners[1], "groups", 1)),
            depth=Fraction(1, scale.depth)
            if any(name.startswith(f"{block}.".lstrip(".")) for block in blocks)
            else None,
        )
    if scale.rank is not None:
        found |= _adapters(found, modules, scale)
    if scale.width > 1 and all(tensor.target == tensor.surrogate for tensor in found.values()):
        raise TrainerError(
            f"no parameter of the model is smaller at {_at(scale)}: write self.scaled(n) in make_model() for each "
            "width n, or self.scaled_config(config) for a Hugging Face config. Pretrained weights cannot be narrowed."
        )
    return found


def _adapters(
    tensors: Mapping[str, ScaledTensor], modules: tuple[dict[str, nn.Module], dict[str, nn.Module]], scale: Scale
) -> dict[str, ScaledTensor]:
    """Return the factors of adapters of another rank, with what their product is multiplied by.

    Raises:
      TrainerError: there are none, or what they are multiplied by is not known.
    """
    changed = {name: tensor for name, tensor in tensors.items() if tensor.surrogate != tensor.target}
    for name, tensor in changed.items():
        if len(tensor.target) < 2 or sum(s != t for t, s in zip(tensor.target, tensor.surrogate, strict=True)) > 1:
            raise TrainerError(
                f"{name!r} is {list(tensor.surrogate)} at {_at(scale)} and {list(tensor.target)} in the target: only "
                "the two factors of an adapter have its rank, each in one dimension"
            )
    found = {}
    for name, tensor in changed.items():
        holder = _holder(name, changed)
        target, surrogate = (_multiplier(each[holder]) for each in modules)
        if target is None or surrogate is None:
            raise TrainerError(
                f"it is not known what the adapter of {name!r} is multiplied by: let the module that holds its factors "
                "have it as an attribute, scaling = alpha / rank or whatever it is, as peft's modules do"
            )
        rank = math.prod(tensor.surrogate) / math.prod(tensor.target)
        found[name] = replace(tensor, adapter=rank * surrogate / target)
    if not found:
        raise TrainerError(
            f"no parameter of the model has another rank at {_at(scale)}: write self.scaled_rank(n) in make_model() "
            "for the rank n of adapters"
        )
    return found


def _holder(factor: str, factors: Iterable[str]) -> str:
    """Return the name of the innermost module around a factor of an adapter that has another factor, too."""
    name = factor
    while name:
        name = name.rpartition(".")[0]
        if any(other != factor and (not name or other.startswith(f"{name}.")) for other in factors):
            break
    return name


def _multiplier(holder: nn.Module) -> float | None:
    """Return what the product of a module's adapters is multiplied by; None: it does not say it, or says several."""
    scaling = getattr(holder, "scaling", None)
    values = list(scaling.values()) if isinstance(scaling, Mapping) else [scaling]
    value = values[0] if values else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value and all(each == value for each in values) else None


def shortened(target: nn.Module, surrogate: nn.Module, scale: Scale) -> list[str]:
    """Return the names of the lists of blocks that have fewer in the surrogate.

    Raises:
      TrainerError: there is none at a smaller depth, or one has another number of blocks than the depth says.
    """
    lengths = {name: len(each) for name, each in target.named_modules() if isinstance(each, _LISTS)}
    found = []
    for name, each in surrogate.named_modules():
        if not isinstance(each, _LISTS) or lengths.get(name, len(each)) == len(each):
            continue
        if len(each) * scale.depth != lengths[name]:
            raise TrainerError(
                f"{name!r} has {len(each)} parts at {_at(scale)} and {lengths[name]} in the target: "
                + (f"make {lengths[name]} / {scale.depth}" if scale.depth > 1 else "make as many")
                + ", by self.scaled_depth(n)"
            )
        found.append(name)
    if scale.depth > 1 and not found:
        raise TrainerError(
            f"no list of blocks is shorter at {_at(scale)}: write self.scaled_depth(n) in make_model() for the number "
            "n of blocks, and keep them in a ModuleList or Sequential of their own"
        )
    return found


def check_groups(target: nn.Module, surrogate: nn.Module) -> None:
    """Refuse groups of channels, and heads, that became too narrow.

    Raises:
      TrainerError: names the module, and its width.
    """
    wide = dict(target.named_modules())
    for name, module in surrogate.named_modules():
        per_group = _per_group(module)
        if name in wide and per_group is not None and per_group < min(LEAST_PER_GROUP, _per_group(wide[name]) or 0):
            what, advice = (
                ("channels in a group", "scale the number of groups, too")
                if isinstance(module, nn.GroupNorm)
                else ("numbers in a head", "scale the number of heads, and keep their width")
            )
            raise TrainerError(
                f"{name!r} ({type(module).__name__}) would have {per_group} {what}, and {_per_group(wide[name])} in "
                f"the target; at least {LEAST_PER_GROUP} are needed: {advice}"
            )


def head_dim(module: nn.Module) -> int | None:
    """Return how wide the heads of an attention module are; None: it is none that is known."""
    for name in ("head_dim", "attention_head_size", "head_size", "d_head", "dim_head", "key_value_proj_dim"):
        if type(found := getattr(module, name, None)) is int:
            return found
    return None


def _per_group(module: nn.Module) -> int | None:
    return module.num_channels // module.num_groups if isinstance(module, nn.GroupNorm) else head_dim(module)


def _check_names(of_target: Any, of_surrogate: Any, scale: Scale) -> None:
    strange = sorted(of_surrogate - of_target)
    missing = [] if scale.depth > 1 else sorted(of_target - of_surrogate)
    if strange or missing:
        there, where = (strange, "not in the target") if strange else (missing, f"not at {_at(scale)}")
        raise TrainerError(
            f"the model has other parameters at {_at(scale)} than in the target: {listed(there, 4)} are {where}. "
            "make_model() must make the same network at each scale, only narrower."
        )


def _at(scale: Scale) -> str:
    return f"scale {scale}"


def _said(owner: nn.Module, shape: Any) -> str:
    return f"{list(shape)} of a {type(owner).__name__}"
