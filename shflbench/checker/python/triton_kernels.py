"""Kernels of Triton: what a CompiledKernel says about its launch.

A compiled kernel carries its PTX, the bytes of shared memory and the number of warps. Its parameters are the arguments
that are no constants, then pointers that the launcher adds (triton/backends/nvidia/driver.py: `global_scratch`,
`profile_scratch`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shflbench.checker.inputs.grammar import ArrayValue, GivenArgument, NullValue
from shflbench.checker.python.arguments import named_values, read_arguments
from shflbench.checker.python.named_launch import Extent, extent_text, launch_shape
from shflbench.checker.python.prepared import PreparedKernel
from shflbench.cuda_sources.generators import is_of_triton
from shflbench.cuda_sources.kernel_file import KernelFile, KernelParameter, SourceKernel, SourceNote
from shflbench.cuda_sources.ptx import PtxKernel, read_kernels
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.ptx.line_table import files_of
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from shflbench.checker.python.prepared import Arguments

Grid: TypeAlias = Extent | Callable[[Mapping[str, Any]], Extent]

SCRATCH = ("global_scratch", "profile_scratch")  # in the order of the parameters
TENSOR_CORES = 90  # from this target on, `tl.dot` becomes wgmma, which the emulator does not run
FOR_TENSOR_CORES = (
    "Triton compiled it for sm_{}, where `tl.dot` becomes wgmma: pass the function itself, or compile it for sm_80 by"
    ' target=GPUTarget("cuda", 80, 32)'
)
ADVICE = 'Pass grid=(programs,), and args as in the launch of the kernel, such as [x, y, out, n] or {"x": x, …}.'

# Triton's names of element types → NumPy's; those of 8 bits are emulated as bytes.
_ELEMENTS: Mapping[str, str] = {
    "i1": "u1",
    **{f"i{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    "u1": "u1",
    **{f"u{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
    **{f"fp{8 * size}": f"f{size}" for size in (2, 4, 8)},
    **{f"f{8 * size}": f"f{size}" for size in (2, 4, 8)},
    "bf16": "bfloat16",
}


def is_compiled(source: object) -> bool:
    """Return whether `source` is a CompiledKernel of Triton."""
    return hasattr(source, "metadata") and "ptx" in (getattr(source, "asm", None) or ())


def prepare(kernel: Any, grid: Grid | None, args: Arguments) -> PreparedKernel:  # noqa: ANN401  (Triton is no dependency)
    """Return a CompiledKernel as it is launched on `grid`; UsageError where grid or arguments do not fit it."""
    ptx, metadata = kernel.asm["ptx"], kernel.metadata
    entry = next((item for item in read_kernels(ptx) if item.symbol == metadata.name), None)
    if entry is None:
        raise KernelError(f"the PTX of the Triton kernel {metadata.name} has no entry of this name")
    signature: Mapping[str, Any] = kernel.src.signature
    types = {name: type_ for name, type_ in signature.items() if type_ != "constexpr"}
    parameters = _parameters(entry, types)
    names = tuple(signature if args is not None and len(args) == len(signature) else types)
    values = named_values(args, tuple(signature) if isinstance(args, Mapping) else names, metadata.name)
    shape = None
    if grid is not None:
        extent = grid(_constants(kernel, signature) | values) if callable(grid) else grid
        shape = launch_shape(f"{extent_text(extent, 'grid')}:{32 * metadata.num_warps}")
    keys = None if isinstance(args, Mapping) else {name: position for position, name in enumerate(names)}
    arguments, arrays = read_arguments(values, parameters, keys)
    scratch = _scratch(metadata, parameters[len(types) :], shape.blocks if shape else 1)
    path = _source_path(ptx)
    place = SourceLine(Path(entry.file), entry.line) if entry.line else None
    source = SourceKernel(metadata.name, entry.symbol, parameters, place, (), entry.bounds)
    notes = (SourceNote("target", f"compiled by Triton for sm_{metadata.target.arch}"),)
    files = {name: Path(name) for name in files_of(ptx).values()}
    file = KernelFile(path, ptx, (source,), notes, "Triton", files)
    advice = FOR_TENSOR_CORES.format(metadata.target.arch) if metadata.target.arch >= TENSOR_CORES else ""
    return PreparedKernel(file, entry.symbol, shape, metadata.shared, (*arguments, *scratch), arrays, advice)


def _parameters(entry: PtxKernel, types: Mapping[str, Any]) -> tuple[KernelParameter, ...]:
    hidden = len(entry.parameters) - len(types)
    if not 0 <= hidden <= len(SCRATCH) or not all(isinstance(type_, str) for type_ in types.values()):
        raise UsageError(
            f"the Triton kernel {entry.symbol} has {len(entry.parameters)} parameters for {len(types)} arguments",
            "Pass pointers and numbers: tuples and tensor descriptors are not supported.",
        )
    named = [*types.items(), *((name, "*i8") for name in SCRATCH[:hidden])]
    return tuple(
        KernelParameter(name, type_, _ELEMENTS.get(type_.lstrip("*k")), type_.startswith("*"), item.size, item.offset)
        for (name, type_), item in zip(named, entry.parameters, strict=True)
    )


def _constants(kernel: Any, signature: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    """Return the constants by name, which a grid that is a function may use."""
    names = list(signature)
    return {names[place[0]]: value for place, value in getattr(kernel.src, "constants", {}).items() if len(place) == 1}


def _scratch(metadata: Any, parameters: Sequence[KernelParameter], programs: int) -> list[GivenArgument]:  # noqa: ANN401
    """Return the arguments that Triton's launcher adds: memory for each program, or null."""
    arguments = []
    for parameter in parameters:
        size = getattr(metadata, f"{parameter.name}_size", 0) * programs * metadata.num_ctas
        value = ArrayValue(np.zeros(size, np.uint8)) if size else NullValue()
        arguments.append(GivenArgument(parameter.name, value))
    return arguments


def hidden_parameters(ptx: str) -> int:
    """Return how many parameters Triton's launcher adds to those of a kernel whose PTX alone is known."""
    return len(SCRATCH) if is_of_triton(ptx) else 0


def null_pointers(names: Sequence[str]) -> list[GivenArgument]:
    """Return null for pointers to memory that a kernel does not use."""
    return [GivenArgument(name, NullValue()) for name in names]


def _source_path(ptx: str) -> Path:
    return Path(next(iter(files_of(ptx).values()), "kernel.py"))
