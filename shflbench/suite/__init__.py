"""Turn a suite file into cases: read it, check it, expand its axes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.suite.find import find_shipped, locate
    from shflbench.suite.launch import parse_launch, resolve_grid
    from shflbench.suite.loader import load
    from shflbench.suite.schema import json_schema
else:
    # Imported on first use: `revision` and `launch` serve commands and workers that must start fast.
    _MODULES = {
        "json_schema": "schema",
        "load": "loader",
        "locate": "find",
        "parse_launch": "launch",
        "resolve_grid": "launch",
        "find_shipped": "find",
    }

    def __getattr__(name: str) -> object:
        """Import the public function `name`."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


__all__ = ["find_shipped", "json_schema", "load", "locate", "parse_launch", "resolve_grid"]
