"""One forward pass in which sizes are symbols: which dimensions of a model's tensors have to be equal, and to what.

Every dimension of a parameter, of a buffer and of a batch that may vary becomes a symbol of torch's `ShapeEnv`, whose
hint is the real size; the pass computes shapes alone, and what is asked of sizes is noted as guards. Symbolic sizes are
torch's, and not for users of it: where a version of torch does otherwise, the pass raises, and nothing is guessed. This
module refuses to know what a width is.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy  # type: ignore[import-untyped]
import torch
import torch._refs
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from hippo.training.declarative.named_tensors import copied_with, named_tensors
from hippo.training.scaled.model_places import Attribute, TensorDim, set_integer
from hippo.training.scaled.recurrent import run_by_shapes

#: whether a dimension of a tensor of this name may vary
MayVary = Callable[[str, int], bool]

_NOT_THE_USERS = tuple(str(Path(each).parent) for each in (torch.__file__, __file__, sympy.__file__))
#: multiply two tensors, and sum over the last dimension of the first
_PRODUCTS = frozenset({"bmm", "baddbmm", "mm", "addmm"})
_ATTENTION = "scaled_dot_product"
#: operations whose own code takes sizes for numbers; torch's reference in Python does not
_BY_REFERENCE: Mapping[str, Callable[..., Any]] = {"constant_pad_nd": torch._refs.constant_pad_nd}


@dataclass(frozen=True, slots=True)
class SizePlace:
    """Where something was asked of a size."""

    #: name of the innermost module whose forward pass it was
    module: str
    #: of torch; "" in between
    operation: str
    #: of the user's code, as "net.py:12"
    line: str


@dataclass(frozen=True, slots=True)
class SizeGuard:
    """What the pass took for granted of sizes."""

    holds: sympy.Basic
    place: SizePlace


@dataclass(slots=True)
class SymbolicSizes:
    """What a forward pass tells of sizes."""

    #: of parameters and buffers, under the first of their names
    of: dict[str, tuple[sympy.Expr, ...]] = field(default_factory=dict)
    #: symbols of the batch's sizes
    batch: frozenset[sympy.Symbol] = frozenset()
    #: symbols of the sizes of what the model returned
    returned: frozenset[sympy.Symbol] = frozenset()
    guards: list[SizeGuard] = field(default_factory=list)
    #: dimensions that turned out to be one number, and where
    fixed: dict[TensorDim, SizePlace] = field(default_factory=dict)
    #: what products of two tensors sum over of which neither is a parameter, and where
    sums: list[tuple[sympy.Expr, SizePlace]] = field(default_factory=list)
    #: names of tensors that took part
    used: set[str] = field(default_factory=set)
    #: symbol -> its size in the model
    hints: dict[sympy.Symbol, int] = field(default_factory=dict)


def symbolic_sizes(
    model: nn.Module,
    forward: Callable[[nn.Module, Any], object],
    batch: Any,
    *,
    varies_batch: bool,
    may_vary: MayVary,
    followers: Mapping[Attribute, TensorDim],
) -> SymbolicSizes:
    """Run a model with symbols for sizes.

    Args:
      model: stays as it is.
      forward: calls the model it is given with a batch; what it does afterwards is not looked at.
      batch: what it is called with.
      varies_batch: whether the sizes of the batch's tensors may vary as well.
      may_vary: which dimensions of the model's tensors may.
      followers: integer attributes that are in a fixed ratio to a dimension of a tensor.

    Raises:
      Exception: what the model raises, also where an operation cannot do with symbols.
    """
    run = _SymbolicRun(model, may_vary)
    run.follow(followers)
    varied = run.varied(batch, varies_batch)
    with run.recorded(), quiet(), suppress(CallDoneError):
        forward(run.model, varied)
    return run.result()


class CallDoneError(Exception):
    """The model has returned: what becomes of it is not looked at."""


class _SymbolicRun:
    """A pass under way: it notes what is asked of sizes, where, and by whom.

    Args:
      model: is copied, without its tensors.
      may_vary: which dimensions of its tensors may.
    """

    def __init__(self, model: nn.Module, may_vary: MayVary) -> None:
        self._env = ShapeEnv(duck_shape=False)
        self._fake_mode = FakeTensorMode(shape_env=self._env, allow_non_fake_inputs=True)
        self._found = SymbolicSizes()
        tensors = named_tensors(model)
        self._fakes = {name: self._fake(tensor, name, may_vary) for name, tensor in tensors.items()}
        self._symbols = {name: _exprs(fake) for name, fake in self._fakes.items()}
        self._owners = {_storage(fake): name for name, fake in self._fakes.items()}
        self._parameters = {_storage(self._fakes[name]) for name, _ in model.named_parameters()}
        self._modules: list[str] = []
        self._noted = 0
        self._batch: list[torch.Tensor] = []
        # lists of tensors, as recurrent modules have, are copied along
        self.model = copied_with(model, self._fakes)
        run_by_shapes(self.model)

    def follow(self, followers: Mapping[Attribute, TensorDim]) -> None:
        """Let integer attributes be in their ratio to a dimension, whatever its size."""
        modules = dict(self.model.named_modules())
        for (name, attribute, place), (tensor, dim) in followers.items():
            module = modules[name]
            given, size = getattr(module, attribute), self._fakes[tensor].shape[dim]
            value = given if place is None else given[place]
            set_integer(module, attribute, place, _in_ratio(size, value))

    def varied(self, batch: Any, may_vary: bool) -> Any:
        """Return a batch without numbers, of any size if it may vary."""

        def fake(tensor: torch.Tensor) -> torch.Tensor:
            self._batch.append(self._fake(tensor, f"batch{len(self._batch)}", lambda _name, _dim: may_vary))
            return self._batch[-1]

        return tree_map_only(torch.Tensor, fake, batch)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Note what is asked in the block; it ends where the model returns."""
        handles = []
        for name, module in self.model.named_modules():
            handles.append(module.register_forward_pre_hook(lambda _module, _input, name=name: self._enter(name)))
            handles.append(module.register_forward_hook(lambda _module, _input, output: self._leave(output)))
        try:
            with torch.no_grad(), self._fake_mode, _OperationHook(self._before, self._after):
                yield
        finally:
            for handle in handles:
                handle.remove()

    def result(self) -> SymbolicSizes:
        """Return what was noted, in terms of the symbols that are left."""
        env, found = self._env, self._found
        found.of = {name: tuple(env.replace(expr) for expr in exprs) for name, exprs in self._symbols.items()}
        found.batch = self._free(_exprs(each) for each in self._batch)
        found.guards = [SizeGuard(env.replace(each.holds), each.place) for each in found.guards]
        found.sums = [(env.replace(expr), place) for expr, place in found.sums]
        # older torches know them by the shorter name
        sizes = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val
        found.hints = {symbol: int(size) for symbol, size in sizes.items()}
        return found

    # --- what happens

    def _enter(self, name: str) -> None:
        self._note("")
        self._modules.append(name)

    def _leave(self, output: Any) -> None:
        self._note("")
        self._modules.pop()
        if not self._modules:
            self._found.returned = self._free(map(_exprs, tensors_of(output)))
            raise CallDoneError

    def _before(self, _operation: str, args: Any) -> None:
        self._note("")
        self._found.used |= {
            self._owners[_storage(each)]
            for each in tree_leaves(args)
            if isinstance(each, torch.Tensor) and _storage(each) in self._owners
        }

    def _after(self, operation: str, args: Any) -> None:
        self._note(operation)
        is_attention = _ATTENTION in operation
        if not is_attention and operation not in _PRODUCTS:
            return
        factors = [each for each in args if isinstance(each, torch.Tensor)][-2:] if not is_attention else list(args[:2])
        if not any(_storage(each) in self._parameters for each in factors):
            self._found.sums.append((_exprs(factors[0])[-1], self._place(operation)))

    def _note(self, operation: str) -> None:
        """Note the guards that came since, and which dimensions they fixed."""
        guards = self._env.guards
        if len(guards) == self._noted:
            return
        place = self._place(operation)
        self._found.guards += [SizeGuard(guard.expr, place) for guard in guards[self._noted :]]
        self._noted = len(guards)
        for name, exprs in self._symbols.items():
            for dim, expr in enumerate(exprs):
                if expr.free_symbols and not self._env.replace(expr).free_symbols:
                    self._found.fixed.setdefault((name, dim), place)

    def _place(self, operation: str) -> SizePlace:
        return SizePlace(self._modules[-1] if self._modules else "", operation, _line_of_user())

    def _free(self, sizes: Any) -> frozenset[sympy.Symbol]:
        return frozenset(symbol for exprs in sizes for expr in exprs for symbol in self._env.replace(expr).free_symbols)

    def _fake(self, tensor: torch.Tensor, name: str, may_vary: MayVary) -> torch.Tensor:
        varies = [DimDynamic.DYNAMIC if may_vary(name, dim) else DimDynamic.STATIC for dim in range(tensor.dim())]
        from torch._dynamo.source import ConstantSource

        return self._fake_mode.from_tensor(
            tensor.detach(),
            source=ConstantSource(name),
            symbolic_context=StatelessSymbolicContext(dynamic_sizes=varies),
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep torch from logging what it also raises."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_disabled


class _OperationHook(TorchDispatchMode):
    """Tells of each operation of torch before and after it."""

    def __init__(self, before: Callable[[str, Any], None], after: Callable[[str, Any], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._tell_before, self._tell_after = before, after

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        self._tell_before(name, args)
        result = _BY_REFERENCE.get(name, func)(*args, **(kwargs or {}))
        self._tell_after(name, args)
        return result


def _in_ratio(size: Any, value: int) -> Any:
    """Return a number that is to a size as it is now."""
    whole = size.node.hint if isinstance(size, torch.SymInt) else size
    return size * (value // whole) if value % whole == 0 else size // (whole // value)


def _exprs(tensor: torch.Tensor) -> tuple[sympy.Expr, ...]:
    sizes: tuple[Any, ...] = tuple(tensor.shape)
    return tuple(size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size) for size in sizes)


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def tensors_of(output: Any) -> list[torch.Tensor]:
    """Return the tensors that a model returned itself, not those inside of caches and lists of hidden states."""
    parts = output.values() if isinstance(output, Mapping) else output if isinstance(output, tuple | list) else [output]
    return [each for each in parts if isinstance(each, torch.Tensor)]


def _line_of_user() -> str:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((*_NOT_THE_USERS, "<")):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
