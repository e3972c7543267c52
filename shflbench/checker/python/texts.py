"""Kernels in files and texts of PTX or CUDA C++."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.file_reading import read_file
from shflbench.checker.python import numba_kernels, triton_kernels
from shflbench.checker.python.arguments import POINTER_BYTES, named_values, read_arguments
from shflbench.checker.python.prepared import PreparedKernel
from shflbench.core.words import did_you_mean
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.cuda_sources.ptx import read_kernels
from shflbench.errors import CompilerError, ShflbenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.options import FileOptions
    from shflbench.checker.python.prepared import Arguments
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.cuda_sources.kernel_file import KernelFile, KernelParameter, SourceKernel
    from shflbench.cuda_sources.ptx import PtxKernel
    from shflbench.cuda_sources.source_lines import SourceLine

_IS_PTX = (".version", ".target")


def is_text(source: str) -> bool:
    """Return whether a string is a program, and not the path of one."""
    return "\n" in source or "__global__" in source or all(word in source for word in _IS_PTX)


def shown_path(text: str) -> Path:
    """Return the name by which findings and errors call a program that is a text."""
    return Path("kernel.ptx" if all(word in text for word in _IS_PTX) else "kernel.cu")


def read_text(text: str, options: FileOptions, name: str = "") -> KernelFile:
    """Return the kernels of a text; findings and errors name its lines as those of a file `name`, else `kernel.cu`.

    Raises what reading a file raises.
    """
    shown = Path(name) if name else shown_path(text)
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        path = Path(folder).resolve() / shown
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        try:
            file = read_file(path, options)
        except ShflbenchError as error:
            raise error.without_folder(path.parent) from error
    files = {str(shown) if known == path else name: known for name, known in file.files.items()}
    files = {name: shown if known == path else known for name, known in files.items()}
    kernels = tuple(replace(kernel, place=_shown(kernel, path, shown)) for kernel in file.kernels)
    return replace(file, path=shown, ptx=file.ptx.replace(str(path), str(shown)), kernels=kernels, files=files)


def _shown(kernel: SourceKernel, path: Path, shown: Path) -> SourceLine | None:
    place = kernel.place
    return replace(place, file=shown) if place is not None and place.file == path else place


def compilers() -> tuple[Path | None, Toolchain | None]:
    """Return nvcc and NVRTC, None for what this machine does not have."""
    nvcc = shutil.which("nvcc")
    try:
        toolchain = find_toolchain()
    except CompilerError:
        toolchain = None
    return Path(nvcc) if nvcc else None, toolchain


def prepare(
    file: KernelFile, name: str | None, args: Arguments, shape: LaunchShape | None, shared_bytes: int | None
) -> PreparedKernel:
    """Return one kernel of a file for a launch; UsageError if it has no such kernel, or arguments do not fit it."""
    if numba_kernels.is_text(file.ptx):
        prepared = numba_kernels.prepare(file.ptx, args, name or "")
        return replace(prepared, shape=shape, shared_bytes=shared_bytes)
    kernel = chosen_kernel(file, name)
    names = [parameter.name for parameter in kernel.parameters]
    known = names[: len(names) - triton_kernels.hidden_parameters(file.ptx)]
    values = named_values(args, known, kernel.name)
    positions = None if isinstance(args, Mapping) else {label: place for place, label in enumerate(names)}
    floating = [parameter.kind == "f" for parameter in _entry(file, kernel).parameters]
    parameters = tuple(
        _typed(replace(parameter, name=label), values.get(label), floating=is_float)
        for parameter, label, is_float in zip(kernel.parameters, names, floating, strict=True)
    )
    arguments, arrays = read_arguments(values, parameters, positions)
    file = replace(file, kernels=(replace(kernel, parameters=parameters),))
    if args is not None:
        arguments += triton_kernels.null_pointers(names[len(known) :])
    return PreparedKernel(file, kernel.symbol, shape, shared_bytes, tuple(arguments), arrays)


def _entry(file: KernelFile, kernel: SourceKernel) -> PtxKernel:
    return next(entry for entry in read_kernels(file.ptx) if entry.symbol == kernel.symbol)


def _typed(parameter: KernelParameter, value: object, *, floating: bool) -> KernelParameter:
    """Return a parameter whose type the source does not say with the type of the value that it gets."""
    if parameter.element is not None or value is None:
        return parameter
    if isinstance(value, int | float | np.generic):
        kind = "f" if floating or isinstance(value, float | np.floating) else "i"
        return replace(parameter, element=f"{kind}{parameter.size}")
    return replace(parameter, pointer=parameter.pointer or parameter.size == POINTER_BYTES)


def _short_names(name: str) -> Iterator[str]:
    """Yield the name of a kernel without template arguments, without namespaces, and without both."""
    plain = name.partition("<")[0]
    yield plain
    yield plain.rpartition("::")[2]
    yield plain.rpartition("::")[2] + name[len(plain) :]


def chosen_kernel(file: KernelFile, name: str | None) -> SourceKernel:
    """Return the kernel `name`, or the only one; UsageError if the file does not have exactly one such kernel."""
    known = [kernel.name for kernel in file.kernels]
    if name is None:
        chosen = list(file.kernels)
    else:
        chosen = [kernel for kernel in file.kernels if name in {kernel.name, kernel.symbol}]
        chosen = chosen or [kernel for kernel in file.kernels if name in set(_short_names(kernel.name))]
    if len(chosen) != 1:
        what = f"{len(chosen)} kernels" if chosen else "no kernel"
        called = f" `{name}`" if name is not None else ""
        raise UsageError(
            f"{file.path} has {what}{called}{did_you_mean(name or '', known)}",
            f"Pass kernel=…, one of {', '.join(known)}.",
        )
    return chosen[0]
