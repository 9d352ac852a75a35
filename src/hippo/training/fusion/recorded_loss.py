"""Losses and their gradients, launched as one recording as soon as several updates were alike: of lanes, or of one.

What an update of a small model takes on a GPU is the launching of its kernels by Python, one after another. A recording
of them has the bits that they have one by one. What Python would do in between is done no more; so nothing is recorded
where that might be more than launching: where `loss` draws on the CPU, waits for the device, or changes its trainer. A
recording holds for tensors at the very same places, batches of one form, and the values that `loss` looked at. It is
compared with what it stands for on two batches before it counts. It refuses to know optimizers and leases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from hippo.training.codec.encoding import PLAIN
from hippo.training.failures import is_resource_error
from hippo.training.fusion.chance import drawn_on
from hippo.training.fusion.foreign_tensors import ForeignAccess, ForeignTensors
from hippo.training.fusion.held_tensors import HeldTensors, UpdateTensors
from hippo.training.fusion.lane_tensors import same_bits
from hippo.training.fusion.reasons import reason_of
from hippo.training.fusion.recordings import Recorder, recorder_of
from hippo.training.fusion.trainer_snapshot import MOST_OBJECTS, ChanceSnapshot, TrainerSnapshot
from hippo.training.process.streams import GENERATORS, fence
from hippo.training.recording_experience import RecordingExperience, RecordingListener

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: so many updates of one form are computed before one is recorded, which takes as long as half of them
UPDATES_BEFORE = 8
#: forms of batches that are counted, and how often one is before older counts weigh half
_MOST_FORMS, _MOST_COUNT = 16, 32
#: batches on which a recording is compared with what it stands for, before it counts
COMPARISONS = 2
#: it is compared again at this many plays, and whenever they have doubled since: in all, a few updates of thousands
FIRST_LOOK = 64
#: as long as it is not played so often, a recording was not worth its while; so many in a row, and there are no more
WORTH, MOST_IN_VAIN = 16, 4
#: so often updates may be unlike those before, without one recording between
MOST_BEGINNINGS = 64


@dataclass(slots=True)
class LossRecorder:
    """What a walker has of its surroundings to record with."""

    experience: RecordingExperience
    listener: RecordingListener
    #: what records on a device; None: nothing does
    of_device: Callable[[torch.device], Recorder | None] = recorder_of

    def is_refused(self) -> bool:
        """Tell whether nothing is recorded any more."""
        return bool(self.experience.refusal)

    def refuse(self, why: str) -> None:
        """Record nothing any more."""
        self.experience.refusal = why
        self.listener.refused(why)


class UpdateLoss(Protocol):
    """Computes losses on a batch, kernel by kernel."""

    def losses(self, batch: Any) -> Tensor:
        """Return the losses, which gradients can be taken of."""

    def gradients(self, losses: Tensor, names: Collection[str], factor: float) -> Mapping[str, Tensor | None]:
        """Return gradients of the losses, times a factor, of the trained parameters of these names."""


class _Form(NamedTuple):
    """All that has to be as it was for a recording to hold."""

    #: of the tensors: where they are, of how many lanes, which are trained, how often something was set up
    of_tensors: Any
    #: of the batch: its structure, and what is in it, but for what tensors hold
    of_batch: Any
    #: of the hyper-parameters: names in force, and the values that a loss looked at
    values: Any


class _NotRecorded(Exception):
    """An update does what a recording would not."""


class _NotThere:
    """Stands for what a loss must not look at."""

    def __getattr__(self, name: str) -> Any:
        raise _NotRecorded("loss() looks at optimizers of the trainer, or at its average of weights")


@contextmanager
def _out_of_reach(trainer: TorchTrainer) -> Iterator[None]:
    """Keep from `loss`, for the block, what changes from update to update without being replaced."""
    kept: dict[str, Any] = {name: vars(trainer)[name] for name in ("_live", "_average")}
    vars(trainer).update(dict.fromkeys(kept, _NotThere()))
    try:
        yield
    finally:
        vars(trainer).update(kept)


class _RecordedUpdate(NamedTuple):
    form: _Form
    #: of the trainer and its model
    marks: TrainerSnapshot
    #: the batch's
    inputs: Sequence[Tensor]
    play: Callable[[], None]
    losses: Tensor
    #: of the tensors that are trained, in their order
    gradients: Sequence[Tensor | None]


def _require_only_launches(marks: TrainerSnapshot, generators: ChanceSnapshot, inputs: Sequence[Tensor]) -> None:
    """Refuse an update that did more than a recording of its kernels would do again.

    Raises:
      _NotRecorded: says what.
    """
    if generators.have_moved():
        raise _NotRecorded("loss() draws from a generator of the trainer's own")
    if not marks.hold_in_trainer():
        raise _NotRecorded("loss() sets attributes of the trainer, or what they hold")
    if not marks.hold_in_model():
        raise _NotRecorded("the model sets attributes of its modules when it is called")
    if not marks.is_whole:
        raise _NotRecorded(
            f"attributes of the trainer lead to more than {MOST_OBJECTS} objects, too many to compare before each step"
        )
    if not marks.hold_inside():
        raise _NotRecorded("loss() changes what objects of the trainer or of its model hold")
    if any(each.requires_grad for each in inputs):
        raise _NotRecorded("loss() wants gradients of its batch")


class RecordedLoss:
    """Computes losses, as another does, and records that.

    Args:
      trainer: whose `loss` it is.
      tensors: of its lanes, or of its model.
      plain: what is recorded.
      on: the device.
      surroundings: hear of it.
    """

    def __init__(
        self,
        trainer: TorchTrainer,
        tensors: UpdateTensors,
        plain: UpdateLoss,
        on: Recorder,
        surroundings: LossRecorder,
    ) -> None:
        self._trainer, self._tensors, self._plain = trainer, tensors, plain
        self._recorder, self._surroundings = on, surroundings
        self._recording: _RecordedUpdate | None = None
        #: batches that were computed by it, and how many were when it was compared last
        self._plays = self._plays_compared = 0
        #: of the update before
        self._form: _Form | None = None
        self._counts = _FormCounts()
        #: names of hyper-parameters that a loss looked at when it was recorded
        self._looks: set[str] = set()
        #: where they lay before an update that is under way
        self._buffers: HeldTensors | None = None
        #: recordings in a row that were not worth their while
        self._in_vain = 0
        #: updates unlike those before, since something was recorded last
        self._beginnings = 0
        #: whether anything but recordings may have run since the model was looked at
        self._is_unsure = True
        #: of the losses that were computed last, if a recording computed them
        self._gradients: Sequence[Tensor | None] | None = None

    @contextmanager
    def step(self) -> Iterator[None]:
        """Surround a step of several updates."""
        self.begin_step()
        yield

    def begin_step(self) -> None:
        """Look at the model anew."""
        self._is_unsure = True  # what lies between steps is anybody's code

    def losses(self, batch: Any) -> Tensor:
        """Return the losses on a batch: one per lane, or that of a model alone."""
        self._gradients = self._buffers = None
        if self._surroundings.is_refused():
            self.drop()
            return self._plain.losses(batch)
        form = self._form_of(batch)
        if form is None:
            self.drop()
            return self._plain.losses(batch)
        if self._recording is not None and not self._holds(self._recording, form):
            self._drop_early()
        if self._form is None or (form.of_tensors, form.values) != (self._form.of_tensors, self._form.values):
            self._begin_anew()
        self._form = form
        if self._surroundings.is_refused():
            return self._plain.losses(batch)
        count, recorded = self._counts.note(form.of_batch), 0
        if self._recording is not None:
            if self._recording.form == form:
                self._plays += 1
                return self._compared(batch) if self._is_look_due() else self._played(batch)
            recorded = self._counts.of(self._recording.form.of_batch)
        if count > UPDATES_BEFORE + recorded:
            self.drop()
            if self._record(batch):
                self._plays, self._plays_compared = 1, 0
                return self._compared(batch)
        self._is_unsure = True
        self._buffers = HeldTensors(self._tensors)  # what is assigned lies elsewhere each time
        return self._plain.losses(batch)

    def gradients(self, losses: Tensor, names: Collection[str], factor: float) -> Mapping[str, Tensor | None]:
        """Return gradients of these losses, times a factor, of the parameters of these names."""
        if self._gradients is None:
            computed = self._plain.gradients(losses, names, factor)
            if self._buffers is not None:
                self._buffers.settle()
                self._buffers = None
            return computed
        assert factor == 1.0, "nothing is recorded where gradients of several batches make one step"
        found = zip(self._tensors.trained(), self._gradients, strict=True)
        return {name: each for name, each in found if name in names}

    def drop(self) -> bool:
        """Let a recording go, and the memory that it has; return whether there was one."""
        had_one, self._recording, self._gradients = self._recording is not None, None, None
        return had_one

    def _drop_early(self) -> None:
        """Let a recording go that does not hold any more."""
        self._in_vain = self._in_vain + 1 if self._plays < WORTH else 0
        self.drop()
        self._counts = _FormCounts()
        if self._in_vain == MOST_IN_VAIN:
            self._surroundings.refuse("what a recording depends on changes again and again")

    def _begin_anew(self) -> None:
        """Count updates from now on: before, their tensors lay elsewhere, or values were others."""
        self._counts = _FormCounts()
        self._beginnings += 1
        if self._beginnings == MOST_BEGINNINGS:
            self._surroundings.refuse("tensors of the model lie elsewhere at each update, or values are others")

    # ---------------------------------------------------------------------------------------------------- recording

    def _record(self, batch: Any) -> bool:
        """Record an update on such batches, if that can be; nothing is other than it was but for that."""
        trainer, looks, outer = self._trainer, set[str](), self._trainer.hp
        marks, generators, buffers = TrainerSnapshot(trainer), ChanceSnapshot(trainer), HeldTensors(self._tensors)
        found: list[Any] = []
        why = ""
        trainer.hp = outer.recording(looks)
        try:
            leaves, structure = tree_flatten(batch)
            inputs = [each.clone() for each in leaves if isinstance(each, Tensor)]
            copies = iter(inputs)
            own = tree_unflatten([next(copies) if isinstance(each, Tensor) else each for each in leaves], structure)
            buffers.hold()
            with fence() as held:
                watch = ForeignTensors(trainer._device, self._tensors.own_buffers().values(), inputs)
                with _out_of_reach(trainer), self._recorder.rehearsal(), watch:
                    self._compute(own, buffers)
                moved = held.moved(GENERATORS)
            buffers.put_back()
            if moved:
                raise _NotRecorded(
                    f"loss() draws from the generator of {moved[0]}, and what it drew would be drawn for ever"
                )
            _require_only_launches(marks, generators, inputs)
            with fence():
                play = self._recorder.record(lambda: found.extend(self._compute(own, buffers)))
        except (_NotRecorded, ForeignAccess) as error:
            why = str(error)
        except Exception as error:  # whatever a loss does that cannot be recorded
            why = reason_of(error)
        finally:
            trainer.hp = outer
            marks.put_back()
            generators.put_back()
            buffers.put_back()
        if why:
            self._surroundings.refuse(why)
            return False
        self._looks = looks
        form = self._form_of(batch)
        assert form is not None, "it was of some form before"
        self._form = form
        losses, gradients = found
        self._beginnings = 0
        self._recording = _RecordedUpdate(form, TrainerSnapshot(trainer), inputs, play, losses, gradients)
        return True

    def _compute(self, batch: Any, buffers: HeldTensors) -> tuple[Tensor, Sequence[Tensor | None]]:
        """Compute losses and gradients; buffers are written where they are."""
        losses = self._plain.losses(batch)
        gradients = self._plain.gradients(losses, self._tensors.trained(), 1.0)
        if shared := self._tensors.buffers_of_others():
            raise _NotRecorded(f"the model assigns another tensor of its own to its buffer {shared[0]!r}")
        buffers.settle()
        return losses.detach(), list(gradients.values())

    # ------------------------------------------------------------------------------------------------------ playing

    def _played(self, batch: Any) -> Tensor:
        """Return what a recording comes to on a batch."""
        recording = self._recording
        assert recording is not None
        for name in self._looks:
            self._trainer.hp.get(name)  # a look, as `loss` would have taken: lanes have to agree in it
        leaves = [each for each in tree_flatten(batch)[0] if isinstance(each, Tensor)]
        if leaves:
            torch._foreach_copy_(list(recording.inputs), leaves)
        recording.play()
        self._gradients = recording.gradients
        return recording.losses

    def _compared(self, batch: Any) -> Tensor:
        """Return what a recording comes to on a batch if that is right; else what it should have come to."""
        device, buffers = self._trainer._device, HeldTensors(self._tensors)
        buffers.hold()
        with fence():
            losses = self._plain.losses(batch)
            gradients = self._plain.gradients(losses, self._tensors.trained(), 1.0)
            written, drawn = buffers.now(), drawn_on(device)
        buffers.put_back()
        unseen, self._plays_compared = self._plays - self._plays_compared - 1, self._plays
        recording = self._recording
        assert recording is not None
        before = [None if each is None else each.clone() for each in recording.gradients]  # parameters may hold these
        try:
            with fence() as held:
                pairs = [(self._played(batch), losses), *zip(self._gradients or (), gradients.values(), strict=True)]
                now = buffers.now()
                pairs += [(now.get(name), tensor) for name, tensor in written.items()]
                is_right = torch.equal(drawn_on(device), drawn) and not held.moved(GENERATORS)
            is_right = is_right and all(_is_same(one, other) for one, other in pairs)
        except Exception as error:  # of tensors that cannot be compared, say
            if is_resource_error(error):
                raise
            is_right = False
        if is_right:
            buffers.put_back()
            return self._played(batch)
        buffers.put_back()
        for each, gradient in zip(recording.gradients, before, strict=True):
            if each is not None and gradient is not None:
                each.copy_(gradient)
        self.drop()
        self._surroundings.refuse("what was recorded comes to something else than what it was recorded of")
        if unseen:
            self._surroundings.listener.outdated(
                f"what loss() comes to is no longer what was recorded of it {self._plays - 1} updates ago, though "
                "nothing that hippo looks at has changed: it depends on a global variable, on one of a class, or on "
                f"what is far inside of a long list. Of the {unseen} updates before this one any may be wrong. Keep "
                "such things in buffers or hyper-parameters, or set record_updates = False."
            )
        return self._plain.losses(batch)

    def _is_look_due(self) -> bool:
        """Tell whether it is time to compare a recording with what it stands for."""
        plays = self._plays
        return plays <= COMPARISONS or (plays >= FIRST_LOOK and plays & (plays - 1) == 0)

    # --------------------------------------------------------------------------------------------------------- forms

    def _holds(self, recording: _RecordedUpdate, form: _Form) -> bool:
        """Whether a recording is good for any batch any more."""
        if (recording.form.of_tensors, recording.form.values) != (form.of_tensors, form.values):
            return False
        marks = recording.marks
        if not marks.hold_in_trainer() or (self._is_unsure and not (marks.hold_in_model() and marks.hold_inside())):
            return False
        self._is_unsure = False
        return True

    def _form_of(self, batch: Any) -> _Form | None:
        """Return the form of an update; None: it has none that can be told."""
        leaves, structure = tree_flatten(batch)
        forms: list[tuple[Any, ...]] = []
        for each in leaves:
            if isinstance(each, Tensor):
                forms.append((each.shape, each.stride(), each.dtype, each.device))
            elif type(each) in PLAIN:
                forms.append((type(each), repr(each)))
            else:
                self._surroundings.refuse(f"a batch holds a {type(each).__name__}, which may hold anything")
                return None
        values = self._trainer.hp.raw
        tensors = self._tensors
        return _Form(
            of_tensors=(tensors.num_lanes, tensors.addresses(), tuple(tensors.trained()), tensors.refreshed),
            of_batch=(structure, forms),
            values=(frozenset(values), [(name, type(v := values.get(name)), repr(v)) for name in sorted(self._looks)]),
        )


class _FormCounts:
    """How often batches of each form came lately."""

    def __init__(self) -> None:
        #: the latest last; what structures of batches compare by may have no hash
        self._counts: list[tuple[Any, int]] = []

    def of(self, form: Any) -> int:
        """Return how often batches of a form came."""
        return next((count for each, count in self._counts if each == form), 0)

    def note(self, form: Any) -> int:
        """Count a batch of a form, and return how often it came, this time included."""
        count = self.of(form) + 1
        others = [(each, number) for each, number in self._counts if each != form]
        self._counts = [*others[1 - _MOST_FORMS :], (form, count)]
        if count >= _MOST_COUNT:
            self._counts = [(each, number // 2) for each, number in self._counts]
        return count


def _is_same(one: Tensor | None, other: Tensor | None) -> bool:
    return one is other if one is None or other is None else same_bits(one, other)
