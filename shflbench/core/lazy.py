"""Import the public names of a package on first use."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def on_first_use(package: str, names: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package (PEP 562); `names` has the public names of each of its modules."""
    modules = {name: module for module, several in names.items() for name in several}

    def imported(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return imported


def from_stub(package: str, file: str) -> tuple[Callable[[str], object], list[str]]:
    """Return the `__getattr__` and the `__all__` of a package whose stub, `__init__.pyi`, imports its public names."""
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names: dict[str, tuple[str, ...]] = {}
    for node in imports:
        module = str(node.module).removeprefix(f"{package}.")
        names[module] = (*names.get(module, ()), *(alias.name for alias in node.names))
    return on_first_use(package, names), sorted(name for several in names.values() for name in several)
