"""The hash of code with all it depends on, by which a changed sequence, filter or hook is told from one that is not.

It covers a class or function, whatever functions, classes, objects and values it reaches by name in its own module and
in the project's others, and as whole files the project's modules that it reaches as such, and those beside its folder.
Arrays count by their contents, objects by the state that pickle would save. What has no state that can be compared is
refused by name: ignored, it would let old results stand for new values. This module refuses to look into installed
packages: of torch and numpy the versions are in the environment, of others nobody looks at them.
"""

from __future__ import annotations

import ast
import copyreg
import dataclasses
import functools
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from hippo.errors import HparamError
from hippo.hparams.array_bytes import array_bytes
from hippo.hparams.code_forms import (
    attribute_names,
    bytecode_form,
    global_names,
    imports_of_code,
    imports_of_tree,
    tree_form,
)
from hippo.hparams.loaded_source import put_instead
from hippo.hparams.looking import OF_MODULES, PLAIN, functions_of, hidden_defaults, is_empty
from hippo.hparams.project import Project
from hippo.hparams.syntax import syntax_tree

#: where a class that came here by value keeps its hash: its source stayed behind
ATTRIBUTE = "_hippo_code"

#: what Python and hippo give classes, beside names that begin and end with underscores
_OF_CLASSES = frozenset({"_abc_impl", ATTRIBUTE})
#: members that say nothing about what their class does
_NOT_CODE = (MemberDescriptorType, GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType)


def code_hash(thing: Any) -> str:
    """Return the hash of a class, a function or any other object with all it depends on, 16 hexadecimal digits.

    Equal in every process, whatever the hash seed, comments, docstrings and layout. It is taken anew at each call:
    a table that a notebook fills again is another table.

    Raises:
      HparamError: it reaches something that cannot be compared between processes; the message names it.
    """
    if isinstance(thing, type) and ATTRIBUTE in vars(thing):
        return str(vars(thing)[ATTRIBUTE])
    return hashlib.sha256("\n".join(_lines(thing)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def changed_by(act: Callable[[], object], thing: Any) -> str | None:
    """Return what an act changes of that on which a thing depends: the first, as "global CACHE"; None: nothing.

    Raises:
      HparamError: as `code_hash`.
    """
    if isinstance(thing, type) and ATTRIBUTE in vars(thing):
        act()
        return None
    before = _lines(thing)
    act()
    after = _lines(thing)
    each = zip("\n".join(before).splitlines(), "\n".join(after).splitlines(), strict=False)
    named = (line.partition(":")[0] for other, line in each if line != other)
    return None if before == after else next(named, "something")


def _lines(thing: Any) -> list[str]:
    survey = _ValueSurvey(thing)
    try:
        root = survey.form(thing)
    except RecursionError:
        raise survey.refusal(thing, "is nested too deeply") from None
    return [root, *(f"{label}\n{form}" for label, form in sorted(survey.parts.items()))]


def own_modules(thing: Any) -> tuple[set[str], set[str]]:
    """Return the names of the project's modules whose code a class, a function or any other object depends on.

    First those in the folder of its own module, then those beside.

    Raises:
      HparamError: as `code_hash`.
    """
    survey = _ValueSurvey(thing)
    survey.form(thing)
    return survey.modules, survey.beside


class _ValueSurvey:
    """Everything that was reached: classes, functions and modules by label, values as text within them."""

    def __init__(self, root: object) -> None:
        #: label -> form
        self.parts: dict[str, str] = {}
        #: names of the project's modules among it, those beside it left out
        self.modules: set[str] = set()
        self.beside: set[str] = set()
        self._root = root
        self._module = _home(root)
        self._project = Project(self._module)
        self._known: dict[int, str] = {}
        self._keep: list[object] = []  # so that ids stay unique
        self._trail: list[str] = []

    def form(self, value: Any) -> str:
        """Return a value as text: equal texts, equal values. What has a name of its own is entered into `parts`.

        Raises:
          HparamError: it has no state that can be compared.
        """
        if type(value) in PLAIN or value is Ellipsis or value is NotImplemented:
            return repr(value)
        if id(value) in self._known:
            return self._known[id(value)]
        self._keep.append(value)
        self._known[id(value)] = f"again {len(self._known)}"  # for what holds itself
        form = self._known[id(value)] = self._form(value)
        return form

    def refusal(self, value: object, why: str) -> HparamError:
        """Return the error that names what cannot be compared, and the way to it."""
        way = " -> ".join([_name(self._root), *self._trail])
        return HparamError(
            f"{_name(self._root)} cannot be told from a changed one: {way} is {_shortened(value)} of type "
            f"{type(value).__name__}, which {why}. Results would stand for other values without a word. Use a plain "
            f"value, an array or a function in its place, or hand it over as an argument."
        )

    def _part(self, step: str, value: Any) -> str:
        self._trail.append(step)
        form = self.form(value)
        self._trail.pop()  # not where an error is raised, which tells the whole way
        return form

    def _form(self, value: Any) -> str:
        if isinstance(value, ModuleType):
            self._add_modules([value.__name__])
            return f"module {value.__name__}"
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return f"method({self.form(value.__func__)} of {self.form(value.__self__)})"
        if isinstance(value, BuiltinFunctionType | MethodWrapperType):
            return self._builtin(value)
        if isinstance(value, CodeType):
            return bytecode_form(value)
        if isinstance(value, _NOT_CODE):
            return f"{type(value).__name__} {value.__qualname__}"
        return self._wrapped(value) or self._container(value) or self._array(value) or self._object(value)

    # ------------------------------------------------------------------------------------------------ plain things

    def _container(self, value: Any) -> str | None:
        if type(value) in (list, tuple):
            return f"{type(value).__name__}({[self._part(f'[{i}]', item) for i, item in enumerate(value)]})"
        if type(value) in (set, frozenset):
            return f"{type(value).__name__}({sorted(self.form(item) for item in value)})"
        if type(value) in (dict, MappingProxyType):
            walked = [(self.form(key), self._part(f"[{key!r}]", item)) for key, item in value.items()]
            in_order = "" if walked == sorted(walked) else f" in order of {[key for key, _ in walked]}"
            return f"dict({sorted(walked)}){in_order}"
        if isinstance(value, Path):
            return f"Path({str(value)!r})"
        if isinstance(value, Enum):
            return f"{self.form(type(value))}.{value.name} = {self.form(value.value)}"
        return None

    def _array(self, value: Any) -> str | None:
        """Return an array, a tensor or a scalar of theirs by all it holds; repr leaves the middle of large ones out."""
        room = type(value).__module__.partition(".")[0]
        if room == "torch" and hasattr(value, "detach"):
            tensor = value.detach().cpu()
            return f"tensor({tensor.dtype}, {tuple(tensor.shape)}, {self.form(tensor.tolist())})"
        if room != "numpy" or not hasattr(value, "tobytes") or not hasattr(value, "dtype"):
            return None
        if value.dtype.hasobject:
            return f"array({value.dtype}, {value.shape}, {self.form(value.tolist())})"
        numpy: Any = sys.modules["numpy"]
        kind = "matrix" if type(value).__name__ == "matrix" else ""  # it multiplies otherwise
        if isinstance(value, numpy.ma.MaskedArray):
            kind = f"masked {self.form(numpy.ma.getmaskarray(value))}"
        return f"array({value.dtype.descr}, {value.shape}, {hashlib.sha256(array_bytes(value)).hexdigest()}){kind}"

    # ------------------------------------------------------------------------------------------------------ objects

    def _wrapped(self, value: Any) -> str | None:
        """Return what stands around a function as that function: partial and cached ones, methods, properties."""
        if isinstance(value, functools.partial):
            inside = [self._part("func", value.func), self._part("args", value.args)]
            return f"partial({inside}, {self._part('keywords', _sorted(value.keywords))})"
        if isinstance(value, staticmethod | classmethod):
            return f"{type(value).__name__}({self.form(value.__func__)})"
        if isinstance(value, property):
            return f"property({[self.form(part) for part in (value.fget, value.fset, value.fdel)]})"
        if isinstance(value, functools.cached_property):
            return f"cached_property({self.form(value.func)})"
        if value is getattr(sys.modules.get("numpy.random.mtrand"), "_rand", self):
            return "numpy's global generator"  # seeded before each call into user code
        if type(value) is _CACHED:  # what it has remembered follows from the function
            return f"cached({self.form(value.__wrapped__)})"
        return None

    def _builtin(self, value: Any) -> str:
        owner = value.__self__
        if owner is None or isinstance(owner, ModuleType):
            return f"builtin {value.__module__}.{value.__qualname__}"
        return f"builtin {value.__name__} of {self.form(owner)}"

    def _object(self, value: Any) -> str:
        described = getattr(type(value), "to_json", None)
        is_told = type(value).__module__.partition(".")[0] == "hippo" or hasattr(type(value), "segment_at")
        if callable(described) and is_told:
            return f"{type(value).__qualname__}({self.form(_by_name(described(value)))})"
        try:
            reducer = copyreg.dispatch_table.get(type(value))
            reduced = reducer(value) if reducer is not None else value.__reduce_ex__(2)
        except RecursionError:
            raise
        except Exception as error:  # code of the user's, or of any library's
            raise self.refusal(value, f"has no contents that could be compared ({error})") from None
        if isinstance(reduced, str):
            return f"{type(value).__module__}.{reduced}"
        make, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        if isinstance(value, set | frozenset):  # of a class of its own; in which order they come is chance
            arguments, items = (), [sorted(self.form(item) for item in value)]
        told = [
            self.form(type(value)),
            self.form(make),
            self._part("arguments", tuple(arguments)),
            self._state(state, type(value)),
            self._part("items", None if items is None else list(items)),
            self._part("pairs", None if pairs is None else list(pairs)),
        ]
        return f"object({told})"

    def _state(self, state: Any, cls: type) -> str:
        if type(state) is tuple and getattr(cls, "__getstate__", None) is object.__getstate__:  # slots: in no order
            return self.form(tuple(_sorted(part) if type(part) is dict else part for part in state))
        if type(state) is not dict:
            return self.form(state)
        known = [  # what was computed when somebody asked for it follows from the rest, and from the code
            (name, item)
            for name, item in state.items()
            if not isinstance(inspect.getattr_static(cls, name, None), functools.cached_property)
        ]
        if state and not known:
            return self.form(None)  # the state of an object without attributes
        return f"{sorted((self.form(name), self._part(f'.{name}', item)) for name, item in known)}"

    # --------------------------------------------------------------------------------------- functions and classes

    def _function(self, function: FunctionType) -> str:
        scope = function.__globals__
        home = str(scope.get("__name__", function.__module__))
        is_own = self._is_own(home)
        label = self._enter(function, "function", home, function.__qualname__)
        # what another package makes for the user, by a decorator say, is known by its code and what it was made from
        is_named = not is_own and "<" not in function.__qualname__ and not hasattr(function, "__wrapped__")
        if is_named:
            self.parts[label] = home
            self._add_modules([home])  # counts as its file where that lies beside
            return label
        lines = [_code_form(function.__code__)]
        lines.append(self._part("defaults", (function.__defaults__, _sorted(function.__kwdefaults__))))
        lines += self._around(function)
        lines += [f"{name}: {self._part(name, item)}" for name, item in sorted(vars(function).items())]
        if is_own:
            lines += self._globals(function.__code__, scope)
            self._add_modules(imports_of_code(function.__code__, str(scope.get("__package__") or "")))
        self.parts[label] = "\n".join(lines)
        return label

    def _around(self, function: FunctionType) -> Iterator[str]:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            if name != "__class__" and not is_empty(cell):
                yield f"around {name}: {self._part(name, cell.cell_contents)}"

    def _globals(self, code: CodeType, scope: Mapping[str, Any]) -> Iterator[str]:
        names, attributes = _names(code)
        for name in names:
            if name in scope and name not in OF_MODULES:
                yield f"global {name}: {self._part(name, scope[name])}"
        for path in attributes:
            yield from self._attributes(scope.get(path[0]), path)

    def _attributes(self, module: Any, names: tuple[str, ...]) -> Iterator[str]:
        """Yield what `settings.SCALE` is now, whatever the file says."""
        value = module
        for name in names[1:]:
            if not (isinstance(value, ModuleType) and self._is_own(value.__name__) and hasattr(value, name)):
                break
            value = getattr(value, name)
        if value is not module and not isinstance(value, ModuleType):
            yield f"global {'.'.join(names)}: {self._part('.'.join(names), value)}"

    def _class(self, cls: type) -> str:
        home = cls.__module__
        label = self._enter(cls, "class", home, cls.__qualname__)
        if not self._is_own(home):
            self.parts[label] = home
            self._add_modules([home])
            return label
        bases = [self.form(base) for base in (*cls.__bases__, type(cls))]
        members = [
            f"{name}: {self._part(name, member)}" for name, member in sorted(vars(cls).items()) if _counts(name, member)
        ]
        defaults = [f"{label}: {self._part(label, value)}" for label, value in _defaults(cls)]
        self.parts[label] = "\n".join([*bases, *members, *defaults])
        return label

    def _enter(self, thing: Any, kind: str, home: str, name: str) -> str:
        """Return the label of a part, which is its form from now on: it may name itself."""
        label = f"{kind} {name}" if home == self._module else f"{kind} {home}.{name}"
        if label in self.parts:  # another one of this name: functions within functions are made again and again
            label += f" #{sum(known.startswith(label) for known in self.parts)}"
        self.parts[label] = ""
        self._known[id(thing)] = label
        return label

    # ------------------------------------------------------------------------------------------------------ modules

    def _is_own(self, module: str) -> bool:
        is_own = module == self._module or (
            module.partition(".")[0] != "hippo" and self._project.file_inside(module) is not None
        )
        if is_own:
            self.modules.add(module)
        return is_own

    def _add_modules(self, names: Iterable[str]) -> None:
        waiting = sorted(set(names))
        while waiting:
            name = waiting.pop()
            label = f"module {name}"
            if not name or name == self._module or label in self.parts:
                continue
            file = self._project.file(name)
            if file is None:
                continue
            (self.modules if self._project.file_inside(name) else self.beside).add(name)
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            known = file.stat()
            self.parts[label], imported = _file_form(file, package, known.st_mtime_ns, known.st_size)
            self.parts[label] += put_instead(name, file)
            parents = {name[:end] for end, letter in enumerate(name) if letter == "."}
            waiting += sorted(imported | parents)


_CACHED = type(functools.lru_cache(lambda: None))


def _counts(name: str, member: object) -> bool:
    """Tell whether a member says what its class does: not what `@dataclass` wrote, nor what all classes have."""
    if isinstance(member, FunctionType) and _is_generated(member):
        return False
    is_function = isinstance(member, (FunctionType, staticmethod, classmethod, property)) or any(functions_of(member))
    return is_function or not (name.startswith("__") or name in _OF_CLASSES)


def _defaults(cls: type) -> Iterator[tuple[str, object]]:
    """Yield what fields get that are not given: a factory, and where there are slots a default, is no attribute."""
    yield from hidden_defaults(cls)
    is_compared = not hasattr(cls, "segment_at")  # sequences are, but by their keys
    if is_compared and not getattr(vars(cls).get("__dataclass_params__"), "eq", True):
        yield "equality", "of objects"
    inherited = [each for base in cls.__mro__[1:] for each in vars(base).get("__dataclass_fields__", {}).values()]
    for field in vars(cls).get("__dataclass_fields__", {}).values():
        if any(field is each for each in inherited):
            continue
        if is_compared and (field.compare, field.hash) != (True, None):
            yield f"comparison of {field.name}", (field.compare, field.hash)
        if field.default_factory is not dataclasses.MISSING:
            yield f"factory of {field.name}", field.default_factory
        elif field.default is not dataclasses.MISSING and isinstance(vars(cls).get(field.name), MemberDescriptorType):
            yield f"default of {field.name}", field.default


def _by_name(described: Any) -> Any:
    """Return what JSON can hold with all names in one order: there it says nothing."""
    if type(described) is dict:
        return {name: _by_name(item) for name, item in sorted(described.items(), key=lambda item: repr(item[0]))}
    return type(described)(map(_by_name, described)) if type(described) in (list, tuple) else described


def _sorted(named: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return arguments by their names: in which order they were written does nothing."""
    return named and dict(sorted(named.items()))


def _is_generated(function: FunctionType) -> bool:
    """Tell whether `@dataclass` wrote the function; its fields are in the arguments already."""
    return function.__name__.startswith("__") and function.__code__.co_filename == "<string>"


def _home(thing: Any) -> str:
    """Return the name of the module whose code a thing is."""
    if isinstance(thing, functools.partial):
        return _home(thing.func)
    if isinstance(thing, MethodType):
        return _home(thing.__self__ if isinstance(thing.__self__, type) else type(thing.__self__))
    if isinstance(thing, FunctionType):
        return str(thing.__globals__.get("__name__", thing.__module__))
    inner = getattr(thing, "__wrapped__", None)
    if isinstance(inner, FunctionType):
        return _home(inner)
    return str(thing.__module__ if isinstance(thing, type) else type(thing).__module__)


def _name(thing: Any) -> str:
    named = thing if isinstance(thing, type | FunctionType | MethodType) else type(thing)
    return str(getattr(named, "__qualname__", named)).rpartition("<locals>.")[2]


def _shortened(value: object) -> str:
    text = object.__repr__(value)
    return text if len(text) <= 80 else text[:77] + "..."


# ---------------------------------------------------------------------------------------------------- code as text


@functools.lru_cache(maxsize=4096)
def _code_form(code: CodeType) -> str:
    """Return the syntax tree of code as text, which is the same in all versions of Python; else its bytecode.

    The bytecode where there is no source, where the file was changed after it was loaded, so that its text is not what
    runs, and for lambdas: two of them may stand in one line.
    """
    if code.co_name != "<lambda>":
        try:
            if _is_source_of(code):
                return tree_form(syntax_tree(textwrap.dedent(inspect.getsource(code))))
        except (OSError, TypeError, SyntaxError, ValueError):
            pass
    return bytecode_form(code)


@functools.lru_cache(maxsize=4096)
def _names(code: CodeType) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the global names that code looks up, and the attributes of them."""
    return sorted(global_names(code)), sorted(attribute_names(code))


def _is_source_of(code: CodeType) -> bool:
    lines, _ = inspect.findsource(code)
    compiled = _compiled("".join(lines)).get((code.co_qualname, code.co_firstlineno))
    return compiled is not None and bytecode_form(compiled) == bytecode_form(code)


@functools.lru_cache(maxsize=32)
def _compiled(text: str) -> dict[tuple[str, int], CodeType]:
    found: dict[tuple[str, int], CodeType] = {}
    waiting = [compile(text, "<source>", "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found[code.co_qualname, code.co_firstlineno] = code
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
    return found


@functools.lru_cache(maxsize=256)
def _file_form(file: Path, package: str, mtime_ns: int, size_bytes: int) -> tuple[str, frozenset[str]]:
    """Return a module's file as a hash, and what it imports. The last two arguments tell a changed file."""
    content = file.read_bytes()
    if file.suffix != ".py":
        return hashlib.sha256(content).hexdigest(), frozenset()
    try:
        tree: ast.Module = syntax_tree(content)
    except (SyntaxError, ValueError):  # for another version of Python: never imported by this one
        return hashlib.sha256(content).hexdigest(), frozenset()
    form = tree_form(tree).encode("utf-8", "surrogatepass")
    return hashlib.sha256(form).hexdigest(), imports_of_tree(tree, package)
