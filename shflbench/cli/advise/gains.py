"""The gain by shuffles in the kernels of a file: stored ratios of the exchange alone, and a prediction for all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shflbench.cli.file_arguments import file_flags
from shflbench.default_arch import DEFAULT_ARCH
from shflbench.grouping import group_by
from shflbench.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.advisor.exchange_alone import ExchangeAlone
    from shflbench.checker import ExchangeAdvice, KernelAdvice
    from shflbench.cli.console import Console
    from shflbench.kernel_bench.prospects import Prospect


@dataclass(frozen=True, slots=True)
class KernelGain:
    """What shuffles bring to one kernel."""

    alone: tuple[tuple[ExchangeAdvice, tuple[ExchangeAlone, ...]], ...]  # of each exchange that one shuffle can replace
    prospect: Prospect


def gains_of(advice: Sequence[KernelAdvice], flags: dict[str, Any], console: Console) -> dict[str, KernelGain]:
    """Return what shuffles bring to each kernel that exchanges values which one shuffle gives, by its symbol."""
    chosen = [item for item in advice if any(one.is_replaceable for one in item.exchanges)]
    if not chosen:
        return {}
    from shflbench.advisor.exchange_alone import StoredExchanges
    from shflbench.compile.toolchain import find
    from shflbench.kernel_bench.prospects import ExchangePlace, prospect_of

    stored = StoredExchanges(flags["results"], flags["gpu"], flags["arch"], of_gpu=not flags["measure"])
    device = stored.device
    place = ExchangePlace(find(), device.arch if device else flags["arch"] or DEFAULT_ARCH, device)
    gains = {}
    with console.progress():
        for item in chosen:
            exchanges = merge_loads([one for one in item.exchanges if one.is_replaceable])
            block = item.runs.launches[0].launch.shape.threads_per_block if item.runs else 1
            alone = tuple((one, stored.alone(one, block)) for one in exchanges)
            file = item.report.place.file
            options = replace(file_flags(flags).timed([item.report.choice]), cluster=None).options([file])
            gains[item.report.symbol] = KernelGain(alone, prospect_of(item, options, flags["arguments"], place))
    return gains


def merge_loads(exchanges: Sequence[ExchangeAdvice]) -> list[ExchangeAdvice]:
    """Return one exchange for each load, with what it reads of all stores: the steps of a tree have several."""
    of_loads = group_by(exchanges, lambda item: item.load).values()
    return [
        replace(
            items[0],
            relations=tuple(dict.fromkeys(relation for item in items for relation in item.relations)),
            distances=tuple(dict.fromkeys(distance for item in items for distance in item.distances)),
        )
        for items in of_loads
    ]


def gain_lines(gain: KernelGain) -> Iterator[str]:
    """Yield sentences on the exchanges alone, then on the kernel, which are never mixed."""
    by_ratio: dict[tuple[ExchangeAlone, ...], list[str]] = {}
    for exchange, alone in gain.alone:
        by_ratio.setdefault(alone, []).append(str(exchange.load.line))
    for alone, lines in by_ratio.items():
        where = f"line{'s' if len(set(lines)) > 1 else ''} {join_words(list(dict.fromkeys(lines)))}"
        yield from (f"the exchange of {where} alone: {_of_pattern(one)}" for one in alone)
        if not alone:
            yield f"the exchange of {where} alone: unknown; no results here are of its pattern"
    yield f"the kernel: {_of_kernel(gain.prospect)}"
    if memory := _of_memory(gain.prospect):
        yield memory


def _of_pattern(one: ExchangeAlone) -> str:
    ratio = one.speedup
    return (
        f"shfl runs at {ratio.value:.2f}× ({ratio.low:.2f} to {ratio.high:.2f}) the speed of smem in the pattern "
        f"{one.pattern.name} ({one.setting}) on {one.gpu}, measured in {one.run}"
    )


def _of_kernel(prospect: Prospect) -> str:
    if prospect.gain is None:
        return f"unknown; use --measure ({prospect.reason})"
    if prospect.gain > 1:
        now, later = prospect.limit_by, prospect.later_by
        limits = f"{now} limits it, also with shuffles" if now == later else f"{now} limits it now, {later} then"
        return f"predicted {prospect.gain:.1f}×: {limits}; --measure times it"
    return f"not worth it: {prospect.limit_by} limits the kernel (predicted)"


def _of_memory(prospect: Prospect) -> str:
    if not prospect.saved_bytes:
        return ""
    text = f"saves {prospect.saved_bytes:,} bytes of shared memory per block"
    before, after = prospect.occupancy, prospect.later_occupancy
    if before is None or after is None:
        return text
    if before.warps == after.warps:
        return f"{text}; {after.warps} of {after.of_warps} warps are resident per SM, as before"
    return f"{text}; {after.warps} instead of {before.warps} of {after.of_warps} warps are resident per SM"


def gain_record(gain: KernelGain) -> dict[str, object]:
    """Return what shuffles bring as a JSON object; what is predicted is under a key of its own."""
    prospect = gain.prospect
    before, after = prospect.occupancy, prospect.later_occupancy
    return {
        "alone": [
            {
                "load": exchange.load.line,
                "pattern": one.pattern.title,
                "setting": one.setting,
                "gpu": one.gpu,
                "run": one.run,
                "speedup": {"value": one.speedup.value, "low": one.speedup.low, "high": one.speedup.high},
            }
            for exchange, alone in gain.alone
            for one in alone
        ],
        "predicted": {
            "speedup": prospect.gain,
            "limited_by": prospect.limit_by or None,
            "later_limited_by": prospect.later_by or None,
            "unknown": prospect.reason,
            "saved_shared_bytes": prospect.saved_bytes,
            "resident_warps": before.warps if before else None,
            "later_resident_warps": after.warps if after else None,
        },
    }
