"""`hippo run FILE`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import neighbour

class Here: ...

if __name__ == "__main__":
    print(sys.argv[1:], neighbour.NAME, Here.__module__)
    sys.exit(7)
"""


@pytest.mark.slow
def test_a_script_runs_as_python_would_run_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    (tmp_path / "neighbour.py").write_text("NAME = 'next door'\n")

    outputs = [
        subprocess.run(
            [sys.executable, *how, script, "--lr", "0.1"], capture_output=True, text=True, cwd=tmp_path.parent
        )
        for how in ([], ["-c", "from hippo.cli import main; main()", "run"])
    ]

    assert outputs[0].stdout == outputs[1].stdout == "['--lr', '0.1'] next door __main__\n"
    assert [output.returncode for output in outputs] == [7, 7]


def test_what_blames_no_line_of_a_script_is_said_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from hippo.cli.app import exit_code

    script = tmp_path / "warns.py"
    script.write_text(
        "import warnings\nfrom hippo.training.telling import warn\nwarn('unread')\nwarnings.warn('own')\n"
    )
    with pytest.warns(UserWarning, match="own") as shown:
        assert exit_code(["run", str(script)]) == 0
    assert [each.filename for each in shown] == [str(script)]
    assert capsys.readouterr().err == "hippo: unread\n"


def test_a_missing_script_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    from hippo.cli.app import exit_code

    assert exit_code(["run", "no_such_script.py"]) == 2
    assert "no_such_script.py" in capsys.readouterr().err
