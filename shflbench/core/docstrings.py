"""Docstrings that users read: the help of commands, and the descriptions in the JSON Schema of suites.

`python -OO` and PYTHONOPTIMIZE=2 drop them; then they are read from the source.
"""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def docstring_of(item: Callable[..., Any] | type) -> str | None:
    """Return the docstring of a function or class; None if it has none, or no source beside its byte code."""
    if item.__doc__:
        return item.__doc__
    try:
        (definition,) = ast.parse(inspect.getsource(item)).body
    except (OSError, SyntaxError, ValueError):
        return None
    return ast.get_docstring(definition) if isinstance(definition, ast.FunctionDef | ast.ClassDef) else None
