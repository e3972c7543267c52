"""Compile all kernels of a run, in parallel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.compile.build import Builder
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.session.events import Compiling

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from shflbench.errors import KernelError
    from shflbench.model import Case, Kernel
    from shflbench.session.plan import Plan

KernelKey = tuple[str, str, str, tuple[tuple[str, str], ...]]


def key(case: Case) -> KernelKey:
    """Return the part of a case that determines its kernel: all but the launch."""
    return (
        case.pattern,
        case.variant,
        case.dtype,
        tuple(item for item in case.options if item[0] not in LAUNCH_OPTIONS),
    )


def compile_all(
    plan: Plan, cases: Sequence[Case]
) -> Generator[Compiling, None, tuple[dict[KernelKey, Kernel | KernelError], str]]:
    """Compile the kernels of `cases`; return each kernel or its error, and the problem of the cache, if any."""
    builder = Builder(plan.toolchain, plan.arch, plan.cache_folder)
    requests = {key(case): builder.request(plan.patterns[case.pattern], case) for case in cases}
    kernels: dict[KernelKey, Kernel | KernelError] = {}
    for name, kernel in builder.build_all(requests):
        kernels[name] = kernel
        yield Compiling(len(kernels), len(requests))
    return kernels, builder.cache.problem
