"""`shflbench.check`: any kernel that Python can name, with the arrays and numbers of a launch."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.checker.file_check import check_kernels
from shflbench.checker.file_reading import read_file
from shflbench.checker.linked_file import failed_file
from shflbench.checker.options import CheckLimits, FileOptions, LaunchOptions
from shflbench.checker.python import numba_kernels, texts, triton_functions, triton_kernels
from shflbench.checker.python.named_launch import cluster_dims, launch_shape
from shflbench.checker.python.reporting import check_result
from shflbench.checker.python.results import CheckResult
from shflbench.checker.report_objects import check_document
from shflbench.checker.verdict import KernelVerdict
from shflbench.core.arguments import LIMIT_ARGUMENTS
from shflbench.core.bounds import BUDGET, MILLION, TIME_LIMIT_S
from shflbench.cuda_sources.generators import target_of
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError, KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.python.named_launch import Extent, LaunchLike
    from shflbench.checker.python.prepared import Arguments, PreparedKernel
    from shflbench.checker.python.triton_kernels import Grid
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import KernelFile

CUDA_ARCH = "sm_90"
PYTHON_ARCH = "sm_80"  # of kernels that Triton and Numba compile for a check: for sm_90 `tl.dot` cannot be emulated
NO_SOURCE = "Pass PTX, CUDA C++, the path of either, a kernel of Triton, or a kernel of Numba."


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The arguments of `shflbench.check` besides the source."""

    kernel: str | None = None
    launch: LaunchLike | None = None
    args: Arguments = None
    grid: Grid | None = None
    arch: str | None = None  # to compile for; None: as the kind of the kernel needs
    shared_bytes: int | None = None
    compile: CompileOptions = field(default_factory=CompileOptions)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    cluster: Extent | None = None
    budget: float = BUDGET  # million instructions
    time_limit: float = TIME_LIMIT_S  # seconds

    @property
    def shape(self) -> LaunchShape | None:
        """The launch, None if it is to be chosen; UsageError for a grid without a block."""
        if self.grid is not None:
            raise UsageError("grid=… is for kernels of Triton, whose blocks are known", "Pass launch=(grid, block).")
        return None if self.launch is None else launch_shape(self.launch)


def check(source: object, request: CheckRequest) -> CheckResult:
    """Check one kernel.

    Raises UsageError if arguments do not fit it, InputError if a file cannot be read, and CompilerError if there is no
    compiler for it.
    """
    cluster = cluster_dims(request.cluster)
    work = MILLION * request.budget
    limits = FileOptions(limits=CheckLimits(work, time_limit_s=request.time_limit, options=LIMIT_ARGUMENTS)).begun()
    try:
        prepared = _prepared(source, request, limits)
    except CompileError as error:
        return _failed(source, request, KernelVerdict.NOT_COMPILED, error)
    except KernelError as error:
        return _failed(source, request, KernelVerdict.NOT_CHECKED, error)
    return check_prepared(prepared, limits, cluster, request.seed)


def check_prepared(
    prepared: PreparedKernel, limits: FileOptions, cluster: Dims | None = None, seed: int = 0
) -> CheckResult:
    """Check a kernel that was read, within limits that have begun; UsageError if arguments do not fit it."""
    given = LaunchOptions(
        launches=(prepared.shape,) if prepared.shape else (),
        arguments=prepared.arguments,
        shared_bytes=prepared.shared_bytes,
        cluster=cluster,
        seed=seed,
    )
    compiled = CompileOptions(target_of(prepared.file.ptx))
    options = replace(limits, kernels=(prepared.symbol,), compile=compiled, given=given)
    return check_result(check_kernels(prepared.file, options), prepared, seed)


def _prepared(
    source: Any,  # noqa: ANN401  (of packages that may be missing)
    request: CheckRequest,
    limits: FileOptions,
) -> PreparedKernel:
    if isinstance(source, str | os.PathLike):
        file = _file(source, request, limits)
        return texts.prepare(file, request.kernel, request.args, request.shape, request.shared_bytes)
    if triton_kernels.is_compiled(source):
        return _of_triton(source, request)
    if triton_functions.is_function(source):
        arch = 10 * _capability(request)[0] + _capability(request)[1]
        return _of_triton(triton_functions.compile_function(source, request.args, arch, request.options), request)
    if triton_functions.is_tuner(source):
        raise UsageError(
            f"{type(source).__name__} chooses among several kernels",
            "Pass its function, source.fn, and the constants of one configuration in args.",
        )
    if numba_kernels.is_dispatcher(source):
        ptx = numba_kernels.compile_kernel(source, request.args, _capability(request))
        prepared = numba_kernels.prepare(ptx, request.args, names=numba_kernels.names(source))
        return replace(prepared, shape=request.shape, shared_bytes=request.shared_bytes)
    raise UsageError(f"a {type(source).__name__} is no kernel", NO_SOURCE)


def _file(source: str | os.PathLike[str], request: CheckRequest, limits: FileOptions) -> KernelFile:
    nvcc, toolchain = texts.compilers()
    options = replace(
        limits,
        kernels=(request.kernel,) if request.kernel else (),
        compile=replace(request.compile, arch=request.arch or CUDA_ARCH),
        compilers=Compilers(toolchain, nvcc),
    )
    if isinstance(source, str) and texts.is_text(source):
        return texts.read_text(source, options)
    return read_file(Path(source), options)


def _of_triton(kernel: Any, request: CheckRequest) -> PreparedKernel:  # noqa: ANN401
    if request.launch is not None:
        raise UsageError("a kernel of Triton knows its number of threads", "Pass grid=… instead of launch=….")
    return triton_kernels.prepare(kernel, request.grid, request.args)


def _capability(request: CheckRequest) -> tuple[int, int]:
    """Return the compute capability to compile a kernel of Python for."""
    arch = request.arch or PYTHON_ARCH
    match = re.fullmatch(r"sm_([0-9]+)([0-9])", arch)
    if match is None:
        raise UsageError(f"arch {arch!r} is not an architecture", 'Write it as "sm_80".')
    return int(match[1]), int(match[2])


def _failed(source: object, request: CheckRequest, verdict: KernelVerdict, error: KernelError) -> CheckResult:
    """Return the result for a source without a kernel that can be checked."""
    if isinstance(source, str) and texts.is_text(source):
        name, path = "the source", texts.shown_path(source)
    else:
        is_path = isinstance(source, str | os.PathLike)
        name = str(source) if is_path else getattr(source, "__name__", type(source).__name__)
        path = Path(name)
    arch = request.arch or (CUDA_ARCH if isinstance(source, str | os.PathLike) else PYTHON_ARCH)
    report = failed_file(path, FileOptions(compile=CompileOptions(arch=arch)), verdict, error.message)
    sentence = f"{error.message}. {error.advice}".rstrip(". ")
    return CheckResult(name, verdict, sentence, document=check_document([report], arch, request.seed))
