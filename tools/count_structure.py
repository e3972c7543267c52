"""Count lines, classes and functions of the packages that check kernels: `python -m tools.count_structure [ROOT]`.

ROOT is a tree of this repository, by default this one. Parameters are counted without `self` and `cls`, and an importer
is a module of the package that imports a name of another one, whether it runs or is for types only.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACKAGE = "shflbench"
COUNTED = ("emulator", "cuda_sources", "checker")
PIPELINE = Path(PACKAGE, "checker/file_check.py")  # whose imports are counted
MOST_PARAMETERS = 8
SMALL = 60  # lines of a module that may as well be a part of its only importer
TOTAL = "total"


@dataclass(slots=True)
class Structure:
    """The counts of one package."""

    lines: int = 0
    files: int = 0
    classes: int = 0
    functions: int = 0
    long_signatures: list[str] = field(default_factory=list)  # functions with more than MOST_PARAMETERS
    small_modules: list[str] = field(default_factory=list)  # of at most SMALL lines, with a single importer


def structures(root: Path) -> dict[str, Structure]:
    """Return the counts of each package below `root`, and of the whole package as TOTAL."""
    counts = {name: Structure() for name in (*COUNTED, TOTAL)}
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((root / PACKAGE).rglob("*.py"))}
    importers = _importers(root)
    for path, text in texts.items():
        place = path.relative_to(root)
        for name in {place.parts[1], TOTAL} & counts.keys():
            _add(counts[name], place, text, importers)
    return counts


def _add(structure: Structure, place: Path, text: str, importers: Mapping[str, set[Path]]) -> None:
    lines = text.count("\n")
    structure.files += 1
    structure.lines += lines
    if lines <= SMALL and place.stem != "__init__" and len(importers[_module(place)]) == 1:
        structure.small_modules.append(str(place))
    for node in ast.walk(ast.parse(text)):
        structure.classes += isinstance(node, ast.ClassDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            structure.functions += 1
            if len(_parameters(node)) > MOST_PARAMETERS:
                structure.long_signatures.append(f"{place}:{node.lineno} {node.name}")


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return [item.arg for item in parameters if item is not None and item.arg not in {"self", "cls"}]


def _importers(root: Path) -> dict[str, set[Path]]:
    """Return the files that import each module, stubs included, which list what a package offers."""
    importers: dict[str, set[Path]] = defaultdict(set)
    for path in (root / PACKAGE).rglob("*.py*"):
        if path.suffix in {".py", ".pyi"}:
            for module in imports(path.read_text(encoding="utf-8")):
                importers[module].add(path)
    return importers


def imports(text: str) -> set[str]:
    """Return the modules of the package that a text imports; a name of a package may be a module of it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {item.name for item in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{item.name}" for item in node.names)}
    return {name for name in found if name.partition(".")[0] == PACKAGE}


def imported_modules(root: Path, place: Path) -> list[str]:
    """Return the modules and packages of ours that the file at `place` imports."""
    known = {_module(path.relative_to(root)) for path in (root / PACKAGE).rglob("*.py")}
    names = imports((root / place).read_text(encoding="utf-8")) & known
    # `from package import module` imports the module.
    return sorted(name for name in names if not any(other.startswith(f"{name}.") for other in names))


def _module(place: Path) -> str:
    return ".".join(place.with_suffix("").parts).removesuffix(".__init__")


def table(counts: Mapping[str, Structure]) -> Iterator[str]:
    """Yield the lines of a table of the counts."""
    long, small = f">{MOST_PARAMETERS} parameters", f"≤{SMALL} lines, 1 importer"
    columns = ("lines", "files", "classes", "functions", long, small)
    yield f"{'':14}" + "".join(f"{column:>{len(column) + 3}}" for column in columns)
    for name, item in counts.items():
        named = (len(item.long_signatures), len(item.small_modules))
        values = (item.lines, item.files, item.classes, item.functions, *named)
        cells = (f"{value:>{len(column) + 3}}" for column, value in zip(columns, values, strict=True))
        yield f"{name:14}" + "".join(cells)


def main(words: list[str]) -> int:
    """Print the counts; return the exit code."""
    root = Path(words[0]) if words else Path(__file__).parents[1]
    for line in table(structures(root)):
        print(line)
    lines = (root / PIPELINE).read_text(encoding="utf-8").count("\n")
    print(f"{PIPELINE}: {lines} lines, imports of {len(imported_modules(root, PIPELINE))} of our modules")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
