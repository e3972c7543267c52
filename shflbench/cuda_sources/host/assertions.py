"""Assertions of host code, at which a program ends unless their conditions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.machine import HostStop
from shflbench.cuda_sources.host.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

_OF_C = "assert"
ASSERTIONS = frozenset({_OF_C, "TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_CHECK", "AT_ASSERT", "AT_ASSERTM"})
_DISABLED = "NDEBUG"  # the macro with which the one of C has no effect; those of PyTorch have it all the same


def assertion(run: HostRun, name: str, arguments: Sequence[Node]) -> Callable[[HostFrame], object]:
    """Return what `assert(condition)` does: it ends a run in which the condition is known to be false.

    A run that takes each branch goes on, and what it launches then is against a condition.
    """
    condition = run.condition(arguments[0])
    if name == _OF_C and run.program.macro(_DISABLED) is not None:
        return lambda frame: UNKNOWN  # noqa: ARG005

    def asserted(frame: HostFrame) -> object:
        if condition(frame) is not False:
            return UNKNOWN
        if not run.state.forced:
            raise HostStop
        run.state.against += 1
        return UNKNOWN

    return asserted
