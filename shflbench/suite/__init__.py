"""Turn a suite file into cases: read it, check every word, expand its axes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.suite.find import find_shipped, locate
    from shflbench.suite.launch import parse_launch, resolve_grid
    from shflbench.suite.loader import load
    from shflbench.suite.schema import json_schema
else:
    # Imported when they are asked for: `revision` and `launch` are for commands and workers that start fast.
    _HOMES = {
        "json_schema": "schema",
        "load": "loader",
        "locate": "find",
        "parse_launch": "launch",
        "resolve_grid": "launch",
        "find_shipped": "find",
    }

    def __getattr__(name: str) -> object:
        """Return what this package offers under `name`."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = ["find_shipped", "json_schema", "load", "locate", "parse_launch", "resolve_grid"]
