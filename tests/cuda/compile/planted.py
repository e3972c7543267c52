"""Patterns of one kernel, written into a folder by the test that needs them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from shflbench.core.model import Case, Launch, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant
from shflbench.patterns.discover import LoadedPattern
from shflbench.patterns.pattern_functions import PatternFunctions

if TYPE_CHECKING:
    from shflbench.patterns.declare import Counts, CountsOf

NO_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
ROTATE = "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);"
THROUGH_MEMORY = """\
T* slots = shared<T>();
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        x = slots[threadIdx.x ^ 1];
        __syncwarp();
    }"""


def planted(
    folder: Path,
    loop: str = ROTATE,
    *,
    mechanism: Mechanism = Mechanism.SHFL,
    per_iteration: Counts | CountsOf | None = None,
    includes: str = "",
    unroll: int = 16,
    bounds: str = "",
    one_pass: bool = False,
    options: Mapping[str, tuple[str, ...]] = NO_OPTIONS,
    may_fold: Mapping[str, tuple[str, ...]] = NO_OPTIONS,
    opcodes: tuple[str, ...] = (),
) -> LoadedPattern:
    """Return a pattern whose only variant, `kernel`, is `loop` between loading a value and storing it."""
    folder.mkdir(exist_ok=True)
    text = f"""\
{includes}#include "shflbench.cuh"
template <typename T>
__global__ void {bounds}planted_kernel(const T* values, T* result{"" if one_pass else ", int iterations"}) {{
    T x = values[thread()];
    {loop}
    result[thread()] = x;
}}
"""
    (folder / "kernels.cu").write_text(text, encoding="utf-8")
    variant = Variant(
        name="kernel",
        mechanism=mechanism,
        summary="a kernel for a test",
        baseline=True,
        per_iteration=per_iteration,
        may_fold=may_fold,
        opcodes=opcodes,
    )
    declaration = Pattern(
        summary="planted",
        source="this test",
        buffers=(Input("values"), Output("result")),
        variants=(variant,),
        unroll=unroll,
        one_pass=one_pass,
        options=options,
    )
    return LoadedPattern("planted", folder, declaration, PatternFunctions())


def case(dtype: str = "f32", pattern: str = "planted", variant: str = "kernel") -> Case:
    """Return a case of a kernel; its launch and iterations do not matter to the compiler."""
    return Case(pattern, variant, dtype, Launch("26x1024", 1024, 26), 4096)
