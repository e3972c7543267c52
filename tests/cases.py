"""Cases, launches and data as a suite creates them."""

from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType, MappingProxyType
from typing import Any

from shflbench.core.model import Case, Kernel, Launch, Resources
from shflbench.measure.workload import Workload, setting_of
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import LoadedPattern, builtin, load
from shflbench.patterns.pattern_functions import PatternFunctions

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def case(
    pattern: str = "neighbor",
    variant: str = "shfl",
    dtype: str = "f32",
    launch: str = "2x64",
    iterations: int = 4096,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Case:
    grid, block = map(int, launch.split("x"))
    return Case(pattern, variant, dtype, Launch(launch, block, grid), iterations, tuple(options.items()))


def case_of(
    pattern: LoadedPattern, dtype: str = "f32", launch: str = "2x64", options: Mapping[str, str] = NO_OPTIONS
) -> Case:
    """Return a case of the pattern's baseline; options that are not given have their default."""
    declared = pattern.declaration
    chosen = {**declared.option_choices[0], **options}
    return case(pattern.name, declared.baseline.name, dtype, launch, options=chosen)


def setting(dtype: str = "f32", launch: str = "2x64", options: Mapping[str, str] = NO_OPTIONS) -> Setting:
    some = case(dtype=dtype, launch=launch, options=options)
    return setting_of(some, some.launch.grid or 0)


def workload(
    pattern: LoadedPattern,
    dtype: str = "f32",
    launch: str = "2x64",
    seed: int = 1,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Workload:
    """Return the data that the pattern is verified with; options that are not given have their default."""
    some = case_of(pattern, dtype, launch, options)
    return Workload.of(pattern, some, some.launch.grid or 0, seed)


def bytes_moved(data: Workload) -> float:
    """Return the bytes that the pattern declares for one pass."""
    declared = data.pattern.declaration.bytes_moved
    assert declared
    return declared(data.setting)


def code_of(pattern: LoadedPattern) -> dict[str, Any]:
    """Return what the `pattern.py` defines in which the reference of a pattern stands."""
    reference = pattern.functions.reference
    assert isinstance(reference, FunctionType)
    return reference.__globals__


def own_pattern(functions: Mapping[str, Any] = NO_OPTIONS, **declared: Any) -> LoadedPattern:
    """Return a pattern like `neighbor`, but with other fields of its declaration and these functions beside it."""
    model = load(builtin()["neighbor"])
    declaration = replace(model.declaration, **{"options": {}, **declared})
    return LoadedPattern("own", model.folder, declaration, PatternFunctions(**functions))


def kernel(symbol: str, ptx: str = "", arch: str = "sm_90") -> Kernel:
    """Return a kernel as if it had been compiled, without an analysis of its machine code."""
    return Kernel(symbol, arch, ptx, b"", Resources(16, 0, 0, 0), None, None, ())
