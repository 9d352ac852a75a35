"""Beam search over schedules: at each milestone, the best prefixes go on in several ways."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config, as_config
from hippo.hparams.source import code_hash
from hippo.hparams.templates import is_open
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_flag, check_seed, check_steps
from hippo.tuners.exploring import Lineage, as_distribution, check_known, is_allowed, with_filter
from hippo.tuners.proposals import ProposingSpace, check_space, draw_configs
from hippo.tuners.ranking import order
from hippo.tuners.rungs import best_that_stands
from hippo.tuners.tuner import Tuner, describe

if TYPE_CHECKING:
    from numpy.random import Generator

Changes = Mapping[str, Any]
#: (config so far, step, chance) -> what each continuation changes from that step on
Continue = Callable[[Config, int, "Generator"], Iterable[Changes]]

#: draws in vain before a continuation is given up: equal ones are drawn once, and a filter may refuse some
MAX_DRAWS = 100


@accept_names
@dataclass(frozen=True)
class BeamSearch(Tuner):
    """Searches schedules: keeps the best `beam` prefixes at each milestone, and forks each into `branch` continuations.

    Our own. Prefixes are walked once, whatever is tried after them, and all continuations of a milestone are asked
    for together: no step is repeated. A beam of 1 is the greedy move of MLtuner (Cui et al. 2018, section 3.3): fork
    from one state, keep the fastest. Prefixes that rest on one training state count as one.

    Args:
      space: the first prefixes: a config, a collection of them, or a `RandomSearchSpace`.
      milestones: steps at which prefixes are compared, ascending; training ends at the last.
      beam: how many are kept at each milestone.
      choices: what may change at a milestone: name -> list of options, or distribution; or a function
        (config, step, rng) -> mappings of names to what they change to, one for each continuation.
      branch: how many ways each prefix goes on, each different; None: every combination of the listed options, or
        whatever the function returns.
      keep_current: whether one of them is to go on unchanged, also where no choice says so.
      num_trials: how many first prefixes to take; needed for a `RandomSearchSpace`.
      seed: of everything that is drawn.

    Raises:
      BudgetError: `beam`, `branch`, `num_trials` or a milestone is below 1, or milestones do not ascend.
      TunerError: nothing would ever change, or `branch` is missing where a distribution is drawn from.
      UnknownHparamError: `choices` names what a first prefix has not.
    """

    needs_metric: ClassVar[bool] = True

    space: Any
    milestones: Sequence[int]
    beam: int
    choices: Mapping[str, Any] | Continue
    branch: int | None = None
    keep_current: bool = True
    num_trials: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.space, Iterator):  # it could be read once only, and is read here
            object.__setattr__(self, "space", list(self.space))
        _check_milestones(self.milestones)
        check_steps("beam", self.beam)
        check_seed(self.seed)
        if self.branch is not None:
            check_steps("branch", self.branch)
            if self.branch == 1 and self.keep_current:
                raise TunerError("branch=1 with keep_current=True would only ever go on unchanged; raise branch")
        check_flag("keep_current", self.keep_current)
        configs = self._first_configs()
        if not callable(self.choices):
            self._check_choices(self.choices, configs)

    def _check_choices(self, choices: Mapping[str, Any], configs: Iterable[Config]) -> None:
        if not isinstance(choices, Mapping | None):
            raise TunerError(f"choices must be {{name: values}}, such as {{'lr': [0.1, 0.01]}}, not {choices!r}")
        if not choices:
            raise TunerError("choices is empty, so nothing would ever change; say choices={'lr': [0.1, 0.01]}")
        for name in choices:
            as_distribution(name, choices[name])
        drawn = [name for name in choices if is_open(choices[name])]
        if drawn and self.branch is None:
            raise TunerError(f"{drawn[0]!r} is drawn from a distribution, which has no end; say branch=...")
        for config in configs:
            check_known(choices, config)

    async def tune(self, ask: Ask) -> Config:
        prefixes = [Lineage.begin(config) for config in self._first_configs()]
        survivors: list[Lineage] = []
        rankings: list[list[Answer]] = []
        for index, until in enumerate(self.milestones):
            is_last = until == self.milestones[-1]
            answers = await ask.all([prefix.config for prefix in prefixes], until=until, final=is_last)
            rankings.append([answers[i] for i in order(answers)])
            parents, survivors = survivors, self._best(prefixes, answers)
            if is_last or not survivors:
                break
            _release(ask, [*parents, *prefixes], survivors)
            prefixes = list(self._continue_all(survivors, until, index))
        return best_that_stands(reversed(rankings)).config

    def _best(self, prefixes: Sequence[Lineage], answers: Sequence[Answer]) -> list[Lineage]:
        """Return the best prefixes, best first; none that failed, and one of those that rest on the same state."""
        by_state: dict[object, int] = {}
        for i in order(answers):
            if answers[i].failure is None:
                by_state.setdefault(answers[i].state or i, i)
        return [prefixes[i] for i in list(by_state.values())[: self.beam]]

    def _continue_all(self, survivors: Iterable[Lineage], at: int, index: int) -> Iterator[Lineage]:
        import numpy as np

        for place, prefix in enumerate(survivors):
            yield from self._continuations(prefix, at, np.random.default_rng([self.seed, index, place]))

    def _continuations(self, prefix: Lineage, at: int, rng: Generator) -> list[Lineage]:
        """Return different ways for a prefix to go on; unchanged if there is no other."""
        found = {prefix.config: prefix} if self.keep_current else {}
        for values in self._changes(prefix.config, at, rng):
            if self.branch is not None and len(found) >= self.branch:
                break
            if is_allowed(self.space, prefix, values):
                continuation = prefix.switch(at=at, values=values)
                found.setdefault(continuation.config, continuation)
        return list(found.values()) or [prefix]

    def _changes(self, config: Config, at: int, rng: Generator) -> Iterable[Changes]:
        if callable(self.choices):
            return self.choices(config, at, rng)
        names = sorted(self.choices)
        if self.branch is None:
            return (dict(zip(names, values, strict=True)) for values in self._combinations(self.choices, names))
        distributions = {name: as_distribution(name, self.choices[name]) for name in names}
        draws = range(MAX_DRAWS * self.branch)
        return ({name: distributions[name].sample(rng) for name in names} for _ in draws)

    @staticmethod
    def _combinations(choices: Mapping[str, Any], names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
        return itertools.product(*(choices[name] for name in names))

    def _first_configs(self) -> list[Config]:
        if isinstance(self.space, Mapping):
            return [as_config(self.space)]
        if isinstance(self.space, ProposingSpace):
            raise TunerError(
                f"a beam search learns by comparing, not from a {type(self.space).__name__}; give the "
                "RandomSearchSpace itself, or a list of configs"
            )
        check_space(self.space, self.num_trials)
        return draw_configs(self.space, self.num_trials, self.seed)

    def record(self) -> dict[str, Any]:
        arguments = {field.name: describe(getattr(self, field.name)) for field in fields(self)}
        if callable(self.choices):
            arguments["choices"] = code_hash(self.choices)
        return with_filter({"tuner": type(self).__qualname__, **arguments}, self.space)


def _check_milestones(milestones: Sequence[int]) -> None:
    if not isinstance(milestones, list | tuple | range):
        raise BudgetError(f"milestones must be a list of steps, such as [5, 10, 20], not {milestones!r}")
    if not milestones:
        raise BudgetError("a beam search needs at least one milestone: the step at which it ends")
    for step in milestones:
        check_steps("a milestone", step)
    for earlier, later in itertools.pairwise(milestones):
        if later <= earlier:
            raise BudgetError(f"milestones must ascend, and step {later} comes after step {earlier}")


def _release(ask: Ask, left: Iterable[Lineage], survivors: Iterable[Lineage]) -> None:
    """Give up the states from which no survivor goes on."""
    kept = {survivor.config for survivor in survivors}
    for lineage in left:
        if lineage.config not in kept:
            ask.release(lineage.config)
