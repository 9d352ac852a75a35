"""Surrogates: tune a network that is several times narrower, and train the target with what was best there."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import OptionError, TunerError, did_you_mean
from hippo.hparams import as_config
from hippo.records import Answer
from hippo.saying import warn_caller
from hippo.scale import Scale, surrogate_scale
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.leaders import Leaders
from hippo.tuners.ranking import order
from hippo.tuners.search_size import names_of, size_of
from hippo.tuners.tuner import Tuner, describe, doubts_of, record_of

#: the target is asked at so many parts of its length, so that it is known how far it is
_PARTS = 4
#: where a config fails on the target, the next best takes its place; not more often, since a model that does not fit
#: into memory fails with every config
_MOST_FAILED = 3
#: no more target trials than these are ever faster as one program, seconds of finding that out included
_FEW = 3


@accept_names
@dataclass(frozen=True)
class Surrogate(Tuner):
    """Runs a tuner on surrogates of the model, and trains the model itself with the configs that were best there.

    Hu et al. 2023, "Hydro: Surrogate-Based Hyperparameter Tuning Service in Datacenters". The surrogate is `scale`
    times narrower, and its trainer reads values of the target's hyper-parameters so that the best ones are the same
    (Yang et al. 2022, "Tensor Programs V"). `study.surrogates` has its trials, the study itself those of the target.

    Who is best is said by the loss among those that came furthest. With eager transfer the best one so far is trained
    on the target while slots have nothing to do, one at a time; where a better one comes, it is given up unless half of
    its steps are answered. What was trained of it stays, should it win after all.

    Args:
      tuner: any other tuner; it asks the surrogates alone.
      scale: how many times narrower they are, at least 2; or a `hippo.Scale`, which may say less deep, too.
      eager_transfer: the part of the tuner's trials, above 0 and at most 1, that must be answered before the target is
        trained with the best one so far. None: it is trained when the tuner has ended, and not before. So it is where
        the tuner does not say beforehand how many trials it takes, and how far; a warning tells it.
      top: how many of the best configs the target is trained with. Where one fails there the next best takes its
        place, for three of them at most.
      fixed_on_target: name -> values that the target is trained with, each of them, instead of the surrogate's:
        regularisers, whose best values depend on the width. A config that has no such name is trained as it is.
      parametrization: "mup", "standard" (values are taken over as they are: the control of an experiment) or
        "completep"; a `hippo.Scale` names its own.

    Returns:
      Of `tune`: the target's answers, best first.

    Raises:
      OptionError: `scale`, `eager_transfer`, `top` or `fixed_on_target` is out of its bounds.
      TunerError: `tuner` is none, or asks surrogates itself.
    """

    needs_metric: ClassVar[bool] = True

    tuner: Any
    scale: Any = 8
    _: KW_ONLY
    eager_transfer: float | None = 0.5
    top: int = 1
    fixed_on_target: Mapping[str, Sequence[Any]] | None = None
    parametrization: str = "mup"

    if TYPE_CHECKING:  # what becomes of `scale` is a `Scale`

        def __init__(
            self,
            tuner: Any,
            scale: int | Scale = ...,
            *,
            eager_transfer: float | None = ...,
            top: int = ...,
            fixed_on_target: Mapping[str, Sequence[Any]] | None = ...,
            parametrization: str = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        _check_tuner(self.tuner)
        object.__setattr__(self, "scale", surrogate_scale(self.scale, self.parametrization))
        _check_top(self.top)
        _check_fixed(self.fixed_on_target, names_of(self.tuner))
        _check_eager(self.eager_transfer)
        if self.eager_transfer is not None and size_of(self.tuner) is None:
            warn_caller(
                f"eager_transfer={self.eager_transfer}: {type(self.tuner).__name__} does not say beforehand how many "
                "trials it takes, and how far, so that the target is trained when it has ended; eager_transfer=None "
                "says so",
            )

    @property
    def scales(self) -> tuple[Scale, ...]:  # type: ignore[override]  # one's own, not that of the class
        return (self.scale,)

    def doubts(self, trainer: type[Any]) -> tuple[str, ...]:
        return doubts_of(self.tuner, trainer)

    def record(self) -> dict[str, Any]:
        return {
            "tuner": "Surrogate",
            "scale": str(self.scale),
            "eager_transfer": self.eager_transfer,
            "top": self.top,
            "fixed_on_target": describe(self.fixed_on_target),
            "of": record_of(self.tuner),
        }

    async def tune(self, ask: Ask) -> list[Answer]:
        transfer = _Transfer(self, ask)
        narrow = ask.at(str(self.scale), watch=transfer.note)
        async with _running(self.tuner.tune(narrow)) as search:
            await transfer.follow(search)
        return await transfer.finish()


class _Transfer:
    """Trains the target with the best configs of its surrogates: one ahead of time, then all that are wanted.

    What it asks next depends on which answers came, and never on time, so that a re-run asks the same.

    Args:
      tuner: says what is wanted.
      ask: asks the target.
    """

    def __init__(self, tuner: Surrogate, ask: Ask) -> None:
        self._ask = ask
        self._top = tuner.top
        self._fixed = {name: list(values) for name, values in sorted((tuner.fixed_on_target or {}).items())}
        #: whether they were checked when the tuner was made
        self._knows_names = names_of(tuner.tuner) is not None
        self._size = size_of(tuner.tuner)
        self._has_company = self._top * math.prod(map(len, self._fixed.values())) > _FEW
        #: answered trials from which on the target may be trained ahead of time
        self._enough = (
            math.inf
            if tuner.eager_transfer is None or self._size is None
            else tuner.eager_transfer * self._size.num_trials
        )
        self._leaders = Leaders()
        #: of each config, by its key, the target's last answer
        self._reached: dict[str, Answer] = {}
        #: something came that may change who is trained now
        self._news = asyncio.Event()

    # --- what comes in

    def note(self, answer: Answer) -> None:
        """Hear an answer of the surrogates.

        Raises:
          OptionError: `fixed_on_target` names what its config does not have, and no space told the names.
        """
        if not self._knows_names:
            _check_names(self._fixed, frozenset(answer.config))
        self._leaders.note(answer)
        self._news.set()

    # --- who is trained

    def _wanted(self) -> list[Proposal]:
        """Return what the target would be asked if nothing better came: the best configs, to the end of its training.

        They are the surrogates' trials by config and occurrence, and so have their numbers.
        """
        wanted: dict[str, Proposal] = {}
        left, to_spare = self._top, _MOST_FAILED
        for answer in self._leaders.best(self._top + _MOST_FAILED):
            proposals = list(self._proposals(answer))
            have_failed = all(self._has_failed(_key(proposal)) for proposal in proposals)
            if not left or (have_failed and not to_spare):
                break
            left, to_spare = (left, to_spare - 1) if have_failed else (left - 1, to_spare)
            for proposal in proposals:  # configs that differ in what is fixed alone come to the same ones
                wanted.setdefault(_key(proposal), proposal)
        return list(wanted.values())

    def _proposals(self, answer: Answer) -> Iterator[Proposal]:
        # in a conditional space some configs do not have a name that others have
        names = [name for name in self._fixed if name in answer.config]
        for values in itertools.product(*(self._fixed[name] for name in names)):
            fixed = dict(zip(names, values, strict=True))
            config = as_config({**answer.config, **fixed}) if fixed else answer.config
            yield Proposal(
                config=config,
                until=self._length,
                final=True,
                occurrence=answer.occurrence,
                has_company=self._has_company,
            )

    @property
    def _length(self) -> int:
        """The step to which the target is trained: the largest that its surrogates may reach, or, untold, did."""
        return self._leaders.furthest if self._size is None else self._size.steps

    def _steps(self, key: str) -> int:
        return self._reached[key].step if key in self._reached else 0

    def _has_failed(self, key: str) -> bool:
        return key in self._reached and self._reached[key].failure is not None

    def _is_over(self, key: str) -> bool:
        return self._has_failed(key) or self._steps(key) >= self._length

    # --- ahead of time

    async def follow(self, search: asyncio.Task[Any]) -> None:
        """Train the target with the best so far, one config at a time, until the search has ended."""
        search.add_done_callback(lambda _: self._news.set())
        trial: _TargetTrial | None = None
        try:
            while not search.done():
                self._news.clear()
                trial = await self._next(trial)
                await self._news.wait()
        finally:
            if trial is not None:
                await trial.give_up()
        search.result()

    async def _next(self, trial: _TargetTrial | None) -> _TargetTrial | None:
        """Return which trial of the target goes on from here, given which one did."""
        if self._leaders.num_trials < self._enough:
            return None
        wanted = {_key(proposal): proposal for proposal in self._wanted()}
        if trial is not None and trial.task.done():
            trial.task.result()
            trial = None
        if trial is not None and trial.key not in wanted and 2 * self._steps(trial.key) < self._length:
            await trial.give_up()
            trial = None
        if trial is None:
            key = next((key for key in wanted if not self._is_over(key)), None)
            trial = None if key is None else self._begin(wanted[key])
        return trial

    def _begin(self, proposal: Proposal) -> _TargetTrial:
        task = asyncio.create_task(self._train(proposal))
        task.add_done_callback(lambda _: self._news.set())
        return _TargetTrial(_key(proposal), task)

    async def _train(self, proposal: Proposal) -> None:
        """Train the target with a config whenever there is room, one part of its length after the other."""
        key, is_asked = _key(proposal), False

        def propose() -> Proposal | None:
            nonlocal is_asked
            if is_asked or self._is_over(key):
                return None
            is_asked = True
            until = next(step for step in _parts(self._length) if step > self._steps(key))
            return replace(proposal, until=until, final=until == self._length)

        async with aclosing(self._ask.stream(propose)) as answers:  # type: ignore[type-var] # all are generators
            async for answer in answers:
                self._reached[key] = answer
                is_asked = False

    # --- when the search has ended

    async def finish(self) -> list[Answer]:
        """Train the target with the best configs of all, and return its answers, best first.

        Raises:
          TunerError: there is none, though some did not fail.
        """
        wanted = self._wanted()
        if not wanted and not self._leaders.have_all_failed:
            raise TunerError(
                "the target was not trained: its surrogates came to no finite objective"
                if self._leaders.num_trials
                else "the target was not trained: the tuner ended before any of its surrogates was answered"
            )
        answers: list[Answer] = []
        while len(answers) < len(wanted):
            answers = await self._ask.together(wanted)
            self._reached.update((answer.config.key, answer) for answer in answers)
            wanted = self._wanted()  # more, where some failed
        return [answers[place] for place in order(answers)] if answers else []


@dataclass(frozen=True, slots=True)
class _TargetTrial:
    """A trial of the target that is trained ahead of time."""

    #: of its config
    key: str
    task: asyncio.Task[None]

    async def give_up(self) -> None:
        """Withdraw what it asks; what was trained of it stays."""
        await _ended(self.task)


@asynccontextmanager
async def _running(coroutine: Coroutine[Any, Any, Any]) -> AsyncIterator[asyncio.Task[Any]]:
    """Run a coroutine beside the block, and no longer."""
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        await _ended(task)


async def _ended(task: asyncio.Task[Any]) -> None:
    """End a task; what it came to was looked at, or is not wanted."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _key(proposal: Proposal) -> str:
    return as_config(proposal.config).key


def _parts(length: int) -> list[int]:
    """Return the steps at which the target is asked on its way: quarters of its length, rounded up."""
    return sorted({-(-length * part // _PARTS) for part in range(1, _PARTS + 1)})


# --- what it is made with


def _check_tuner(tuner: Any) -> None:
    if isinstance(tuner, type) or not callable(getattr(tuner, "tune", None)):
        raise TunerError(f"Surrogate is put around a tuner, such as ASHA(space, 3, 81, num_trials=200), not {tuner!r}")
    if scales := getattr(tuner, "scales", ()):
        raise TunerError(
            f"{type(tuner).__name__} asks surrogates itself, at {', '.join(map(str, scales))}: Surrogate goes around a "
            "tuner that asks one model alone"
        )


def _check_top(top: Any) -> None:
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise OptionError(f"top={top!r}: it says how many of the best configs the target is trained with, at least 1")


def _check_eager(part: Any) -> None:
    is_number = isinstance(part, int | float) and not isinstance(part, bool)
    if part is not None and not (is_number and 0 < part <= 1):
        raise OptionError(
            f"eager_transfer={part!r} must be above 0 and at most 1, the part of the trials that are answered before "
            "the target is trained, or None: when the tuner has ended"
        )


def _check_fixed(fixed: Any, names: frozenset[str] | None) -> None:
    if fixed is None:
        return
    example = 'such as {"dropout": [0.1, 0.2]}'
    if not isinstance(fixed, Mapping):
        raise OptionError(f"fixed_on_target must be a mapping of names to lists of values, {example}, not {fixed!r}")
    for name, values in fixed.items():
        if not isinstance(values, list | tuple) or not values:
            raise OptionError(f"fixed_on_target[{name!r}] must be a list of values, {example}, not {values!r}")
        for value in values:
            as_config({name: value})
    if names is not None:
        _check_names(fixed, names)


def _check_names(fixed: Mapping[str, Any], names: frozenset[str]) -> None:
    for name in fixed:
        if name not in names:
            raise OptionError(
                f"fixed_on_target names {name!r}, which the tuner's configs do not have; they have {sorted(names)}."
                + did_you_mean(name, names)
            )
