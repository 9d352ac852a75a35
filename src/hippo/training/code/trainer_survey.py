"""Everything of the user's own code that a trainer class reaches, by name, and the form of each part of it."""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from hippo.errors import TrainerError
from hippo.hparams.code_forms import (
    attribute_names,
    bytecode_assignments,
    bytecode_form,
    function_form,
    global_names,
    imports_of_code,
    imports_of_tree,
    module_form,
    tree_form,
    value_form,
)
from hippo.hparams.loaded_source import LoadedSource, code_in, form_hash
from hippo.hparams.looking import (
    OF_MODULES,
    assignments,
    functions_of,
    hidden_defaults,
    is_empty,
    is_plain,
    literals,
    module_of,
    only_literal,
    unwritten_in,
    unwritten_names,
    value_in,
)
from hippo.hparams.project import Project
from hippo.training.code.as_loaded import import_mark, is_compiled_from, lines_as_loaded, may_be_stale, stale
from hippo.training.code.code_parts import (
    FILLED,
    GLOBAL,
    OTHER_FILE,
    OWN_FILE,
    WEIGHTS,
    came_to,
    file_form,
    module_tree,
    put_values,
)
from hippo.training.code.command_line import command_line_reads
from hippo.training.code.data_forms import (
    changing_names,
    data_form,
    definitions_in,
    holding_form,
    is_container,
    weights_form,
)
from hippo.training.code.read_elsewhere import imported_at_once, read_elsewhere
from hippo.training.process.script_floats import floats_of_script, said_floats

#: a container of more is no registry
_LARGEST_REGISTRY = 10_000
#: (module of a trainer, file) of what was not loaded when that was looked at: that training imports it changes no code
_late: set[tuple[str, Path]] = set()
#: (module of a trainer, names of a registry) -> mark of how its module was imported, and the modules of what it held
#: when that was looked at first: that training fills it changes no code, either
_held_at_first: dict[tuple[str, ...], tuple[object, set[str]]] = {}


class TrainerSurvey:
    """Everything that was reached, by name.

    Args:
      trainer: where to begin.
      source: of its module; None to take bytecode.
      body: without source, the code of the module's body, if that is to be had.
    """

    def __init__(self, trainer: type, source: LoadedSource | None, body: CodeType | None) -> None:
        self.forms: dict[str, str] = {}
        #: top-level names of what is imported, and is none of the project's modules
        self.imported: set[str] = set()
        #: as `TrainerCode.put`
        self.put: dict[str, tuple[object, object]] = {}
        #: labels of values that each process makes for itself, from what other labels say
        self._made: set[str] = set()
        #: those among them from which a process seldom makes others than its workers do, but where it was meant to
        self._filled: set[str] = set()
        self._trainer = trainer
        self._module = trainer.__module__
        self._own = sys.modules.get(self._module)
        self._source = source
        self._body = body
        self._project = Project(trainer.__module__)
        self._seen: set[int] = set()
        self._keep: list[object] = []  # so that ids stay unique
        #: modules of what registries of others hold, to be looked at; and what only they have brought, which another
        #: process need not have
        self._registered: set[str] = set()
        self.held: set[str] = set()
        #: functions and classes of other modules that it reaches, and these modules as far as they are loaded
        self._elsewhere: list[object] = []
        self._trees: dict[str, ast.Module] = {}
        self._statements = _statements(source, body)
        #: globals whose values the module makes to be changed
        self._changing = changing_names(source.tree) if source is not None else frozenset()
        with lines_as_loaded(source):
            self._add_class(trainer)
        package = str(getattr(self._own, "__package__", "") or "")
        if source is not None and self._project.file(self._module):
            self._add_modules(imports_of_tree(source.tree, package))
        elif body is not None:
            self._add_modules(imports_of_code(body, package))
        self._add_registered()
        trees = self._trees if source is None else imported_at_once(source.tree, package, self._trees)
        read = read_elsewhere(trees)
        for module in sorted({module for module, _ in read}):
            names = [(name,) for name in unwritten_in(trees[module]) if (module, name) in read]
            self._add_unwritten(module, trees[module], names)
        self._add_registered()
        for name, form in command_line_reads(self._elsewhere, trees).items():
            self.forms[f"{GLOBAL}{name}"] = form
        floats = said_floats(floats_of_script())  # workers are given them, whatever their modules have set
        self.forms |= floats
        self._made |= floats.keys()

    def digest(self) -> str:
        """Return the hash of it all."""
        text = "\n".join(f"{name}\n{form}" for name, form in sorted(self.forms.items()))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def parts(self) -> dict[str, str]:
        """Return label -> hash of all that must be equal where the class is imported again."""
        found = {label: form_hash(form) for label, form in self.forms.items() if label not in self._made}
        found |= {f"{FILLED}{label}": form_hash(self.forms[label]) for label in self._filled}
        if self._source is not None:
            found[f"{OWN_FILE}{self._module}"] = self._source.form_hash
        return found

    # ------------------------------------------------------------------------------------------ in its own module

    def _add_class(self, cls: type) -> None:
        if self._is_seen(cls):
            return
        if self._is_ours(type(cls)):
            self._add_definition(type(cls), f"metaclass of {cls.__qualname__}")
        bases = [base for base in cls.__mro__ if base is not object]
        self.forms[f"bases of {cls.__qualname__}"] = repr([base.__qualname__ for base in bases])
        for base in bases:
            if base is cls or base.__module__ == self._module:
                self._add_members(base)
            else:
                self._elsewhere.append(base)
                self._add_modules([base.__module__])

    def _add_members(self, cls: type) -> None:
        for name, member in vars(cls).items():
            member = _before_hooks(member)
            label = f"{cls.__qualname__}.{name}"
            functions = list(functions_of(member))
            for number, function in enumerate(functions):
                self._add_function(function, f"{label} {number}")
            if functions:
                self._add_around(member, label)
            elif not name.startswith(("__", "_abc_", "_hippo")):
                self._add_value(member, label)

        for name, value in hidden_defaults(cls):
            self._add_value(value, f"{cls.__qualname__}.{name}")

    def _add_function(self, function: FunctionType, label: str) -> None:
        if self._is_seen(function):
            return
        while label in self.forms:  # of another one with this name, such as what wraps it
            label += " again"
        self.forms[label] = self._form(function)
        self._add_value((function.__defaults__, function.__kwdefaults__), f"{label} defaults")
        self._add_held(vars(function), label)  # such as what functools.singledispatch was given
        held = {name: value for name, value in vars(function).items() if data_form(value) is not None}
        if held:
            self._add_value(held, f"{label} attributes")
            self._made.add(f"{label} attributes")  # a counter, a cache
        code, scope = function.__code__, function.__globals__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__" and not is_empty(cell):
                self._add_value(cell.cell_contents, f"{label} around {name}")
        for name in sorted(global_names(code)):
            if name in scope and name not in OF_MODULES:
                self._add_global(name, scope)
        for names in sorted(attribute_names(code)):
            if isinstance(module := module_of(names, scope), ModuleType):
                self._add_module_data(module, names[-1])
        self._add_modules(imports_of_code(code, str(scope.get("__package__") or "")))

    def _form(self, function: FunctionType) -> str:
        if self._body is not None:
            return bytecode_form(function.__code__)
        # `inspect` shows what a wrapper wraps; but one of the trainer's own module is the user's code as well
        shown = function.__code__ if function.__globals__.get("__name__") == self._module else function
        if self._source is None or self._own is None:
            return function_form(shown)
        code = code_in(function, self._source)
        if code is None:
            is_current = getattr(self._own, self._trainer.__name__, self._trainer) is self._trainer
            if not is_current or may_be_stale(self._own, self._source):
                raise stale(self._own, self._source, f"{function.__qualname__}()")
            return function_form(shown)  # a decorator compiled it anew
        return _form_in(self._source, code) if code.co_filename == self._source.file else function_form(shown)

    def _add_global(self, name: str, scope: dict[str, Any]) -> None:
        label = f"{GLOBAL}{name}"
        if label in self.forms:
            return
        value = scope[name]
        self._add_value(value, label)
        if isinstance(value, type | FunctionType | ModuleType):
            return
        statements = self._statements.get(name, ())
        if statements and (name in self._changing or data_form(value) is None):
            self._made.add(label)
        if name in self._changing:
            self._made.add(f"{label}{WEIGHTS}")
            if self._source is not None and name in {given for given, _ in literals(self._source.tree)}:
                self._filled.add(label)  # a setting that the module's own functions change, and no cache
        if scope is vars(self._own) and self._source is not None:
            for literal in only_literal(self._source.tree, name):
                if is_plain(value) and value_form(value) != value_form(literal):
                    self.put[name] = (value, literal)
        for number, (form, used) in enumerate(statements):  # how an object was made, too
            self.forms[f"assignment {number} of {name}"] = form
            for other in sorted(used & scope.keys()):
                self._add_global(other, scope)

    def _add_value(self, value: object, label: str) -> None:
        if label in self.forms:
            return
        if isinstance(value, ModuleType):
            self.forms[label] = f"module {value.__name__}"
            self._add_modules([value.__name__])
            if (file := self._project.source_inside(value)) is not None:
                self.forms[f"text of {value.__name__}"] = file_form(value.__name__, file)
                self._made.add(f"text of {value.__name__}")
        elif isinstance(value, type | FunctionType):
            self._add_definition(value, label)
        elif functions := list(functions_of(value)):  # functools.partial, a cached or otherwise wrapped function
            self.forms[label] = f"wrapped {type(value).__qualname__}"
            for number, function in enumerate(functions):
                self._add_definition(function, f"{label} {number}")
            self._add_around(value, label)
        elif (form := data_form(value)) is not None:
            self.forms[label] = form
        else:
            self._add_instance(value, label)

    def _add_around(self, value: object, label: str) -> None:
        """Take in what there is of a value beside the functions behind it: what they are called with, or bound to."""
        if isinstance(value, functools.partial | functools.partialmethod):
            self._add_value([value.args, value.keywords], f"{label} arguments")
        elif isinstance(value, MethodType):
            owner = value.__self__  # a logger, or what else says another text at each start, is nothing to train with
            if isinstance(owner, type) or holding_form(owner, self._is_ours) is not None:
                self._add_value(owner, f"{label} self")
        elif isinstance(value, functools.singledispatchmethod):
            self._add_held(value.dispatcher.registry, label)
        elif not isinstance(value, FunctionType) and self._is_ours(type(value)):
            self._add_instance(value, f"{label} object")

    def _add_module_data(self, module: ModuleType, name: str) -> None:
        """Take in data of another module of the project that it does not write out itself, but draws or loads."""
        label, value = f"{GLOBAL}{module.__name__}.{name}", vars(module).get(name)
        if label in self.forms or module is self._own or not isinstance(vars(module).get("__file__"), str):
            return
        file = self._project.file_inside(module.__name__)
        if file is None or file.suffix != ".py" or isinstance(value, type | FunctionType | ModuleType):
            self._elsewhere.append(value)
            return
        self._registered |= _at_first((self._module, module.__name__, name), _modules_in(value, self._is_ours))
        tree = module_tree(module.__name__, file)
        form = data_form(value) if name not in {given for given, _ in literals(tree)} else None
        if form is not None and name not in changing_names(tree):
            self.forms[label] = form
        elif form is None and (held := holding_form(value, self._is_ours)) is not None:
            self.forms[label] = held
            self._made.add(label)

    def _add_definition(self, value: type | FunctionType, label: str) -> None:
        same = value.__module__ == self._module or _is_of_a_call(value)
        self.forms[label] = value.__qualname__ if same else f"{value.__module__}.{value.__qualname__}"
        if not same:
            self._elsewhere.append(value)
            self._add_modules([value.__module__])
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_function(value, f"function {value.__qualname__}")

    def _add_instance(self, value: object, label: str) -> None:
        self._add_held(value, label)
        cls = type(value)
        text = f"{cls.__module__}.{cls.__qualname__}" if cls.__module__ != self._module else cls.__qualname__
        form = holding_form(value, self._is_ours)
        if form is not None:
            text += f" {form}"
            self._made.add(label)
            if self._is_ours(cls):
                self._filled.add(label)
        if (weights := weights_form(value)) is not None:
            self.forms[f"{label}{WEIGHTS}"] = weights
        if cls.__repr__ is not object.__repr__ and not is_container(value):
            text += " " + re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
            self._made.add(label)  # a logger's level, the place of a file: not code
        self.forms[label] = text
        if cls.__module__ == self._module:
            self._add_class(cls)
        else:
            self._elsewhere.append(cls)
            self._add_modules([cls.__module__])

    def _add_held(self, value: object, label: str) -> None:
        """Take in the project's own functions and classes in a registry: nobody names them.

        What fills it may be done by each process for itself, so that it is no part that must be equal in all of them.
        """
        before = set(self.forms)
        for each in definitions_in(value, self._is_ours):
            if self._is_ours(each):
                self._add_definition(each, f"{label} holds {each.__qualname__}")
        self._made |= self.forms.keys() - before

    def _is_ours(self, definition: type | FunctionType) -> bool:
        module = definition.__module__ or ""
        return module == self._module or self._project.file_inside(module) is not None

    # ---------------------------------------------------------------------------------------------- other modules

    def _add_modules(self, names: Iterable[str]) -> None:
        waiting = sorted(set(names))
        while waiting:
            name = waiting.pop()
            label = f"{OTHER_FILE}{name}"
            if not name or name == self._module or label in self.forms:
                continue
            file = self._project.file(name)
            if file is None:
                self.imported.add(name.partition(".")[0])
            elif (archive := _archive_of(file)) is not None:
                raise TrainerError(
                    f"{name}, which the module of {self._trainer.__name__} imports, lies in the archive {archive}, "
                    "where hippo cannot tell whether its code has changed: unpack it, and import it from there"
                )
            if file is None or self._is_own(file):
                continue
            if file.suffix != ".py":
                self.forms[label] = file_form(name, file)
                continue
            try:
                tree = module_tree(name, file)
            except (SyntaxError, ValueError):  # for another version of Python, and never imported by this one
                self.forms[label] = file_form(name, file)
                continue
            self.forms[label] = module_form(tree)
            self.forms |= put_values(name, tree)
            if self._project.file_inside(name):  # of what lies beside the text counts: nothing that a start may change
                if name not in sys.modules:
                    _late.add((self._module, file))
                elif (self._module, file) not in _late:
                    self._add_unwritten(name, tree, unwritten_names(tree))
                    self._trees[name] = tree
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            parents = {name[:end] for end, letter in enumerate(name) if letter == "."}
            waiting += sorted(imports_of_tree(tree, package) | parents)

    def _add_unwritten(self, module: str, tree: ast.Module, unwritten: Iterable[tuple[str, ...]]) -> None:
        """Take in what a module makes of its environment, or of a file, for functions: its text is the same.

        A process elsewhere may come to another value, such as that of a device: it says so, and trains.
        """
        for names in unwritten:
            value = value_in(sys.modules[module], names)
            self._registered |= _at_first((self._module, module, *names), _modules_in(value, self._is_ours))
            if names[-1] not in changing_names(tree):
                found = came_to(module, names)
                self.forms |= found
                self._made |= found.keys()
                self._filled |= found.keys()

    def _add_registered(self) -> None:
        before = set(self.forms)
        while self._registered:
            self._add_modules([self._registered.pop()])
        self.held |= self.forms.keys() - before

    def _is_own(self, file: Path) -> bool:
        """Tell whether a file is that of the trainer's own module, which a script's helper may import by its name."""
        own = getattr(self._own, "__file__", None)
        if own is not None and Path(own).resolve() == file:
            return True
        return self._body is not None and file.suffix == ".py" and is_compiled_from(self._body, file.read_bytes())

    def _is_seen(self, thing: object) -> bool:
        seen = id(thing) in self._seen
        self._seen.add(id(thing))
        self._keep.append(thing)
        return seen


def _modules_in(value: object, is_ours: Callable[[type | FunctionType], bool]) -> set[str]:
    """Return the modules of the functions and classes in a registry, which whoever imports them may fill."""
    if not (isinstance(value, dict | list) and len(value) <= _LARGEST_REGISTRY) and not is_ours(type(value)):
        return set()
    found = {each.__module__ for each in definitions_in(value, is_ours) if is_ours(each)}
    return found - {"__main__"}  # a script's own are in no worker


def _at_first(names: tuple[str, ...], found: set[str]) -> set[str]:
    """Return what a registry held when it was looked at first, of what it holds now.

    Args:
      names: of the trainer's module, and of the registry: its module, and the names in it.
      found: modules of what it holds.
    """
    mark = import_mark(names[1])
    known = _held_at_first.get(names)
    if known is None or known[0] is not mark:
        known = _held_at_first[names] = mark, found
    return found & known[1]


def _is_of_a_call(value: object) -> bool:
    """Tell whether `dataclasses.make_dataclass`, or `types.new_class`, made a class, and named no module."""
    return isinstance(value, type) and value.__module__ == "types" and vars(types).get(value.__name__) is not value


def _before_hooks(member: Any) -> Any:
    """Return a member of a class as its module wrote it.

    The first optimizer of a class has torch wrap the class's `step`: a class would be another one from then on.
    """
    code = getattr(member, "__code__", None)
    if code is not None and code.co_qualname == "Optimizer.profile_hook_step.<locals>.wrapper":
        return member.__wrapped__
    return member


@functools.lru_cache(1024)
def _form_in(source: LoadedSource, code: CodeType) -> str:
    """Return the normal form of code of a module's file, while the lines are as they were loaded."""
    return function_form(code)


def _archive_of(file: Path) -> Path | None:
    """Return the archive that a file lies in, as in one of zip on `sys.path`; None if it is a file, or is gone."""
    return None if file.exists() else next((each for each in file.parents if each.is_file()), None)


@functools.lru_cache(32)
def _statements(source: LoadedSource | None, body: CodeType | None) -> Mapping[str, list[tuple[str, frozenset[str]]]]:
    """Return how a module gives names their values: for each name the statements, with the names in them."""
    if source is None:
        return bytecode_assignments(body) if body is not None else {}
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for name, statements in assignments(source.tree).items():
        for statement in statements:
            used = frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
            found.setdefault(name, []).append((tree_form(statement), used))
    return found
