"""The loss of each lane on one batch, and its gradients, computed as one program.

`vmap` maps the user's `loss` over the lanes' parameters; the batch, and what the lanes have in common, it takes once.
The sum of the losses is differentiated outside: no term of it depends on two lanes, so that each lane gets its own
gradient. It refuses to know optimizers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.func import vmap

from hippo.records import Fusion
from hippo.training.fusion.aligned import AlignedProducts
from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.flat_products import FLAT_PRODUCTS
from hippo.training.fusion.gradient_hooks import OF_GRADIENTS
from hippo.training.fusion.in_blocks import IN_BLOCKS
from hippo.training.fusion.lane_channels import SIDE_BY_SIDE
from hippo.training.fusion.lane_tensors import LaneTensors
from hippo.training.fusion.ordered_sums import ordered_sums
from hippo.training.fusion.refusals import NotFusible
from hippo.training.fusion.shared_products import SharedProducts
from hippo.training.fusion.stand_in import NoModel, NoOptimizer, StandIn, assigned_by

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


class FusedLoss:
    """Computes losses of lanes.

    Args:
      trainer: whose `loss` it is.
      tensors: of the lanes. Buffers are brought to where the losses leave them.
      fusion: how they are computed.
    """

    def __init__(self, trainer: TorchTrainer, tensors: LaneTensors, fusion: Fusion) -> None:
        self._trainer, self._tensors, self._fusion = trainer, tensors, fusion

    def losses(self, batch: Any) -> Tensor:
        """Return the losses on a batch, one per lane, which gradients can be taken of."""
        names = list(self._tensors.stacked)

        def of_lane(tensors: list[Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
            model = StandIn(self._trainer.model, self._tensors, dict(zip(names, tensors, strict=True)))
            with model_out_of_reach(self._trainer, model):
                loss = _checked(self._trainer.loss(model, batch))  # type: ignore[arg-type]
            return loss, assigned_by(model)

        with as_lanes(self._trainer, self._fusion), lane_functions(self._fusion), self._trainer._descent.autocast():
            losses, assigned = vmap(of_lane, randomness="same")(list(self._tensors.stacked.values()))
        if not losses.requires_grad:
            raise NotFusible("loss() returned a tensor without a gradient: compute it from what model(...) returns")
        self._require_own(assigned)
        self._tensors.assign(assigned)
        return losses

    @contextmanager
    def step(self) -> Iterator[None]:
        """Surround a step of several updates."""
        yield

    def gradients(self, losses: Tensor, names: Collection[str], factor: float = 1.0) -> dict[str, Tensor | None]:
        """Return each lane's gradients of its loss, by the parameters' names; None where it does not depend on it.

        Args:
          losses: what `losses` returned.
          names: of the parameters that optimizers have. Others may have gradients, too, which count nowhere.
          factor: by which they count.
        """
        trained = {name: each for name, each in self._tensors.trained().items() if name in names}
        if not trained:
            return {}
        losses = losses if factor == 1.0 else losses * factor
        has_shared = self._fusion.shares_products and self._tensors.has_trunk
        products = SharedProducts() if has_shared else contextlib.nullcontext()
        with as_lanes(self._trainer, self._fusion), products:
            found = torch.autograd.grad(losses.sum(), list(trained.values()), allow_unused=True)
        return dict(zip(trained, found, strict=True))

    def _require_own(self, assigned: dict[str, Tensor]) -> None:
        """Refuse a buffer that lanes had in common until the model assigned to it: what it was is no longer known."""
        if common := sorted(assigned.keys() - self._tensors.stacked.keys()):
            raise NotFusible(f"the model assigned to its buffer {common[0]!r}, which it had left alone before")


def lane_functions(fusion: Fusion) -> DrawAsSolo:
    """Return the mode in which models of lanes are called."""
    in_blocks = IN_BLOCKS if fusion.in_blocks and not fusion.is_aligned else {}
    return DrawAsSolo({**FLAT_PRODUCTS, **SIDE_BY_SIDE, **OF_GRADIENTS, **in_blocks})


@contextmanager
def as_lanes(trainer: TorchTrainer, fusion: Fusion) -> Iterator[None]:
    """Compute in the block as lanes are computed, whatever their number."""
    with ExitStack() as stack:
        if fusion.is_aligned:
            stack.enter_context(AlignedProducts(ordered_sums()))
        if trainer._device.type == "cpu":
            stack.enter_context(_plain_attention())
        stack.enter_context(_without_advice())
        yield


@contextmanager
def model_out_of_reach(trainer: TorchTrainer, model: StandIn) -> Iterator[None]:
    """Keep `trainer.model`, and its optimizer, from `loss` and `metrics` for the block."""
    own, live = trainer.model, trainer._live
    trainer.model, trainer._live = NoModel(), NoOptimizer()  # type: ignore[assignment]
    try:
        yield
    finally:
        trainer.model, trainer._live = own, live


def _checked(loss: Any) -> Tensor:
    if not isinstance(loss, Tensor):
        raise NotFusible(f"loss() returned a {type(loss).__name__}, and not a tensor")
    if loss.numel() != 1:
        raise NotFusible(f"loss() returned a tensor of shape {tuple(loss.shape)}; return its mean, a 0-d tensor")
    return loss.reshape(())


@contextmanager
def _without_advice() -> Iterator[None]:
    """Keep torch from asking for an issue where it takes lanes one after another: what that costs is timed."""
    tell: Any = torch._C._functorch._set_vmap_fallback_warning_enabled  # type: ignore[attr-defined]
    tell(False)
    try:
        yield
    finally:
        tell(True)


def _plain_attention() -> contextlib.AbstractContextManager[Any]:
    """Have attention computed as products: on a CPU the other kernels take lanes one after another."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    return sdpa_kernel(SDPBackend.MATH)
