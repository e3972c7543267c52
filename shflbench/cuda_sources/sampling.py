"""Choose the instances of kernel templates to check, where a file has more than fit the time of one check."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.core.words import count_noun
from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.kernel_file import SourceNote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.kernel_file import SourceKernel

MOST_INSTANCES = 16  # of all templates of a file; each takes about half a second of a CPU
_SHOWN = 8  # of those that are not checked, in a note


def sample_instances(kernels: Sequence[SourceKernel]) -> tuple[list[SourceKernel], list[SourceNote]]:
    """Return the kernels of a file without most instances of its templates, if there are many, and a note on these.

    One instance of each template remains at least; those that remain have many different template arguments.
    """
    templates: dict[str, list[SourceKernel]] = defaultdict(list)
    for kernel in kernels:
        if "<" in kernel.name:
            templates[kernel.name.partition("<")[0]].append(kernel)
    total = sum(map(len, templates.values()))
    if total <= MOST_INSTANCES:
        return list(kernels), []
    ranked = [_by_new_arguments(instances) for instances in templates.values()]
    rounds = [order[place] for place in range(max(map(len, ranked))) for order in ranked if place < len(order)]
    count = max(MOST_INSTANCES, len(ranked))
    chosen = {kernel.symbol for kernel in rounds[:count]}
    kept = [kernel for kernel in kernels if "<" not in kernel.name or kernel.symbol in chosen]
    skipped = [kernel for kernel in kernels if "<" in kernel.name and kernel.symbol not in chosen]
    more = f" and {len(skipped) - _SHOWN} more" if len(skipped) > _SHOWN else ""
    names = ", ".join(f"`{kernel.name}`" for kernel in skipped[:_SHOWN])
    templates_text = count_noun(len(templates), "kernel template")
    text = (
        f"{count} of the {total} instances of {templates_text} are checked; not checked: {names}{more}; check all of "
        f"one template with --kernel {skipped[0].name.partition('<')[0]}"
    )
    return kept, [SourceNote("instances", text, skipped[0].place, tuple(kernel.symbol for kernel in skipped))]


def _by_new_arguments(instances: Sequence[SourceKernel]) -> list[SourceKernel]:
    """Return the instances in an order in which each next one has the most template arguments not seen before."""
    arguments = {kernel.symbol: set(enumerate(_arguments(kernel))) for kernel in instances}
    remaining, seen, order = list(instances), set[tuple[int, str]](), []
    while remaining:
        best = max(remaining, key=lambda kernel: len(arguments[kernel.symbol] - seen))
        remaining.remove(best)
        order.append(best)
        seen |= arguments[best.symbol]
    return order


def _arguments(kernel: SourceKernel) -> tuple[str, ...]:
    known = demangle(kernel.symbol)
    return (known.template_arguments or ()) if known is not None else ()
