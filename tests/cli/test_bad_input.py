"""What people type by mistake: each ends at once, in words that say what to do, with the exit code of its kind."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hippo.cli.app import commands, exit_code

SCRIPTS = {
    "good.py": "import hippo\nspace = hippo.GridSearchSpace({'lr': [0.1, 0.2]})\n"
    "rand = hippo.RandomSearchSpace({'lr': hippo.loguniform(1e-3, 1)})\n"
    "tuner = hippo.GridSearch(space, until=3)\nnumber, text, nothing, empty = 3, 'space', None, []\n"
    "table = {'lr': [0.1]}\nmixed = [{'lr': 0.1}, 7]\n"
    "def wants(argument): return space\ndef fails(): raise RuntimeError('no data')\ndef made(): return space\n"
    "class Space: pass\n",
    "zero.py": "def half(n):\n    return n / 0\nspace = half(3)\n",
    "syntax.py": "space = [1,\n",
    "quits.py": "import sys\nsys.exit('no GPU')\n",
    "wants_more.py": "import no_such_package_at_all\n",
    "runs.py": "import hippo\nfrom hippo.testing.trainers import ToyTrainer\nprint('told by the script')\n"
    "before = hippo.GridSearchSpace({'lr': [0.1, 0.2]})\nstudy = hippo.create_study('s', trainer=ToyTrainer)\n"
    "between = before\nstudy.optimize(hippo.GridSearch(before, until=3))\nafter = before\n",
    "badspace.py": "import hippo\nspace = hippo.GridSearchSpace({})\n",
    "binary.py": "\0\1",
}

#: arguments, words on standard error, exit code
CASES = [
    # --- the program itself
    ("", "Usage: hippo", 2),
    ("tunes", "No such command 'tunes'", 2),
    ("--storage x studies", "No such option", 2),
    ("studies extra", "unexpected extra argument", 2),
    ("studies --format xml", "is not one of 'table', 'json', 'csv'", 2),
    ("trials", "Missing argument 'STUDY'", 2),
    ("simulate good.py:space --num-trials 3", "It is called --samples here", 2),
    ("plan good.py:space --epochs 3", "It is called --until here", 2),
    ("simulate good.py:space --eta 3", "It is called --reduction here", 2),
    ("studies --db sqlite:///hippo.db", "It is called --storage here", 2),
    ("studies --eta 3", "No such option '--eta'", 2),  # and no advice to use what it does not have either
    # --- storages
    ("studies --storage sqlite:///nowhere.db", "there is no database", 2),
    ("studies --storage sqlite:////no/such/folder/hippo.db", "there is no database", 2),
    ("studies --storage hippo.db", "is not a database URL; write for instance 'sqlite:///hippo.db'", 2),
    ("studies --storage sqlite://", "names no file", 2),
    ("studies --storage sqlite:///:memory:", "names no file", 2),
    ("studies --storage postgresql://u:secret@host/db", "postgresql://u:***@host/db", 1),
    ("studies --storage postgresql://u:secret@host:port/db", "u:***@host:port", 2),
    ("studies --storage sqlite:///empty.db", "is an empty file: no study was ever kept in it", 2),
    ("studies --storage sqlite:///text.db", "not an SQLite database", 1),
    ("studies --storage sqlite:///other.db", "that are not hippo's", 1),
    ("studies --storage sqlite:///cut.db", ".recover", 1),
    ("studies --storage sqlite:///blank.db", "not an SQLite database", 1),
    ("studies --storage sqlite:///.", "cannot be used", 1),
    # --- studies, trials and generations
    ("trials toi", "there is no study 'toi' in sqlite:///", 2),
    ("trials emty", "Did you mean 'empty'?", 2),
    ("best toi", "there is no study 'toi'", 2),
    ("tree toi", "there is no study 'toi'", 2),
    ("logs toi 0", "there is no study 'toi'", 2),
    ("export toi 0 out.pt", "there is no study 'toi'", 2),
    ("retry toi", "there is no study 'toi'", 2),
    ("rename toi new", "there is no study 'toi'", 2),
    ("delete toi --yes", "there is no study 'toi'", 2),
    ("simulate --study toi", "there is no study 'toi'", 2),
    ("best empty", "no trial of study 'empty' is complete yet", 2),
    ("logs toy", "Missing argument 'TRIAL'", 2),
    ("logs toy 7", "has no trial 7; its trials are 0 to 1", 2),
    ("logs empty 0", "has no trial 0; it has no trial yet", 2),
    ("logs toy -1", "No such option", 2),
    ("logs toy first", "'first' is neither a trial's number", 2),
    ("logs two best", "one of its Pareto front by number: ", 2),
    ("trials toy --generation 7", "has no generation 7; it has [1]", 2),
    ("trials toy --generation 0", "not in the range", 2),
    ("trials toy --generation one", "is not a whole number", 2),
    # --- export
    ("export toy 0", "Missing argument 'FILE'", 2),
    ("export toy 0 out.pt", "--format state writes all of it", 2),
    ("export toy 1 out.pt --format state", "trial 1 has no state: it was never answered. train() at step 3", 1),
    ("export toy 0 there.pt --format state", "exists already; --overwrite replaces it", 2),
    ("export toy 0 no/such/out.pt --format state", "there is no folder", 2),
    ("export toy 0 . --format state", "is a directory", 2),
    ("export toy 0 out.pt --format onnx", "is not one of 'model', 'state'", 2),
    # --- changing studies
    ("rename toy", "Missing argument 'NEW_NAME'", 2),
    ("rename toy two", "there is a study 'two'", 2),
    ("rename toy ''", "must be a string that is not empty", 2),
    ("delete toy", "add --yes", 2),
    # --- plan
    ("plan good.py:space", "Missing option '--until'", 2),
    ("plan good.py:space --until 0", "not in the range", 2),
    ("plan good.py:space --until ten", "is not a whole number", 2),
    ("tell toy complete abc", "'TRIAL...': 'abc' is not a whole number", 2),
    ("doctor --limit soon", "'soon' is not a number", 2),
    ("plan good.py --until 3", "is not of the form MODULE:NAME", 2),
    ("plan space --until 3", "is not of the form MODULE:NAME", 2),
    ("plan :space --until 3", "is not of the form MODULE:NAME", 2),
    ("plan gone.py:space --until 3", "there is no file 'gone.py'", 2),
    ("plan no_such_module_at_all:space --until 3", "there is no such module", 2),
    ("plan no_such.module_at_all:space --until 3", "No module named 'no_such'", 2),
    ("plan good.py:spice --until 3", "has no 'spice'. Did you mean 'space'?", 2),
    ("plan good.py:number --until 3", "is an int, neither a space nor a list of configs", 2),
    ("plan good.py:text --until 3", "is a str, neither", 2),
    ("plan good.py:nothing --until 3", "is a NoneType, neither", 2),
    ("plan good.py:empty --until 3", "holds no config", 2),
    ("plan good.py:table --until 3", "a grid is hippo.GridSearchSpace(table)", 2),
    ("plan good.py:mixed --until 3", "is no list of configs", 2),
    ("plan good.py:Space --until 3", "is the class Space", 2),
    ("plan good.py:tuner --until 3", "`hippo simulate` takes tuners", 2),
    ("plan good.py:rand --until 3", "say how many with --samples N", 2),
    ("plan good.py:space --until 3 --samples 5", "--samples is for a RandomSearchSpace", 2),
    ("plan good.py:wants --until 3", "missing 1 required positional argument: 'argument'", 2),
    ("plan good.py:fails --until 3", "calling good.py:fails() raised RuntimeError: no data", 2),
    ("plan zero.py:space --until 3", "importing 'zero' raised ZeroDivisionError", 2),
    ("plan syntax.py:space --until 3", "importing 'syntax' raised", 2),
    ("plan quits.py:space --until 3", "ended the program: sys.exit('no GPU')", 2),
    ("plan wants_more.py:space --until 3", "No module named 'no_such_package_at_all'", 2),
    ("plan badspace.py:space --until 3", "The space is empty", 2),
    ("plan binary.py:space --until 3", "importing 'binary' raised", 2),
    ("plan runs.py:after --until 3", "before line 7, where it comes to create_study(...).optimize", 2),
    # --- simulate
    ("simulate", "name a tuner or a space, MODULE:NAME, or a recorded study with --study", 2),
    ("simulate good.py:space", "is a space; say what runs on it: --tuner grid|sha", 2),
    ("simulate good.py:space --tuner grid", "needs --max-steps", 2),
    ("simulate good.py:space --tuner sha --until 9", "needs --min-steps", 2),
    ("simulate good.py:space --tuner tpe --until 9", "is not one of 'grid', 'sha'", 2),
    ("simulate good.py:space --tuner grid --until 9 --min-steps 2", "--min-steps would be ignored: --tuner grid", 2),
    ("simulate good.py:space --tuner grid --until 9 --reduction 2", "--reduction would be ignored", 2),
    ("simulate good.py:tuner --until 9", "--max-steps would be ignored: it belongs to a tuner", 2),
    ("simulate good.py:tuner --tuner grid --until 3", "is a tuner already", 2),
    ("simulate good.py:tuner --samples 3", "--samples would be ignored", 2),
    ("simulate good.py:tuner --storage sqlite:///hippo.db", "--storage would be ignored", 2),
    ("simulate good.py:tuner --slots 0", "not in the range", 2),
    ("simulate good.py:tuner --seconds-per-step 0", "not in the range", 2),
    ("simulate good.py:tuner --gantt no/such/g.html", "there is no folder", 2),
    ("simulate good.py:rand --tuner grid --until 3", "say how many with --samples N", 2),
    ("simulate good.py:Space --tuner grid --until 3", "is the class Space", 2),
    ("simulate good.py:number", "is a space; say what runs on it", 2),
    ("simulate --study empty", "has no trial to replay", 2),
    # --- run
    ("run", "Missing argument 'FILE'", 2),
    ("run gone.py", "does not exist", 2),
    ("run .", "is a directory", 2),
    ("run zero.py", "ZeroDivisionError: division by zero", 1),
    ("run syntax.py", "SyntaxError", 1),
    ("run badspace.py", "hippo: The space is empty", 2),
]


@pytest.fixture(scope="module")
def stocked(left: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with databases and scripts of every kind."""
    folder = tmp_path_factory.mktemp("stocked")
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    for path in left.glob("hippo.db*"):
        shutil.copy(path, folder)
    (folder / "empty.db").touch()
    (folder / "there.pt").touch()
    (folder / "text.db").write_text("dear diary, " * 100)
    (folder / "blank.db").write_bytes(b"\0" * 100)
    sqlite3.connect(folder / "other.db").execute("create table mine (id integer)")
    sqlite3.connect(left / "hippo.db").execute(f"vacuum into '{folder}/cut.db'")  # with all that is in its journal
    whole = (folder / "cut.db").read_bytes()
    (folder / "cut.db").write_bytes(whole[: len(whole) // 2])
    return folder


@pytest.fixture
def folder(stocked: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stocked folder as the current one, nothing of it imported."""
    for name in SCRIPTS:
        monkeypatch.delitem(sys.modules, Path(name).stem, raising=False)
    monkeypatch.chdir(stocked)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return stocked


@pytest.mark.parametrize(("typed", "words", "code"), CASES, ids=[f"{typed} -> {words}" for typed, words, _ in CASES])
def test_bad_input_ends_with_words_that_help(
    folder: Path, capsys: pytest.CaptureFixture[str], typed: str, words: str, code: int
) -> None:
    assert exit_code(shlex.split(typed)) == code
    said = capsys.readouterr()
    assert words in said.err
    assert "secret" not in said.err
    # a traceback is short, and of the user's own lines
    assert "hippo/cli" not in said.err
    lines = [line for line in said.err.splitlines() if line != "told by the script"]
    of_help = 9 + len(commands.commands)  # a line for each
    assert len(lines) <= (of_help if typed == "" else 12 if "Traceback" in said.err else 1)


def test_a_space_before_the_study_is_found_and_the_study_is_not_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("before", "between"):
        assert exit_code(["plan", f"runs.py:{name}", "--until", "3", "--format", "csv"]) == 0
    said = capsys.readouterr()
    assert "told by the script" not in said.out  # programs read it
    assert not (folder / "hippo_checkpoints").exists()
    assert exit_code(["trials", "s"]) == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_and_a_reader_that_left_are_no_traceback(left: Path) -> None:
    def shell(line: str) -> subprocess.CompletedProcess[str]:
        hippo = f"{shlex.quote(sys.executable)} -m hippo"
        command = line.format(hippo=hippo, storage=f"--storage sqlite:///{left}/hippo.db")
        return subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)

    full = shell("{hippo} studies {storage} > /dev/full")
    assert (full.returncode, full.stderr) == (1, "hippo: the output cannot be written: No space left on device\n")
    gone = shell("{hippo} trials toy {storage} --format json | true")
    assert gone.stderr == ""
