"""What `import hippo` may bring along, and what has to work without torch."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys

import pytest

import hippo

HEAVY = (
    "torch",
    "ray",
    "optuna",
    "sqlalchemy",
    "numpy",
    "pandas",
    "scipy",
    "sklearn",
    "plotly",
    "rich",
    "cloudpickle",
    "psycopg",
    "pymysql",
    "httpx",
    "starlette",
    "uvicorn",
)


def heavy_modules_after(statement: str) -> list[str]:
    program = f"{statement}\nimport json, sys; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(result.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_importing_hippo_brings_nothing_heavy() -> None:
    assert heavy_modules_after("import hippo") == []


@pytest.mark.slow
def test_importing_the_command_line_brings_nothing_heavy() -> None:
    assert heavy_modules_after("import hippo.cli") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["hparams", "records", "events", "training.trainer", "tuners", "stages", "schedulers"]
)
def test_a_light_room_imports_without_torch_and_sql(module: str) -> None:
    found = heavy_modules_after(f"import hippo.{module}")

    assert not {"torch", "sqlalchemy", "pandas"} & set(found)


@pytest.mark.slow
def test_trainers_of_torch_bring_neither_sympy_nor_its_compiler() -> None:
    program = (
        "import sys, hippo; hippo.TorchTrainer; print({'sympy', 'torch._dynamo', 'torch._inductor'} & {*sys.modules})"
    )

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "set()"


@pytest.mark.slow
def test_the_general_trainer_works_where_torch_cannot_be_imported() -> None:
    program = "import sys; sys.modules['torch'] = None; import hippo; print(hippo.Trainer.__name__)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert result.stdout.strip() == "Trainer", result.stderr


@pytest.mark.slow
def test_the_parameter_server_comes_only_to_those_who_ask_and_needs_no_torch() -> None:
    program = "import hippo, sys; assert not [name for name in sys.modules if name.startswith('hippo.ps')]"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
    assert heavy_modules_after("import hippo.ps") == ["numpy"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("Answer", "hippo.records"),
        ("TrialState", "hippo.records"),
        ("Study", "hippo.study.study"),
        ("create_study", "hippo.study.creating"),
        ("load_study", "hippo.study.creating"),
    ],
)
def test_what_a_trainer_may_name_stays_in_the_module_that_its_fingerprint_tells(name: str, home: str) -> None:
    assert getattr(hippo, name).__module__ == home


@pytest.mark.parametrize(("room", "package"), [("optuna", "optuna"), ("lightning", "torch"), ("transformers", "torch")])
def test_an_integration_names_the_extra_that_it_needs(room: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"hippo.integrations.{room}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=re.escape(f"pip install 'hippo-tune[{room}]'")):
        importlib.import_module(f"hippo.integrations.{room}")
