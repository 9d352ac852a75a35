"""The trainers of this process: one per workload, kept as `__init__` left it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hippo.errors import TrainerError
from hippo.records import ASYNC, ELASTIC, TrainerSpec, may_fuse
from hippo.scale import TARGET, Scale
from hippo.surrogates import rule_named
from hippo.training.bases import Bases
from hippo.training.code.same_code import import_marks, require_same_code
from hippo.training.code.shipping import unship
from hippo.training.declarative.torch_classes import torch_base
from hippo.training.elastic.checks import require_elastic
from hippo.training.fusion.compile_rule import CompileExperience
from hippo.training.process.script_floats import floats_kept
from hippo.training.process.streams import seed_everything
from hippo.training.recording_experience import RecordingExperience
from hippo.training.sharding.here import peers_here
from hippo.training.trainer import Trainer

#: what specs call the target's own scale
_TARGET = str(TARGET)


def require_fit(trainer: Trainer, numerics: str) -> None:
    """Refuse a trainer that cannot be trained here, or not under its workload's numerics.

    Raises:
      TrainerError: says why.
    """
    _require_device(trainer)
    _require_numerics(trainer, numerics)
    if numerics == ELASTIC:
        require_elastic(trainer)
    else:
        _require_shards(trainer, numerics)


def _require_device(trainer: Trainer) -> None:
    """Refuse a trainer whose `device` is not there: no trial of it could be trained.

    Raises:
      TrainerError: which device, and what there is.
    """
    named, torch = getattr(trainer, "device", None), sys.modules.get("torch")
    if named is None or torch is None or torch_base(type(trainer)) is None:
        return
    try:
        device = torch.device(named)
    except (RuntimeError, TypeError) as error:
        raise TrainerError(f"{type(trainer).__name__}.device={named!r} names no device: {error}") from None
    if device.type == "cuda":
        there = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (device.index or 0) >= there:
            raise TrainerError(
                f"{type(trainer).__name__}.device is {named!r}, but there "
                + ("is no CUDA device here" if not there else f"are {there} CUDA devices here, the first 'cuda:0'")
                + ". Leave `device` out to take a CUDA device where there is one, and the CPU elsewhere; a worker "
                "process sees its own device only, as 'cuda'."
            )


def _require_numerics(trainer: Trainer, numerics: str) -> None:
    """Refuse a trainer whose steps cannot be repeated where they would be compared, and no comparison where they can.

    Raises:
      TrainerError: says which numerics it wants.
    """
    name = type(trainer).__name__
    if trainer._runs_free() and numerics != ASYNC:
        raise TrainerError(
            f"the workers of {name} run free (order='free'), so that two runs of one step differ, which "
            f"numerics={numerics!r} takes for a fault; say numerics={ASYNC!r}, or order='pinned'"
        )
    if numerics == ASYNC and not trainer._runs_free():
        raise TrainerError(
            f"numerics={ASYNC!r} compares nothing, and no worker of {name} runs free: leave it out. It is for a "
            "hippo.ps.PSTrainer with order='free'."
        )


def _require_shards(trainer: Trainer, numerics: str) -> None:
    """Refuse a trainer whose batches the processes of this worker cannot divide, and shards that are to be fused.

    Raises:
      TrainerError: says what does not go together.
    """
    peers, shards, name = peers_here(), getattr(trainer, "shards", 1), type(trainer).__name__
    is_torch = torch_base(type(trainer)) is not None
    if is_torch and shards > 1 and may_fuse(numerics):
        raise TrainerError(
            f"{name}.shards = {shards} computes each shard of a batch by itself, and numerics={numerics!r} many trials "
            "as one program: use numerics='exact', or shards = 1"
        )
    if peers is None:
        return
    option = f"world_size={peers.ranks}" if peers.is_world else f"ranks={peers.ranks}"
    if not is_torch:
        raise TrainerError(
            f"the engine has {option} processes for each batch, but {name} is no hippo.TorchTrainer: hippo sees no "
            "batches in it. Use an engine without it."
        )
    if peers.is_world and (shards > 1 or may_fuse(numerics)):
        what = f"{name}.shards = {shards}" if shards > 1 else f"numerics={numerics!r}"
        raise TrainerError(
            f"{what} does not go with {option}, under which results belong to that number of processes. With shards, "
            f"LocalEngine(ranks={peers.ranks}) changes no result."
        )
    if not peers.is_world and (shards % peers.ranks or shards < peers.ranks):
        least = 1 << (peers.ranks - 1).bit_length()
        way = (
            f"Set shards to {least} or a larger power of two, or use an engine without ranks="
            if peers.ranks == least
            else f"Shards are powers of two, so use ranks={least // 2} or ranks={least}, or an engine without ranks="
        )
        raise TrainerError(
            f"{name}.shards = {shards} cannot be divided among the engine's {option} processes. {way}; a model in "
            f"pieces, numerics={ELASTIC!r}, goes with any number of ranks"
        )


def scale_for(cls: type[Trainer], name: str) -> Scale:
    """Return the scale of this name, if a trainer of this class can be at it, as far as its class tells.

    Raises:
      TrainerError: it cannot; the message says what can.
    """
    scale = Scale.named(name)
    if scale.is_target:
        return scale
    if torch_base(cls) is None:
        if isinstance(getattr(cls, "scale", None), Fraction) and scale == Scale(
            scale.width, parametrization=scale.parametrization
        ):
            return scale  # it has its own way to be narrow
        raise TrainerError(
            f"{cls.__name__} cannot be at scale {scale}: hippo sees no model in it whose widths and options it could "
            "scale. Derive it from hippo.TorchTrainer and write self.scaled(n) in make_model(), or tune it as it is. A "
            "trainer of another kind that can be narrow by itself says so by an attribute scale = Fraction(1), "
            "in which it finds its width by the target's."
        )
    if scale.rank is not None and (scale.width > 1 or scale.depth > 1):
        raise TrainerError(
            f"{cls.__name__} cannot be at scale {scale}: adapters of another rank sit on the target's own network, "
            "which is neither narrower nor shallower. Give a rank alone, as in hippo.Scale(rank=8)."
        )
    if scale.depth > 1 and not rule_named(scale.parametrization).knows_depth:
        raise TrainerError(
            f"{cls.__name__} cannot be at scale {scale}: parametrization={scale.parametrization!r} has no rule for the "
            "depth; for pre-norm transformers, 'completep' has"
        )
    return scale


def new_trainer(cls: type[Trainer], arguments: str, *, seed: int, scale: str) -> Trainer:
    """Return a trainer as its `__init__` leaves it.

    Args:
      cls: its class.
      arguments: of `__init__`, as JSON text.
      seed: the study's.
      scale: as `hippo.Scale` is written.

    Raises:
      TrainerError: it cannot be at this scale.
    """
    given: dict[str, Any] = json.loads(arguments)
    trainer = cls.__new__(cls)
    trainer.seed = seed
    if not (named := scale_for(cls, scale)).is_target:  # else nothing is set: the target is what it always was
        _set_scale(trainer, named)
    seed_everything(seed, "init", 0)
    if named.is_target or torch_base(cls) is None:
        trainer.__init__(**given)  # type: ignore[misc]
    else:
        with trainer._surrogate_notes.asked() as asked:  # type: ignore[attr-defined]
            trainer.__init__(**given)  # type: ignore[misc]
        trainer._surrogate_notes.asked_before["__init__"] |= asked  # type: ignore[attr-defined]
    return trainer


def remarks_of(trainer: Trainer) -> list[str]:
    """Return, once, what users should know of models that a trainer made at its scale."""
    return trainer._surrogate_notes.take_remarks() if torch_base(type(trainer)) is not None else []  # type: ignore[attr-defined]


class Trainers:
    """Builds the trainer of a workload once; lanes start on shallow copies of it."""

    def __init__(self) -> None:
        self._classes: dict[str, _Loaded] = {}
        self._pristine: dict[str, Trainer] = {}
        self._bases: dict[str, Bases] = {}
        self._compiling: dict[str, CompileExperience] = {}
        self._recording: dict[tuple[str, bool], RecordingExperience] = {}

    def load(self, spec: TrainerSpec) -> type[Trainer]:
        """Return the class, importing what its module needs, without building a trainer.

        Raises:
          TrainerError: it does not arrive.
          CodeChangedError: it arrives, or was made by an importlib.reload since, with other code than was recorded.
        """
        known = self._classes.get(spec.workload)
        if known is None or known.code != spec.code:
            with floats_kept():
                known = _Loaded(unship(spec), spec.code, import_marks(spec))
            self._classes[spec.workload] = known
            self._pristine.pop(spec.workload, None)
            self._bases.pop(spec.workload, None)
            self._compiling.pop(spec.workload, None)
            for is_alone in (True, False):
                self._recording.pop((spec.workload, is_alone), None)
            return known.trainer
        marks = import_marks(spec)
        if any(now is not before for now, before in zip(marks, known.marks, strict=True)):
            require_same_code(spec, known.trainer)
            self._classes[spec.workload] = replace(known, marks=marks)
        return known.trainer

    def built(self, spec: TrainerSpec) -> Trainer | None:
        """Return the trainer of `spec` if it is there already; whoever asks has just loaded its class."""
        return self._pristine.get(spec.workload)

    def bases(self, spec: TrainerSpec) -> Bases:
        """Return what is known of what the `build` of `spec` makes."""
        known = self._bases.get(spec.workload)
        if known is None:
            known = self._bases[spec.workload] = Bases()
        return known

    def compiling(self, spec: TrainerSpec) -> CompileExperience:
        """Return what compiling updates of `spec` came to here, to be added to."""
        return self._compiling.setdefault(spec.workload, CompileExperience())

    def recording(self, spec: TrainerSpec, *, is_alone: bool) -> RecordingExperience:
        """Return what recording updates of `spec` came to here, of lanes alone or of several, to be added to."""
        return self._recording.setdefault((spec.workload, is_alone), RecordingExperience())

    def take_remarks(self, spec: TrainerSpec) -> list[str]:
        """Return, once, what users should know of models that the trainer of `spec` made at its scale."""
        if spec.scale == _TARGET:  # nothing is to be said of it; asked after each step
            return []
        pristine = self._pristine.get(spec.workload)
        return remarks_of(pristine) if pristine is not None else []

    def pristine(self, spec: TrainerSpec) -> Trainer:
        """Return the trainer of `spec`, made at the first call. Copy it before use."""
        cls = self.load(spec)
        if spec.workload not in self._pristine:
            self._pristine[spec.workload] = new_trainer(cls, spec.arguments, seed=spec.seed, scale=spec.scale)
        return self._pristine[spec.workload]


def _set_scale(trainer: Trainer, scale: Scale) -> None:
    if torch_base(type(trainer)) is not None:
        trainer._surrogate_scale = scale  # type: ignore[attr-defined]
    else:
        trainer.scale = Fraction(1, scale.width)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A class as it arrived."""

    trainer: type[Trainer]
    code: str
    #: other objects when one of the modules that it was made of is imported again
    marks: tuple[object, ...]
