"""What strangers install: the distribution's name, its extras, and what messages and pages tell them to type."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hippo

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NAME = PROJECT["project"]["name"]
#: written on purpose with the name that is taken: here, and where the choice is explained
EXEMPT = {"tests/test_packaging.py", "docs/decisions/0059-names-and-promises-of-a-release.md", "docs/releases.md"}
#: the other distribution, with extras (also within a regular expression), or behind "pip install"
FOREIGN = re.compile(r"""(?<![\w.-])hippo\\?\[(?:[a-z{]|\\?\])|pip3? install (?:-\S+ )*['"]?hippo(?![\w.-])""")
#: ours, with extras
OURS = re.compile(r"(?<![\w.-])hippo-tune\\?\[([a-z0-9,{}\-]+)\\?\]")


def texts() -> dict[str, str]:
    """Return every text file of the project, by its name; outside of a checkout, those of the folders that we know."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    else:
        names = [
            str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and ".venv" not in path.parts
        ]
    kinds = {".py", ".md", ".toml", ".txt", ".yml", ".cff", ""}
    return {
        name: (ROOT / name).read_text(encoding="utf-8", errors="replace")
        for name in names
        if Path(name).suffix in kinds
    }


def test_the_distribution_is_not_called_what_is_taken() -> None:
    assert NAME == "hippo-tune"
    assert PROJECT["project"]["scripts"] == {"hippo": "hippo.cli:main"}


def test_nothing_tells_anybody_to_install_the_other_hippo() -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts().items()
        if name not in EXEMPT
        for number, line in enumerate(text.splitlines(), 1)
        if FOREIGN.search(line)
    ]

    assert found == [], f"the index has another hippo: write {NAME}[...]"


def test_every_extra_that_is_named_exists() -> None:
    extras = PROJECT["project"]["optional-dependencies"].keys()
    named = {
        (name, extra)
        for name, text in texts().items()
        if name not in EXEMPT
        for match in OURS.finditer(text)
        for extra in match.group(1).split(",")
        if "{" not in extra
    }

    assert {"torch", "alembic", "all"} <= {extra for _, extra in named}
    assert sorted((name, extra) for name, extra in named if extra not in extras) == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install 'hippo[torch]'",
        'pip install "hippo[torch] @ file:///a"',
        "pip install hippo",
        "pip install -U hippo",
        r"match=r'hippo\[torch\]'",
        'f"hippo[{extra}]"',
    ],
)
def test_the_scan_sees_each_way_to_name_the_other_one(line: str) -> None:
    assert FOREIGN.search(line)


@pytest.mark.parametrize("line", ["pip install 'hippo-tune[torch]'", "pip install hippo-tune", "hippo-tune[a,b]"])
def test_the_scan_lets_ours_pass(line: str) -> None:
    assert not FOREIGN.search(line)


def test_the_version_stands_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "hippo.__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", hippo.__version__)


# --- fragments, and what is built of them

KINDS = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}


def test_every_fragment_is_of_a_kind_that_the_changelog_has() -> None:
    names = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]

    assert names
    assert [name for name in names if not re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md", name)] == []


@pytest.mark.slow
def test_a_release_moves_every_fragment_into_the_changelog_with_links_that_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("towncrier", reason="the changelog is put together by towncrier: `make` installs it")
    copy = tmp_path / "project"
    for name in ("changelog.d", ".ci", "docs"):
        shutil.copytree(ROOT / name, copy / name)
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, copy / name)
    fragments = [path.read_text(encoding="utf-8") for path in (copy / "changelog.d").glob("*.*.md")]
    program = [sys.executable, str(copy / ".ci" / "changelog.py")]
    subprocess.run([*program, "0.1.0"], cwd=copy, check=True, capture_output=True)

    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [path.name for path in (copy / "changelog.d").iterdir()] == ["README.md"]
    assert "\n## 0.1.0 (" in text
    words = " ".join(text.split())
    assert [each for each in fragments if " ".join(each.replace("](../", "](").split()) not in words] == []
    prose = re.sub(r"`[^`]*`", "", text)
    inner = [link for link in re.findall(r"\]\(([^)#\s]+)", prose) if "://" not in link]
    assert [link for link in inner if not (copy / link).exists() and not (ROOT / link).exists()] == []
    assert subprocess.run([*program, "0.1.0"], cwd=copy, capture_output=True).returncode == 1


def test_torch_that_is_missing_is_named_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "torch" or name.startswith("hippo.training.torch_trainer")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(vars(hippo), "TorchTrainer", raising=False)
    with pytest.raises(ImportError, match=re.escape("hippo.TorchTrainer needs torch: pip install 'hippo-tune[torch]'")):
        _ = hippo.TorchTrainer
