"""Notebooks show a study as a table and its tree, whatever it is called."""

from __future__ import annotations

import re
from pathlib import Path

import hippo
from hippo.study.results.notebook import MOST_NODES
from hippo.testing.trainers import ToyTrainer

OPTIONS = {"trainer": ToyTrainer, "storage": "memory://", "checkpoints": "memory://"}


def test_a_study_is_a_table_and_a_line_for_each_node() -> None:
    study = hippo.create_study("<b>toy</b>", engine=hippo.InlineEngine(), metric="loss", mode="min", **OPTIONS)
    drops = [hippo.MultiStep(0.1, [at], 0.5) for at in (2, 4)]
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": drops}), until=6))
    shown, statistics = study._repr_html_(), study.statistics()
    assert shown is not None
    assert "<b>toy" not in shown
    assert "&lt;b&gt;toy" in shown
    assert (statistics.steps_asked, statistics.steps_executed) == (12, 10)
    assert "12 asked for, 10 run, 2 saved" in shown
    assert f"trial {study.best_trial.number}: lr={study.best_params['lr']}</td>" in shown
    (lines,) = re.findall("<pre>(.*)</pre>", shown, re.DOTALL)
    assert re.findall(r"^ *\d+-\d+  lr=\S+", lines, re.MULTILINE) == ["0-4  lr=0.1", "  2-6  lr=0.05", "  4-6  lr=0.05"]
    study.close()


def test_many_nodes_are_counted() -> None:
    study = hippo.create_study("many", engine=hippo.InlineEngine(), metric="loss", mode="min", **OPTIONS)
    study.optimize(hippo.GridSearch([{"lr": n / 100} for n in range(1, MOST_NODES + 8)], until=1))
    assert "... and 7 more" in (study._repr_html_() or "")
    study.close()


def test_a_study_without_trials_or_metric_is_shown() -> None:
    study = hippo.create_study("empty", engine=hippo.InlineEngine(), **OPTIONS)
    shown = study._repr_html_() or ""
    assert "none yet" in shown
    assert "<pre>" not in shown
    study.close()


def test_looking_at_a_study_writes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("toy", trainer=ToyTrainer, storage=url, checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    study.close()
    before = (tmp_path / "hippo.db").read_bytes()
    assert "trial 0: lr=0.1" in (hippo.load_study("toy", url)._repr_html_() or "")
    assert (tmp_path / "hippo.db").read_bytes() == before
