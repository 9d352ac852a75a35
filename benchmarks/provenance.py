"""Which code made a result, and is it still the code that is here?

    python benchmarks/provenance.py        # which results are stale, and for which changes; CI prints it

A result file keeps a hash of each part of the code that made it: of every file of benchmarks/ and examples/, and of
every room of src/hippo, that was imported by the process that wrote it (or named by it, where others did the work).
Code counts as its syntax tree without comments and docstrings, so that a reformat or a better sentence makes nothing
stale. Rooms and not files: a change beside the function that was measured may matter to it, and nobody can list which.
A stale result is no failure. It says what was true of another version of the code, until somebody measures again.
Results from before there were hashes have those of the commit that recorded them, and say so (`added_later`).

It imports nothing of hippo, whose changes it is to notice, and knows nothing of what figures mean.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PACKAGE = "src/hippo"
#: these write and check; no figure depends on them
WRITERS = {
    "benchmarks/" + name
    for name in ("provenance.py", "report.py", "claims.py", "hydro_tables.py", "mltuner_tables.py", "evaluation.py")
} | {"benchmarks/paper/results_page.py"}
#: versions that a figure may depend on, where they are installed
DISTRIBUTIONS = ("hippo-tune", "numpy", "torch", "scikit-learn", "SQLAlchemy", "optuna", "ray")
_HASH_DIGITS = 16


# ---------------------------------------------------------------------------------------------------- the code's hash


def tree_form(node: object) -> str:
    """Return a syntax tree as text, without docstrings, and without what is empty: newer Pythons know more fields."""
    if isinstance(node, list):
        return "[" + ",".join(map(tree_form, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
        node, clean=False
    ):
        fields["body"] = fields["body"][1:]
    inside = (f"{name}={tree_form(value)}" for name, value in fields.items() if value not in (None, []))
    return f"{type(node).__name__}({','.join(inside)})"


def form_of(file: Path) -> str:
    """Return what counts of a file: the tree of Python, the values of JSON."""
    return _form_of(file.read_text(encoding="utf-8"), file.suffix)


@functools.cache  # most files count for most results
def _form_of(text: str, suffix: str) -> str:
    return json.dumps(json.loads(text)) if suffix == ".json" else tree_form(ast.parse(text))


def hash_of(part: str, root: Path = ROOT) -> str | None:
    """Return the hash of a file, or of all Python and JSON of a folder; None if there is no such part any more.

    Args:
      part: relative to the project. `src/hippo` itself stands for the modules beside the rooms.
    """
    place = root / part
    if place.is_dir():
        found = place.glob("*.py") if part == PACKAGE else [*place.rglob("*.py"), *place.rglob("*.json")]
        files = sorted(found, key=lambda file: file.relative_to(place).as_posix())
        if not files:
            return None
    elif place.is_file():
        files = [place]
    else:
        return None
    whole = hashlib.sha256()
    for file in files:
        name = file.relative_to(place).as_posix()
        whole.update(f"{name}\n{form_of(file)}\n".encode())
    return whole.hexdigest()[:_HASH_DIGITS]


def parts_loaded() -> set[str]:
    """Return the parts of the code that this process has imported."""
    found = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file is None or not Path(file).is_file() or not Path(file).resolve().is_relative_to(ROOT):
            continue
        name = Path(file).resolve().relative_to(ROOT)
        if name.is_relative_to(PACKAGE):
            inside = name.relative_to(PACKAGE).parts
            found.add(PACKAGE if len(inside) == 1 else f"{PACKAGE}/{inside[0]}")
        elif name.parts[0] in ("benchmarks", "examples"):
            found.add(name.as_posix())
    return found - WRITERS


def _bytes_of_everything() -> dict[str, int]:
    files = [file for folder in (PACKAGE, "benchmarks", "examples") for file in (ROOT / folder).rglob("*.py")]
    return {file.relative_to(ROOT).as_posix(): hash(file.read_bytes()) for file in files}


def _is_in(name: str, parts: Iterable[str]) -> bool:
    folder = Path(name).parent.as_posix()
    return any(name == part or folder == part or (part != PACKAGE and folder.startswith(f"{part}/")) for part in parts)


#: what the files held when this process began: a result is not written if that has changed since
_AT_START = _bytes_of_everything()


def made_by(*, seeds: str, took_s: float | None, also: Iterable[str] = ()) -> dict[str, Any]:
    """Return the record of how this process came to its figures.

    Args:
      seeds: in words.
      took_s: wall seconds of the whole, to tell people how long it takes; no figure.
      also: parts that other processes imported for it, and folders of data.

    Raises:
      RuntimeError: a file has changed since the process began, so that nobody can tell which code the figures are of.
    """
    parts = sorted(parts_loaded() | set(also))
    now = _bytes_of_everything()
    edited = sorted(
        name for name in now.keys() | _AT_START.keys() if now.get(name) != _AT_START.get(name) and _is_in(name, parts)
    )
    if edited:
        raise RuntimeError(f"{', '.join(edited)} changed while this was measured: run it again. Nothing was written.")
    return {
        "command": command(),
        "seeds": seeds,
        "took_s": None if took_s is None else round(took_s),
        "machine": machine(),
        "versions": versions(),
        "code": {part: hash_of(part) for part in parts},
    }


def command() -> str:
    """Return what was typed, relative to the project."""
    script = Path(sys.argv[0]).resolve()
    name = script.relative_to(ROOT).as_posix() if script.is_relative_to(ROOT) else script.name
    return shlex.join(["python", name, *sys.argv[1:]])


def machine() -> dict[str, Any]:
    """Return the machine, and how busy it is: figures of wall time from a busy one are worth little."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "load_1min": round(os.getloadavg()[0], 2),
    }


def cpu_model() -> str:
    """Return the processor's name where Linux tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def versions() -> dict[str, str]:
    """Return the versions that a figure may depend on."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


# --------------------------------------------------------------------------------------------------- what became stale


def changed_parts(code: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Return the parts that are no longer what they were."""
    return [part for part, was in code.items() if hash_of(part, root) != was]


def listing(results: Path = RESULTS, root: Path = ROOT) -> list[tuple[str, str]]:
    """Return for each result file what to say of it.

    Raises:
      ValueError: a result file does not say which code made it.
    """
    found = []
    for file in sorted(results.glob("*.json")):
        made = json.loads(file.read_text(encoding="utf-8")).get("made", {})
        code = made.get("code")
        if not code or None in code.values():
            raise ValueError(f"{file.name} does not say which code made it; run its benchmark again.")
        changed = changed_parts(code, root)
        state = f"stale: {', '.join(changed)} changed since" if changed else "of this code"
        found.append((file.stem, state + (", and its hashes were added later" if "added_later" in made else "")))
    return found


if __name__ == "__main__":
    try:
        for result, state in listing():
            print(f"{result:16} {state}")
    except ValueError as error:
        sys.exit(str(error))
