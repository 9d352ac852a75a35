"""What "module:name" and "file.py:name" stand for. A script is only looked at: no study that it makes is run.

Errors of the user's code are told with the user's own lines, and without those that only led there.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hippo.hparams import Config

T = TypeVar("T")

#: frames of these lead to the user's code, and say nothing about it
_OURS = (
    str(Path(__file__).resolve().parents[1]) + os.sep,
    str(Path(click.__file__).resolve().parent) + os.sep,
    str(Path(importlib.__file__).resolve().parent) + os.sep,
    "<frozen ",
)


def find_modules_here() -> None:
    """Have modules of this folder found, behind those that Python finds elsewhere."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def imported(reference: str) -> object:
    """Return what "module:name" or "file.py:name" stands for, having run no study."""
    from hippo.errors import did_you_mean

    module_name, colon, name = reference.rpartition(":")
    if not (module_name and colon and name):
        raise click.BadParameter(f"{reference!r} is not of the form MODULE:NAME, such as my_study:space")
    module, reached = _module(module_name)
    if hasattr(module, name):
        return _no_study(getattr(module, name), reference)
    hint = did_you_mean(name, [known for known in vars(module) if not known.startswith("_")])
    if reached is not None:
        raise click.BadParameter(
            f"{module_name!r} defines no {name!r} before line {reached[1]}, where it comes to {reached[0]} and was "
            f"looked at no further: no study is run here. Define {name} above that line, or put what runs the study "
            f"under `if __name__ == '__main__':`.{hint}"
        )
    raise click.BadParameter(f"module {module_name!r} has no {name!r}.{hint}")


def imported_trainer(reference: str) -> tuple[type, bool]:
    """Return the trainer class that "module:Class" or "file.py:Class" stands for, having run no study.

    Returns:
      The class, and whether its module runs a study when it is imported: worker processes must not import it then.
    """
    from hippo.errors import TrainerError
    from hippo.training import resolve

    found: Any = imported(reference)
    try:
        cls = resolve(found)
    except TrainerError as error:
        raise click.BadParameter(f"{reference}: {error}") from error
    module_name = reference.rpartition(":")[0]
    return cls, Path(module_name).stem in _cut_short or module_name in _cut_short


def called(made: Any, reference: str) -> Any:
    """Return what a function without arguments makes, having run no study."""
    return _no_study(_look(made, f"calling {reference}()"), reference)


def _no_study(found: object, reference: str) -> object:
    from hippo.study.looking import StudyNotMade

    if isinstance(found, StudyNotMade):
        raise click.BadParameter(
            f"{reference} is a study, and none is made or run here; name what it searches, such as a space, a list of "
            "configs or a tuner, or a function that returns it"
        )
    return found


def configs_of(reference: str, *, samples: int | None = None, or_first: bool = False) -> list[Config]:
    """Import "module:name" and return the configs that it stands for.

    Args:
      reference: a space, a list of configs, or a function that returns one.
      samples: how many to draw of a space that has no end; None: refuse such a space.
      or_first: draw one of it then, and do not refuse it.
    """
    from collections.abc import Mapping

    from hippo.cli.output import sign_of_life
    from hippo.errors import HippoError
    from hippo.hparams import RandomSearchSpace, as_config

    found = imported(reference)
    space: Any = called(found, reference) if _is_function(found) else found
    if isinstance(space, RandomSearchSpace):
        samples = 1 if or_first and samples is None else samples
        if samples is None:
            raise click.BadParameter(
                f"{reference} is a RandomSearchSpace, from which configs are drawn without end: say how many with "
                "--samples N, or name a grid or a list of configs"
            )
        import numpy as np

        rng = np.random.default_rng(0)
        with sign_of_life(f"drawing {samples:,} configs"):
            return [space.sample(rng) for _ in range(samples)]
    if samples is not None:
        raise click.UsageError(f"--samples is for a RandomSearchSpace; {reference} is a {type(space).__name__}")
    if isinstance(space, type) or hasattr(space, "tune"):
        raise click.BadParameter(f"{reference} is {_kind(space)}, not a space; `hippo simulate` takes tuners")
    if isinstance(space, Mapping):
        raise click.BadParameter(
            f"{reference} is {_kind(space)}; a grid is hippo.GridSearchSpace({reference.rpartition(':')[2]}), and a "
            "single config is given in a list"
        )
    if isinstance(space, str) or not isinstance(space, Iterable):
        raise click.BadParameter(f"{reference} is {_kind(space)}, neither a space nor a list of configs")
    try:
        with sign_of_life(f"listing the configs of {reference}"):
            configs = [as_config(config) for config in space]
    except HippoError as error:
        raise click.BadParameter(f"{reference} is no list of configs: {error}") from error
    if not configs:
        raise click.BadParameter(f"{reference} holds no config")
    return configs


def _kind(found: object) -> str:
    if isinstance(found, type):
        return f"the class {found.__name__}"
    name = type(found).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _is_function(found: object) -> bool:
    return (
        callable(found) and not isinstance(found, type) and not hasattr(found, "tune") and not hasattr(found, "sample")
    )


#: modules that were imported here
_looked_at: set[str] = set()
#: modules whose import ended where they came to a study
_cut_short: set[str] = set()


def _module(name: str) -> tuple[ModuleType, tuple[str, int] | None]:
    """Return a module, and what of a study it came to first and in which line, if that ended its import."""
    folder, path = Path.cwd(), None
    if name.endswith(".py"):
        path = Path(name).absolute()
        if not path.is_file():
            raise click.BadParameter(f"there is no file {name!r}")
        folder, name = path.parent, path.stem
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if name in sys.modules:
        if path is None or _is_of(sys.modules[name], path):
            return sys.modules[name], None
        _forget_another_file(name, path)
    spec = _look(lambda: _found(name), f"importing {name!r}")
    if spec is None or spec.loader is None:
        raise click.BadParameter(f"cannot import {name!r}: there is no such module in {folder} or in this Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # classes of it look for it there
    try:
        reached = _look(lambda: _run(module, spec.loader), f"importing {name!r}")
        _looked_at.add(name)
        if reached is not None:
            _cut_short.add(name)
        return module, reached
    except BaseException:
        del sys.modules[name]
        raise


def _is_of(loaded: ModuleType, path: Path) -> bool:
    file = getattr(loaded, "__file__", None)
    return file is not None and Path(file).resolve() == path.resolve()


def _forget_another_file(name: str, path: Path) -> None:
    """Make room for a file, where another one of its name was looked at before.

    Raises:
      click.BadParameter: its name stands for a module of somebody else's, here and in each process that imports it.
    """
    if name not in _looked_at:
        where = getattr(sys.modules[name], "__file__", None)
        raise click.BadParameter(
            f"{path.name!r} cannot be imported: the module {name!r} {f'from {where}' if where else 'of Python'} has "
            "its name, and is loaded already. Rename the file"
        )
    del sys.modules[name]


def _found(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise click.BadParameter(f"cannot import {name!r}: {error}") from error
    except ValueError:  # a relative name, or __main__
        return None


def _run(module: ModuleType, loader: Any) -> tuple[str, int] | None:
    from hippo.study.looking import StudyReached

    try:
        loader.exec_module(module)
    except StudyReached as reached:
        lines = [
            frame.lineno for frame in traceback.extract_tb(reached.__traceback__) if frame.filename == module.__file__
        ]
        return str(reached), (lines[-1] or 0) if lines else 0
    return None


def _look(act: Callable[[], T], what: str) -> T:
    """Let the user's code act, with no study run and its prints out of our output; tell its errors shortly."""
    from hippo.study.looking import StudyReached, only_looking

    try:
        with only_looking(), contextlib.redirect_stdout(sys.stderr):
            return act()
    except (click.ClickException, KeyboardInterrupt):
        raise
    except StudyReached as reached:
        raise click.BadParameter(f"{what} comes to {reached}, and no study is run here") from None
    except SystemExit as stop:
        raise click.BadParameter(
            f"{what} ended the program: sys.exit({stop.code!r})\n{short_traceback(stop)}"
        ) from None
    except BaseException as error:
        raise click.BadParameter(f"{what} raised {described(error)}\n{short_traceback(error)}") from error


def described(error: BaseException) -> str:
    """Return type and message of an error in a line."""
    return " ".join("".join(traceback.format_exception_only(error)).split())


def short_traceback(error: BaseException) -> str:
    """Return the traceback of an error, without the frames that led to the user's code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    lines = traceback.format_list(own) + traceback.format_exception_only(error)
    return "Traceback (most recent call last):\n" + "".join(lines).rstrip()
