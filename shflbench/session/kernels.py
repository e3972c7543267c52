"""Compile all kernels of a run, several at a time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

from shflbench.compile.build import Builder
from shflbench.errors import KernelError
from shflbench.session.events import Compiling

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from shflbench.model import Case, Kernel
    from shflbench.session.plan import Plan

KernelKey = tuple[str, str, str, tuple[tuple[str, str], ...]]


def key(case: Case) -> KernelKey:
    """Return what distinguishes the kernels of cases: launches and iterations do not."""
    return (case.pattern, case.variant, case.dtype, case.options)


def compile_all(
    plan: Plan, cases: Sequence[Case]
) -> Generator[Compiling, None, tuple[dict[KernelKey, Kernel | KernelError], str]]:
    """Compile the kernels of `cases`; return each kernel, or why there is none, and any trouble with the cache."""
    builder = Builder(plan.toolchain, plan.arch, plan.cache_folder)
    wanted = {key(case): case for case in cases}
    kernels: dict[KernelKey, Kernel | KernelError] = {}
    # NVRTC and nvdisasm work outside the interpreter's lock, so threads are enough.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(builder.build, plan.patterns[case.pattern], case): name for name, case in wanted.items()}
        try:
            for done, future in enumerate(as_completed(running), 1):
                try:
                    kernels[running[future]] = future.result()
                except KernelError as error:
                    kernels[running[future]] = error
                yield Compiling(done, len(running))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return kernels, builder.cache.problem
