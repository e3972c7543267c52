"""The suite of comparisons: a case per kernel and launch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.dimensions import LaunchDims
from shflbench.core.grouping import group_by
from shflbench.core.launch import OWN, OWN_DIMS
from shflbench.core.model import WARP, Case, Launch, MeasureRules, Suite
from shflbench.errors import UsageError
from shflbench.patterns.discover import PYTHON, STORED
from shflbench.patterns.stored_file import stored_json
from shflbench.patterns.stored_python import pattern_python
from shflbench.user_kernels.comparison import plain_name
from shflbench.user_kernels.folder import pattern_files, write_folder, write_new
from shflbench.user_kernels.stored_pattern import Equality, result_dtype, stored_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from shflbench.checker import CandidateLaunch
    from shflbench.user_kernels.comparison import KernelComparison


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """How the kernels are measured and compared. Fields without a class of their own are parameters of `bench`."""

    rules: MeasureRules
    equality: Equality
    l2: str = "warm"  # or cold: L2 has none of the kernel's data at a timed launch


def suite_of(path: Path, comparisons: Sequence[KernelComparison], settings: BenchSettings, below: Path) -> Suite:
    """Write the pattern folders of comparisons below a folder, and return the suite; `path` is the user's file."""
    equality = _with_names(settings.equality, comparisons)
    folders = {item.name: _written(item, path.name, equality, below) for item in comparisons}
    options = (("l2", settings.l2),) if settings.l2 == "cold" else ()
    cases = tuple(case for item in comparisons for case in _cases(item, options))
    _require_distinct(cases)
    name = (comparisons[0].name if len(comparisons) == 1 else plain_name(path.stem)).lower()  # of folders, too
    title = f"Kernels of {path.name}"
    return Suite(name, title, path, _text(name, title, cases), cases, settings.rules, folders)


def _written(comparison: KernelComparison, file: str, equality: Equality, below: Path) -> Path:
    """Write the pattern of a comparison as data, and return its folder."""
    stored = stored_pattern(comparison, file, equality)
    files = pattern_files(comparison, {STORED: stored_json(stored)})
    return write_folder(files, comparison.name.replace("-", "_"), below)


def _with_names(equality: Equality, comparisons: Sequence[KernelComparison]) -> Equality:
    """Return the rules with names instead of positions; UsageError for what is no buffer that the kernels write."""
    if not equality.unordered:
        return equality
    arguments = comparisons[0].first.arguments
    names = tuple(
        name if isinstance(name, str) else arguments[name] if name < len(arguments) else str(name)
        for name in equality.unordered
    )
    _require_outputs(comparisons, names)
    return replace(equality, unordered=names)


def _require_outputs(comparisons: Sequence[KernelComparison], names: Collection[str]) -> None:
    """Raise UsageError for a name that is no buffer which the kernels write."""
    buffers = [
        buffer for item in comparisons for buffer in item.first.buffers if item.use(buffer) is not BufferUse.READ
    ]
    outputs = [buffer.name for buffer in buffers]
    unsorted = [buffer for buffer in buffers if buffer.name in names]
    if structures := [item.name for item in unsorted if item.may_be_structure or item.lanes > 1]:
        raise UsageError(
            f"elements in any order: those of `{min(structures)}` are no single numbers",
            "Let the kernels write one array per field, or compare the elements in their order.",
        )
    if unknown := [name for name in names if name not in outputs]:
        known = ", ".join(dict.fromkeys(outputs)) or "none"
        raise UsageError(
            f"elements in any order: the kernels write no buffer `{min(unknown)}`",
            f"The buffers that they write: {known}.",
        )


def _require_distinct(cases: Sequence[Case]) -> None:
    """Raise UsageError if two groups have one name: those in which each kernel has its own launch."""
    groups = group_by(cases, lambda case: case.id).values()
    for first, *others in groups:
        if others:
            raise UsageError(
                f"--launch gives {len(others) + 1} groups that are called `{first.launch.expression}`, in which each "
                "kernel has its own launch",
                "Run bench once for each of them.",
            )


def new_suite(path: Path, comparison: KernelComparison, into: Path, *, in_numpy: bool = False) -> list[Path]:
    """Write the pattern of a comparison and a suite that runs it into a folder, and return the files to read.

    The first kernel is the reference, or `in_numpy` a function that the user has to write. UsageError if one of the
    files exists, or if a suite cannot have the launches: those of suites have whole warps, and are the same for all
    variants of a group.
    """
    cases = list(_cases(comparison, ()))
    for kernel in comparison.kernels:
        if len(kernel.candidate.kernels) > 1:
            raise UsageError(
                f"`{kernel.candidate.name}` launches several kernels, and a variant of a suite is one",
                "Name single kernels, or compare them by bench.",
            )
    for case in cases:
        if case.launch.expression.startswith(OWN) or case.launch.block % WARP:
            raise UsageError(
                f"the launch `{case.launch.expression}` of `{case.variant}` cannot be that of a suite",
                "Give launches of whole warps, for all kernels, by --launch, or compare the kernels by bench.",
            )
    name = comparison.name.lower()  # of suites and folders
    folder, suite = into / name.replace("-", "_"), into / f"{name}.yaml"
    text = _text(name, f"Kernels of {path.name}", [replace(case, pattern=name) for case in cases])
    declaration = pattern_python(stored_pattern(comparison, path.name, Equality()), in_numpy=in_numpy)
    write_new(pattern_files(comparison, {PYTHON: declaration.encode()}), folder, suite, text)
    return [folder / "kernels.cu", folder / PYTHON, suite]


def _cases(comparison: KernelComparison, options: tuple[tuple[str, str], ...]) -> Iterator[Case]:
    dtype = result_dtype(comparison)
    for place in range(len(comparison.kernels[0].launches)):
        launches = [kernel.launches[place] for kernel in comparison.kernels]
        expression = _expression(launches)
        for kernel, launch in zip(comparison.kernels, launches, strict=True):
            sized = (*filter(None, [launch.size]), *options)
            yield Case(comparison.name, kernel.variant, dtype, _launch(expression, launch), 1, sized)


def _launch(expression: str, launch: CandidateLaunch) -> Launch:
    blocks, threads = prod(launch.grid), prod(launch.block)
    is_flat = launch.grid[1:] == launch.block[1:] == (1, 1)
    return Launch(expression, threads, blocks, None if is_flat else LaunchDims(launch.grid, launch.block))


def _expression(launches: Sequence[CandidateLaunch]) -> str:
    """Return the launch of a group: `64x256`, `own x 256` where all have blocks of 256 threads, or `own`."""
    shapes = {launch.shapes for launch in launches}
    if len(shapes) == 1 and len(launches[0].shapes) == 1:
        return launches[0].shapes[0]
    every = [step for launch in launches for step in launch.steps]
    is_flat = all(item.grid[1:] == item.block[1:] == (1, 1) for item in every)
    word = OWN if is_flat else OWN_DIMS
    threads = {prod(item.block) for item in every}
    return f"{word} x {threads.pop()}" if len(threads) == 1 else word


def _text(name: str, title: str, cases: Sequence[Case]) -> str:
    """Return the suite as text for the record of a run."""
    lines = [f"schema: 1\nname: {name}\ntitle: {title}\nexperiments:\n"]
    for pattern in dict.fromkeys(case.pattern for case in cases):
        launches = dict.fromkeys(case.launch.expression for case in cases if case.pattern == pattern)
        lines.append(f"  - pattern: ./{pattern.replace('-', '_')}\n    launch: [{', '.join(launches)}]\n")
        options = [option for case in cases if case.pattern == pattern for option in case.options if option[0] != "l2"]
        for option, values in group_by(dict.fromkeys(options), lambda item: item[0]).items():
            lines.append(f"    {option}: [{', '.join(value for _, value in values)}]\n")
    return "".join(lines)
