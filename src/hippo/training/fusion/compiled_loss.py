"""Losses of lanes, and their gradients, by a compiled program, as soon as compiling it pays.

Until then, and wherever it cannot be, as `FusedLoss` does it. What was compiled is compared with that on one batch: its
gradients, the buffers that it writes, and how far it brings chance. Batches of another form, and lanes of another
number, go the old way. It comes to other last bits, and seconds decide when it begins: so it is for workloads whose
numerics promise nothing about these. It refuses to know optimizers and leases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.func import grad, vmap
from torch.utils._pytree import tree_flatten

from hippo.records import Fusion
from hippo.training.fusion.chance import DrawAsSolo, drawn_on
from hippo.training.fusion.compile_rule import CompilePolicy
from hippo.training.fusion.fused_loss import FusedLoss, as_lanes
from hippo.training.fusion.lane_tensors import LaneTensors
from hippo.training.fusion.reasons import reason_of
from hippo.training.fusion.stand_in import StandIn, assigned_by
from hippo.training.process.streams import fence

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: a program is right if gradients and buffers are no farther off than this, relatively: rounding in float32 is 1e-6
_MOST_DISTANCE = 1e-3


@dataclass(slots=True)
class LossCompiler:
    """What a formation has of its surroundings to compile with.

    Its `policy` is told of steps that are left by who walks the formation.
    """

    policy: CompilePolicy
    #: tells seconds
    elapsed: Callable[[], float]
    #: hears what became of an attempt, in words, and its seconds
    tell: Callable[[str, float], None]


class _Found(NamedTuple):
    """What an update computes."""

    losses: Tensor
    #: of the tensors that are trained, in their order
    gradients: Sequence[Tensor]
    #: the other stacked tensors, as they are afterwards, by name
    others: Mapping[str, Tensor]
    assigned: Mapping[str, Tensor]


class CompiledLoss:
    """Computes losses of lanes, as `FusedLoss` does, and compiles that when it pays.

    Args:
      trainer: whose `loss` it is.
      tensors: of the lanes.
      plain: what is compiled.
      compiler: decides when.
    """

    def __init__(self, trainer: TorchTrainer, tensors: LaneTensors, plain: FusedLoss, compiler: LossCompiler) -> None:
        self._trainer, self._tensors, self._plain, self._compiler = trainer, tensors, plain, compiler
        self._program: Callable[..., Any] | None = None
        #: of the batches that the program is for, and how many lanes
        self._form: Any = None
        #: trained tensors without a gradient: a program returns zeros for them, which optimizers would take for one
        self._without: frozenset[str] = frozenset()
        self._is_due = False
        self._updates = 0
        #: of the losses that were computed last, if a program computed them
        self._gradients: Sequence[Tensor] | None = None

    @contextmanager
    def step(self) -> Iterator[None]:
        """Take time of a step, and decide before it."""
        policy, lanes = self._compiler.policy, self._tensors.num_lanes
        if self._form is not None and self._form[0] != lanes:
            self._program = self._form = None
        self._is_due = self._program is None and policy.is_due(lanes)
        self._updates, before, started_s = 0, self._program, self._compiler.elapsed()
        yield
        if self._program is before:
            seconds = self._compiler.elapsed() - started_s
            policy.note_step(lanes, updates=self._updates, seconds=seconds, is_compiled=before is not None)
            if before is not None and policy.experience.refusal:
                self._give_up(policy.experience.refusal, seconds)

    def losses(self, batch: Any) -> Tensor:
        """Return the losses on a batch, one per lane."""
        self._updates += 1
        self._gradients = None
        if self._is_due:
            self._is_due = False
            return self._compile(batch)
        if self._program is None or self._form != self._form_of(batch):
            return self._plain.losses(batch)
        try:
            with torch.compiler.set_stance("fail_on_recompile"):  # else it would compile anew at any change, unasked
                found = self._run(self._program, batch, self._others())
        except Exception as error:  # whatever a compiler raises
            self._give_up(f"it could not go on: {reason_of(error)}", 0.0)
            return self._plain.losses(batch)
        for name, tensor in found.others.items():
            self._tensors.stacked[name].detach().copy_(tensor)
        self._tensors.assign(dict(found.assigned))
        self._gradients = found.gradients
        return found.losses

    def gradients(self, losses: Tensor, names: Collection[str], factor: float) -> dict[str, Tensor | None]:
        """Return each lane's gradients of its loss, times a factor, of the parameters of these names."""
        if self._gradients is None:
            return self._plain.gradients(losses, names, factor)
        found = dict(zip(self._tensors.trained(), self._gradients, strict=True))
        return {
            name: None if name in self._without else each if factor == 1.0 else each * factor
            for name, each in found.items()
            if name in names
        }

    # ------------------------------------------------------------------------------------------------------ a program

    def _compile(self, batch: Any) -> Tensor:
        """Return the losses on a batch as they are without a program; and have one from then on, if it is right."""
        started_s, elapsed = self._compiler.elapsed(), self._compiler.elapsed
        program, found, drawn, wrong = None, None, None, ""
        others = {name: each.clone() for name, each in self._others().items()}
        with fence():  # what it draws is drawn again
            try:
                program = self._made()
                found, drawn = self._run(program, batch, others), drawn_on(self._trainer._device)
            except Exception as error:  # whatever a compiler raises
                wrong = reason_of(error)
        seconds = elapsed() - started_s
        looked_at: set[str] = set()
        outer, self._trainer.hp = self._trainer.hp, self._trainer.hp.recording(looked_at)
        try:
            losses = self._plain.losses(batch)
        finally:
            self._trainer.hp = outer
        if found is not None and drawn is not None:
            wrong = self._wrong_with(found, losses, drawn)
        if looked_at and not wrong:  # a later value would not be seen, nor that lanes differ in it
            wrong = f"loss() reads {sorted(looked_at)} of the hyper-parameters, which would be constants of it"
        if wrong:
            self._give_up(wrong, seconds)
        else:
            self._program, self._form = program, self._form_of(batch)
            self._compiler.policy.experience.compile_s = seconds
            self._compiler.tell("", seconds)
        return losses

    def _made(self) -> Callable[..., Any]:
        """Return the program, which is compiled when it is called."""
        trainer, places = self._trainer, self._tensors
        names = [*self._tensors.trained(), *self._others()]

        def of_lane(tensors: list[Tensor], batch: Any) -> tuple[Tensor, dict[str, Tensor]]:
            model = StandIn(trainer.model, places, dict(zip(names, tensors, strict=True)))
            return trainer.loss(model, batch).reshape(()), assigned_by(model)  # type: ignore[arg-type]

        def total(trained: list[Tensor], others: list[Tensor], batch: Any) -> tuple[Tensor, Any]:
            others = [each.clone() for each in others]  # buffers may be written in place, but not the caller's
            with trainer._descent.autocast():
                losses, assigned = vmap(of_lane, in_dims=(0, None), randomness="same")([*trained, *others], batch)
            return losses.sum(), (losses, others, assigned)

        def update(trained: list[Tensor], others: list[Tensor], batch: Any) -> Any:
            return grad(total, has_aux=True)(trained, others, batch)

        # programs are kept by code, a few of each; those of earlier formations would count
        update.__code__ = update.__code__.replace(co_name=f"update_{id(self)}")
        # The number of lanes is a constant of it: `grad` of `vmap` makes one of it, whatever is marked as dynamic.
        # Chance has to be drawn as it is without it.
        return torch.compile(update, dynamic=False, fullgraph=True, options={"fallback_random": True})

    def _run(self, program: Callable[..., Any], batch: Any, others: Mapping[str, Tensor]) -> _Found:
        trained = [each.detach() for each in self._tensors.trained().values()]
        with as_lanes(self._trainer, Fusion(is_fused=True)), DrawAsSolo():
            gradients, (losses, after, assigned) = program(trained, list(others.values()), batch)
        return _Found(losses.detach(), gradients, dict(zip(others, after, strict=True)), assigned)

    def _others(self) -> dict[str, Tensor]:
        trained = self._tensors.trained()
        return {name: each.detach() for name, each in self._tensors.stacked.items() if name not in trained}

    def _form_of(self, batch: Any) -> Any:
        leaves, structure = tree_flatten(batch)
        forms = [(each.shape, each.dtype) if isinstance(each, Tensor) else type(each) for each in leaves]
        return self._tensors.num_lanes, structure, forms

    def _wrong_with(self, found: _Found, losses: Tensor, drawn: Tensor) -> str:
        """Say what differs from an update that was computed without a program; nothing if none does."""
        if not torch.equal(drawn, drawn_on(self._trainer._device)):
            return "it draws other numbers"
        trained = self._tensors.trained()
        expected: Sequence[Tensor | None] = torch.autograd.grad(
            losses.sum(), list(trained.values()), retain_graph=True, allow_unused=True
        )
        self._without = frozenset(name for name, each in zip(trained, expected, strict=True) if each is None)
        pairs = [(losses, found.losses)]
        pairs += [(e, g) for e, g in zip(expected, found.gradients, strict=True) if e is not None]
        stacked = self._tensors.stacked
        pairs += [(stacked[name], found.assigned.get(name, after)) for name, after in found.others.items()]
        off = max((_distance(program, plain) for plain, program in pairs), default=0.0)
        return "" if off <= _MOST_DISTANCE else f"it is off by {off:.0e}"

    def _give_up(self, why: str, seconds: float) -> None:
        self._program = self._form = None
        self._compiler.policy.experience.refusal = why
        self._compiler.tell(why, seconds)


def _distance(one: Tensor, other: Tensor) -> float:
    """Return how far a tensor is from another, by how large that is; the same that is no number is not far."""
    one, other = one.detach().double(), other.detach().double()
    apart = torch.where((one == other) | (one.isnan() & other.isnan()), 0.0, one - other)
    return float(apart.norm()) / max(float(other.norm()), 1e-30) if bool(apart.any()) else 0.0
