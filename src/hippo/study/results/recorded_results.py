"""What a study came to, as users read it: of the whole study, and of its surrogates at one scale.

It refuses to know how a study is run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hippo.arguments import explain_calls
from hippo.collector import collector_paused
from hippo.errors import HippoError, UnknownScaleError, did_you_mean
from hippo.records import Objective
from hippo.runtime import Statistics
from hippo.scale import Scale
from hippo.study.options import checked_path
from hippo.study.results.best import trial_numbered
from hippo.study.results.best_trial_values import BestTrialValues
from hippo.study.results.kept_states import KeptStates
from hippo.study.results.notebook import as_html
from hippo.study.results.reading import StudyReader
from hippo.study.results.remaining import WorkLeft, what_remains
from hippo.study.results.slot_leases import SlotLease
from hippo.study.results.study_view import StudyView, TreeRow
from hippo.study.results.trials import Trial, dataframe_of, flat_params, table_of, value_columns

if TYPE_CHECKING:
    import pandas as pd


class RecordedResults(BestTrialValues):
    """The results of a study, as they are whenever one looks."""

    @property
    @abstractmethod
    def _reader(self) -> StudyReader: ...

    def read(self) -> StudyView:
        """Return the study as it is now, as a value: all that it says belongs to this moment.

        Each look costs what changed since the last one. `trials`, `statistics()` and `tree()` are those of a reading
        of their own.
        """
        return self._reader.read()

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What is optimised: each metric, and whether it is to be small or large; empty without `metric=`."""
        return self._reader.settings.objectives

    @property
    def trials(self) -> list[Trial]:
        """All trials of the current generation, by number; of a study with surrogates, those of the target.

        A trial has the number of the surrogates' trial of its config, so that not every number need occur.
        """
        return self.read().trials

    def trial(self, number: int) -> Trial:
        """Return the trial of this number.

        Raises:
          OptionError: there is none; the message says which there are.
        """
        return trial_numbered(number, self.trials, self._reader.said)

    @property
    def best_trial(self) -> Trial:
        """The complete trial with the best value that keeps the constraints; ties go to the smaller number.

        If no trial keeps them, the one that breaks them least, and a warning says so. Of a call that runs, or was
        stopped, no trial is complete yet: of its trials those are compared that came furthest.

        Raises:
          ValueError: the study has no metric or several of them, or no trial is complete.
        """
        return self._reader.best_trial()

    @property
    def has_several_objectives(self) -> bool:
        """Whether trials are better or worse in more than one way."""
        return len(self._reader.settings.objectives) > 1

    @property
    def best_trials(self) -> list[Trial]:
        """The Pareto front: the complete trials that keep the constraints and that no other one dominates.

        Raises:
          ValueError: the study has no metric, or no trial is complete.
        """
        return self.read().best_trials

    @explain_calls("Study.trials_dataframe")
    def trials_dataframe(self) -> pd.DataFrame:
        """Return the trials as a table, one row for each.

        Columns: number, state, value (or values_0, values_1, ...), feasible (of a study with constraints: whether it
        keeps them), params_*, step, seconds (of the whole path, whoever paid for them), call, error, metrics_* and
        train_* at the last step. When a trial began is not recorded: trials
        share steps, so that many have no beginning of their own. Tracebacks are in `Trial.traceback`.

        Raises:
          HippoError: pandas is not installed.
        """
        with collector_paused():
            return dataframe_of(table_of(self.trials, self._value_columns, flat_params))

    @explain_calls("Study.to_parquet", path="it is called folder here: there are several files")
    def to_parquet(self, folder: str | Path) -> dict[str, Path]:
        """Write the study as it is now as tables that need no hippo to be read; return where each one is.

        `trials.parquet` has the columns of `trials_dataframe`, and until, traceback and config (exact, as JSON).
        `metrics.parquet` has a row for each metric: trial, member (its seed, where there are several), step, event
        ("train" or "evaluate"), name, value; steps that trials share are there for each. `stages.parquet` has a row for
        each node of the tree: member, node, parent, start, stop, values, trials, checkpoints, twin_drift. A parameter
        that is a number in some trials and a sequence in others is a column of text.

        Args:
          folder: where they go; made where there is none. Tables of an earlier time are replaced, each as a whole.

        Raises:
          MissingExtraError: pyarrow is not installed.
          HippoError: the folder cannot be written.
        """
        from hippo.study.results.parquet import write_tables

        return write_tables(self.read(), self._value_columns, Path(checked_path("folder", folder)).absolute())

    @property
    def _value_columns(self) -> Sequence[str]:
        return value_columns(self._reader.settings.objectives)

    def statistics(self) -> Statistics:
        """Return what the study asked for and what it cost, over all its runs; surrogates and target together."""
        return self.read().statistics()

    def tree(self) -> list[TreeRow]:
        """Return the nodes of the search plans that the trials of this study walked, parents before children.

        Those of surrogates come behind the target's: `TreeRow.member` names their scale.
        """
        return self.read().tree()

    def leases(self) -> list[SlotLease]:
        """Return the work that slots were given on this study's plans: where, from when to when, and how it ended."""
        return self.read().leases()

    def kept_states(self) -> KeptStates:
        """Return the states that this study's plans hold in files: bytes, and who would miss them."""
        return self.read().kept_states()

    def work_left(self) -> WorkLeft:
        """Return what was asked for and was never run: stretches of the tree, which of them run, the longest chain."""
        return what_remains(self.read())

    def _repr_html_(self) -> str | None:
        """Return what notebooks show; None, for the plain repr, where the study cannot be read."""
        try:
            reader = self._reader
        except HippoError:
            return None
        return as_html(reader.said, reader.read())


class ResultsOfReader(RecordedResults):
    """What some members of a study came to.

    Args:
      reader: reads their trials and nothing else.
    """

    def __init__(self, reader: StudyReader) -> None:
        self._reads = reader

    @property
    def _reader(self) -> StudyReader:
        return self._reads


class SurrogateResults(ResultsOfReader):
    """What the surrogates of a study came to at one scale: their trials, the best of them, and their cost.

    Args:
      scale: theirs.
      reader: reads their trials and nothing else.
    """

    def __init__(self, scale: Scale, reader: StudyReader) -> None:
        super().__init__(reader)
        self.scale = scale

    def __repr__(self) -> str:
        return f"<surrogates of {self._reads.study.name!r} at scale {self.scale}>"


class Surrogates(Mapping[str, SurrogateResults]):
    """The surrogates of a study, by scale: as it is written ("1/8"), as a number (8), or as a `hippo.Scale`.

    Args:
      study: its name.
      scales: returns those that there are.
      reader_at: returns what reads those at a scale.
    """

    def __init__(
        self, study: str, scales: Callable[[], Sequence[str]], reader_at: Callable[[str], StudyReader]
    ) -> None:
        self._study = study
        self._scales = scales
        self._reader_at = reader_at
        self._known: dict[str, SurrogateResults] = {}

    def __getitem__(self, scale: str | int | Scale) -> SurrogateResults:
        name = str(Scale(scale) if isinstance(scale, int) and not isinstance(scale, bool) else scale)
        if name not in self._known:
            scales = self._scales()
            if name not in scales:
                has = f"it has {list(scales)}" if scales else "it has none: hippo.Surrogate(tuner, scale=8) makes them"
                raise UnknownScaleError(
                    f"study {self._study!r} has no surrogates at scale {name!r}; {has}." + did_you_mean(name, scales)
                )
            self._known[name] = SurrogateResults(Scale.named(name), self._reader_at(name))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scales())

    def __len__(self) -> int:
        return len(self._scales())

    def __repr__(self) -> str:
        return f"<surrogates of {self._study!r} at {list(self)}>"
