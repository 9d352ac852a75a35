"""Breaks hippo on purpose, one line at a time, and tells which breaks no test notices.

    python tests/mutants.py                      all of them
    python tests/mutants.py --only "replay"      those whose law, file or function holds this text
    python tests/mutants.py --jobs 4             four at a time, each in a copy of its own
    python tests/mutants.py --dry-run            only tell which can no longer be applied

A mutant that survives is a missing test. The mutants are in `mutants.txt`; this module refuses to know them. Each is
made in a copy of the tree, so that nothing here is touched, and nobody else's run is disturbed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".txt")
#: what tests need of the tree
COPIED = ("src", "tests", "examples", "benchmarks", "docs", "pyproject.toml", "README.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one function, and who should notice."""

    #: what does not hold any more
    law: str
    #: files or folders below tests/
    tests: tuple[str, ...]
    #: file below src/hippo, then the function or class in it: "plan/nodes.py Node.owner_of"
    place: str
    #: text that is there exactly once
    old: str
    new: str

    @property
    def file(self) -> Path:
        """The file, below the root of the tree."""
        return Path("src", "hippo", self.place.partition(" ")[0])

    @property
    def function(self) -> str:
        """The function or class, dotted; empty for the whole file."""
        return self.place.partition(" ")[2]


class CannotApplyError(Exception):
    """The code has changed: the mutant's text is not there any more, or not only once."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant."""

    mutant: Mutant
    #: "killed", "SURVIVED" or "cannot apply"
    fate: str
    #: who killed it, or why it cannot be applied
    detail: str
    seconds: float

    def __str__(self) -> str:
        change = f"{self.mutant.place}: {self.mutant.old!r} -> {self.mutant.new!r}"
        return f"{self.fate:12} {self.seconds:5.1f} s  {self.mutant.law}\n{'':22}{change}\n{'':22}{self.detail}"


# ----------------------------------------------------------------------------------------------------- the table


def read_table(text: str) -> list[Mutant]:
    """Return the mutants of a table; what stands before the first law is for people.

    Raises:
      ValueError: a mutant takes nothing away.
    """
    found: list[Mutant] = []
    law, tests = "", ()
    for block in re.split(r"\n(?=[^-+\n])", text):  # a line, and the lines of - and + below it
        head, *change = block.rstrip("\n").split("\n")
        if head.startswith("## "):
            law = head.removeprefix("## ")
        elif head.startswith("tests: "):
            tests = tuple(head.removeprefix("tests: ").split())
        elif law and not head.startswith("#"):
            old, new = ("\n".join(line[2:] for line in change if line.startswith(sign)) for sign in "-+")
            if not old:
                raise ValueError(f"{head!r} has no line that begins with '- '")
            found.append(Mutant(law=law, tests=tests, place=head, old=old, new=new))
    return found


# ---------------------------------------------------------------------------------------------------- one mutant


def mutated(source: str, mutant: Mutant) -> str:
    """Return a file's text with the mutant's change.

    Raises:
      CannotApplyError: the function, or the text within it, is not there exactly once, or the result is no Python.
    """
    lines = source.splitlines(keepends=True)
    first, last = _lines_of(ast.parse(source), mutant.function, len(lines))
    within = "".join(lines[first - 1 : last])
    found = within.count(mutant.old)
    if found != 1:
        raise CannotApplyError(f"{mutant.old!r} is there {found} times")
    text = "".join(lines[: first - 1]) + within.replace(mutant.old, mutant.new) + "".join(lines[last:])
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise CannotApplyError(f"the mutant is no Python: {error}") from None
    return text


def _lines_of(tree: ast.Module, function: str, end: int) -> tuple[int, int]:
    """Return the first and the last line of a function or class, given as "Class.method"; of all for ""."""
    node: ast.AST = tree
    for name in filter(None, function.split(".")):
        named = [n for n in ast.iter_child_nodes(node) if getattr(n, "name", None) == name]
        if len(named) != 1:
            raise CannotApplyError(f"there are {len(named)} {function!r}")
        node = named[0]
    return (1, end) if node is tree else (node.lineno, node.end_lineno)  # type: ignore[attr-defined, return-value]


@contextmanager
def _applied(tree: Path, mutant: Mutant) -> Iterator[None]:
    file = tree / mutant.file
    if not file.exists():
        raise CannotApplyError("there is no such file")
    original = file.read_text()
    _write(file, mutated(original, mutant))
    try:
        yield
    finally:
        _write(file, original)


def _write(file: Path, text: str) -> None:
    file.write_text(text)
    # Python recompiles by seconds and size: two mutants of equal length within a second would be one
    Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def judge(tree: Path, mutant: Mutant, *, limit_s: float) -> Verdict:
    """Make a mutant in a copy of the tree, and run the tests that should notice."""
    began = time.monotonic()

    def verdict(fate: str, detail: str) -> Verdict:
        return Verdict(mutant, fate, detail, time.monotonic() - began)

    try:
        with _applied(tree, mutant):
            code, output = run_tests(tree, mutant.tests, limit_s=limit_s)
    except CannotApplyError as error:
        return verdict("cannot apply", str(error))
    if code is None:
        return verdict("killed", f"by the time limit of {limit_s:g} s")
    if code == 0:
        return verdict("SURVIVED", f"tests: {' '.join(mutant.tests)}")
    noticed = re.search(r"^(?:FAILED|ERROR) (?:tests/)?(.*?)(?: - .*)?$", output, flags=re.MULTILINE)
    if code not in (1, 2) or noticed is None:  # 1: a test failed; 2: a test file could not even be imported
        return verdict("cannot apply", f"pytest ended with {code}: {output[-300:]}")
    return verdict("killed", f"by {noticed[1]}")


# --------------------------------------------------------------------------------------------------------- tests


def run_tests(tree: Path, tests: Sequence[str], *, limit_s: float) -> tuple[int | None, str]:
    """Run test files or folders of a copy up to the first failure; return pytest's exit code (None: too long)."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    process = subprocess.Popen(
        [*command, *(f"tests/{test}" for test in tests)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, output


def _copy(to: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, to / name)
    return to


def _require_sound(tree: Path, chosen: Sequence[Mutant]) -> None:
    """Let the tests pass unbroken first: one that fails anyway kills every mutant."""
    where = "import hippo, pathlib; print(pathlib.Path(hippo.__file__).parents[2])"
    env = {**os.environ, "PYTHONPATH": str(tree / "src")}
    imported = subprocess.run([sys.executable, "-c", where], cwd=tree, env=env, capture_output=True, text=True)
    if Path(imported.stdout.strip() or ".").resolve() != tree.resolve():
        sys.exit(f"the copy {tree} would not be tested: {imported.stdout}{imported.stderr}")
    tests = sorted({test for mutant in chosen for test in mutant.tests})
    code, output = run_tests(tree, tests, limit_s=3600.0)
    if code != 0:
        sys.exit(f"the tests fail without any mutant:\n{output}")


# --------------------------------------------------------------------------------------------------------- all


def main() -> int:
    """Judge the chosen mutants and return the exit code: 1 if one survived or can no longer be applied."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, default=TABLE, help="another table of the same form")
    parser.add_argument("--only", default="", help="text that the law, the file or the function must hold")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds after which tests are taken to hang")
    parser.add_argument("--dry-run", action="store_true", help="run no tests")
    options = parser.parse_args()
    chosen = [m for m in read_table(options.table.read_text()) if options.only in f"{m.law} {m.place}"]
    if not chosen:
        sys.exit(f"no mutant's law, file or function holds {options.only!r}")
    if options.dry_run:
        return _tell_which_cannot_be_applied(chosen)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        Path(folder).chmod(0o755)  # a test becomes another user, who reads the copy, too
        trees = [_copy(Path(folder) / str(number)) for number in range(min(options.jobs, len(chosen)))]
        _require_sound(trees[0], chosen)
        bad = 0
        for verdict in _judge_all(chosen, trees, limit_s=options.limit):
            bad += verdict.fate != "killed"
            print(verdict, flush=True)
    print(f"{len(chosen)} mutants, {len(chosen) - bad} killed")
    return 1 if bad else 0


def _judge_all(chosen: Sequence[Mutant], trees: Sequence[Path], *, limit_s: float) -> Iterator[Verdict]:
    free: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for tree in trees:
        free.put(tree)

    def judge_in_a_copy(mutant: Mutant) -> Verdict:
        tree = free.get()
        try:
            return judge(tree, mutant, limit_s=limit_s)
        finally:
            free.put(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        for done in as_completed([pool.submit(judge_in_a_copy, mutant) for mutant in chosen]):
            yield done.result()


def _tell_which_cannot_be_applied(chosen: Sequence[Mutant]) -> int:
    bad = 0
    for mutant in chosen:
        try:
            mutated((ROOT / mutant.file).read_text(), mutant)
        except (CannotApplyError, FileNotFoundError) as error:
            bad += 1
            print(Verdict(mutant, "cannot apply", str(error), 0.0))
    print(f"{len(chosen)} mutants, {len(chosen) - bad} can be applied")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
