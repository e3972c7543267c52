"""Find the test files that changed files can affect, by the import graph."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import grimp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PACKAGES = ("shflbench", "tests", "tools", "benchmarks")
TEST, CONFTEST = "test_", "conftest"
COMMANDS = "tests.cli."  # below it, a folder for each command, which `cli/registry.py` imports by its name
# Files that no module imports → the folders of tests that read them.
READERS = {
    "docs": ("tests/docs",),
    "README.md": ("tests/docs",),
    "CONTRIBUTING.md": ("tests/docs",),
    "CHANGELOG.md": ("tests/docs",),
    "suites": ("tests/suite", "tests/docs"),
    "results": ("tests/docs", "tests/store"),
    "plots": ("tests/docs", "tests/output/plot"),
    "Makefile": ("tests/tools",),
    "pyproject.toml": ("tests/tools",),
}


@dataclass(frozen=True, slots=True)
class Affected:
    """The test files that a change can affect, the closest first, and the changed files that no rule covers."""

    tests: tuple[str, ...]
    uncovered: tuple[str, ...]


def affected(changed: Sequence[str], every_test: Sequence[str]) -> Affected:
    """Return what files can affect, given by their paths in the repository, as are all of its test files.

    The distance of a test file is the number of imports between it and a changed module; a file that is no module
    counts as all modules of its package. Of tests that start a command as a process, only its own folder is known.
    """
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    modules, read, uncovered = set[str](), list[str](), list[str]()
    for path in changed:
        found = _modules(path, graph.modules)
        folders = READERS.get(path) or READERS.get(PurePosixPath(path).parts[0], ())
        modules |= found
        read += [test for test in every_test if any(test.startswith(f"{folder}/") for folder in folders)]
        if not (found or folders):
            uncovered.append(path)
    near = [_path(name) for name in _nearest_first(modules, graph) if name.rpartition(".")[2].startswith(TEST)]
    known = set(every_test)
    return Affected(tuple(test for test in dict.fromkeys((*near, *read)) if test in known), tuple(uncovered))


def _modules(path: str, known: set[str]) -> set[str]:
    """Return the module of a file, or all modules of the package in which a file is that is no module."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if path.endswith(".py") and name in known:
        return {name}
    for folder in list(PurePosixPath(path).parents)[:-1]:
        package = ".".join(folder.parts)
        if package in known and len(folder.parts) > 1:
            return {module for module in known if module == package or module.rpartition(".")[0] == package}
    return set()


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _nearest_first(changed: Iterable[str], graph: grimp.ImportGraph) -> Iterator[str]:
    """Yield the changed modules and all that import them, directly or not, by the number of imports between."""
    by_command = _tests_of_commands(graph.modules)
    by_conftest = _tests_of_conftests(graph.modules)
    queue = deque(sorted(changed))
    seen = set(queue)
    while queue:
        module = queue.popleft()
        yield module
        importers = graph.find_modules_that_directly_import(module) if module in graph.modules else set()
        for other in sorted({*importers, *by_command.get(module, ()), *by_conftest.get(module, ())} - seen):
            seen.add(other)
            queue.append(other)


def _tests_of_commands(modules: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for module in modules:
        if module.startswith(COMMANDS) and module.count(".") > COMMANDS.count("."):
            command = module.removeprefix(COMMANDS).partition(".")[0]
            found.setdefault(f"shflbench.cli.{command}.command", []).append(module)
    return found


def _tests_of_conftests(modules: Iterable[str]) -> dict[str, list[str]]:
    """Return the modules that get fixtures of each conftest but the outermost, which drives the whole command line."""
    known = set(modules)
    found: dict[str, list[str]] = {}
    for module in known:
        folders = module.split(".")[:-1]
        for depth in range(2, len(folders) + 1):
            conftest = ".".join((*folders[:depth], CONFTEST))
            if conftest in known and conftest != module:
                found.setdefault(conftest, []).append(module)
    return found
