"""All that a tuner can say: `Ask`.

There is no pause, resume or stop. Not asking *is* pausing; a cancelled request is withdrawn. The runtime implements
this; tuners know nothing else of the system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hippo.arguments import explain_calls
from hippo.errors import TunerError
from hippo.hparams import Config, as_config
from hippo.records import Answer, Objective
from hippo.tuners.budgets import plain_integer

ConfigLike = Config | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A request that a tuner makes, or would make next if there is room for it."""

    config: ConfigLike
    until: int
    #: the tuner will ask for no more of this trial
    final: bool = False
    #: 0, or 1, 2, ... for further trials with an equal config
    occurrence: int = 0
    #: does not count when trials are told complete from pruned: `until` is more than the tuner promised any of them
    is_extension: bool = False
    #: no decision needs the answer yet: its steps are counted apart, and it is an extension
    is_speculative: bool = False
    #: more may be asked later that begins alike: states where values change are worth keeping
    comes_alone: bool = False
    #: the member of the study that is asked; None: the one that the `Ask` is at
    member: str | None = None
    #: False: that the steps are trained is enough; the answer has train metrics, and neither metrics nor losses
    evaluate: bool = True
    #: its last state stays in the memory of a slot, is never written, and dies with the slot: its steps run again then
    is_transient: bool = False
    #: False: too few are asked of the member to be worth walking as one program. Where nobody asks more of it, they are
    #: walked one by one, and nobody finds out whether that is slower
    has_company: bool = True

    def __post_init__(self) -> None:
        if type(self.until) is not int:
            object.__setattr__(self, "until", plain_integer(self.until))


#: what `Ask.stream` pulls from: the next request, or several that are made together, or None if there is none before
#: another answer has come
Propose = Callable[[], Proposal | Sequence[Proposal] | None]

#: hears an answer
Watch = Callable[[Answer], None]


class LimitReached(Exception):
    """The deadline or the budget of an `Ask.limited` block was reached; raised where the block ends."""


class Ask(Protocol):
    """How a tuner gets answers.

    A config asked for again, with a larger `until`, is the same trial going on. Equal configs within one `all` or
    `any` are trials of their own: the k-th equal one is the k-th trial of that config. Elsewhere `occurrence` tells
    equal configs apart.

    `until` counts steps from initialisation, at least 1. `final=True` says that the tuner asks for no more of this
    trial, so that its state need not be kept. An extension trains a trial beyond what the call promised to any.

    A study may have several members, each with a search plan of its own: its seeds, say. Every `Ask` is at one of
    them, and `at` leads to the others. Where members are seeds, a tuner is given an `Averaged`, which asks all.
    """

    async def __call__(
        self,
        config: ConfigLike,
        *,
        until: int,
        final: bool = False,
        occurrence: int = 0,
        is_extension: bool = False,
        evaluate: bool = True,
        is_transient: bool = False,
    ) -> Answer:
        """Return the metrics of `config` after `until` steps.

        A trial that failed is answered, too: its losses are infinite, and `failure` says why. `evaluate=False` asks for
        the training alone: metrics and losses are empty. A state that is transient is kept in memory and never written;
        what goes on from it runs where it is. Where somebody else asks for more at the same step, that is done.

        Raises:
          BudgetError: `until` is not an integer of at least 1.
          HparamError: the trainer cannot be trained with this config.
        """

    async def all(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> list[Answer]:
        """Return one answer for each config, in their order."""

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        """Return one answer for each proposal, in their order; none of them waits for room."""

    def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        """Yield the answers to these proposals as they come; leaving the loop withdraws the rest."""

    def any(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> AsyncIterator[Answer]:
        """Yield the answers as they come; leaving the loop withdraws the rest."""

    def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        """Keep the slots full: pull requests from `propose` while there is room, and yield answers as they come.

        There is room while a slot has nothing to do and nothing waits to be given to it: with shared prefixes that
        may take many more requests in flight than there are slots. `propose` is called again after None only when
        another answer has come. Ends when `propose` has nothing more and all its requests are answered; leaving the
        loop withdraws the rest.
        """

    def at(self, member: str, *, watch: Watch | None = None) -> Ask:
        """Return what asks one member of the study alone, and is answered by it alone.

        Args:
          member: its name; or a scale, "1/8" say, for the study's surrogates there: in a study with several seeds that
            asks all of them, and is answered by averages.
          watch: hears every answer that comes, before whoever asked hears it. Speculative ones are left out.

        Raises:
          TunerError: the study has no such member; the message lists those it has.
        """

    def branching(self, answer: Answer | None) -> AbstractAsyncContextManager[Ask]:
        """Lead to where branches of a state are walked as lanes of one program, while the block lasts.

        The `Ask` that the block is given takes configs as this one does, and counts steps as this one does. What it is
        asked begins at the state that the answer is about, whatever a config says of earlier steps, and is trained as
        with `numerics="fused"`, on a plan of its own. So it is no answer to what is asked here: who wants to go on
        along a branch asks for its config here, where its steps are run once more. States of branches leave the memory
        of slots when the block ends.

        For tuners that say so, by `asks_branches`.

        Args:
          answer: about the state; None: branches begin with a new model.

        Raises:
          TunerError: the answer is a failure, or the tuner does not say that it asks for branches.
          CheckpointError: the state cannot be written, or read.
        """

    @property
    def member(self) -> str:
        """The name of the member that is asked; empty for the only one, and where the answers are averages."""

    def release(self, config: ConfigLike) -> None:
        """Give a config up: the tuner asks for no more of it, and its last state need not be kept.

        Its own states leave the memory of slots as soon as nobody needs them: no request goes on from there, no other
        trial that may be asked for more stands there, and they are not pinned. Files stay. A config that is asked for
        again all the same is trained from the nearest state that is left.
        """

    def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AbstractAsyncContextManager[None]:
        """Keep a state in the memory of the slots that hold it, while the block lasts: many may fork from it there.

        Nothing is waited for, and nothing is run. A state that is in no memory stays in that of a slot that comes to
        hold it: as it is loaded from its file, or, if it is nowhere, or lost with its slot, as somebody goes on from
        there, for whom its steps are run. Pinned states count in a slot's memory, and may fill more than there is.

        Args:
          config: whose state, or an answer, for the state that it is about.
          until: after how many steps; None: after those at which the config was answered last.
          occurrence: as in a request.

        Raises:
          BudgetError: `until` is not an integer of at least 1.
          TunerError: there is no such state: the config was not answered yet, or the answer is a failure.
        """

    def show(self, where: str) -> None:
        """Say in a few words where the tuner is: the progress display shows it until it says something else.

        It decides nothing, and is not kept.
        """

    @property
    def objectives(self) -> Sequence[Objective]:
        """What the study optimises; an answer has one loss for each."""

    @property
    def ready_stages(self) -> int:
        """How many stages could start now and wait for a slot; at the latest when all tuners were quiet last."""

    def uncovered(self, config: ConfigLike, until: int) -> int:
        """Return how many steps of this config up to `until` no study has trained, is training, or has asked for."""

    def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AbstractAsyncContextManager[None]:
        """End the block when so many seconds have passed, or the call's requests have cost so many device-seconds.

        Requests that wait then are withdrawn. Where a finished call is replayed it ends after its last answer.

        Raises:
          LimitReached: as the block is left, if it was ended.
        """


class ProposalAsk(ABC):
    """What every `Ask` has that is answered by proposals: its shorter questions, each said as the proposals it is."""

    @explain_calls("ask")
    async def __call__(
        self,
        config: ConfigLike,
        *,
        until: int,
        final: bool = False,
        occurrence: int = 0,
        is_extension: bool = False,
        evaluate: bool = True,
        is_transient: bool = False,
    ) -> Answer:
        asked = Proposal(
            config=config,
            until=until,
            final=final,
            occurrence=occurrence,
            is_extension=is_extension,
            evaluate=evaluate,
            is_transient=is_transient,
            comes_alone=True,
        )
        (answer,) = await self.together([asked])
        return answer

    @explain_calls("ask.all")
    async def all(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> list[Answer]:
        return await self.together(numbered(configs, until, final))

    @explain_calls("ask.any")
    def any(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> AsyncIterator[Answer]:
        return self.any_of(numbered(configs, until, final))

    def show(self, where: str) -> None:
        """Show nothing: there is no display."""
        return

    def branching(self, answer: Answer | None) -> AbstractAsyncContextManager[Ask]:
        """Refuse to walk branches as one program."""
        raise TunerError(f"{type(self).__name__} leads to nobody who walks branches as lanes of one program")

    @property
    def member(self) -> str:
        return ""

    @abstractmethod
    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]: ...

    @abstractmethod
    def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]: ...


class PinnedState(NamedTuple):
    """Which state is to be pinned."""

    config: Config
    #: None: that at which the config was answered last
    until: int | None
    occurrence: int
    #: the member that an answer is of; None: those that the `Ask` asks
    member: str | None


def pinned_state(config: ConfigLike | Answer, until: int | None, occurrence: int) -> PinnedState:
    """Return which state is to be pinned, as `Ask.pin` is told of it.

    Raises:
      TunerError: the answer is about no state, or about another one.
    """
    if not isinstance(config, Answer):
        return PinnedState(as_config(config), plain_integer(until), occurrence, None)
    if config.failure is not None:
        raise TunerError(
            f"trial {config.trial} failed on its way to step {config.step}, so there is no state to pin: "
            f"{config.failure.error}"
        )
    if until not in (None, config.step):
        raise TunerError(f"the answer is about step {config.step}, not {until}; ask.pin(answer) needs no until=")
    return PinnedState(config.config, config.step, config.occurrence, config.member)


def proposed_together(asked: Iterable[object]) -> Iterator[Proposal]:
    """Yield the proposals of a tuner, one after another.

    Raises:
      TunerError: one is something else.
    """
    for each in asked:
        if not isinstance(each, Proposal):
            raise TunerError(
                f"{each!r:.100} is no request; write hippo.tuners.Proposal(config={{...}}, until=10), or ask.all and "
                "ask.any for configs that are all trained to the same step"
            )
        yield each


def pulled(proposed: object) -> Iterator[Proposal]:
    """Yield what `propose` of a stream has returned that is not None: a proposal, or several.

    Raises:
      TunerError: it is something else.
    """
    if isinstance(proposed, Mapping | str) or not isinstance(proposed, Iterable):
        return proposed_together([proposed])
    return proposed_together(proposed)


def numbered(configs: Iterable[ConfigLike], until: int, final: bool) -> Iterator[Proposal]:
    """Yield the configs as proposals, the k-th equal one as the k-th trial of that config."""
    occurrences: dict[Config, int] = {}
    for given in configs:
        config = as_config(given)
        occurrence = occurrences.get(config, 0)  # each look has the config compute its hash
        yield Proposal(config=config, until=until, final=final, occurrence=occurrence)
        occurrences[config] = occurrence + 1
