"""The parts that a trainer's code is hashed by: how they are labelled, and those of the project's other modules.

Parts are compared where the class is imported again, one by one, so that people are told which one differs.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from hippo.hparams.code_forms import module_form, tree_form, value_form
from hippo.hparams.loaded_source import form_hash
from hippo.hparams.looking import is_place, is_plain, literals, only_literal, value_in
from hippo.hparams.project import found_file
from hippo.hparams.syntax import syntax_tree
from hippo.training.code.as_loaded import require_as_imported, source_of
from hippo.training.code.data_forms import data_form

#: before the name of the trainer's module, labels the whole of its file
OWN_FILE = "file of "
#: before the name of another module of the project, labels the whole of its file
OTHER_FILE = "module "
#: before the name of a global of the trainer's module, or of another one's after the module's name, labels its value
GLOBAL = "global "
#: before the dotted name of what another module of the project writes out, labels what was put there instead
PUT_VALUE = "value of "
#: after the label of a network, labels its parameters
WEIGHTS = " weights"
#: before the label of what each process fills for itself, though results depend on it
FILLED = "filled "
#: before the dotted name of what a module of the project made of something as it was imported, and " came to"
CAME_TO = "what "


def said_part(label: str) -> str:
    """Return what people call the part of a trainer's code that has this label."""
    if label.startswith((OTHER_FILE, PUT_VALUE, GLOBAL)):
        return label
    if label.startswith("assignment "):
        return f"how {label.rpartition(' of ')[2]} is made"
    name, _, rest = label.removeprefix("function ").partition(" ")
    if rest.endswith("defaults"):
        return f"the defaults of {name}()"
    return f"{name}()" if label.startswith("function ") or rest.isdecimal() else label


def is_of_module(label: str) -> bool:
    """Whether a part is of another module than the trainer's, whatever way the class itself travels."""
    return label.startswith((OTHER_FILE, PUT_VALUE, FILLED + CAME_TO)) or (label.startswith(GLOBAL) and "." in label)


def module_parts(modules: Iterable[str], *, of_disk: bool = False) -> dict[str, str]:
    """Return the parts of modules of the project, as `TrainerCode.parts` has them.

    One is of the file, where there is one, and one of each value that was put into the module since it was imported.

    Args:
      modules: names.
      of_disk: as the file is now, and not as it was imported.
    """
    found: dict[str, str] = {}
    for name in modules:
        loaded = None if of_disk else sys.modules.get(name)
        file = getattr(loaded, "__file__", None) or found_file(name)
        if file is not None:
            forms = {f"{OTHER_FILE}{name}": file_form(name, Path(file), of_disk=of_disk)}
            if loaded is not None and Path(file).suffix == ".py":
                forms |= put_values(name, module_tree(name, Path(file)))
            found |= {label: form_hash(form) for label, form in forms.items()}
    return found


def module_data(labels: Iterable[str]) -> dict[str, str]:
    """Return the parts that are data of modules of the project, by these labels, as they are here."""
    found: dict[str, str] = {}
    for label in labels:
        module, _, name = label.removeprefix(GLOBAL).rpartition(".")
        form = data_form(vars(sys.modules[module]).get(name)) if module in sys.modules else None
        if form is not None:
            found[label] = form_hash(form)
    return found


def came_to(module: str, names: Sequence[str]) -> dict[str, str]:
    """Return label -> form of what a module made of something as it was imported, if that is plain and no place."""
    value = value_in(sys.modules[module], names)
    is_kept = is_plain(value) and not is_place(value)
    return {f"{CAME_TO}{'.'.join((module, *names))} came to": value_form(value)} if is_kept else {}


def what_came(labels: Collection[str]) -> dict[str, str]:
    """Return the parts, of these labels, that are what modules of the project made of something, as they are here."""
    found: dict[str, str] = {}
    modules = {label.removeprefix(OTHER_FILE) for label in labels if label.startswith(OTHER_FILE)}
    for label in labels:
        names = label.removeprefix(FILLED + CAME_TO).removesuffix(" came to").split(".")
        end = max((end for end in range(1, len(names)) if ".".join(names[:end]) in modules), default=0)
        if label.startswith(FILLED + CAME_TO) and (module := ".".join(names[:end])) in sys.modules:
            found |= {f"{FILLED}{each}": form_hash(form) for each, form in came_to(module, names[end:]).items()}
    return found


def file_form(name: str, file: Path, *, of_disk: bool = False) -> str:
    if file.suffix == ".py":
        with contextlib.suppress(SyntaxError, ValueError):  # for another version of Python: never imported by this one
            return tree_form(syntax_tree(file.read_bytes())) if of_disk else module_form(module_tree(name, file))
    return hashlib.sha256(file.read_bytes()).hexdigest()


def module_tree(name: str, file: Path) -> ast.Module:
    """Return the syntax tree of a module: as it was imported, or of its file if it was not."""
    module = sys.modules.get(name)
    source = source_of(module) if module is not None else None
    if module is None or source is None:
        return syntax_tree(file.read_bytes())
    require_as_imported(module, source)
    return source.tree


def put_values(name: str, tree: ast.Module) -> dict[str, str]:
    """Return label -> form of what a module was given since it was imported, and now has instead of what it says."""
    values = vars(sys.modules[name]) if name in sys.modules else {}
    found: dict[str, str] = {}
    for attribute, literal in literals(tree):
        if attribute not in values:
            continue  # the module is being imported at this moment, or is only a name under which a class is pickled
        value = values[attribute]
        if is_plain(value) and value_form(value) != value_form(literal) and only_literal(tree, attribute):
            found[f"{PUT_VALUE}{name}.{attribute}"] = value_form(value)
    return found
