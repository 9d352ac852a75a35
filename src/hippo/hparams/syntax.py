"""Source text to syntax tree, safely."""

from __future__ import annotations

import ast
import gc


def syntax_tree(source: str | bytes) -> ast.Module:
    """Return what `ast.parse` returns.

    CPython 3.11 counts the depth of the tree that it builds in one place for all; garbage collected meanwhile may run
    code that parses, too (formatting a traceback does), and then the count is off and a SystemError is raised
    (python/cpython#106905). So nothing is collected while we parse.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if collecting:
            gc.enable()
