"""Say what of later launches in the host code is not compared: bench takes the arguments of the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.user_kernels.pattern_values import number_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker import LaterArgument
    from shflbench.user_kernels.comparison import ComparedKernel, KernelComparison


def later_launches(comparison: KernelComparison) -> Iterator[str]:
    """Yield what is not compared, as noun phrases."""
    passed = (text for kernel in comparison.kernels for text in _passed(kernel))
    yield from (f"results of later launches, {text}" for text in dict.fromkeys(passed))
    kept = comparison.named(kernel.candidate.kept for kernel in comparison.kernels)
    changed = [item for item in comparison.first.buffers if item.name in kept and not item.variable]
    if names := [f"`{item.name}`" for item in changed if comparison.use(item) is BufferUse.CHANGED]:
        yield f"results of later launches, before which bench sets {', '.join(names)} again, and the host code does not"


def _passed(kernel: ComparedKernel) -> Iterator[str]:
    """Yield what the host code passes to later launches of a kernel, unless bench times one with it."""
    timed: dict[str, set[float]] = {}
    for launch in kernel.launches:
        for number in launch.numbers:
            timed.setdefault(number.name, set()).add(number_value(number)[0])
    for item in kernel.candidate.later_arguments:
        if item.value is None or item.value not in timed.get(item.name, ()):
            yield f"{_clause(kernel, item)} (line {item.line})"


def _clause(kernel: ComparedKernel, item: LaterArgument) -> str:
    name = kernel.names.get(item.name, item.name)
    if item.value is not None:
        return f"for which the host code passes `{name}` = {item.value:g}"
    if item.other:
        return f"for which the host code passes the buffer of `{kernel.names.get(item.other, item.other)}` as `{name}`"
    return f"before which the host code changes `{name}`"
