"""Count how often a value returns to a module that it has left: `python -m tools.count_walks`.

A module is handed a value by a call of one of its functions with the value among the arguments, or with something that
was made from it: an object of the package that such a call returned, or that holds one of these. Each pair of a calling
and a called module counts once, however often it occurs. A pair whose called module was called before is a return: data
that flows one way has few. Methods of an object that belong to its own module are no step of the walk.

Three values are followed: the plan of a run on the emulator through `session.pipeline.run`, the base run of a
comparison through `analysis.compare.compare`, and the path of a CUDA file through `checker.check_file`.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.compare import Settings, Side, compare
from shflbench.checker import FileOptions, check_file
from shflbench.core.model import Overrides
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources import Compilers
from shflbench.measure.executor import InProcessExecutor
from shflbench.session import Plan, run
from shflbench.session.plan import run_info
from shflbench.store import RunFolder, read_run
from shflbench.suite import load, locate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

PACKAGE = "shflbench."
EMULATOR = "shflbench.emulator."  # stands for a GPU here: its own modules are not followed
SUITE, ARCH, SMS = "quick", "sm_90", 132
CASES = Overrides(patterns=("reduce",), variants=("smem", "shfl"))
ROOT = Path(__file__).parents[1]
BASE, NEW = ROOT / "results/quick/nvidia-h200", ROOT / "tests/data/runs/quick-of-0.1.0"
KERNEL = ROOT / "tests/checker/kernels/algorithms/tree_reduction.cu"
ELEMENTS = 10  # of a collection that are looked at: all of them have the same type
OUTSIDE = "outside the package"  # what calls the first module


class Walk:
    """The modules that a value passes."""

    def __init__(self, value: object) -> None:
        """Follow `value`."""
        self._made: dict[int, object] = {id(value): value}  # the value, and what was made from it
        self.modules: list[str] = []  # in the order in which they were called first
        self.returns: dict[tuple[str, str], str] = {}  # calling and called module → the first function that was called
        self._pairs: set[tuple[str, str]] = set()

    def record(self, frame: FrameType, event: str, result: object) -> None:
        """Record a call or what one returned; a function for `sys.setprofile`."""
        called = str(frame.f_globals.get("__name__", ""))
        if event not in {"call", "return"} or not called.startswith(PACKAGE) or called.startswith(EMULATOR):
            return
        arguments = [one for one in _arguments(frame) if self._is_made(one)]
        if event == "return":
            if arguments:
                result = frame.f_locals["self"] if frame.f_code.co_name == "__init__" else result
                self._made |= {id(one): one for one in (result, *_elements(result)) if _is_of_package(one)}
        elif any(type(one).__module__ != called for one in arguments):
            self._add((_caller(frame), called), frame.f_code.co_name)

    def _add(self, pair: tuple[str, str], function: str) -> None:
        caller, called = pair
        if caller == called or pair in self._pairs:
            return
        self._pairs.add(pair)
        if called in self.modules:
            self.returns[pair] = function
        else:
            self.modules.append(called)

    def _is_made(self, argument: object) -> bool:
        """Whether an argument is the value, was made from it, or holds such an object."""
        held = [argument, *_elements(argument)]
        if _is_of_package(argument):
            names = (*getattr(argument, "__dict__", ()), *getattr(type(argument), "__slots__", ()))
            attributes = [getattr(argument, name, None) for name in names]
            held += [one for attribute in attributes for one in (attribute, *_elements(attribute))]
        return any(id(one) in self._made for one in held)


def _elements(value: object) -> list[object]:
    """Return the first elements of a collection, or the first values of a mapping."""
    if isinstance(value, dict):
        return list(islice(value.values(), ELEMENTS))
    return list(value[:ELEMENTS]) if isinstance(value, tuple | list) else []


def _is_of_package(value: object) -> bool:
    kind = type(value)
    return kind.__module__.startswith(PACKAGE) and not issubclass(kind, Enum)


def _arguments(frame: FrameType) -> list[object]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [frame.f_locals[name] for name in names if name in frame.f_locals]


def _caller(frame: FrameType) -> str:
    """Return the module of the package that called the function of a frame."""
    outer = frame.f_back
    while outer is not None:
        name = str(outer.f_globals.get("__name__", ""))
        if name.startswith(PACKAGE):
            return name
        outer = outer.f_back
    return OUTSIDE


@contextmanager
def _followed(value: object) -> Iterator[Walk]:
    walk = Walk(value)
    sys.setprofile(walk.record)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def walk_of_plan() -> Walk:
    """Run a small plan on the emulator, and return the walk of the plan."""
    suite = load(locate(SUITE), CASES)
    executor = InProcessExecutor(EmulatorBackend(ARCH))
    plan = Plan(suite, find(), ARCH, executor, None, SMS)
    with tempfile.TemporaryDirectory() as folder:
        store = RunFolder.create_at(run_info(plan, CASES, ()), Path(folder) / "run")
        with _followed(plan) as walk:
            for _ in run(plan, store):
                pass
    plan.close()
    return walk


def walk_of_base() -> Walk:
    """Compare two committed runs, and return the walk of the base run."""
    base, new = read_run(BASE), read_run(NEW)
    with _followed(base) as walk:
        compare(Side.of([base]), Side.of([new]), Settings(across=True))
    return walk


def walk_of_path() -> Walk:
    """Check the kernel of a small file, and return the walk of the file's path."""
    with _followed(KERNEL) as walk:
        check_file(KERNEL, FileOptions(compilers=Compilers(find())))
    return walk


def main() -> int:
    """Print the walks; return the exit code."""
    for title, walk in (
        ("a plan through session.pipeline.run", walk_of_plan()),
        ("a base run through compare", walk_of_base()),
        ("a path through check_file", walk_of_path()),
    ):
        print(f"{title}: {len(walk.modules)} modules, {len(walk.returns)} returns")
        for (caller, called), function in walk.returns.items():
            print(f"  {caller} → {called}.{function}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
