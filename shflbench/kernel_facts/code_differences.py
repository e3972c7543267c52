"""Explain the differences between two timed loops, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits import LATENCY
from shflbench.core.words import one_or_many
from shflbench.kernel_facts.alignment import RESULT, instruction_counts, stall_cycles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import TimedCode
    from shflbench.kernel_facts.alignment import AlignedPair, Wait
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel

MOST = 4  # differences of one kind in words; the listing marks all


def explain(
    first: TimedCode, second: TimedCode, pairs: Sequence[AlignedPair], labels: tuple[str, str]
) -> Iterator[str]:
    """Yield what differs: the instructions, or else the control codes; `labels` name the sides."""
    same = instruction_counts(first) == instruction_counts(second) and first.unroll == second.unroll
    if not same:
        yield from _instructions(first, second, labels)
        return
    number = len(first.instructions)
    in_order = all(pair.first and pair.second for pair in pairs)
    order = "in the same order" if in_order else "in another order"
    changed = [pair for pair in pairs if pair.stalls_differ or pair.waits_differ]
    if in_order and not changed:
        yield f"same {number} instructions {order}, with the same control codes"
        return
    yield f"same {number} instructions per pass, {order}; the control codes differ"
    sums = stall_cycles(first), stall_cycles(second)
    if sums[0] != sums[1]:
        yield f"the stall counts of a pass add up to {sums[0]} cycles in {labels[0]} and {sums[1]} in {labels[1]}"
    stalls = [pair for pair in pairs if pair.stalls_differ]
    yield from _first(f"{_name(pair)} stalls {_stalls(pair)}" for pair in stalls)
    yield from _first(_waits(pair, pairs, labels) for pair in pairs if pair.waits_differ)


def explain_whole(first: TimedCode, second: TimedCode, labels: tuple[str, str]) -> Iterator[str]:
    """Yield which opcodes the code of one kernel has more often than that of the other; `labels` name the sides."""
    one, other = instruction_counts(first), instruction_counts(second)
    for label, more, less in ((labels[0], one, other), (labels[1], other, one)):
        if extra := more - less:
            yield f"more in {label}: {', '.join(f'{number} {opcode}' for opcode, number in extra.most_common())}"
    if one == other:
        yield f"both have the same {len(first.instructions)} instructions"


def _first(sentences: Iterator[str]) -> Iterator[str]:
    """Yield the first sentences, and how many there are besides."""
    listed = list(sentences)
    yield from listed[:MOST]
    if len(listed) > MOST:
        yield f"and {len(listed) - MOST} more; the listing marks each with ~"


def _instructions(first: TimedCode, second: TimedCode, labels: tuple[str, str]) -> Iterator[str]:
    one, other = (
        {opcode: number / code.unroll for opcode, number in instruction_counts(code).items()}
        for code in (first, second)
    )
    totals = [f"{len(code.instructions) / code.unroll:.3g}" for code in (first, second)]
    if totals[0] == totals[1]:
        yield f"both execute {totals[0]} instructions per iteration, but not the same ones"
    else:
        yield f"{labels[0]} executes {totals[0]} instructions per iteration, {labels[1]} {totals[1]}"
    for label, more, fewer in ((labels[0], one, other), (labels[1], other, one)):
        extra = {opcode: number - fewer.get(opcode, 0) for opcode, number in more.items()}
        words = [
            f"{number:.3g} {opcode}"
            for opcode, number in sorted(extra.items(), key=lambda item: (-item[1], item[0]))
            if number > 0
        ]
        if words:
            yield f"more in {label}, per iteration: {', '.join(words)}"


def _name(pair: AlignedPair) -> str:
    item = pair.first or pair.second
    addresses = [f"{one.instruction.address:#x}" for one in (pair.first, pair.second) if one]
    return f"{item.instruction.base if item else ''} ({' / '.join(dict.fromkeys(addresses))})"


def _stalls(pair: AlignedPair) -> str:
    stalls = [item.control.stall for item in (pair.first, pair.second) if item]
    return " against ".join(f"{stall} {one_or_many(stall, 'cycle', 'cycles')}" for stall in stalls)


def _waits(pair: AlignedPair, pairs: Sequence[AlignedPair], labels: tuple[str, str]) -> str:
    sides = (
        (labels[0], pair.first_waits - pair.second_waits),
        (labels[1], pair.second_waits - pair.first_waits),
    )
    parts = [
        f"only in {label} for {' and '.join(_wait(wait, pairs) for wait in sorted(waits, key=repr))}"
        for label, waits in sides
        if waits
    ]
    return f"{_name(pair)} waits {', '.join(parts)}"


def _wait(wait: Wait, pairs: Sequence[AlignedPair]) -> str:
    kind, number = wait
    if number is None:
        return "an instruction before the loop"
    return f"the result of {_name(pairs[number])}" if kind == RESULT else f"the operands of {_name(pairs[number])}"


def one_warp(first: InspectedKernel, second: InspectedKernel, labels: tuple[str, str]) -> str:
    """Return how long one warp alone takes on each side at least, if that differs; else an empty text."""
    cycles = [
        one.loop.limit_parts.get(LATENCY) if one.loop and one.loop.limit_parts else None for one in (first, second)
    ]
    if first.arch != second.arch:  # of which not the same latencies are known
        return ""
    if cycles[0] is None or cycles[1] is None or abs(cycles[0] - cycles[1]) < 0.05:  # noqa: PLR2004  (a digit is shown)
        return ""
    return (
        f"one warp alone needs at least {cycles[0]:.1f} cycles per iteration of {labels[0]}, and {cycles[1]:.1f} of "
        f"{labels[1]}"
    )
