"""Pair the kernels of two versions of a file: those of one name, instances of one template, and a renamed kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import KernelCandidate

    Pair: TypeAlias = tuple[KernelCandidate, KernelCandidate]


def instance_pairs(old: Sequence[KernelCandidate], new: Sequence[KernelCandidate]) -> list[Pair]:
    """Return the pairs, in the order of the new kernels.

    Instances that only one version has, because an edit changed a template argument, go together in the order of their
    launches, if both versions have as many. A kernel goes with one of another name if no other kernel of either version
    that is left has these parameters.
    """
    known = {kernel.name: kernel for kernel in old}
    overloads = {(kernel.name, kernel.symbols): kernel for kernel in old}
    partners = {
        kernel: overloads.get((kernel.name, kernel.symbols), known[kernel.name])
        for kernel in new
        if kernel.name in known
    }
    names = {kernel.name for kernel in new}
    before = group_by(sorted((item for item in old if item.name not in names), key=_order), _template)
    after = group_by(sorted((item for item in new if item.name not in known), key=_order), _template)
    for template, instances in after.items():
        if template and len(instances) == len(before.get(template, ())):
            partners |= dict(zip(instances, before[template], strict=True))
    unpaired = group_by((item for item in old if item not in partners.values()), _parameters)
    for parameters, alone in group_by((item for item in new if item not in partners), _parameters).items():
        if len(alone) == len(unpaired.get(parameters, ())) == 1:
            partners[alone[0]] = unpaired[parameters][0]
    return [(partners[kernel], kernel) for kernel in new if kernel in partners]


def _template(kernel: KernelCandidate) -> tuple[str, ...]:
    """Return the names of the templates of an instance, or of a sequence with instances; empty for other kernels."""
    return tuple(name.partition("<")[0] for name in kernel.kernels) if "<" in kernel.name else ()


def _parameters(kernel: KernelCandidate) -> tuple[object, ...]:
    """Return the parameters of a kernel, or of each kernel of a sequence."""
    return len(kernel.kernels), kernel.signature


def _order(kernel: KernelCandidate) -> tuple[int, list[tuple[int, str]]]:
    """Return the line that first launches an instance, and its arguments, numbers by their values."""
    arguments = kernel.name.partition("<")[2].rstrip(">").split(",")
    return kernel.line, [(int(word[0]) if (word := re.findall(r"^ *(\d+)", text)) else 0, text) for text in arguments]
