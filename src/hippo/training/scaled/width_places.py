"""Where widths stand in modules: dimensions of their tensors, and integers that say the same.

Of torch's modules it is known; of others, what their code does with an integer shows when a model is run. This module
refuses to know which dimensions are widths.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from hippo.surrogates import Layout
from hippo.training.scaled.layouts import CONVOLUTIONS, TABLES, TRANSPOSED, layout_of, owner_of, tables_of
from hippo.training.scaled.model_places import Attribute, TensorDim
from hippo.training.scaled.widths import Side

#: whose vectors have a number for each channel
_OF_CHANNELS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase, nn.PReLU)
#: integers of torch's modules -> the tensor, and its dimension, that they say the size of
_KNOWN: tuple[tuple[tuple[type[nn.Module], ...], Mapping[str, tuple[str, int]]], ...] = (
    ((nn.Linear,), {"in_features": ("weight", 1), "out_features": ("weight", 0)}),
    ((nn.Bilinear,), {"in1_features": ("weight", 1), "in2_features": ("weight", 2), "out_features": ("weight", 0)}),
    (CONVOLUTIONS, {"out_channels": ("weight", 0)}),
    (TRANSPOSED, {"in_channels": ("weight", 0)}),
    ((nn.modules.batchnorm._NormBase,), {"num_features": ("weight", 0)}),
    ((nn.GroupNorm,), {"num_channels": ("weight", 0)}),
    (TABLES, {"embedding_dim": ("weight", 1)}),
    (
        (nn.MultiheadAttention,),
        {"embed_dim": ("out_proj.weight", 0), "kdim": ("k_proj_weight", 1), "vdim": ("v_proj_weight", 1)},
    ),
    ((nn.RNNBase,), {"input_size": ("weight_ih_l0", 1), "hidden_size": ("weight_hh_l0", 1)}),
    ((nn.RNNCellBase,), {"input_size": ("weight_ih", 1), "hidden_size": ("weight_hh", 1)}),
    ((nn.PReLU,), {"num_parameters": ("weight", 0)}),
)


def sides_of(model: nn.Module, times: int) -> dict[TensorDim, Side]:
    """Return what layers do over each dimension of a parameter that may be a width.

    Rows of tables, kernels, and channels of groups that get fewer are none.
    """
    modules: dict[str, nn.Module] = dict(model.named_modules())
    found: dict[TensorDim, Side] = {}
    tables = tables_of(model)
    for name, parameter in model.named_parameters():
        layout = Layout.TABLE if id(parameter) in tables else layout_of(name, modules)
        sides = _sides(owner_of(name, modules), parameter, layout, times)
        found |= {(name, dim): side for dim, side in sides.items() if parameter.shape[dim] > 1}
    return found


def known_followers(model: nn.Module, times: int) -> dict[Attribute, TensorDim]:
    """Return the integers of torch's modules that say the size of a dimension, or are in a ratio to it."""
    found: dict[Attribute, TensorDim] = {}
    for name, module in model.named_modules():
        tensors: Mapping[str, Tensor | None] = dict(module.named_parameters())
        for classes, attributes in _KNOWN:
            if isinstance(module, classes):
                found |= {
                    (name, attribute, None): (_joined(name, tensor), dim)
                    for attribute, (tensor, dim) in attributes.items()
                    if tensors.get(tensor) is not None
                }
        found |= _known_in_ratio(name, module, times)
    names, modules = first_names(model), dict(model.named_modules())
    return {
        (owner, attribute, place): (names[tensor], dim)
        for (owner, attribute, place), (tensor, dim) in found.items()
        if (attribute, place) in integers_of(modules[owner])  # one channel is none of a width
    }


def first_names(model: nn.Module) -> dict[str, str]:
    """Return each name of each parameter -> the first of its names."""
    first = {id(parameter): name for name, parameter in model.named_parameters()}
    return {name: first[id(each)] for name, each in model.named_parameters(remove_duplicate=False)}


def integers_of(module: nn.Module) -> dict[tuple[str, int | None], int]:
    """Return the integers above 1 that a module has in attributes, and in tuples in attributes."""
    found: dict[tuple[str, int | None], int] = {}
    for attribute, value in vars(module).items():
        parts: Any = enumerate(value) if isinstance(value, tuple) else [(None, value)]
        found |= {(attribute, place): each for place, each in parts if type(each) is int and each > 1}
    return found


def _sides(owner: nn.Module, parameter: Tensor, layout: Layout, times: int) -> dict[int, Side]:
    dims = range(parameter.dim())
    if parameter.dim() == 1:
        return {0: Side.EITHER if layout is Layout.UNKNOWN and not isinstance(owner, _OF_CHANNELS) else Side.OUT}
    if layout is Layout.TABLE:
        return {parameter.dim() - 1: Side.OUT}
    if layout is Layout.UNKNOWN:
        return dict.fromkeys(dims, Side.EITHER)
    if isinstance(owner, (*CONVOLUTIONS, *TRANSPOSED)):
        dims = range(1 if _has_fewer_groups(owner, times) else 2)
    first, rest = (Side.IN, Side.OUT) if layout is Layout.TRANSPOSED else (Side.OUT, Side.IN)
    return {dim: first if dim == 0 else rest for dim in dims}


def _known_in_ratio(name: str, module: nn.Module, times: int) -> dict[Attribute, TensorDim]:
    """Return integers that are as many times smaller as a width, if it is one: groups as large as before, heads."""
    if isinstance(module, nn.LayerNorm | nn.RMSNorm) and module.weight is not None:
        return {
            (name, "normalized_shape", place): (_joined(name, "weight"), place)
            for place, size in enumerate(module.normalized_shape)
            if size > 1
        }
    if isinstance(module, (*CONVOLUTIONS, *TRANSPOSED)):
        other = "out_channels" if isinstance(module, TRANSPOSED) else "in_channels"
        if not _has_fewer_groups(module, times):
            return {(name, other, None): (_joined(name, "weight"), 1)}
        return {(name, each, None): (_joined(name, "weight"), 0) for each in (other, "groups")}
    if isinstance(module, nn.MultiheadAttention):
        heads = "num_heads" if module.num_heads % times == 0 else "head_dim"  # by which its logits are scaled
        return {(name, heads, None): (_joined(name, "out_proj.weight"), 0)}
    return {}


def _has_fewer_groups(convolution: Any, times: int) -> bool:
    """Whether groups of channels get fewer, and stay as large as they are: depthwise ones, above all."""
    return bool(convolution.groups > 1 and convolution.groups % times == 0)


def _joined(module: str, tensor: str) -> str:
    return f"{module}.{tensor}" if module else tensor
