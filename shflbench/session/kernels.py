"""Compile all kernels of a run, in parallel, and record what was compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import Kernel
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.launch_bounds import launch_bounds
from shflbench.cuda.compile.nvrtc import OPTIONS
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.session.events import Compiling
from shflbench.store.kernel_archive import BuiltKernel, BuiltLaterKernel, CompilerCall, KernelArchive

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from shflbench.core.model import Case
    from shflbench.cuda.compile.build import BuildRequest
    from shflbench.errors import KernelError
    from shflbench.patterns.declare import Pattern
    from shflbench.session.plan import Plan

KernelKey = tuple[str, str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class CompiledKernels:
    """The kernels of some cases."""

    kernels: Mapping[KernelKey, Kernel | KernelError]  # each kernel, or why there is none
    archive: KernelArchive
    problem: str  # trouble with the cache; empty if none


def key(case: Case, pattern: Pattern, arch: str) -> KernelKey:
    """Return the part of a case that determines its kernel: of the launch what the kernel is compiled for."""
    options = tuple(item for item in case.options if item[0] not in LAUNCH_OPTIONS)
    bounds = launch_bounds(pattern, case, arch)
    block = (("block", str(case.launch.block)),) if pattern.static_block or bounds else ()
    per_sm = (("blocks_per_sm", str(bounds.blocks)),) if bounds and bounds.blocks else ()
    return case.pattern, case.variant, case.dtype, options + block + per_sm


def compile_all(plan: Plan, cases: Sequence[Case]) -> Generator[Compiling, None, CompiledKernels]:
    """Compile the kernels of `cases`; yields the progress."""
    builder = Builder(plan.toolchain, plan.arch, plan.cache_folder)
    requests = {
        key(case, pattern.declaration, plan.arch): builder.request(pattern, case)
        for case in cases
        for pattern in (plan.patterns[case.pattern],)
    }
    kernels: dict[KernelKey, Kernel | KernelError] = {}
    for name, kernel in builder.build_all(requests):
        kernels[name] = kernel
        yield Compiling(len(kernels), len(requests))
    compiler = CompilerCall(plan.arch, plan.toolchain.version, OPTIONS)
    archive = KernelArchive.of(tuple(_built(plan, requests, kernels)), compiler)
    return CompiledKernels(kernels, archive, builder.cache.problem)


def _built(
    plan: Plan, requests: Mapping[KernelKey, BuildRequest], kernels: Mapping[KernelKey, Kernel | KernelError]
) -> Iterator[BuiltKernel]:
    """Yield each kernel with its source and with all cases of the run that use it."""
    cases: dict[KernelKey, list[str]] = {name: [] for name in kernels}
    for case in plan.suite.cases:
        name = key(case, plan.patterns[case.pattern].declaration, plan.arch)
        if name in cases:  # not those that an earlier run has
            cases[name].append(case.id)
    code: dict[bytes, Mapping[str, bytes]] = {}  # by cubin, which many kernels share
    for name, kernel in kernels.items():
        if not isinstance(kernel, Kernel):
            continue
        for item in (kernel, *kernel.later):
            if item.cubin not in code:
                code[item.cubin] = kernel_code(item.cubin)
        source = requests[name].source
        pattern, variant, dtype, options = name
        yield BuiltKernel(
            name="/".join((pattern, variant, dtype, *map("=".join, options))),
            cases=tuple(cases[name]),
            unit=source.name,
            text=source.text,
            headers=source.headers,
            expression=source.expression,
            kernel=kernel,
            code=code[kernel.cubin][kernel.symbol],
            later=tuple(
                BuiltLaterKernel(request.source.expression, item, code[item.cubin][item.symbol])
                for request, item in zip(requests[name].later, kernel.later, strict=True)
            ),
            options=source.options,
        )
