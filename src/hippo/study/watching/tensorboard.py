"""Studies in TensorBoard: a run for each trial, with its curves of training and of evaluation, and its config."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import HippoError
from hippo.runtime.studies.observers import StepEvaluated, StepTrained, StudyEvent, TrialEnded, TrialFailed
from hippo.study.options import checked_path
from hippo.study.watching.callbacks import GenerationCallback
from hippo.study.watching.file_names import told_apart

#: modules that have a SummaryWriter, the lighter one first
_WRITERS = ("tensorboardX", "torch.utils.tensorboard")


class TensorBoard(GenerationCallback):
    """Writes what TensorBoard shows: `tensorboard --logdir runs`.

    Each trial is a run `<folder>/<study>/trial-<number>` with the scalars `train/<name>` and `<name>` (of `evaluate`)
    over steps; steps that trials share are in the run of each. With several seeds, each has a folder of its own,
    `<study> (seed 0)`, and so has a later generation, `<study> (generation 2)`. A script that is run again tells
    everything again, so what it left in its trials' runs before is replaced, and no curve is drawn twice.

    Args:
      folder: where the runs go.

    Raises:
      HippoError: neither tensorboardX nor torch's own writer can be imported.
    """

    @explain_calls()
    def __init__(self, folder: str | Path) -> None:
        super().__init__()
        self._folder = Path(checked_path("folder", folder)).absolute()
        self._make_writer = _writer_class()
        self._writers: dict[tuple[str, int], Any] = {}
        self._begun: set[tuple[str, int]] = set()

    def on_step(self, event: StepTrained) -> None:
        writer = self._writer(event)
        for name, value in sorted(event.train_metrics.items()):
            writer.add_scalar(f"train/{name}", float(value), event.step)  # numpy has no integers beyond 64 bits

    def on_evaluated(self, event: StepEvaluated) -> None:
        writer = self._writer(event)
        for name, value in sorted(event.metrics.items()):
            writer.add_scalar(name, float(value), event.step)

    def on_failure(self, event: TrialFailed) -> None:
        text = f"{event.method}() at step {event.step}: {event.error}\n\n{event.traceback}"
        self._writer(event).add_text("failure", _as_code(text), event.step)

    def on_trial_end(self, event: TrialEnded) -> None:
        writer = self._writer(event)
        writer.add_text("state", event.state.value)
        writer.close()  # a thousand trials would be a thousand open files
        del self._writers[self._key(event)]

    def flush(self) -> None:
        for writer in self._writers.values():
            writer.close()  # tensorboardX's flush() does not wait for what its own queue still holds
        self._writers.clear()

    def _key(self, event: StudyEvent) -> tuple[str, int]:
        return self.study_of(event), event.trial

    def _writer(self, event: StudyEvent) -> Any:
        study, trial = key = self._key(event)
        if key not in self._writers:
            run = self._folder / _as_file_name(study) / f"trial-{trial:04d}"
            if key not in self._begun:
                self._begun.add(key)
                for old in run.glob("events.out.tfevents.*"):
                    old.unlink()
            self._writers[key] = self._make_writer(str(run))
            values = {name: str(value) for name, value in sorted(event.config.params.items())}
            self._writers[key].add_text("config", _as_code(json.dumps(values, indent=2)))
        return self._writers[key]


def _writer_class() -> Any:
    for name in _WRITERS:
        try:
            return importlib.import_module(name).SummaryWriter
        except ImportError:
            continue
    raise HippoError("TensorBoard(...) needs a writer: pip install 'hippo-tune[tensorboard]'")


def _as_file_name(study: str) -> str:
    """Return a study's name as that of a folder: another one for each study."""
    return told_apart(re.sub(r"[^\w.() -]", "_", study).strip(". ") or "_", study)


def _as_code(text: str) -> str:
    """Return text as TensorBoard's Markdown shows it unchanged."""
    return "".join(f"    {line}\n" for line in text.splitlines())
