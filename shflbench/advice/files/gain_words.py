"""Whether changes of a kernel are worth it, in sentences; what is predicted says so, and is never mixed with times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.files.predicted_limits import (
    EXCHANGE_WAITS,
    LATENCY,
    MEMORY_WAITS,
    OVERHEAD,
    PARTIAL_STORES,
    WAITS,
)
from shflbench.analysis.limits import ISSUE, ExecutionUnit
from shflbench.analysis.limits.bound import LOAD_STORE
from shflbench.analysis.limits.one_pass import ATOMIC, BLOCK_START, DRAM, L2
from shflbench.checker import BarrierNeed
from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from shflbench.advice.exchange_alone import ExchangeAlone
    from shflbench.advice.files.file_gains import KernelGain
    from shflbench.advice.files.predicted_limits import LaunchLimits
    from shflbench.advice.files.prospects import PredictedGain, Prospect
    from shflbench.cuda_sources import SourceLine

UNITS = {  # what limits a kernel, as a subject
    DRAM: "memory",
    L2: "the L2 cache",
    ExecutionUnit.EXCHANGE: "the path of shared memory and shuffles",
    ExecutionUnit.BARRIER: "the unit of barriers",
    LOAD_STORE: "the load/store unit",
    ISSUE: "the issue of instructions",
    ATOMIC: "the order of atomics on one address",
    BLOCK_START: "the start of blocks",
    OVERHEAD: "the launch overhead",
    LATENCY: "latency",
    MEMORY_WAITS: "the latency of memory",
    EXCHANGE_WAITS: "the latency of the exchanges",
    PARTIAL_STORES: "the writing of parts of sectors",
}
ROWS = {  # likewise, as a row of a table
    DRAM: "memory",
    L2: "L2 cache",
    ExecutionUnit.EXCHANGE: "shared memory and shuffles",
    ExecutionUnit.BARRIER: "barriers",
    LOAD_STORE: "load/store unit",
    ISSUE: "issue of instructions",
    ATOMIC: "atomics on one address",
    BLOCK_START: "start of blocks",
    MEMORY_WAITS: "latency of memory and exchanges",
    EXCHANGE_WAITS: "latency of exchanges and memory",
    PARTIAL_STORES: "stores to parts of sectors",
}
ALWAYS = frozenset({DRAM, L2, ExecutionUnit.EXCHANGE, ExecutionUnit.BARRIER, ISSUE, ATOMIC})  # shown if at all used
LEAST_SHOWN = 0.05  # of the time of the slowest unit: others below it are not shown
MOST_NEAR = 2  # units that do not hide behind the slowest one, of which a sentence has figures
NEAR = 0.7  # likewise: a unit that does not hide behind the slowest one
SMALL_FACTOR = 1.2  # ratios below it have another decimal
MOST_US = 1000.0  # of a time with decimals
BYTES_PER_US = 1e6  # of 1 TB/s


def unit_words(name: str) -> str:
    """Return what limits a kernel, in words."""
    return UNITS.get(name, f"the unit of {name} instructions")


def worth_title(limits: LaunchLimits) -> str:
    """Return what a section on a kernel is about."""
    return f"predicted for launch {limits.launch} on an {limits.gpu.title}, from {limits.basis}"


def limit_rows(limits: LaunchLimits) -> list[tuple[str, str, str]]:
    """Return name, time and share of each unit, the slowest first."""
    shown = {name: us for name, us in limits.parts.items() if name in ALWAYS or limits.share(name) >= LEAST_SHOWN}
    ordered = sorted(shown, key=lambda name: -shown[name])
    return [(row_words(name), us_text(shown[name]), share_text(limits, name)) for name in ordered]


def share_text(limits: LaunchLimits, name: str) -> str:
    """Return the share of a unit in the time of the slowest one: `6%`."""
    return f"{limits.share(name):.0%}"


def limit_sentence(limits: LaunchLimits) -> str:
    """Return what limits a kernel, with figures."""
    if limits.by == OVERHEAD and not limits.is_small:
        return (
            f"the launch overhead, about {us_text(limits.gpu.overhead_us)}, is more than the work, "
            f"of which the most is {row_words(limits.unit)}: {_part_figures(limits, limits.unit)}"
        )
    if limits.depends_on_waits:
        return _of_few_warps(limits)
    if limits.unknown:
        return f"unknown: {limits.unknown}; at least, {_unit_sentence(limits)}"
    return _unit_sentence(limits)


def _of_few_warps(limits: LaunchLimits) -> str:
    of = f" of {limits.of_warps}" if limits.of_warps else ""
    why = f"{join_words(limits.limited_by)} allow no more blocks" if limits.limited_by else "the launch is small"
    small = f"{why}: an SM executes {limits.warps:.0f}{of} warps at a time, which do not hide latencies"
    waits = limits.waits
    if waits is None or limits.waits_us is None:
        return small
    if limits.by == OVERHEAD:
        return (
            f"{small}; the launch overhead, about {us_text(limits.gpu.overhead_us)}, is more than the work: "
            f"at most {us_text(limits.waits_us)} if each wait of a warp follows the one before"
        )
    named = {"global memory": waits.memory, "shared memory": waits.shared, "barriers": waits.barriers}
    named |= {"shuffles": waits.shuffles}
    shares = [f"{share / waits.clocks:.0%} for {name}" for name, share in named.items() if share]
    return (
        f"{small}: latency decides; its waits take at most {us_text(limits.waits_us)} if each follows the one before, "
        f"{join_words(shares)}; the slowest unit, {row_words(limits.unit)}, needs {us_text(limits.work_us)}"
    )


def _unit_sentence(limits: LaunchLimits) -> str:
    """Return the sentence on the slowest unit, and on memory and exchanges if these are others."""
    ordered = sorted(limits.parts, key=lambda name: -limits.parts[name])
    first, moved = f"{unit_words(ordered[0])} limits it: {_part_figures(limits, ordered[0])}", limits.moved
    near = [name for name in ordered[1:] if limits.share(name) >= NEAR]
    near = sorted(near, key=lambda name: name not in {DRAM, L2})[:MOST_NEAR]
    next_ = [f"near to it: {row_words(name)}, {_part_figures(limits, name)}" for name in near]
    exchanging = (ExecutionUnit.EXCHANGE, ExecutionUnit.BARRIER)
    hidden: list[str] = [name for name in exchanging if 0 < limits.share(name) < NEAR]
    if moved and moved.by in limits.parts and moved.by != ordered[0] and moved.by not in near:
        hidden.insert(0, moved.by)
    texts = [f"{ROWS[name]} {us_text(limits.parts[name])}" for name in hidden]
    behind = [f"hidden behind it: {join_words(texts)}"] if texts else []
    return "; ".join([first, *next_, *behind])


def row_words(name: str) -> str:
    """Return a unit as a row of a table names it."""
    return ROWS.get(name, f"{name} instructions")


def _part_figures(limits: LaunchLimits, name: str) -> str:
    """Return the time of a unit with what it comes from."""
    figures: dict[str, Callable[[LaunchLimits], str]] = {
        DRAM: _of_memory,
        L2: _of_memory,
        MEMORY_WAITS: _of_rounds,
        EXCHANGE_WAITS: _of_rounds,
        BLOCK_START: _of_starts,
        ATOMIC: _of_atomics,
        PARTIAL_STORES: _of_partial_stores,
        ExecutionUnit.EXCHANGE: _of_shared_memory,
    }
    return figures[name](limits) if name in figures else us_text(limits.parts[name])


def _of_memory(limits: LaunchLimits) -> str:
    moved = limits.moved
    assert moved is not None  # noqa: S101  (there is a part of it)
    cached = "all of it fits in" if moved.by == L2 else "more than fits in"
    kind = "which it reaches" if moved.is_measured else "as documented"
    return (
        f"{size_text(moved.total_bytes)} ({size_text(moved.read_bytes)} read, {size_text(moved.written_bytes)} written)"
        f" at {moved.bytes_per_us / BYTES_PER_US:.2f} TB/s, {kind}, take {us_text(moved.us)} "
        f"({cached} the L2 cache of {size_text(moved.l2_bytes)}){_of_sectors(limits)}"
    )


def _of_sectors(limits: LaunchLimits) -> str:
    """Return which line touches more sectors than its data fills; empty if none does."""
    if not limits.uncoalesced:
        return ""
    worst = limits.uncoalesced[0]
    return (
        f"; a request of a warp in line {worst.access.line} touches {worst.per_request:.0f} sectors of 32 bytes, "
        f"and its data fills {worst.least:.0f}"
    )


def _of_rounds(limits: LaunchLimits) -> str:
    us = next(limits.parts[name] for name in WAITS if name in limits.parts)
    rounds = max(1.0, limits.rounds)
    times = f"follow one another {rounds:,.0f} times, and " if rounds > 1 else ""
    per_round = f", {us_text(us / rounds)} each time" if rounds > 1 else ""
    return (
        f"the blocks that are resident at a time {times}wait for a load from memory and for their exchanges, "
        f"which takes {us_text(us)}{per_round}"
    )


def _of_partial_stores(limits: LaunchLimits) -> str:
    return f"{us_text(limits.parts[PARTIAL_STORES])}{_of_sectors(limits)}"


def _of_starts(limits: LaunchLimits) -> str:
    return f"{limits.grid:,} blocks take {us_text(limits.parts[BLOCK_START])} to start"


def _of_atomics(limits: LaunchLimits) -> str:
    return f"{limits.atomics:,.0f} atomic operations on it take {us_text(limits.parts[ATOMIC])}"


def _of_shared_memory(limits: LaunchLimits) -> str:
    text = us_text(limits.parts[ExecutionUnit.EXCHANGE])
    if limits.conflicts:
        worst = limits.conflicts[0]
        where = f"line {worst.access.line}" if worst.access.file else "a line without number"
        return f"{text}, with {worst.per_request / worst.least:.0f}-way bank conflicts in {where}"
    if limits.shared_atomics:
        one = max(limits.shared_atomics, key=lambda item: item.requests * (item.same_address or 0))
        return f"{text}; atomics of line {one.line} follow one another: {one.same_address:.1f} lanes add to one word"
    return text


def change_lines(prospect: Prospect, file: Path) -> Iterator[str]:
    """Yield for each change that is suggested whether it is worth it, then for all together; `file` has the kernel."""
    for exchange, gain in prospect.exchanges:
        lines = list(dict.fromkeys(_line(line, file) for line in (exchange.store, exchange.load)))
        where = f"line{'s' if len(lines) > 1 else ''} {' to '.join(lines)}"
        yield f"{where}, {exchange.instead}: {gain_text(gain, prospect)}"
    for barrier, gain in prospect.barriers:
        instead = "__syncwarp()" if barrier.need is BarrierNeed.WARP else "without the barrier"
        yield f"line {_line(barrier.line, file)}, {instead}: {gain_text(gain, prospect)}"
    if len(prospect.exchanges) + len(prospect.barriers) > 1:
        yield f"all of these: {gain_text(prospect.together, prospect)}"


def _line(line: SourceLine, file: Path) -> str:
    return str(line.line) if line.file == file else f"{line.line} of {line.file.name}"


def gain_text(gain: PredictedGain, prospect: Prospect) -> str:
    """Return what a change brings: a factor, nothing, or that nobody knows."""
    limits = prospect.limits
    if gain.value is None or limits is None:
        return f"unknown; use --measure ({gain.reason})"
    if gain.value > 1:
        now, later = unit_words(gain.by), unit_words(gain.later_by)
        what = f"{now} limits it, also then" if gain.by == gain.later_by else f"{now} limits it now, {later} then"
        return f"predicted {_factor(gain.value)}×: {what}; --measure times it"
    if gain.at_most is not None:
        return f"nothing to gain: {unit_words(gain.by)} decides (predicted at most {gain.at_most:.2f}×)"
    if gain.by == OVERHEAD:
        return f"nothing to gain: {unit_words(OVERHEAD)} decides (predicted)"
    moved = limits.moved
    if moved and gain.by == moved.by:
        rates = [rate / BYTES_PER_US for rate in (moved.total_bytes / limits.predicted_us, moved.bytes_per_us)]
        return f"nothing to gain: limited by {unit_words(gain.by)} (predicted {rates[0]:.2f} of {rates[1]:.2f} TB/s)"
    return f"nothing to gain: limited by {unit_words(gain.by)} (predicted {us_text(limits.work_us)})"


def _factor(value: float) -> str:
    """Return a ratio: `1.07`, `2.3`."""
    return f"{value:.2f}" if value < SMALL_FACTOR else f"{value:.1f}"


def alone_lines(gain: KernelGain) -> Iterator[str]:
    """Yield what stored results say of the exchanges alone, which is measured."""
    by_ratio: dict[tuple[ExchangeAlone, ...], list[str]] = {}
    for exchange, alone in gain.alone:
        by_ratio.setdefault(alone, []).append(str(exchange.load.line))
    for alone, lines in by_ratio.items():
        where = f"line{'s' if len(set(lines)) > 1 else ''} {join_words(list(dict.fromkeys(lines)))}"
        yield from (f"the exchange of {where} alone: {_of_pattern(one)}" for one in alone)
        if not alone:
            yield f"the exchange of {where} alone: unknown; no results here are of its pattern"


def _of_pattern(one: ExchangeAlone) -> str:
    ratio = one.speedup
    return (
        f"shfl runs at {ratio.value:.2f}× ({ratio.low:.2f} to {ratio.high:.2f}) the speed of smem in the pattern "
        f"{one.pattern.name} ({one.setting}) on {one.gpu}, measured in {one.run}"
    )


def memory_line(prospect: Prospect) -> str:
    """Return the shared memory that shuffles save, and the warps that are resident then; empty if they save none."""
    if not prospect.saved_bytes:
        return ""
    text = f"saves {prospect.saved_bytes:,} bytes of shared memory per block"
    before, after = prospect.occupancy, prospect.later_occupancy
    if before is None or after is None:
        return text
    if before.warps == after.warps:
        return f"{text}; {after.warps} of {after.of_warps} warps are resident per SM, as before"
    return f"{text}; {after.warps} instead of {before.warps} of {after.of_warps} warps are resident per SM"


def us_text(us: float) -> str:
    """Return a time: `0.31 µs`, `136 µs`, `3,100 µs`."""
    return f"{us:,.0f} µs" if us >= MOST_US else f"{us:.3g} µs"


def size_text(number: float) -> str:
    """Return a number of bytes: `512 bytes`, `4.2 KB`, `268 MB`."""
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number:.0f} bytes"


def worth_lines(gain: KernelGain, file: Path) -> Sequence[str]:
    """Return the sentences of the section on a kernel of a file, but for the table of its limits."""
    limits = gain.prospect.limits
    first = [limit_sentence(limits)] if limits else [f"unknown: {gain.prospect.reason}"]
    return [*first, *change_lines(gain.prospect, file), *alone_lines(gain), *filter(None, [memory_line(gain.prospect)])]
