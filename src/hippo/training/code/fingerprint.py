"""Same code, or no sharing: what a trainer's training states depend on in the user's own code, as one hash.

It covers the class and its bases, every function, class and plain value of its module and closures that they reach by
name, and as whole modules the project's own ones that its module imports, however far: all of it as this process
imported it, which the files may no longer be. It refuses to look into installed packages (the versions of torch and
numpy are in the environment; where those of others change, `study.upgrades` says so), and into the rest of the
trainer's own module, so that a changed search space in the same script makes no new plan; and to look at the names of
modules, so that a class is the same in its script, imported from it, and where the script comes from standard input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType

from hippo.errors import TrainerError
from hippo.hparams.loaded_source import LoadedSource, form_hash
from hippo.training.code.as_loaded import code_of, source_of
from hippo.training.code.trainer_survey import TrainerSurvey
from hippo.training.process.environment import package_versions


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerCode:
    """The code of a trainer class, as hashes of it and of its parts."""

    #: equal in every process, whatever the hash seed, comments or layout
    fingerprint: str
    #: part -> hash, as JSON text: what must be the same where the class is imported again, and `FILLED`, what should
    parts: str
    #: label -> hash of all that the fingerprint covers, also of what each process makes for itself
    labels: Mapping[str, str]
    #: globals that it reads -> (value here, value where the module is imported anew), where these differ
    put: Mapping[str, tuple[object, object]]
    #: installed packages that it imports, by the names of their modules -> version, as far as these are known
    packages: Mapping[str, str] = field(default_factory=dict)
    #: parts of what registries hold alone: who imports the class need not have filled them
    held: frozenset[str] = frozenset()


def trainer_code(trainer: type) -> TrainerCode:
    """Return what a trainer class's code comes to, as it is loaded.

    Raises:
      TrainerError: what is loaded is not what its file says, so that no other process could import it.
    """
    source, body = _source_and_body(trainer)
    survey = TrainerSurvey(trainer, source, body if source is None else None)
    return TrainerCode(
        fingerprint=survey.digest(),
        parts=json.dumps(survey.parts(), sort_keys=True),
        labels={label: form_hash(form) for label, form in sorted(survey.forms.items())},
        put=dict(survey.put),
        packages=package_versions(survey.imported),
        held=frozenset(survey.held),
    )


def compiled_fingerprint(trainer: type) -> str:
    """Return a hash of a trainer class's bytecode that is equal with and without the source of its module.

    Where there is no source it is the fingerprint. It is empty where the body of the module is not to be had: in a
    notebook there are many.
    """
    _, body = _source_and_body(trainer)
    return "" if body is None else TrainerSurvey(trainer, None, body).digest()


def fingerprint(trainer: type) -> str:
    """Return the hash of a trainer class's code: equal in every process, whatever the hash seed, comments or layout."""
    return trainer_code(trainer).fingerprint


def dataset_identity(trainer: type, dataset: object = None) -> str | None:
    """Return what identifies the data, as text: `dataset`, or else the trainer's attribute of this name, or None.

    Raises:
      TrainerError: it is not a plain value.
    """
    declared = dataset if dataset is not None else getattr(trainer, "dataset", None)
    if declared is None or isinstance(declared, property | FunctionType):
        return None
    if isinstance(declared, os.PathLike):
        declared = os.fspath(declared)
    try:
        return json.dumps(declared, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        raise TrainerError(
            f"dataset={declared!r} cannot identify a data set; name it by a string such as 'mnist-v2', "
            "and load the data in the trainer."
        ) from None


def _source_and_body(trainer: type) -> tuple[LoadedSource | None, CodeType | None]:
    module = sys.modules.get(trainer.__module__)
    if module is None:
        return None, None
    source = source_of(module)
    return source, code_of(module, source)
