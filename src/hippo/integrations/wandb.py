"""Studies in W&B: a group for each study, of a run for each trial, written where no network is needed."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import HippoError
from hippo.integrations.trackers import Found, RunName, TrackedRow, Tracker, check_texts, needed
from hippo.records import TrialState
from hippo.study.options import checked_path


class WandB(Tracker):
    """Writes each trial as an offline run of W&B, in a group of the study's name: `wandb sync <folder>/wandb/*` sends.

    A run has the config; `train/<name>`, `<name>` of `evaluate` and, of hyper-parameters that are no constants,
    `hparams/<name>` over `step` (a metric of that name is `metrics/step`); failures and the trial's state in its
    summary. Steps that trials share are in the run of the first; `hippo/parent` and `hippo/fork_step` in the others'
    summary say whose, and up to where. A script that is run again writes the runs of its trials anew, under the same
    ids, so that sent again they replace themselves.

    Args:
      folder: where W&B's own folder `wandb` is made.
      project: its name in W&B.
      entity: whose project it is; None: of whoever sends it.
      whole_curves: write shared steps into each run, too.
      wait_s: how long the end of `optimize` waits for W&B, if that is slow; None: for ever.

    Raises:
      MissingExtraError: wandb is not installed.
      HippoError: the folder cannot be made.
    """

    @explain_calls(
        dir="it is called folder here",
        mode="runs are always written offline; `wandb sync` sends them",
        group="each study is a group",
    )
    def __init__(
        self,
        folder: str | Path,
        *,
        project: str = "hippo",
        entity: str | None = None,
        whole_curves: bool = False,
        wait_s: float | None = 60.0,
    ) -> None:
        place = Path(checked_path("folder", folder)).absolute()
        check_texts("WandB", project=project)
        super().__init__(_OfflineRuns(place, project, entity), whole_curves=whole_curves, wait_s=wait_s)


class _OfflineRuns:
    def __init__(self, folder: Path, project: str, entity: str | None) -> None:
        self._wandb = needed("wandb", "hippo.WandB", "wandb")
        self.where = f"W&B in {folder}"
        self._folder, self._project, self._entity = folder, project, entity
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HippoError(f"WandB({str(folder)!r}) cannot be written: {error.strerror}") from error
        #: of each study: a group is made by what is in it
        self._facts: dict[str, Mapping[str, str]] = {}
        #: by `RunName.id`, until their trials have ended
        self._runs: dict[str, Any] = {}

    def begin(self, study: str, identity: str, facts: Mapping[str, str]) -> None:
        self._facts[study] = facts

    def find(self, run: RunName) -> Found | None:
        return None  # offline runs cannot be gone on with: they are written anew

    def make(self, run: RunName, params: Mapping[str, str]) -> None:
        id = _id_of(run)
        for old in (self._folder / "wandb").glob(f"offline-run-*-{id}"):
            shutil.rmtree(old)
        made = self._wandb.init(
            dir=str(self._folder),
            project=self._project,
            entity=self._entity,
            group=run.study,
            id=id,
            name=f"{run.study}/{run.trial}",
            config={**params, "hippo": {**self._facts[run.study], "study": run.study, "trial": run.trial}},
            mode="offline",
            reinit="create_new",  # beside runs of other trials, and beside one of the user's own
            settings=self._wandb.Settings(silent=True, console="off", x_disable_stats=True, disable_git=True),
        )
        made.define_metric("*", step_metric="step")
        self._runs[run.id] = made

    def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
        for row in rows:
            # a metric of the axis's name would put its whole row elsewhere
            metrics = {f"metrics/{name}" if name == "step" else name: value for name, value in row.metrics.items()}
            self._runs[run.id].log({"step": row.key.step, **metrics})

    def link(self, run: RunName, parent: RunName, fork_step: int) -> None:
        self.describe(run, {"parent": _id_of(parent), "fork_step": fork_step})

    def describe(self, run: RunName, facts: Mapping[str, object]) -> None:
        self._runs[run.id].summary.update({f"hippo/{name}": fact for name, fact in facts.items()})

    def end(self, run: RunName, state: TrialState) -> None:
        self.describe(run, {"state": state.value})
        self._runs.pop(run.id).finish(exit_code=1 if state is TrialState.FAIL else 0)

    def close(self) -> None:
        pass


def _id_of(run: RunName) -> str:
    return hashlib.sha256(run.id.encode()).hexdigest()[:16]
