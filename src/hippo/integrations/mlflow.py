"""Studies in MLflow: an experiment of a run for each study, with one for each of its trials beneath it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hippo.arguments import explain_calls
from hippo.integrations.prefixes import Held, RowKey
from hippo.integrations.trackers import Found, RunName, TrackedRow, Tracker, check_texts, needed
from hippo.records import TrialState
from hippo.study.watching.file_names import told_apart

#: what MLflow takes of parameters or tags in one request, and of characters in a parameter
_MOST, _LONGEST_PARAM = 100, 6000


class MLflow(Tracker):
    """Keeps each trial as a run in MLflow, and the study as the run above them: `mlflow ui`.

    A run has the config as parameters; the metrics `train/<name>`, `<name>` of `evaluate` and, of hyper-parameters that
    are no constants, `hparams/<name>` over steps; failures and the trial's state as tags. Steps that trials share are
    in the run of the first; the tags `hippo.parent` and `hippo.fork_step` of the others say whose, and up to where.

    Args:
      uri: where MLflow keeps runs, or its server: "http://...".
      experiment: its name in MLflow; made where there is none.
      whole_curves: write shared steps into each run, too.
      wait_s: how long the end of `optimize` waits for MLflow, if that is slow; None: for ever.

    Raises:
      MissingExtraError: MLflow is not installed.
    """

    @explain_calls(tracking_uri="it is called uri here", experiment_name="it is called experiment here")
    def __init__(
        self,
        uri: str = "sqlite:///mlflow.db",
        *,
        experiment: str = "hippo",
        whole_curves: bool = False,
        wait_s: float | None = 60.0,
    ) -> None:
        check_texts("MLflow", uri=uri, experiment=experiment)
        super().__init__(_MLflowRuns(uri, experiment), whole_curves=whole_curves, wait_s=wait_s)


class _MLflowRuns:
    def __init__(self, uri: str, experiment: str) -> None:
        self._mlflow = needed("mlflow", "hippo.MLflow", "mlflow")
        self.where = f"MLflow at {re.sub('//[^/@]*@', '//', uri)}"  # without a password
        self._client: Any = None  # it reaches for its place when it is made
        self._uri, self._experiment_name, self._experiment = uri, experiment, ""
        #: what MLflow calls the runs of studies, and of trials, by what names them
        self._above: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def begin(self, study: str, identity: str, facts: Mapping[str, str]) -> None:
        if self._client is None:
            self._client = self._mlflow.MlflowClient(self._uri)
            known = self._client.get_experiment_by_name(self._experiment_name)
            self._experiment = known.experiment_id if known else self._client.create_experiment(self._experiment_name)
        key = f"{identity}/{study}"
        found = self._find(key)
        self._above[key] = found.info.run_id if found else self._create(key, study, {**facts, "study": study})
        self._client.update_run(self._above[key], status="RUNNING")

    def find(self, run: RunName) -> Found | None:
        found = self._find(run.id)
        if found is None:
            return None
        self._ids[run.id], tags = found.info.run_id, found.data.tags
        rows = {
            RowKey("train" if name.startswith(("train/", "hparams/")) else "evaluate", metric.step)
            for name in found.data.metrics
            for metric in self._client.get_metric_history(found.info.run_id, name)
        }
        parent = tags.get("hippo.parent_trial")
        held = Held(rows, None if parent is None else int(parent), int(tags.get("hippo.fork_step", 0)))
        return Found(held, tags.get("hippo.state", ""))

    def make(self, run: RunName, params: Mapping[str, str]) -> None:
        tags = {"study": run.study, "trial": str(run.trial)}
        above = {"mlflow.parentRunId": self._above[f"{run.identity}/{run.study}"]}
        self._ids[run.id] = self._create(run.id, f"{run.study}/{run.trial}", tags, above)
        param = self._mlflow.entities.Param
        names = _as_names(params)
        self._log(run, params=[param(names[name], text[:_LONGEST_PARAM]) for name, text in params.items()])

    def write(self, run: RunName, rows: Sequence[TrackedRow]) -> None:
        entity = self._mlflow.entities.Metric
        metrics = []
        for row in rows:
            names, told_at_ms = _as_names(row.metrics), int(1000 * row.told_at)
            metrics += [entity(names[each], value, told_at_ms, row.key.step) for each, value in row.metrics.items()]
        self._log(run, metrics=metrics)

    def link(self, run: RunName, parent: RunName, fork_step: int) -> None:
        ids = {"parent": self._ids[parent.id], "parent_trial": str(parent.trial)}
        self.describe(run, {**ids, "fork_step": str(fork_step)})

    def describe(self, run: RunName, facts: Mapping[str, str]) -> None:
        self._log(run, tags=[self._mlflow.entities.RunTag(f"hippo.{name}", text) for name, text in facts.items()])

    def end(self, run: RunName, state: TrialState) -> None:
        self.describe(run, {"state": state.value})
        self._client.set_terminated(self._ids[run.id], "FAILED" if state is TrialState.FAIL else "FINISHED")

    def close(self) -> None:
        for id in self._above.values():
            self._client.set_terminated(id)

    def _log(self, run: RunName, **entities: Sequence[Any]) -> None:
        ((kind, items),) = entities.items()
        for first in range(0, len(items), _MOST):
            self._client.log_batch(self._ids[run.id], **{kind: items[first : first + _MOST]})

    def _find(self, key: str) -> Any:
        where = f"tags.`hippo.id` = '{_as_tag(key)}'"
        return next(iter(self._client.search_runs([self._experiment], where, max_results=1)), None)

    def _create(self, key: str, name: str, facts: Mapping[str, str], tags: Mapping[str, str] | None = None) -> str:
        ours = {f"hippo.{fact}": text for fact, text in {"id": _as_tag(key), **facts}.items()}
        made = self._client.create_run(self._experiment, tags={**ours, **(tags or {})}, run_name=name)
        return str(made.info.run_id)


def _as_tag(key: str) -> str:
    return key.replace("'", "’")  # it stands in quotes where it is searched for


def _as_names(names: Iterable[str]) -> dict[str, str]:
    """Return each name as MLflow takes it: of letters, digits, and some signs; those that would meet are told apart."""
    plain = {name: re.sub(r"[^\w\-. :/]", "_", name) for name in names}
    counts = Counter(plain.values())
    return {name: told_apart(text, name) if counts[text] > 1 else text for name, text in plain.items()}
