"""The code that runs is the code that was recorded: what a worker imported is compared with what a study was made of.

What differs is refused, before anything is trained by it. This module refuses to know processes.
"""

from __future__ import annotations

import functools
import importlib.abc
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec
from types import ModuleType

from hippo.errors import CodeChangedError, listed
from hippo.hparams.project import Project
from hippo.records import TrainerSpec
from hippo.training.code.as_loaded import import_mark
from hippo.training.code.code_parts import (
    CAME_TO,
    FILLED,
    GLOBAL,
    OTHER_FILE,
    OWN_FILE,
    PUT_VALUE,
    is_of_module,
    module_data,
    module_parts,
    said_part,
    what_came,
)
from hippo.training.code.fingerprint import trainer_code
from hippo.training.telling import tell_once

MOST_NAMED = 3


def require_same_code(spec: TrainerSpec, trainer: type) -> None:
    """Refuse a class, as it was imported here, whose code is not what `spec` was made of.

    What a process fills for itself may be a counter or a cache: that it is filled otherwise here is told once. Of a
    class that travels by value the modules are compared that it imports.

    Raises:
      CodeChangedError: something differs; the message names it.
    """
    if not spec.code:
        return
    expected = _parts(spec)
    if spec.reference is None:
        expected = {label: part for label, part in expected.items() if is_of_module(label)}
        found = module_parts(label.removeprefix(OTHER_FILE) for label in expected if label.startswith(OTHER_FILE))
        found |= module_data(label for label in expected if label.startswith(GLOBAL))
        found |= what_came(expected)
    else:
        code = trainer_code(trainer)
        here = {each: part for each, part in _parsed(code.parts).items() if each in expected or each not in code.held}
        found = _as_placed(expected, here, Project(trainer.__module__))
    labels = sorted(expected.keys() | found.keys())
    different = [label for label in labels if expected.get(label) != found.get(label)]
    files = {label for label in labels if label.startswith((OWN_FILE, OTHER_FILE))}
    is_same_source = bool(files) and files.isdisjoint(different)
    filled = [label for label in different if label.startswith(FILLED)]
    made = [label for label in filled if label.startswith(FILLED + CAME_TO)]
    different = [label for label in different if not label.startswith((OWN_FILE, FILLED))]  # the file has other labels
    if different:
        raise _changed(spec.reference or trainer.__qualname__, different, is_same_source=is_same_source)
    if filled := [label for label in filled if label not in made]:
        _tell_filled(spec, filled)
    if made := [label for label in made if label in expected and label in found]:  # else not imported yet, say
        _tell_made(spec, made)


def _as_placed(expected: Mapping[str, str], found: Mapping[str, str], project: Project) -> dict[str, str]:
    """Return parts as they would be were each module installed where it is installed in the study's process.

    A package may be a checkout here, whose modules count, and installed there, where they do not; or the other way
    round.
    """
    expected_files, files = (
        {label.removeprefix(OTHER_FILE) for label in parts if label.startswith(OTHER_FILE)}
        for parts in (expected, found)
    )
    beside = {name for name in files - expected_files if project.file(name) and not project.file_inside(name)}
    kept = {label: part for label, part in found.items() if not _is_of(beside, label)}
    return kept | module_parts(expected_files - files)


def _is_of(modules: Collection[str], label: str) -> bool:
    if label.startswith(PUT_VALUE):
        return label.removeprefix(PUT_VALUE).rpartition(".")[0] in modules
    return label.startswith(OTHER_FILE) and label.removeprefix(OTHER_FILE) in modules


def are_at_odds(one: TrainerSpec, other: TrainerSpec) -> bool:
    """Tell whether no process can have the code of both: a module of theirs was changed in between."""
    ours, theirs = _files(one), _files(other)
    return any(theirs[name] != part for name, part in ours.items() if name in theirs)


def import_marks(spec: TrainerSpec) -> tuple[object, ...]:
    """Return objects, other ones after a module that `spec` was made of was imported, or imported again."""
    return tuple(map(import_mark, _files(spec)))


def guarded_imports(spec: TrainerSpec) -> AbstractContextManager[None]:
    """Refuse, for the block, to import a module of the project that was changed since `spec` was made.

    A method may import a module long after the study was made, and long after the same module was imported elsewhere.
    """
    return _Guard(spec.reference or "the trainer", _parts(spec))


class _Guard(importlib.abc.MetaPathFinder):
    """Finds nothing, and looks at what others are about to find, within a block."""

    def __init__(self, trainer: str, parts: Mapping[str, str]) -> None:
        self._trainer = trainer
        self._parts = parts

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        label = f"{OTHER_FILE}{fullname}"
        expected = self._parts.get(label)
        found = expected and module_parts([fullname], of_disk=True).get(label)
        if found and found != expected:  # what is nowhere is for others to say
            raise _changed(self._trainer, [label], is_same_source=False)
        return None


def _tell_filled(spec: TrainerSpec, labels: Collection[str]) -> None:
    names = listed(sorted(said_part(label.removeprefix(FILLED)) for label in labels), MOST_NAMED)
    hold = "hold" if len(labels) > 1 else "holds"
    trainer = spec.reference or spec.workload
    tell_once(
        (trainer, *sorted(labels)),
        f"{trainer}: {names} {hold} something else in this process than where the study was made. Trials are trained "
        "with what is here, and stand for what is there. What is put into an object at run time is not there where the "
        "module is imported again, in worker processes: fill it where the module makes it; or make it an argument of "
        "__init__, and give it by trainer_args; or train in the study's process, with engine=hippo.InlineEngine().",
    )


def _tell_made(spec: TrainerSpec, labels: Sequence[str]) -> None:
    names = [label.removeprefix(FILLED + CAME_TO).removesuffix(" came to") for label in labels]
    tell_once(
        (spec.reference or spec.workload, *labels),
        f"{spec.reference or 'the trainer'}: {listed(names, MOST_NAMED)} came to something else in this process than "
        "where the study was made, though the source is the same: it was made of the environment, or of a file, when "
        "the module was imported. Trials are trained with what is here, and stand for what is there. Give it by "
        "trainer_args; or set it alike for every process, before the module is imported.",
    )


def _changed(trainer: str, labels: Sequence[str], *, is_same_source: bool) -> CodeChangedError:
    named = listed(labels, MOST_NAMED)
    if any(label.startswith(PUT_VALUE) for label in labels):
        return CodeChangedError(
            f"{trainer} was recorded with other values than it would be trained with: {named} differs. A value that is "
            "put into a module at run time is not there where the module is imported again, in worker processes. "
            "Nothing was trained. Make it an argument of __init__, and give it by trainer_args; or put it there before "
            "create_study, and train in this process, with engine=hippo.InlineEngine()."
        )
    if is_same_source or all(label.startswith(GLOBAL) for label in labels):
        globals_ = [label.removeprefix(GLOBAL) for label in labels]
        return CodeChangedError(
            f"{listed(globals_, MOST_NAMED)} of {trainer.partition(':')[0]} "
            f"{'are others' if globals_[1:] else 'is another one'} in each process, though the source is the same: "
            "drawn without a seed when the module is imported, made of the time or the command line, or changed since. "
            "Trials would be trained and ranked on different data. Nothing was trained. Give it a seed "
            "(random_state=0, default_rng(0)); or make it in __init__, where the global generators are seeded. What is "
            "of the command line is another one on other machines: give it by trainer_args."
        )
    return CodeChangedError(
        f"the code of {trainer} was changed after the study was made: {named} would not be what was recorded. Nothing "
        "was trained by it. To go on with the new code call create_study again (in a process that lives on, after "
        "importlib.reload); to go on with the old one, change the file back."
    )


def _parts(spec: TrainerSpec) -> Mapping[str, str]:
    return _parsed(spec.code) if spec.code else {}


@functools.lru_cache(maxsize=64)
def _parsed(code: str) -> Mapping[str, str]:
    parts: dict[str, str] = json.loads(code)
    return parts


def _files(spec: TrainerSpec) -> Mapping[str, str]:
    """Return the hash of each module whose file the class, or what it imports, was made from."""
    # a class that travels by value brings its own module along
    return _files_of(spec.code, has_own=spec.reference is not None) if spec.code else {}


@functools.lru_cache(maxsize=64)
def _files_of(code: str, *, has_own: bool) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for label, part in _parsed(code).items():
        for prefix in (OWN_FILE, OTHER_FILE):
            if label.startswith(prefix) and (prefix is OTHER_FILE or has_own):
                found[label.removeprefix(prefix)] = part
    return found
