"""The advice on a file as SARIF notes at its lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import BarrierNeed, Level
from shflbench.cli.sarif import sarif_document, sarif_result
from shflbench.kernel_bench.file_advice_words import barrier_scope, exchange_scope, sources_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import KernelAdvice

BARRIERS = {  # need → rule, and what the barrier is
    BarrierNeed.WARP: ("weaker-barrier", "__syncwarp() is enough here"),
    BarrierNeed.NOTHING: ("unneeded-barrier", "this barrier is not needed"),
}


def as_sarif(advice: Sequence[KernelAdvice], origin: str) -> str:
    """Return the suggestions as one SARIF run; `origin` says where the launches come from."""
    return sarif_document([result for kernel in advice for result in _of_kernel(kernel, origin)])


def _of_kernel(kernel: KernelAdvice, origin: str) -> Iterator[dict[str, object]]:
    name = kernel.report.name
    steps = {item.load: item.instead for item in kernel.collectives}
    for one in kernel.exchanges:
        if one.instead:
            store = one.store.shown(Path.cwd())
            others = f"; all steps could be {' or '.join(steps[one.load])}" if one.load in steps else ""
            where = exchange_scope(kernel, origin)
            text = f"{name}: {where}, values that {store} stores come from {sources_of(one)}: could be {one.instead}"
            stored = (one.store, "where the values are stored")
            yield sarif_result("exchange", Level.NOTICE, f"{text}{others}.", one.load, stored)
    for barrier in kernel.barriers:
        if known := BARRIERS.get(barrier.need):
            rule, sentence = known
            text = f"{name}: {barrier_scope(kernel, origin)}, {sentence}."
            yield sarif_result(rule, Level.NOTICE, text, barrier.line)
