"""Word the comparison of two kernels that do the same work: times, limits, and what they do differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.files.gain_words import NEAR, row_words, size_text, unit_words, us_text
from shflbench.advice.files.kernel_pairs import SAME_AMOUNT, Amount, ExpectedOrder, about_equal
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
from shflbench.core.words import join_words
from shflbench.kernel_facts.launch_results import ResultRelation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shflbench.advice.files.kernel_pairs import AdvisedPair, ComparedLaunch
    from shflbench.analysis.limits.access_findings import AccessFinding

LEAST_HIDDEN = 0.02  # of the time of the slowest unit: a difference of another unit that is worth a word
MOST_HIDDEN = 3  # units, of which a sentence has figures
LEAST_SECTORS = 1.5  # times as many sectors per request: other coalescing
THOUSAND, MILLION = 1e3, 1e6
EXACT = 1e7  # numbers below it have all digits

_SAME = "leave the same results for the contents that were tried"
RESULTS = {
    ResultRelation.EQUAL: _SAME,
    ResultRelation.EQUAL_WHERE_COUNTED: f"{_SAME}, where these were compared",
    ResultRelation.UNKNOWN: "write about as many bytes; their results were not compared",
}
REMEDIES: Mapping[str, str] = {  # what makes a kernel faster, by what limits it
    DRAM: "fewer bytes: narrower types, or fused kernels",
    L2: "fewer bytes to and from the L2 cache: narrower types, full sectors, fewer atomics, or fused kernels",
    ExecutionUnit.EXCHANGE: "fewer passes through shared memory: values in registers, or a layout without conflicts",
    ExecutionUnit.BARRIER: "fewer barriers: several elements per thread, and shuffles in the steps of one warp",
    LOAD_STORE: "fewer requests: values that are used again in registers, or wider loads",
    ISSUE: "fewer instructions per result",
    ATOMIC: "fewer atomics on one address: more elements per block before it adds to global memory",
    BLOCK_START: "fewer blocks, with several elements per thread",
    PARTIAL_STORES: "stores that fill their sectors",
    MEMORY_WAITS: "several independent loads per thread, in fewer blocks",
    EXCHANGE_WAITS: "fewer steps that wait for one another, and several elements per thread",
    OVERHEAD: "fewer, larger launches, or a graph",
    LATENCY: "more warps per SM, and loads that do not wait for one another",
}


def pair_sentence(pair: AdvisedPair) -> str:
    """Return the comparison of two kernels as one paragraph."""
    sentences = (_head(pair), _times(pair), _limits(pair), *_reasons(pair), _hidden(pair), _remedy(pair))
    names = pair.first.name, pair.second.name
    texts = (text if text.startswith(names) else f"{text[0].upper()}{text[1:]}" for text in sentences if text)
    return " ".join(f"{text}." for text in texts)


def reasons_of(pair: AdvisedPair) -> list[str]:
    """Return what the kernels do differently, one sentence each."""
    return [*_reasons(pair), *filter(None, [_hidden(pair)])]


def _head(pair: AdvisedPair) -> str:
    first, second = pair.first, pair.second
    launches = dict.fromkeys(str(item.limits.launch) for item in (first, second))
    where = f"in launch{'es' if len(launches) > 1 else ''} {join_words([*launches])}"
    return f"{first.name} and {second.name}, {where}, get the same buffers, and {RESULTS[pair.results]}"


def _times(pair: AdvisedPair) -> str:
    first, second = pair.first, pair.second
    gpu = first.limits.gpu
    for launch in (first, second):
        if launch.limits.unknown:
            return f"which one is faster is not known: {launch.limits.unknown}, in {launch.name}"
    if first.us is None or second.us is None:
        return "which one is faster is not known: latency decides, of which the figures are not known"
    us = f"{us_text(first.us)} and {us_text(second.us)} per launch"
    basis = f"modeled for an {gpu.title}, {us_text(gpu.overhead_us)} of it the launch itself"
    if LATENCY in {first.limits.by, second.limits.by}:
        bound = f"at most {us} if each wait of a warp follows the one before ({basis})"
        return f"which one is faster is not known, because latency decides: {bound}"
    if pair.depends_on_waits:
        bound = f"at least {us} ({basis})"
        return f"which one is faster is not known, because some SMs have no block, and latency may decide: {bound}"
    if pair.order is ExpectedOrder.SAME:
        return f"expect about the same time: {us} ({basis})"
    return f"expect {pair.slower.name} to take {pair.ratio:.2g}× the time of {pair.faster.name}: {us} ({basis})"


def _limits(pair: AdvisedPair) -> str:
    first, second = pair.first, pair.second
    one, other = first.limits.by, second.limits.by
    if one != other:
        return f"{_limit(first)} limits {first.name}, and {_limit(second)} limits {second.name}"
    if one == OVERHEAD:
        work = join_words([us_text(item.limits.work_us) for item in (first, second)])
        return f"the launch overhead is more than the work of both, which is {work}"
    if one in {DRAM, L2}:
        moved = [item.limits.moved for item in (first, second)]
        sizes = [size_text(item.total_bytes) for item in moved if item]
        times = [us_text(item.part(one)) for item in (first, second)]
        if len(set(sizes)) == 1:
            return f"{unit_words(one)} limits both: each moves {sizes[0]}, which takes {times[0]}"
        return f"{unit_words(one)} limits both: they move {join_words(sizes)} in {join_words(times)}"
    if one == LATENCY:
        return "latency limits both, which their few warps do not hide"
    return f"{unit_words(one)} limits both: {us_text(first.part(one))} and {us_text(second.part(one))}"


def _limit(launch: ComparedLaunch) -> str:
    by, limits = launch.limits.by, launch.limits
    if by == OVERHEAD:
        return f"{unit_words(by)} of {us_text(limits.gpu.overhead_us)}"
    return unit_words(by) if by == LATENCY else f"{unit_words(by)} ({us_text(launch.part(by))})"


def _reasons(pair: AdvisedPair) -> Iterator[str]:
    """Yield what the kernels do differently, what decides first."""
    rules: tuple[Callable[[AdvisedPair], str], ...] = (
        _of_conflicts,
        _of_atomics,
        _of_loads,
        _of_sectors,
        _of_exchanges,
        _of_blocks,
        _of_rounds,
        _of_residency,
    )
    yield from filter(None, (rule(pair) for rule in rules))


def _of_conflicts(pair: AdvisedPair) -> str:
    texts = []
    for launch in (pair.first, pair.second):
        if worst := launch.worst_conflict:
            passes, free = launch.amount(Amount.SHARED_PASSES), launch.amount(Amount.SHARED_FREE)
            ways = f"{worst.per_request / worst.least:.0f}-way bank conflicts{_in_line(worst)}"
            texts.append(
                f"{launch.name} has {ways}, so that its requests to shared memory take {number_text(passes)} passes "
                f"instead of {number_text(free)}"
            )
    return "; ".join(texts)


def _of_atomics(pair: AdvisedPair) -> str:
    first, second = pair.first, pair.second
    one, other = first.amount(Amount.ATOMICS), second.amount(Amount.ATOMICS)
    if not (one or other):
        return ""
    if one != other:
        return (
            f"{first.name} performs {number_text(one)} atomic operations on global memory, "
            f"{second.name} {number_text(other)}"
        )
    sectors = [item.amount(Amount.ATOMIC_SECTORS) / item.amount(Amount.ATOMIC_REQUESTS) for item in (first, second)]
    text = f"both perform {number_text(one)} atomic operations on global memory"
    if not about_equal(*sectors):
        text += (
            f"; a request of a warp changes {sectors[0]:.3g} sectors of 32 bytes in {first.name} "
            f"and {sectors[1]:.3g} in {second.name}"
        )
    return text


def _of_loads(pair: AdvisedPair) -> str:
    """Return how many requests one kernel saves: for bytes that are read anyway, or by wider ones."""
    if not pair.differs(Amount.LOADS):
        return ""
    first, second = pair.first, pair.second
    more, less = sorted((first, second), key=lambda item: -item.amount(Amount.LOADS))
    few, many = (number_text(item.amount(Amount.LOADS)) for item in (less, more))
    text = f"{less.name} sends {few} instead of {many} load requests of warps to global memory"
    if first.read_bytes != second.read_bytes:
        return text
    text += f", for the same {size_text(less.read_bytes)}"
    if more.amount(Amount.LOAD_SECTORS) > SAME_AMOUNT * less.amount(Amount.LOAD_SECTORS):
        return f"{text}: the loads that it saves find their bytes in a cache, so that memory moves as much"
    return f"{text}: each of its requests is for more bytes"


def _of_sectors(pair: AdvisedPair) -> str:
    """Return which accesses of one kernel are less coalesced than those of the other."""
    texts = []
    kinds = {
        "load": (Amount.LOADS, Amount.LOAD_SECTORS),
        "store": (Amount.STORES, Amount.STORE_SECTORS),
    }
    for kind, (requests, sectors) in kinds.items():
        touched = {
            item: item.amount(sectors) / item.amount(requests)
            for item in (pair.first, pair.second)
            if item.amount(requests)
        }
        if len(touched) <= 1:
            continue
        better, worse = sorted(touched, key=lambda item: touched[item])
        if about_equal(touched[better], touched[worse], LEAST_SECTORS):
            continue
        finding = next((item for item in worse.limits.uncoalesced if item.access.kind == kind), None)
        texts.append(
            f"a {kind} of a warp touches {touched[worse]:.3g} sectors of 32 bytes in {worse.name}, "
            f"{touched[better]:.3g} in {better.name}" + (_stride(finding) if finding else "")
        )
    return "; ".join(texts)


def _stride(finding: AccessFinding) -> str:
    return f" (the data of{_in_line(finding).replace(' in', '')} fills {finding.least:.3g})"


def _in_line(finding: AccessFinding) -> str:
    return f" in line {finding.access.line}" if finding.access.file else ""


def _of_exchanges(pair: AdvisedPair) -> str:
    """Return how the kernels exchange values, if they do it differently."""
    names = {Amount.SHARED: "request", Amount.SHUFFLES: "shuffle", Amount.BARRIERS: "barrier"}
    if not any(map(pair.differs, names)):
        return ""
    of_warps = [
        join_words([_per_warp(item, name, text) for name, text in names.items() if item.amount(name)])
        for item in (pair.first, pair.second)
    ]
    texts = [text or "none of these" for text in of_warps]
    first, second = (pair.first, pair.second) if of_warps[0] else (pair.second, pair.first)
    texts = texts if of_warps[0] else texts[::-1]
    text = f"a warp of {first.name} executes {texts[0]}, one of {second.name} {texts[1]}"
    fewer, more = sorted((pair.first, pair.second), key=lambda item: item.amount(Amount.SHUFFLES))
    if pair.differs(Amount.SHUFFLES) and not pair.differs(Amount.SHARED) and first.amount(Amount.SHARED):
        text += f"; the shuffles of {more.name} replace none of its requests to shared memory, of which as many remain"
    elif pair.differs(Amount.SHUFFLES) and more.amount(Amount.SHARED) < fewer.amount(Amount.SHARED):
        text += "; a shuffle takes the path of shared memory, as long as a request without conflicts"
    return text


def _per_warp(launch: ComparedLaunch, name: Amount, noun: str) -> str:
    """Return how often a warp does something: `4.25 requests to shared memory`, `1 barrier`."""
    number = launch.amount(name) / launch.amount(Amount.WARPS)
    where = " to shared memory" if name is Amount.SHARED else ""
    return f"{_short(number)} {noun}{'' if number == 1 else 's'}{where}"


def _short(number: float) -> str:
    return number_text(number) if number >= THOUSAND else f"{number:.3g}"


def _of_blocks(pair: AdvisedPair) -> str:
    if not pair.differs(Amount.BLOCKS):
        return ""
    less, more = sorted((pair.first, pair.second), key=lambda item: item.amount(Amount.BLOCKS))
    return (
        f"{more.name} launches {more.amount(Amount.BLOCKS):,.0f} blocks with {number_text(more.amount(Amount.WARPS))} "
        f"warps, {less.name} {less.amount(Amount.BLOCKS):,.0f} with {number_text(less.amount(Amount.WARPS))}"
    )


def _of_rounds(pair: AdvisedPair) -> str:
    """Return how often the blocks of a kernel that latency limits follow one another."""
    by = {item.limits.by for item in (pair.first, pair.second)}
    if not by & set(WAITS):
        return ""
    launches, texts = (pair.first, pair.second), []
    if max(item.limits.rounds for item in launches) > 1:
        rounds = {item: max(1.0, item.limits.rounds) for item in launches}
        waits = {item: us_text(sum(item.part(name) for name in WAITS) / rounds[item]) for item in launches}
        times = [f"{rounds[item]:,.3g} times in {item.name}, {waits[item]} each" for item in launches]
        texts.append(f"the blocks that are resident at a time follow one another {join_words(times)}")
    return "; ".join(texts)


def _of_residency(pair: AdvisedPair) -> str:
    one, other = (item.limits.warps for item in (pair.first, pair.second))
    first, second = pair.first.limits, pair.second.limits
    if first.is_small and second.is_small and LATENCY in {first.by, second.by}:
        text = f"an SM executes {one:.0f} warps of {pair.first.name} at a time and {other:.0f} of {pair.second.name}"
        text += ", which hide no latencies, also not those of arithmetic"
        if first.unit == second.unit and about_equal(first.work_us, second.work_us):
            times = f"{us_text(first.work_us)} and {us_text(second.work_us)}"
            text += f": the slowest unit, {row_words(first.unit)}, needs as long in both, {times}, and they take longer"
        return text
    if about_equal(one, other):
        return ""
    return f"an SM executes {one:.0f} warps of {pair.first.name} at a time, and {other:.0f} of {pair.second.name}"


def _hidden(pair: AdvisedPair) -> str:
    """Return the differences of units that decide for none of the kernels."""
    first, second = pair.first, pair.second
    deciding = {first.limits.by, second.limits.by, first.limits.unit, second.limits.unit}
    deciding |= {name for item in (first, second) for name in item.limits.parts if item.limits.share(name) >= NEAR}
    least = LEAST_HIDDEN * max(first.limits.work_us, second.limits.work_us)
    units = [name for name in {**first.limits.parts, **second.limits.parts} if name not in deciding]
    changes = {name: abs(first.part(name) - second.part(name)) for name in units}
    shown = sorted((name for name in units if changes[name] >= least), key=lambda name: -changes[name])[:MOST_HIDDEN]
    if not shown or pair.order is not ExpectedOrder.SAME:
        return ""
    texts = [f"{row_words(name)} ({us_text(first.part(name))} and {us_text(second.part(name))})" for name in shown]
    return f"hidden behind that: {join_words(texts)}"


def _remedy(pair: AdvisedPair) -> str:
    first, second = pair.first.limits.by, pair.second.limits.by
    if pair.order is ExpectedOrder.UNKNOWN and LATENCY not in {first, second}:
        return ""
    launches = [pair.first] if first == second else [pair.first, pair.second]
    texts = []
    for item in launches:
        remedy = REMEDIES.get(item.limits.by)
        if remedy:
            texts.append(f"{'both' if first == second else item.name} would gain from {remedy}")
    return "; ".join(texts)


def number_text(number: float) -> str:
    """Return a number of events: `49,152`, `13.1 million`."""
    return f"{number:,.0f}" if number < EXACT else f"{number / MILLION:,.3g} million"
