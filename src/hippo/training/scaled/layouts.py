"""Which module computes with a parameter, and which dimensions of it are summed over there.

Of torch's modules it is known; of others nobody knows. This module refuses to know scales.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn
from torch.nn.utils.parametrize import ParametrizationList

from hippo.surrogates import Layout

#: look rows up
TABLES = (nn.Embedding, nn.EmbeddingBag)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_MATRICES = (nn.Linear, nn.Bilinear, *CONVOLUTIONS, nn.RNNBase, nn.RNNCellBase, nn.MultiheadAttention)


def owner_of(name: str, modules: Mapping[str, nn.Module]) -> nn.Module:
    """Return the module that computes with a parameter, among all modules by name.

    Of what torch parametrizes, as `torch.nn.utils.parametrizations` do, it is the layer: "4" has the parameter
    "4.parametrizations.weight.original".
    """
    holder = name.rpartition(".")[0]
    if isinstance(modules[holder], ParametrizationList):
        holder = holder.rpartition(".")[0].removesuffix("parametrizations").removesuffix(".")
    return modules[holder]


def tables_of(model: nn.Module) -> set[int]:
    """Return the ids of the parameters of which rows are looked up."""
    # not each.weight: what is parametrized would be computed, and some change their buffers whenever they are
    modules = dict(model.named_modules())
    return {
        id(parameter)
        for name, parameter in model.named_parameters(remove_duplicate=False)
        if isinstance(owner_of(name, modules), TABLES) and _is_laid_as_weight(name, modules)
    }


def layout_of(name: str, modules: Mapping[str, nn.Module]) -> Layout:
    """Return which dimensions of a parameter are summed over, given all modules by name."""
    owner = owner_of(name, modules)
    if not _is_laid_as_weight(name, modules):
        return Layout.UNKNOWN
    if isinstance(owner, nn.MultiheadAttention) and name.endswith(("bias_k", "bias_v")):
        return Layout.TABLE  # a row that stands beside the keys, or the values
    if isinstance(owner, _MATRICES):
        return Layout.MATRIX
    return Layout.TRANSPOSED if isinstance(owner, TRANSPOSED) or _is_other_way(owner) else Layout.UNKNOWN


def _is_other_way(owner: nn.Module) -> bool:
    """Whether it is transformers' Conv1D, or a copy of it: a linear layer whose weight lies the other way."""
    return hasattr(owner, "nf") and any(cls.__name__ == "Conv1D" for cls in type(owner).__mro__)


def _is_laid_as_weight(name: str, modules: Mapping[str, nn.Module]) -> bool:
    """Whether a parameter lies as what its layer computes with: always, unless that is made of parameters.

    Weight normalisation makes it of lengths, which are gains, and of directions, which lie as the weight does. Of
    several parts that somebody's own parametrization makes it of, nobody knows it.
    """
    path, _, tensor = name.rpartition(".")
    holder = modules[path]
    if not isinstance(holder, ParametrizationList):
        return tensor != "weight_g" or "weight_v" not in holder._parameters
    if tensor == "original":
        return True
    is_weight_norm = type(holder[0]).__module__ == "torch.nn.utils.parametrizations"
    return is_weight_norm and tensor == "original1"
