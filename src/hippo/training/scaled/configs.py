"""Hugging Face configs at a smaller width: which of their fields are widths, and which numbers of heads.

It knows the names of fields and refuses to know the library: what it is given is copied and looked at.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from hippo.errors import TrainerError

#: fields that are widths, or lists of them
_WIDTHS = (
    "hidden_size", "hidden_sizes", "intermediate_size", "embedding_size", "embed_dim", "n_embd", "n_inner", "d_model",
    "d_ff", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "ffn_hidden_size", "d_inner", "moe_intermediate_size",
    "shared_expert_intermediate_size", "shared_intermediate_size", "pooler_hidden_size", "true_hidden_size",
)  # fmt: skip
#: what older configs call them, which means something else elsewhere: the model's width, and that of its blocks
_OLDER_WIDTHS = (("dim", "hidden_dim"), ("emb_dim",))
#: fields that are numbers of heads, or lists of them; those of keys and values last
_HEADS = (
    "num_attention_heads", "num_heads", "n_head", "n_heads", "attention_heads", "encoder_attention_heads",
    "decoder_attention_heads", "num_key_value_heads",
)  # fmt: skip
_KEY_HEADS = "num_key_value_heads"
#: fields that are not known, and yet may be a width or a number of heads; not the width of a head, which stays
_MAY_BE = re.compile(
    r"(hidden|intermediate|ffn|feed_?forward|inner|mlp|embed)\w*(size|sizes|dim|dims|width)|heads|width"
)
#: whose sizes are no widths
_ARE_NOT = re.compile(r"vocab|image|patch|position|layer|kernel|out_|output|proj")
#: least width of a head
_LEAST_HEAD = 4


def scaled_config(config: Any, times: int, *, min_width: int) -> Any:
    """Return a copy of a config whose widths, and numbers of heads, are so many times smaller.

    Where a number of heads cannot be divided, it stays as it is, and heads get narrower.

    Raises:
      TrainerError: a width cannot be divided or gets too small, or the config has none that is known.
    """
    made = copy.deepcopy(config)
    if times == 1:
        return made
    # vars, not hasattr: of aliases, as GPT-2's `hidden_size` is one of its `n_embd`, both would be divided
    fields = vars(config)
    widths = [name for name in _WIDTHS if fields.get(name) is not None]
    if not widths:
        widths = next(
            (list(names) for names in _OLDER_WIDTHS if all(type(fields.get(name)) is int for name in names)), []
        )
    if "depth_multiplier" in fields:
        _scale_multiplier(made, times)
    elif not widths:
        raise TrainerError(
            f"scaled_config(): none of the fields of {type(config).__name__} is known as a width (known are "
            f"{', '.join(_WIDTHS)}); scale its numbers by self.scaled(n) and make the config of these"
        )
    for name in widths:
        setattr(made, name, _each(fields[name], lambda width, name=name: _divided(name, width, times, min_width)))
    for name in _HEADS:
        if fields.get(name) is not None:
            _scale_heads(made, config, name, times)
    return made


def left_as_it_is(config: Any, made: Any, *, min_width: int) -> list[str]:
    """Return the names of fields that seem to be widths, or numbers of heads, and that stayed as they are."""
    return [
        name
        for name, value in sorted(vars(config).items())
        if type(value) is int and value >= min_width and vars(made).get(name) == value
        if name not in _HEADS and _MAY_BE.search(name) and not _ARE_NOT.search(name)
    ]


def _divided(name: str, width: int, times: int, least: int) -> int:
    if width % times or width // times < least:
        raise TrainerError(
            f"scaled_config(): {name} = {width} at scale 1/{times} would be {width / times:g}; it must be a whole "
            f"number, of at least min_width = {least}"
        )
    return width // times


def _scale_multiplier(made: Any, times: int) -> None:
    """Scale a network whose channels are rounded multiples of fixed numbers, without rounding its surrogate again."""
    made.depth_multiplier = made.depth_multiplier / times
    made.depth_divisible_by = max(1, made.depth_divisible_by // times)
    made.min_depth = max(1, made.min_depth // times)


def _scale_heads(made: Any, config: Any, name: str, times: int) -> None:
    heads = vars(config)[name]
    if name == _KEY_HEADS:
        # those of queries were scaled: each key must serve as many, or nearly, where none could
        queries = made.num_attention_heads
        if queries != config.num_attention_heads:
            most = max(1, heads // times)
            made.num_key_value_heads = next(each for each in range(most, 0, -1) if queries % each == 0)
        return
    is_divided = all(each % times == 0 for each in _listed(heads))
    if is_divided:
        setattr(made, name, _each(heads, lambda each: each // times))
        return
    width = _width_of_heads(made)
    if width is None or any(width % each or width // each < _LEAST_HEAD for each in _listed(heads)):
        raise TrainerError(
            f"scaled_config(): {name} = {heads} at scale 1/{times} cannot be divided, and kept as it is, heads would "
            f"be less than {_LEAST_HEAD} wide; choose a scale that divides it"
        )
    if type(vars(config).get("head_dim")) is int:
        made.head_dim = config.head_dim // times


def _width_of_heads(made: Any) -> int | None:
    for name in ("hidden_size", "n_embd", "d_model", "dim", "emb_dim"):
        if type(found := vars(made).get(name)) is int:
            return found
    return None


def _listed(value: Any) -> list[int]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _each(value: Any, change: Any) -> Any:
    return type(value)(change(each) for each in value) if isinstance(value, list | tuple) else change(value)
