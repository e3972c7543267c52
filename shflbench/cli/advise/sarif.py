"""The advice on a file as SARIF notes at its lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.advice.files.file_advice_words import barrier_scope, exchange_scope, sources_of
from shflbench.advice.files.gain_words import gain_text, limit_sentence, worth_title
from shflbench.checker import BarrierNeed, Level
from shflbench.cli.sarif import sarif_document, sarif_result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.advice.files.file_gains import KernelGain
    from shflbench.checker import BarrierAdvice, ExchangeAdvice, KernelAdvice

BARRIERS = {  # need → rule, and what the barrier is
    BarrierNeed.WARP: ("weaker-barrier", "__syncwarp() is enough here"),
    BarrierNeed.NOTHING: ("unneeded-barrier", "this barrier is not needed"),
}


def as_sarif(advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain], origin: str) -> str:
    """Return the suggestions as one SARIF run, with their gains; `origin` says where the launches come from."""
    results = [result for kernel in advice for result in _of_kernel(kernel, gains.get(kernel.report.symbol), origin)]
    return sarif_document(results)


def _of_kernel(kernel: KernelAdvice, gain: KernelGain | None, origin: str) -> Iterator[dict[str, object]]:
    name = kernel.report.name
    worth = Worth.of(gain)
    steps = {item.load: item.instead for item in kernel.collectives}
    for one in kernel.exchanges:
        if one.instead:
            store = one.store.shown(Path.cwd())
            others = f"; all steps could be {' or '.join(steps[one.load])}" if one.load in steps else ""
            where = exchange_scope(kernel, origin)
            text = f"{name}: {where}, values that {store} stores come from {sources_of(one)}: could be {one.instead}"
            stored = (one.store, "where the values are stored")
            worth_it = worth.of_exchange(one)
            yield sarif_result("exchange", Level.NOTICE, f"{text}{others}.{worth_it}", one.load, stored)
    for barrier in kernel.barriers:
        if known := BARRIERS.get(barrier.need):
            rule, sentence = known
            scope = f" ({barrier.reason})" if barrier.reason else ""
            text = f"{name}: {barrier_scope(kernel, origin)}, {sentence}{scope}.{worth.of_barrier(barrier)}"
            yield sarif_result(rule, Level.NOTICE, text, barrier.line)
    if gain and gain.prospect.limits:
        limits = gain.prospect.limits
        text = f"{name}: {worth_title(limits)}: {limit_sentence(limits)}."
        yield sarif_result("kernel-limit", Level.NOTICE, text, kernel.report.place)


@dataclass(frozen=True, slots=True)
class Worth:
    """What each change of a kernel brings, as a sentence that begins with a space; empty where it is not known."""

    exchanges: Mapping[ExchangeAdvice, str]
    barriers: Mapping[BarrierAdvice, str]

    @classmethod
    def of(cls, gain: KernelGain | None) -> Worth:
        """Return the sentences of a kernel."""
        if gain is None:
            return cls({}, {})
        prospect = gain.prospect
        return cls(
            {item: f" Worth it? {gain_text(one, prospect)}." for item, one in prospect.exchanges},
            {item: f" Worth it? {gain_text(one, prospect)}." for item, one in prospect.barriers},
        )

    def of_exchange(self, item: ExchangeAdvice) -> str:
        """Return what a shuffle brings."""
        return self.exchanges.get(item, "")

    def of_barrier(self, item: BarrierAdvice) -> str:
        """Return what a weaker barrier brings."""
        return self.barriers.get(item, "")
