"""One trainer is one workload, by whatever name it is reached."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from hippo.plan import PlanRow
from hippo.records import Workload
from hippo.study.identity.workloads import known_key, workload_key

SCRIPT = '''"""A script that needs no guard, and has one."""
import hippo
from hippo.testing.trainers import ToyTrainer

class Width:
    def __init__(self, value):
        self.value = value

WIDTH = Width(3)
SPACE = [0.1, 0.2]

class Blobs(ToyTrainer):
    """It rolls."""
    def train(self):
        import helper
        assert WIDTH.value + helper.depth()
        return super().train()

def study():
    return hippo.create_study("blobs", trainer=Blobs, engine=hippo.InlineEngine(), metric="loss", mode="min",
                              checkpoint_budget="1GB")

if __name__ == "__main__":
    for lr in SPACE:
        study().evaluate({"lr": lr}, until=2)
    print(study().generation, study().statistics().steps_executed, len(study().trials))
'''
IMPORTING = """
import hippo, train
for lr in train.SPACE:
    study = hippo.create_study("blobs", trainer={trainer}, engine=hippo.InlineEngine(), metric="loss", mode="min",
                               checkpoint_budget="1GB")
    study.evaluate({{"lr": lr}}, until=2)
print(study.generation, study.statistics().steps_executed, len(study.trials))
"""
#: how the class is reached, and what is run
WAYS = {
    "its script": (["train.py"], None),
    "its script as a module": (["-m", "train"], None),
    "standard input": (["-"], SCRIPT),
    "the command line": (["-c", SCRIPT], None),
    "the class, imported": (["-c", IMPORTING.format(trainer="train.Blobs")], None),
    "the name of the class": (["-c", IMPORTING.format(trainer="'train:Blobs'")], None),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text("import train\ndef depth():\n    return len(train.SPACE)\n")
    return tmp_path


def run(folder: Path, way: str) -> str:
    arguments, stdin = WAYS[way]
    done = subprocess.run([sys.executable, *arguments], input=stdin, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_every_way_to_a_class_leads_to_one_generation_and_nothing_is_trained_twice(folder: Path) -> None:
    assert {way: run(folder, way) for way in WAYS} == dict.fromkeys(WAYS, "1 4 2\n")


@pytest.mark.slow
def test_what_came_from_standard_input_is_known_where_it_is_imported(folder: Path) -> None:
    ways = ["standard input", "the class, imported"]
    assert [run(folder, way) for way in ways] == ["1 4 2\n"] * 2


@pytest.mark.slow
def test_a_script_from_standard_input_shows_how_it_makes_its_objects(folder: Path) -> None:
    assert run(folder, "standard input") == "1 4 2\n"
    (folder / "changed.py").write_text(SCRIPT.replace("Width(3)", "Width(4)"))
    done = subprocess.run(
        [sys.executable, "-"], stdin=(folder / "changed.py").open(), cwd=folder, capture_output=True, text=True
    )
    assert (done.stdout, "code changed" in done.stderr) == ("2 4 2\n", True)


@pytest.mark.slow
def test_a_script_may_be_renamed(folder: Path) -> None:
    (folder / "helper.py").write_text("def depth():\n    return 2\n")
    assert run(folder, "its script") == "1 4 2\n"
    (folder / "renamed.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "renamed.py"], cwd=folder, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 4 2\n", "")


IMPORTED = Workload(trainer="train:Blobs", arguments="{}", code="tree", compiled="bytes")


def row(plan: int, workload: Workload) -> PlanRow:
    declared = asdict(workload)
    del declared["compiled"]  # as older releases wrote it
    if workload.compiled:
        declared["compiled"] = workload.compiled
    return PlanRow(plan=plan, workload=workload_key(workload), declared=json.dumps(declared), fork=0)


def test_a_key_of_an_importable_trainer_is_that_of_earlier_releases() -> None:
    assert workload_key(IMPORTED) == "2330f15b8c0f8b88a2d4a39333c3a0b7fb76b601bf7dff8591d5b7b6c0b86187"


KNOWN = {
    "a script of an earlier release": replace(IMPORTED, trainer="__main__:Blobs", compiled=""),
    "the script from standard input": replace(IMPORTED, trainer="__main__:Blobs", code="bytes"),
    "another file": replace(IMPORTED, trainer="other:Blobs"),
}
UNKNOWN = {
    "other code": replace(IMPORTED, code="another"),
    "other code of equal bytes, both with source": replace(IMPORTED, code="another", compiled="bytes"),
    "another seed": replace(IMPORTED, seed=1),
    "another study's own": replace(IMPORTED, private_to="somebody"),
}


@pytest.mark.parametrize("what", KNOWN)
def test_the_plan_of_an_equal_workload_is_used(what: str) -> None:
    assert known_key(IMPORTED, [row(1, KNOWN[what])], of_study=None) == workload_key(KNOWN[what])


@pytest.mark.parametrize("what", UNKNOWN)
def test_the_plan_of_another_workload_is_not_used(what: str) -> None:
    assert known_key(IMPORTED, [row(1, UNKNOWN[what])], of_study=1) == workload_key(IMPORTED)


def test_a_study_keeps_its_plan_and_others_take_that_of_their_name() -> None:
    script = KNOWN["a script of an earlier release"]
    rows = [row(1, script), row(2, IMPORTED)]
    assert known_key(IMPORTED, rows, of_study=1) == workload_key(script)
    assert known_key(IMPORTED, rows, of_study=2) == known_key(IMPORTED, rows, of_study=None) == workload_key(IMPORTED)


def test_a_version_is_the_users_word_about_one_class() -> None:
    ours = replace(IMPORTED, code="version 1", compiled="")
    others = [replace(ours, trainer=name) for name in ("__main__:Blobs", "other:Blobs", "train:Other")]
    known = [known_key(ours, [row(1, other)], of_study=None) == workload_key(other) for other in others]
    assert known == [True, False, False]
