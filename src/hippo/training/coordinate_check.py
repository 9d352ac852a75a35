"""Trains a few updates at several widths, and looks how large what flows through the network is: `coordinate_check`.

It says before money is spent whether a surrogate stands for its target. Nothing is written to any database, and the
target itself is never trained. What the numbers mean is decided in `hippo.surrogates`.
"""

from __future__ import annotations

import copy
import itertools
import math
import statistics
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hippo.errors import OptionError, TrainerError
from hippo.hparams import as_config
from hippo.hparams.code_forms import names_in
from hippo.scale import Scale, surrogate_scale
from hippo.surrogates import CoordinateCheck, ModuleSlope, Role, log_slope
from hippo.training.code.shipping import canonical_arguments, resolve
from hippo.training.process.process_settings import settings_kept
from hippo.training.process.streams import fence, seed_everything
from hippo.training.process.turns import turn_taken
from hippo.training.trainer import Trainer
from hippo.training.trainers import new_trainer, remarks_of, scale_for
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from torch import nn

    from hippo.training.torch_trainer import TorchTrainer

#: by name of a module -> mean absolute value of its output
Sizes = Mapping[str, float]

#: a rate is large if some module's output changes by half of its size
_LARGE_CHANGE = 0.5
#: it is looked for among powers of 2
_MOST_DOUBLINGS = 14
#: what does not pass is tried with so many times the seeds: chance averages out, and what is wrong does not
_TIMES_MORE = 4


def coordinate_check(
    trainer: type | str,
    config: Mapping[str, Any] | None = None,
    *,
    scale: int | Scale = 8,
    parametrization: str = "mup",
    trainer_args: Mapping[str, Any] | None = None,
    num_seeds: int = 3,
    num_updates: int = 4,
    seed: int = 0,
) -> CoordinateCheck:
    """Tell whether what suits a surrogate of this trainer's model suits its target.

    The model is trained for a few updates at three widths, up to half of the target's, with a learning rate so large
    that they are seen: the config's, times a power of 2. If the mean size of no module's output grows with the width,
    the check is passed. Output layers begin at zero for it: what they were drawn as grows with what training makes of
    the layers before, which says nothing of the parametrization.

    Args:
      trainer: a class derived from `hippo.TorchTrainer`, or "package.module:Class".
      config: hyper-parameters; their values at step 0 count.
      scale: the narrowest that is tried, as many times narrower as the surrogate will be; twice and four times as wide
        ones are tried beside it.
      parametrization: as in `hippo.Scale`; "standard" shows what happens without.
      trainer_args: keyword arguments of its `__init__`.
      num_seeds: models at each width. A check that does not pass is gone on with, to four times as many.
      num_updates: after each of which is looked, and before the first.
      seed: the first seed.

    Raises:
      TrainerError: the model cannot be made at these scales, or `make_optimizer` makes what does not transfer.
      OptionError: a number is below 1, or there is only one width to try.
    """
    for name, number in (("num_seeds", num_seeds), ("num_updates", num_updates)):
        if type(number) is not int or number < 1:
            raise OptionError(f"{name}={number!r}: give a whole number of at least 1")
    narrowest = surrogate_scale(scale, parametrization)
    if narrowest.width == 1:
        raise OptionError(f"scale={narrowest}: a coordinate check compares widths; give a width of at least 4")
    scales = _scales(narrowest)
    cls = resolve(trainer)
    scale_for(cls, str(narrowest))  # before torch is needed
    values = {name: sequence(0) for name, sequence in as_config({} if config is None else config).items()}
    arguments = canonical_arguments(trainer_args)
    from hippo.training.feeding.samples import one_thread

    with turn_taken(), settings_kept(_tell_nobody), fence(), one_thread():  # for narrow models others are in the way
        pristine = [new_trainer(cls, arguments, seed=seed, scale=str(each)) for each in scales]
        runs = [_CoordinateRun(each, values, num_updates) for each in pristine]
        factor = runs[0].large_rate(seed)
        widths, sizes = tuple(each.width for each in scales), [list[list[Sizes]]() for _ in runs]
        for count in (num_seeds, _TIMES_MORE * num_seeds):
            for run, found in zip(runs, sizes, strict=True):
                found += [run.sizes(seed + i, factor, begins_at_zero=True) for i in range(len(found), count)]
            check = CoordinateCheck(
                trainer=cls.__name__,
                parametrization=narrowest.parametrization,
                scales=widths,
                num_seeds=count,
                num_updates=num_updates,
                rate_factor=factor,
                slopes=tuple(_slopes(widths, sizes, num_updates)),
            )
            if check.is_passed:
                break
    for message in dict.fromkeys(remark for each in pristine for remark in remarks_of(each)):
        warnings.warn(message, stacklevel=2)
    return check


def _tell_nobody(_changes: list[str]) -> None:
    """Settings that user code left changed are set back; a study will tell of them."""


def calls_scaled(cls: type[Trainer]) -> bool:
    """Tell whether a trainer's code asks for widths at its scale, by the names that its methods use."""
    methods = (
        vars(base).values() for base in cls.__mro__ if base.__module__.partition(".")[0] != "hippo" or base is cls
    )
    codes = (getattr(each, "__code__", None) for each in itertools.chain(*methods))
    return any({"scaled", "scaled_config"} & names_in(code) for code in codes if code is not None)


def _scales(narrowest: Scale) -> list[Scale]:
    """Return the scales that are tried, the narrowest first, never the target."""
    widths = [narrowest.width // times for times in (1, 2, 4) if narrowest.width % times == 0]
    found = [replace(narrowest, width=width) for width in widths if width > 1]
    if len(found) < 2:
        raise OptionError(
            f"scale={narrowest.width}: below the target's width there is only one to try; give a scale that 2 divides, "
            "of at least 4"
        )
    return found


class _CoordinateRun:
    """Short runs of one trainer at one scale.

    Args:
      pristine: the trainer as its `__init__` left it.
      values: of hyper-parameters.
      num_updates: of a run.
    """

    def __init__(self, pristine: Trainer, values: Mapping[str, Any], num_updates: int) -> None:
        self._pristine = pristine
        self._values = values
        self._num_updates = num_updates

    def large_rate(self, seed: int) -> float:
        """Return the least factor on the learning rate by which some output is another after the last update.

        Raises:
          TrainerError: there is none: nothing is trained.
        """
        still = self.sizes(seed, 0.0)[-1]
        doublings, sizes = 0, self.sizes(seed, 1.0)
        while doublings > -_MOST_DOUBLINGS and not _is_finite(sizes):
            doublings -= 1
            sizes = self.sizes(seed, 2.0**doublings)
        while doublings <= _MOST_DOUBLINGS:
            if not _is_finite(sizes):
                return 2.0 ** (doublings - 1)
            if _change(still, sizes[-1]) >= _LARGE_CHANGE:
                return 2.0**doublings
            doublings += 1
            sizes = self.sizes(seed, 2.0**doublings)
        raise TrainerError(
            f"{type(self._pristine).__name__}: {self._num_updates} updates change nothing, even at {2.0**doublings:g} "
            "times the config's learning rate; give one that is not 0 at step 0"
        )

    def sizes(self, seed: int, factor: float, *, begins_at_zero: bool = False) -> list[Sizes]:
        """Return the sizes of outputs before the first update and after each of them, on the batches of training.

        Args:
          seed: of all chance.
          factor: on the learning rate.
          begins_at_zero: whether output layers do.
        """
        trainer = self._built(seed, factor)
        if begins_at_zero:
            _begin_at_zero(trainer)
        found: list[Sizes] = []
        try:
            for batch in itertools.islice(_batches(trainer), (self._num_updates + 1) * trainer.accumulate):
                with _recorded(trainer.model) as sizes, trainer._descent.autocast():
                    trainer.train_on_batch(batch)
                found.append({name: statistics.fmean(each) for name, each in sizes.items()})
        finally:
            with suppress(Exception):
                trainer.close()
        return found[:: trainer.accumulate]

    def _built(self, seed: int, factor: float) -> TorchTrainer:
        trainer: TorchTrainer = copy.copy(self._pristine)  # type: ignore[assignment]
        trainer.seed, trainer.hp = seed, HparamValues(self._values)
        seed_everything(seed, "build", 0)
        trainer.build()
        seed_everything(seed, "setup", 0)
        trainer.setup(HparamValues(self._values))
        trainer._live.apply(trainer)  # refuses rates that setup() has set
        trainer._live.multiply_rates(factor)
        return trainer


def _begin_at_zero(trainer: TorchTrainer) -> None:
    """Set the weights of output layers to zero, but not the directions of which a norm makes a weight."""
    assert trainer._surrogate_options is not None  # it is no target
    for name, tensor in trainer._surrogate_options.tensors.items():
        if tensor.role is Role.OUTPUT and name.rpartition(".")[2] == "weight":
            trainer.model.get_parameter(name).data.zero_()


def _batches(trainer: TorchTrainer) -> Iterator[Any]:
    for step in itertools.count():
        seed_everything(trainer.seed, "train", step)
        yield from trainer.batches_of_step()


@contextmanager
def _recorded(model: nn.Module) -> Iterator[dict[str, list[float]]]:
    """Collect, by name of a module, the mean absolute value of each of its outputs in the block."""
    sizes: dict[str, list[float]] = {}

    def record(name: str, output: Any) -> None:
        if (tensor := _first_tensor(output)) is not None:
            sizes.setdefault(name, []).append(float(tensor.detach().float().abs().mean()))

    handles = [
        module.register_forward_hook(lambda _module, _input, output, name=name: record(name, output))
        for name, module in model.named_modules()
        if not list(module.children()) or list(module.parameters(recurse=False))
    ]
    try:
        yield sizes
    finally:
        for handle in handles:
            handle.remove()


def _first_tensor(output: Any) -> Any:
    """Return the first tensor of floating-point numbers in what a module returned; None: there is none."""
    if hasattr(output, "is_floating_point"):
        return output if output.is_floating_point() else None
    parts = output.values() if isinstance(output, Mapping) else output if isinstance(output, list | tuple) else ()
    return next((found for each in parts if (found := _first_tensor(each)) is not None), None)


def _is_finite(sizes: Sequence[Sizes]) -> bool:
    return all(math.isfinite(size) for each in sizes for size in each.values())


def _change(before: Sizes, after: Sizes) -> float:
    """Return by how much the output of some module changed at most, by its own size."""
    return max((abs(after[name] - size) / size for name, size in before.items() if size and name in after), default=0.0)


def _slopes(
    scales: Sequence[int], sizes: Sequence[Sequence[Sequence[Sizes]]], num_updates: int
) -> Iterator[ModuleSlope]:
    """Yield the slope of each module before the first update and after each of them.

    Args:
      scales: the narrowest first.
      sizes: at each scale, for each seed, before and after each update.
    """
    modules = [name for name in sizes[0][0][0] if all(name in at for run in sizes for of in run for at in of)]
    for update in range(num_updates + 1):
        for name in modules:
            means = tuple(statistics.fmean(of_seed[update][name] for of_seed in at_scale) for at_scale in sizes)
            yield ModuleSlope(module=name, update=update, sizes=means, slope=log_slope(scales, means))
