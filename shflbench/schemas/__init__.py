"""The JSON that commands print, a file per command: its objects as types, with which the command builds them.

Each file has `DOCUMENTS`, the types of what the command prints, `ABOUT`, what that is in a sentence, and `SCHEMA`, the
number of the form. Within a number, keys may be added; none is removed, and none changes its type or meaning.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from shflbench.core.json_schema import JsonSchema


def commands() -> list[str]:
    """Return the commands whose JSON has a schema, by name."""
    return sorted(module.name for module in iter_modules(__path__))


def module_of(command: str) -> ModuleType:
    """Return the file of one of the `commands`."""
    return import_module(f"{__name__}.{command}")


def about(command: str) -> tuple[int, str]:
    """Return the number of the form of a command's JSON, and what that is in a sentence."""
    module = module_of(command)
    return module.SCHEMA, module.ABOUT


def json_schema(command: str) -> JsonSchema:
    """Return the JSON Schema of what one of the `commands` prints with `--format json`."""
    from shflbench.core.json_schema import schema_of  # noqa: PLC0415  (the commands need the types only)

    module = module_of(command)
    return schema_of(module.DOCUMENTS, f"shflbench {command}", module.ABOUT)
