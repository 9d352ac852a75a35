"""The documentation is true: its Python runs, its links lead somewhere, its commands exist."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hippo.testing.warm_scripts import study_scripts

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path for where in ("*", "docs/**/*", "benchmarks/*", "changelog.d/*") for path in ROOT.glob(f"{where}.md")
)
PAGES_WITH_PYTHON = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=name_of)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("\n".join(blocks(page, "python")), encoding="utf-8")

    running = study_scripts(with_torch=True).start(tmp_path / "page.py", folder=tmp_path)
    output = running.wait(280)

    assert running.returncode == 0, output


@pytest.mark.slow
def test_the_recipe_for_agents_runs_as_it_stands(tmp_path: Path) -> None:
    page = ROOT / "docs" / "agents.md"
    (tmp_path / "study.py").write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    here.pop("HIPPO_STORAGE", None)

    (recipe,) = blocks(page, "bash")
    result = subprocess.run(["bash", "-e", "-c", recipe], cwd=tmp_path, env=here, capture_output=True, text=True)

    assert result.returncode == 0, result.stdout + result.stderr
    listed = subprocess.run(["hippo", "studies", "--format", "json"], cwd=tmp_path, env=here, capture_output=True)
    (row,) = json.loads(listed.stdout)
    assert row["trials"] == 6
    said = f"of the {row['steps_asked']} steps that six trials have, `hippo studies` counts {row['steps_executed']} as"
    assert said in page.read_text(encoding="utf-8").replace("\n", " ")


def test_the_readme_shows_the_toy_example_as_it_is() -> None:
    toy = (ROOT / "examples" / "toy.py").read_text(encoding="utf-8")

    assert blocks(ROOT / "README.md", "python") == [toy]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_within_the_project_leads_to_a_file(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)
    inner = [link for link in links if not link.startswith(("http://", "https://"))]

    assert [link for link in inner if not (page.parent / link).exists()] == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")

    assert [page.name for page in folder.glob("[0-9]*.md") if f"({page.name})" not in index] == []


def test_every_command_that_is_named_exists() -> None:
    from hippo.cli.app import commands

    text = "\n".join(block for page in PAGES for block in blocks(page, ""))
    named = set(re.findall(r"^(?:\$ )?hippo ([a-z-]+)", text, re.MULTILINE))

    assert named
    assert named <= set(commands.commands)


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", text, re.MULTILINE))

    assert {name for pair in named for name in pair if name} <= targets


def test_every_public_name_that_is_documented_exists() -> None:
    import hippo

    code = "\n".join(block for page in PAGES for block in blocks(page, "python"))
    named = set(re.findall(r"(?<![\w/])hippo\.([A-Za-z_]\w*)", code))

    rooms = {name for name in named if importlib.util.find_spec(f"hippo.{name}") is not None}

    assert sorted(name for name in named - rooms if not hasattr(hippo, name)) == []


def test_the_reference_lists_every_public_name() -> None:
    import hippo

    listed = re.findall(
        r"^::: hippo\.(\w+)$", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert sorted(listed) == sorted({*hippo.__all__, "TorchTrainer"})


def test_every_public_name_is_explained_by_itself() -> None:
    import hippo

    silent = []
    for name in hippo.__all__:
        thing = getattr(hippo, name)
        text = (vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__) or ""
        first = text.partition("\n\n")[0].strip()
        is_generated = first.startswith(f"{name}(")  # as dataclasses do
        if is_generated or len(first) < 20 or first[-1] not in ".:":
            silent.append(name)

    assert silent == []


@pytest.mark.slow
def test_the_site_builds_and_every_link_of_it_leads_somewhere(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "The complete trial with the best value" in (tmp_path / "site" / "reference.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
@pytest.mark.parametrize("example", ["toy.py", "paper_figures.py"])
def test_an_example_runs(example: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "examples" / example], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "best" in result.stdout


@pytest.mark.slow
def test_the_demo_shares_as_much_as_it_says() -> None:
    program = "from hippo.cli import main; main(['plan', 'digits:space', '--until', '24', '--format', 'json'])"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT / "examples", capture_output=True, text=True)

    (row,) = json.loads(result.stdout)
    assert row["configs"] == 56
    assert 2.4 <= row["merge_rate"] <= 3.2
