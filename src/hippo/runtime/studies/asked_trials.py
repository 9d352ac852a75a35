"""The trials that one call has asked about: found again by what was asked, and known before anything is.

A trial is (member, config, occurrence). With sharing its path is the config's own; without, each trial has a root to
itself. Here a tuner's words are checked, and questions answered that need no training: how many steps are missing, and
where a state is, or would be. It refuses to know what waits, and how anything is answered.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hippo.errors import HippoError, TunerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, as_config
from hippo.plan import CallRow, ConfigPaths, Node
from hippo.records import Point
from hippo.runtime.studies.replay import RecordedCall, RecordedQueries
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.trial_book import MemberTrial
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun

#: refuses a config that a trainer cannot be trained with
CheckConfig = Callable[[Config, int], None]


def check_known(config: Config, known: Collection[str] | None) -> None:
    """Refuse names that a study was not made for; None is for a study that takes any.

    Raises:
      UnknownHparamError: names the first of them.
    """
    if known is None:
        return
    for name in config:
        if name not in known:
            raise UnknownHparamError(
                f"the study knows no {name!r}; it has {sorted(known)}." + did_you_mean(name, known)
            )


class AskedTrials:
    """The trials of one call.

    Args:
      study: whose call it is.
      runs: name of each member -> its plan at work.
      row: the call as it is written down.
      past: what it asked, and was told, when it ran before.
      check_config: refuses a config that the study's trainer cannot be trained with.
    """

    def __init__(
        self,
        study: StudyState,
        runs: Mapping[str, PlanRun],
        row: CallRow,
        *,
        past: RecordedCall,
        check_config: CheckConfig,
    ) -> None:
        self._study = study
        self._runs = runs
        self._row = row
        self._check_config = check_config
        #: what the tuner was told of missing steps
        self.queries = RecordedQueries(past.queries)
        self._trials: dict[tuple[str, Config, int], MemberTrial] = {}
        self._is_closed = False
        self._past = past
        self._paths: dict[str, ConfigPaths] = {}
        for member in runs:
            self.take_in(member)

    def take_in(self, member: str, root: Node | None = None) -> None:
        """Have trials of a member, which is among the runs by now.

        Args:
          member: its name.
          root: the state at which all of them begin; None: with a new model.
        """
        nodes = self._runs[member].plan.nodes
        if member in self._past.nodes:
            nodes.bring(self._past.nodes[member])  # it will ask for them again
        self._paths[member] = ConfigPaths(nodes, root)

    def trial_of(self, asked: Proposal, member: str) -> MemberTrial:
        """Return the trial that is asked about, made if the call had not asked about it before.

        Raises:
          HparamError: the trainer cannot be trained with this config.
        """
        self._refuse_ghosts()
        config, is_shared = as_config(asked.config), self._study.settings.sharing
        key = (member, config, asked.occurrence)
        trial = self._trials.get(key)
        self._refuse_before_root(config, asked.until, member)
        if trial is None:
            check_known(config, self._study.settings.hparams)
            path = self._paths[member].of(config) if is_shared else self._runs[member].plan.path(config)
        else:
            path = trial.path
        path.check(asked.until)
        self._check_config(config, asked.until)
        if trial is None:
            trial = self._trials[key] = self._study.trial(
                self._row,
                config,
                asked.occurrence,
                lambda number: path if is_shared else path.owned_by(self._owner(number)),
                member=member,
            )
        return trial

    def _refuse_ghosts(self) -> None:
        """Refuse what a task asks that its tuner left behind: others may write to the plan by now."""
        if self._is_closed:
            raise TunerError(
                f"a task that a tuner of study {self._study.row.name!r} had begun asked for more after its call had "
                "ended. Await all that tune() begins: asyncio.TaskGroup does, asyncio.gather does not where one fails."
            )

    def _refuse_before_root(self, config: Config, until: int, member: str) -> None:
        """Refuse what begins before the state of a member, and a config that says less than was in force there."""
        root = self._paths[member].root
        if root is None:
            return
        if until <= root.begins_at:
            raise TunerError(f"these branches begin at step {root.begins_at}: until={until!r} must be more than that")
        for name in root.pieces:
            if name not in config:
                raise TunerError(
                    f"the path from which these branches begin has a {name!r}, and {config!r} has none: "
                    "path.switch(at=..., name=value) says what changes, and the rest as the path does"
                )

    def is_known(self, asked: Proposal, member: str) -> bool:
        """Tell whether all that a proposal asks for was trained, and evaluated where it says so."""
        path = self._paths[member].of(as_config(asked.config))
        node = path.node_at(asked.until)
        is_trained = node.steps_reached(asked.until) == asked.until or node.failure_before(asked.until) is not None
        return is_trained and (not asked.evaluate or asked.until in node.metrics)

    def of(self, config: Config, member: str) -> Iterator[MemberTrial]:
        """Return the trials of one config under a member, in the order of their occurrence."""
        occurrences = itertools.takewhile(lambda n: (member, config, n) in self._trials, itertools.count())
        return (self._trials[member, config, occurrence] for occurrence in occurrences)

    def configs_of(self, member: str) -> list[Config]:
        """Return the configs that a member was asked about, each once, in that order."""
        return list(dict.fromkeys(config for asked, config, _ in self._trials if asked == member))

    def _owner(self, number: int) -> str:
        """Return what names the root that a trial has to itself."""
        return f"{self._study.row.study}/{number}"

    # --- what is known before anything is asked

    def expect(self, asked: Sequence[Proposal], member: str) -> None:
        """Have the member's plan look up together what is about to be asked; what is wrong with it is said then."""
        run = self._runs[member]
        if not run.plan.nodes.is_in_parts or not self._study.settings.sharing:
            return
        ways = []
        for proposal in asked:
            with contextlib.suppress(HippoError):
                ways.append(self._paths[member].of(as_config(proposal.config)).ahead(proposal.until))
        run.plan.nodes.expect(way for way in ways if way is not None)

    def answered_until(self, config: Config, occurrence: int, member: str) -> int | None:
        """Return after how many steps a trial was answered in this call; None if it was not, or is released."""
        trial = self._trials.get((member, config, occurrence))
        at = None if trial is None else self._runs[member].residency.released.at(trial)
        return None if at is None else at.step

    def point_of(self, config: Config, until: int, occurrence: int, member: str) -> Point:
        """Return where a state lies in a member's plan, whether or not it was ever asked for.

        Raises:
          HparamError: the trainer cannot be trained with this config.
          TunerError: without sharing, each trial has states of its own, and the call has no such trial yet.
        """
        self._refuse_ghosts()
        check_steps("until", until)
        trial = self._trials.get((member, config, occurrence))
        if trial is None and not self._study.settings.sharing:
            raise TunerError(f"nothing was asked of {config!r} yet, and with sharing=False nobody else has its states")
        if trial is None:
            check_known(config, self._study.settings.hparams)
        path = self._paths[member].of(config) if trial is None else trial.path
        path.check(until)
        self._check_config(config, until)
        return Point(path.node_at(until).id, until)

    def missing_steps(self, config: Config, until: int, member: str, *, number: int | None = None) -> int:
        """Return how many steps of a config are missing: now, or, to a re-run, when it asked first.

        Args:
          config, until, member: what is asked about.
          number: of the query; see `RecordedQueries`.
        """
        known = self.queries.known(member, number)
        if known is not None:
            return known
        missing = self._missing_now(config, until, member)
        self.queries.note(member, missing)
        return missing

    def _missing_now(self, config: Config, until: int, member: str) -> int:
        run = self._runs[member]
        if self._paths[member].root is not None:
            return run.remaining.missing_of(self._paths[member].of(config).node_at(until), until)
        if self._study.settings.sharing:
            return run.remaining.uncovered(config, until, owner="")
        trial = self._trials.get((member, config, 0))
        return until if trial is None else run.remaining.uncovered(config, until, owner=self._owner(trial.number))

    def close(self) -> None:
        """Ask for no more of any trial: the call has ended."""
        self._is_closed = True
        for (member, _, _), trial in self._trials.items():
            self._runs[member].residency.released.leave(trial)
