"""The Python of a page of documentation as a module: its trainers can be tested, and its studies do not run."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from types import ModuleType

from hippo.study.looking import StudyReached, only_looking
from hippo.training import Trainer


def python_of(page: Path) -> list[str]:
    """Return the blocks of Python of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def module_of(page: Path) -> ModuleType:
    """Return a module of the page's code, each block up to its first study; it is in `sys.modules` from now on."""
    name = f"page_{page.stem.replace('-', '_')}"
    module = sys.modules[name] = ModuleType(name)
    with only_looking():
        for block in python_of(page):  # the classes are wanted, and not the studies, nor what is made of their results
            with contextlib.suppress(Exception, StudyReached):
                exec(compile(block, f"<{page.stem}>", "exec"), vars(module))
    return module


def trainers_of(module: ModuleType) -> list[type[Trainer]]:
    """Return the trainers that a module defines, without those that leave something to others."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Trainer)
        and value.__module__ == module.__name__
        and not getattr(value, "__abstractmethods__", None)
    ]
