"""Kernels of a Python program as candidates for timing, with the arrays and numbers that all of them get."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.checker.candidates import read_candidates
from shflbench.checker.file_reading import read_file
from shflbench.checker.inputs.shapes import MOST_TIMED_THREADS
from shflbench.checker.python import numba_kernels, triton_functions, triton_kernels
from shflbench.checker.python.arguments import read_arguments
from shflbench.checker.python.named_launch import cluster_dims, launch_shape
from shflbench.checker.python.structures import parts
from shflbench.checker.python.texts import is_text
from shflbench.checker.python.values import HostValues
from shflbench.checker.selection import chosen_kernels
from shflbench.errors import ShflbenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.checker.candidate import CandidateFile
    from shflbench.checker.file_check import CheckStep
    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.options import FileOptions
    from shflbench.checker.python.named_launch import Extent
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel

USUAL_STANDARDS = frozenset({"-std=c++17", "--std=c++17"})  # which kernels are compiled as
ADVICE = "Pass CUDA C++ as a text, the path of a .cu file, a pair of either and the name of a kernel, or a RawKernel."


@dataclass(frozen=True, slots=True)
class PythonKernel:
    """One kernel that a Python program names."""

    name: str  # by which its results are shown
    source: str | Path  # CUDA C++, or the path of a .cu file
    kernel: str = ""  # its name in the source; empty: that by which it is shown, or the only one
    define: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonLaunch:
    """How a kernel is launched; None where the host code in its source says it."""

    grid: Extent | None = None
    block: Extent | None = None
    shared_bytes: int | None = None  # dynamic, per block
    cluster: Extent | None = None  # blocks of a cluster


def python_kernel(name: str, source: Any) -> PythonKernel:  # noqa: ANN401  (of packages that may be missing)
    """Return what a Python program names as a kernel; UsageError for what cannot be compiled and timed here."""
    match source:
        case (str() | PathLike() as text, str(kernel)):
            return PythonKernel(name, _source(text), kernel)
        case str() | PathLike():
            return PythonKernel(name, _source(source))
    if _is_raw(source):
        return _raw_kernel(name, source)
    if generator := _generator(source):
        raise UsageError(f"kernel `{name}` is one of {generator}, and only CUDA C++ is timed", ADVICE)
    if callable(source):
        raise UsageError(
            f"kernel `{name}` is a {type(source).__name__} that Python calls",
            "It may launch on any stream, and its inputs cannot be restored before each launch: times would not be "
            f"comparable. {ADVICE}",
        )
    raise UsageError(f"kernel `{name}` is a {type(source).__name__}", ADVICE)


def host_arguments(arguments: Sequence[object]) -> tuple[object, ...]:
    """Return arguments as arrays in host memory, numbers, and mappings of fields; UsageError for other values.

    Arrays that are passed twice stay one.
    """
    values = HostValues()

    def on_host(value: object, name: str) -> object:
        match value:
            case Mapping():
                return {key: on_host(item, f"{name}.{key}") for key, item in value.items()}
            case list() | tuple() if "." in name:
                return [on_host(item, f"{name}[{place}]") for place, item in enumerate(value)]
        return values.of(value, name)

    return tuple(on_host(value, str(place)) for place, value in enumerate(arguments))


def read_python_candidate(
    kernel: PythonKernel,
    launch: PythonLaunch,
    arguments: Sequence[object],
    options: FileOptions,
    watch: Callable[[CheckStep], None] | None = None,
) -> CandidateFile:
    """Return a kernel as the only candidate of its source, after a check if there is a `watch` to call with each step.

    `arguments` are those of the launch, in the order of the parameters; none of them: as in the host code of the
    source. UsageError if they do not fit, and what `read_candidates` raises.
    """
    with _path_of(kernel.source) as path:
        compile_options = replace(options.compile, define=(*options.compile.define, *kernel.define))
        options = replace(options, compile=compile_options).begun()
        file = read_file(path, replace(options.timed(), kernels=_instances(kernel)))
        chosen = _chosen(file, kernel)
        return read_candidates(
            path,
            replace(
                options,
                kernels=(kernel.kernel or chosen.name,),
                given=replace(
                    options.given,
                    launches=_launches(kernel, launch),
                    shared_bytes=launch.shared_bytes,
                    cluster=cluster_dims(launch.cluster),
                    arguments=tuple(_given(kernel, chosen, arguments)),
                ),
            ),
            watch,
        )


def _launches(kernel: PythonKernel, launch: PythonLaunch) -> tuple[LaunchShape, ...]:
    """Return the launch if it is given; UsageError if only its grid or its block is."""
    if launch.grid is None and launch.block is None:
        return ()
    if launch.grid is None or launch.block is None:
        raise UsageError(
            f"kernel `{kernel.name}` has {'no grid' if launch.grid is None else 'no block'}",
            "Pass grid=… and block=…, or neither, where the source has host code that launches it.",
        )
    return (launch_shape((launch.grid, launch.block), MOST_TIMED_THREADS),)


def _instances(kernel: PythonKernel) -> tuple[str, ...]:
    return (kernel.kernel,) if "<" in kernel.kernel else ()


def _chosen(file: KernelFile, kernel: PythonKernel) -> SourceKernel:
    """Return the kernel of a source that is meant; UsageError if it is not clear which."""
    known = chosen_kernels(file, (kernel.kernel or kernel.name,), several=True) or (
        [] if kernel.kernel else list(file.kernels)
    )
    if len(known) == 1:
        return known[0]
    names = ", ".join(f"`{item.name}`" for item in file.kernels)
    what = f"no kernel `{kernel.kernel}`" if kernel.kernel else f"{len(known)} kernels"
    raise UsageError(
        f"the source of `{kernel.name}` has {what}",
        f"Pass a pair of the source and a name: {names}.",
    )


def _given(kernel: PythonKernel, chosen: SourceKernel, arguments: Sequence[object]) -> Iterator[GivenArgument]:
    """Yield the arguments by the names of the parameters; UsageError if there are not as many."""
    names = [parameter.name for place, parameter in enumerate(chosen.parameters)]
    if arguments and len(arguments) != len(names):
        raise UsageError(
            f"kernel `{kernel.name}` takes {len(names)} arguments ({', '.join(names)}), and {len(arguments)} are given"
        )
    labeled = [replace(parameter, name=name) for parameter, name in zip(chosen.parameters, names, strict=True)]
    values = [pair for parameter, value in zip(labeled, arguments, strict=False) for pair in parts(parameter, value)]
    yield from read_arguments({item.name: value for item, value in values}, [item for item, _ in values])[0]


@contextmanager
def _path_of(source: str | Path) -> Iterator[Path]:
    """Yield the path of a source; a text is that of a file `kernel.cu`, as in messages."""
    if isinstance(source, Path):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        path = Path(folder).resolve() / "kernel.cu"
        path.write_text(source, encoding="utf-8", errors="surrogateescape")
        try:
            yield path
        except ShflbenchError as error:
            raise error.without_folder(path.parent) from error


def _source(source: str | PathLike[str]) -> str | Path:
    return source if isinstance(source, str) and is_text(source) else Path(source)


def _generator(source: object) -> str:
    """Return the package that compiles a kernel written in Python; empty for another value."""
    if numba_kernels.is_dispatcher(source):
        return "Numba"
    of_triton = (triton_kernels.is_compiled, triton_functions.is_function, triton_functions.is_tuner)
    return "Triton" if any(is_kernel(source) for is_kernel in of_triton) else ""


def _is_raw(source: object) -> bool:
    """Whether a value is a RawKernel of CuPy."""
    return type(source).__name__ == "RawKernel" and type(source).__module__.partition(".")[0] == "cupy"


def _raw_kernel(name: str, raw: Any) -> PythonKernel:  # noqa: ANN401  (CuPy is no dependency)
    if not raw.code:
        raise UsageError(
            f"kernel `{name}` is a RawKernel of a module, which does not keep its source",
            "Pass a pair of the source and the name of the kernel.",
        )
    defines = []
    for option in raw.options:
        if match := re.fullmatch(r"(?:-D|--define-macro=)(\w+(?:=.*)?)", option):
            defines.append(match[1])
        elif option not in USUAL_STANDARDS:
            raise UsageError(
                f"kernel `{name}` has the option `{option}`, which is not used here",
                "Make the RawKernel without it, with options=('-DNAME=VALUE',) only.",
            )
    return PythonKernel(name, raw.code, raw.name, tuple(defines))
