"""What the user's code asks of pieces of parameters: a number is the whole's, where all ranks ask for it at once.

Torch itself answers `float(parameter.norm())`, and whatever else makes a number of a piece, with that of this rank's
piece. A metric would then be that of one rank, and an optimizer that scales by norms would scale each piece otherwise.
This module refuses to know what is asked, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from hippo.errors import TrainerError

#: what torch says where pieces and whole tensors are computed with together
_MIXED = "mixed torch.Tensor and DTensor"
#: and where a graph needs what was put together, and let go of
_LET_GO = "out of bounds for storage of size 0"
#: what draws numbers; not multinomial, which draws for wholes. Torch has a list of its own, where nobody vouches for it
_DRAWING = (
    *("bernoulli", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "native_dropout", "normal"),
    *("normal_", "poisson", "rand", "rand_like", "randint_like", "randn", "randn_like", "random_", "uniform_"),
)


class _Asking:
    """What this process is at."""

    #: all ranks run the same code at this moment
    is_together: bool = False


_now = _Asking()


def answer_for_wholes(does: bool) -> None:
    """Have pieces answer with numbers of wholes from now on, or as torch does.

    Raises:
      TrainerError: this torch cannot be told to.
    """
    handlers, asked = number_handlers(), torch.ops.aten._local_scalar_dense.default
    if does:
        handlers[asked] = _number_of_whole
    else:
        handlers.pop(asked, None)


def number_handlers() -> dict[Any, Any]:
    """Return torch's table of operations that pieces have other code for.

    Raises:
      TrainerError: this torch has none.
    """
    from torch.distributed.tensor import DTensor

    handlers = getattr(getattr(DTensor, "_op_dispatcher", None), "_custom_op_handlers", None)
    if not isinstance(handlers, dict):
        raise TrainerError(
            f"torch {torch.__version__} does not let hippo answer for pieces of parameters, as numerics='elastic' has "
            "to: use another torch, such as 2.13, or an engine without ranks="
        )
    return handlers


def _number_of_whole(_operation: Any, arguments: tuple[Any, ...], _named: dict[str, Any]) -> Any:
    if not _now.is_together:
        raise TrainerError(
            "a number is made of a parameter (by float(), item() or a comparison in an if) where not all ranks do so, "
            "and each has a piece of it: do it in loss(), metrics(), setup(hp) or the optimizer's step(), or train on "
            "an engine without ranks="
        )
    return arguments[0].full_tensor().item()


@contextmanager
def all_ranks_run(name: str, blocks: Sequence[type[nn.Module]]) -> Iterator[None]:
    """Run code of the user's in the block that all ranks run at this moment.

    Args:
      name: the trainer's, for messages.
      blocks: its elastic_blocks.

    Raises:
      TrainerError: it computes with pieces and whole tensors at once, or with parameters that ranks have let go of.
    """
    before, _now.is_together = _now.is_together, True
    try:
        yield
    except RuntimeError as error:
        if _LET_GO in str(error):
            raise TrainerError(
                f"{name} takes gradients of gradients (create_graph=True), for which ranks would have to keep "
                f"parameters that they have put together, and let go of{_blocks_let_go(blocks)}: train it on an engine "
                "without ranks="
            ) from error
        if _MIXED not in str(error):
            raise
        raise TrainerError(
            f"{name} computes with parameters of which each rank has a piece, and with whole tensors ({error}). Ranks "
            "put parameters together when the model itself is called: call model(...) rather than parts of it, and "
            f"take parameters after that{advice_on_blocks(blocks)}"
        ) from error
    finally:
        _now.is_together = before


@contextmanager
def nothing_drawn(by: str) -> Iterator[None]:
    """Refuse to draw numbers into pieces in the block, where chance is the same in all ranks.

    Each piece would be given the same ones.

    Args:
      by: whose code runs in the block.
    """
    handlers = number_handlers()
    packets = [getattr(torch.ops.aten, name) for name in _DRAWING]
    drawing = {getattr(packet, each) for packet in packets for each in packet.overloads()} - handlers.keys()

    def refuse(*_: object) -> Any:
        raise TrainerError(
            f"{by} draws numbers into a parameter, of which each rank has a piece: all pieces would be "
            "given the same ones. Draw them in make_model(), or train on an engine without ranks="
        )

    handlers.update(dict.fromkeys(drawing, refuse))
    try:
        yield
    finally:
        for each in drawing:
            handlers.pop(each, None)


def _blocks_let_go(blocks: Sequence[type[nn.Module]]) -> str:
    if not blocks:
        return ""
    return (
        "; or one of elastic_blocks returns what torch does not find (an object of a class of its own), or a view that "
        "is changed in place (x += 1 for x = x + 1)"
    )


def advice_on_blocks(blocks: Sequence[type[nn.Module]]) -> str:
    """Return what else holds for parameters of blocks, as the end of a sentence; nothing where there are none."""
    if not blocks:
        return ""
    return (
        "; but those of elastic_blocks are in pieces after it, too: for a penalty on them use the optimizer's "
        "weight_decay, or leave elastic_blocks out"
    )
