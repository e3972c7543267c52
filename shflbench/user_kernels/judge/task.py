"""A task: the reference, and how its inputs and launches follow from sizes, as a Python file declares it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import ModuleType
from typing import TYPE_CHECKING

from shflbench.core.files import MOST_SOURCE, read_regular
from shflbench.errors import InputError, UsageError
from shflbench.patterns.user_code import run_user_code
from shflbench.user_kernels.judge.sizes import is_size_range

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.user_kernels.judge.sizes import SizeRange

ADVICE = "`python -m pydoc shflbench.judge` says what it is."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTask:
    """What a candidate has to compute, and how it is launched. Fields are parameters of `shflbench.judge`."""

    reference: object
    inputs: object
    grid: object = None
    block: object = None
    sizes: Mapping[str, SizeRange] = field(default_factory=dict)
    outputs: tuple[int, ...] = ()
    shared_bytes: object = None
    cluster: object = None
    any_order: tuple[int, ...] = ()
    prefilled: tuple[int, ...] = ()
    workspace: tuple[int, ...] = ()
    rtol: float | None = None
    vary: bool = True


def read_task(path: Path) -> JudgeTask:
    """Run a Python file, and return the task that its names declare.

    InputError if it cannot be read or run; UsageError if it has no `reference`, no `inputs`, or sizes of another type.
    """
    values = {name: value for name, value in vars(_module(path)).items() if name in _names()}
    for name in ("reference", "inputs"):
        if name not in values:
            raise UsageError(f"{path} has no `{name}`", f"Define it. {ADVICE}")
    sizes: object = values.setdefault("sizes", {})
    if not isinstance(sizes, Mapping) or not all(is_size_range(*item) for item in sizes.items()):
        raise UsageError(f"`sizes` of {path} is no mapping of names to ranges", 'Write {"n": (1, 4096)}.')
    for name in {"outputs", "any_order", "prefilled", "workspace"} & values.keys():
        if not isinstance(values[name], tuple | list):
            raise UsageError(f"`{name}` of {path} is no tuple of positions", "Write (1,) for argument 1.")
        values[name] = tuple(values[name])
    return JudgeTask(**values)


def _names() -> set[str]:
    return {item.name for item in fields(JudgeTask)}


def _module(path: Path) -> ModuleType:
    """Run a file of the user as a module, which finds modules beside it."""
    try:
        text = read_regular(path, MOST_SOURCE)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "Give the path of a task.") from error
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        with run_user_code(path, lambda reason: InputError(f"{path} cannot be run: {reason}", "Correct it.")):
            exec(compile(text, path, "exec"), vars(module))  # noqa: S102  (the user's own file, as a pattern is)
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
    return module
