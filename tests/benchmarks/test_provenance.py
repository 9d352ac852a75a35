"""Result files say which code made them, and a change that matters to them makes them stale."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import provenance
from provenance import PACKAGE, RESULTS, ROOT, changed_parts, hash_of, listing, made_by

RESULT_FILES = sorted(RESULTS.glob("*.json"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    room = tmp_path / PACKAGE / "room"
    room.mkdir(parents=True)
    (room / "one.py").write_text('"""A module."""\n\n\ndef double(x):\n    """Return twice x."""\n    return 2 * x\n')
    return tmp_path


def edit(project: Path, text: str) -> None:
    (project / PACKAGE / "room" / "one.py").write_text(text)


ROOM = f"{PACKAGE}/room"


@pytest.mark.parametrize("file", RESULT_FILES, ids=lambda file: file.stem)
def test_every_result_says_what_made_it(file: Path) -> None:
    made = json.loads(file.read_text(encoding="utf-8"))["made"]

    assert made["code"]
    assert all(made["code"].values())
    assert made["seeds"]
    assert made["versions"]["python"]
    assert made["machine"]["cores"]
    assert "added_later" in made or made["command"].startswith("python benchmarks/")


def test_comments_docstrings_and_layout_make_no_result_stale(project: Path) -> None:
    code = {ROOM: hash_of(ROOM, project)}
    edit(project, "def double( x ):\n    # a better comment\n    'Another sentence.'\n    return (2 * x)\n")

    assert changed_parts(code, project) == []


def test_another_number_makes_its_room_stale(project: Path) -> None:
    code = {ROOM: hash_of(ROOM, project)}
    edit(project, "def double(x):\n    return 3 * x\n")

    assert changed_parts(code, project) == [ROOM]


@pytest.mark.parametrize("change", ["new", "renamed", "gone"])
def test_modules_that_come_and_go_make_their_room_stale(project: Path, change: str) -> None:
    code = {ROOM: hash_of(ROOM, project)}
    room = project / PACKAGE / "room"
    if change == "new":
        (room / "two.py").write_text("x = 1\n")
    elif change == "renamed":
        (room / "one.py").rename(room / "two.py")
    else:
        shutil.rmtree(room)

    assert changed_parts(code, project) == [ROOM]


def test_a_result_knows_the_rooms_that_made_it_and_not_the_others() -> None:
    script = "import provenance, hippo.hparams, spaces; print(*sorted(provenance.parts_loaded()))"
    folders = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks" / "paper"), str(ROOT / "src")]
    program = f"import sys; sys.path[:0] = {folders!r}; {script}"

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    found = result.stdout.split()
    assert {"benchmarks/paper/spaces.py", "src/hippo", "src/hippo/hparams"} <= set(found)
    assert "src/hippo/cli" not in found
    assert "benchmarks/provenance.py" not in found


def test_code_that_was_edited_while_it_was_measured_writes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(provenance._AT_START)
    before[f"{PACKAGE}/clock.py"] += 1
    monkeypatch.setattr(provenance, "_AT_START", before)

    with pytest.raises(RuntimeError, match=r"src/hippo/clock.py changed while this was measured"):
        made_by(seeds="none", took_s=1.0, also=[PACKAGE])


def test_a_result_without_a_hash_fails_the_listing(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"benchmark": "old", "rows": []}')

    with pytest.raises(ValueError, match=r"old.json does not say which code made it"):
        listing(tmp_path)


def test_stale_results_are_listed_with_what_changed_and_are_no_failure(project: Path) -> None:
    made = {"code": {ROOM: "0" * 16, "benchmarks/gone.py": "1" * 16}}
    (project / "old.json").write_text(json.dumps({"made": made}))

    assert listing(project, project) == [("old", f"stale: {ROOM}, benchmarks/gone.py changed since")]
