"""Group the kernels of a file that do the same: those with the same parameters, and those with memory of their own.

Values of the same names are the same parameters, whatever their order, and whether they are fields of a structure.

A kernel does the same as another one if the host code passes both the same inputs, and each a result of one type and
size. One of them may have more: buffers that it writes, such as a workspace or a counter, and numbers that lead to
addresses or iterations. A factor or an offset is no such number. What another kernel reads afterwards is a result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.grouping import group_by
from shflbench.user_kernels.sequence_buffers import names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import CandidateBuffer, CandidateLaunch, KernelCandidate

# Parts of names that say how a kernel works, and not what it computes.
METHODS = frozenset(
    re.findall(
        r"\w+",
        """
        a async atomic base baseline basic block blocks cluster coalesced cta cub cuda device direct fast fused global
        gpu grid kernel launch local loop my naive new old one opt optimized own plain queue reference ref register regs
        shared shfl shuffle simple slow smem sync test the thread threads tile tiled two unrolled vec vector vectorized
        version warp warps wide with
        """,
    )
)
OTHER_PARAMETERS = "no compared kernel has these parameters"
NAME_KERNEL = "name a kernel with --kernel to time it"
TWO = 2  # kernels of a file, which is there to compare them


def groups_of(kernels: Sequence[KernelCandidate]) -> list[list[KernelCandidate]]:
    """Return the kernels that are compared with one another, in the order of the first of each group."""
    alike = group_by(kernels, lambda kernel: (kernel.signature, kernel.name if len(kernel.kernels) > 1 else ""))
    groups: list[list[KernelCandidate]] = []
    for group in alike.values():
        are_all = len(kernels) == TWO
        known = next(
            (item for item in groups if _take_the_same(item, group) or _is_partner(item, group, are_all=are_all)), None
        )
        if known is None:
            groups.append(group)
        else:
            known += group
    return groups


def _take_the_same(known: Sequence[KernelCandidate], group: Sequence[KernelCandidate]) -> bool:
    """Whether the kernels of two groups take values of the same names and types, as fields or as parameters."""
    return bool(group[0].values) and any(kernel.values == group[0].values for kernel in known)


def _is_partner(known: Sequence[KernelCandidate], group: Sequence[KernelCandidate], *, are_all: bool) -> bool:
    """Whether one of two groups is a single kernel that does the same as those of the other one."""
    if min(len(known), len(group)) > 1:
        return False
    one, two = known[0], group[0]
    return (are_all or bool(_words(one) & _words(two))) and do_the_same(one, two)


def _words(kernel: KernelCandidate) -> set[str]:
    """Return the words of a name, without those for a method and template arguments."""
    name = kernel.name.partition("<")[0].rpartition("::")[2]
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return {word.lower() for word in words if len(word) > 1} - METHODS


def do_the_same(one: KernelCandidate, two: KernelCandidate) -> bool:
    """Whether two kernels have common inputs and a common result, and one of them at most has memory of its own."""
    if not one.launches or not two.launches:
        return False
    first, second = one.launches[0], two.launches[0]
    names = names_in(first, second, "")
    known = {item.name: item for item in first.buffers}
    pairs = [(known[names[item.name]], item) for item in second.buffers if names[item.name] in known]
    of_first = [item for item in first.buffers if all(item is not mine for mine, _ in pairs)]
    of_second = [item for item in second.buffers if all(item is not theirs for _, theirs in pairs)]
    is_sequence = bool(first.later or second.later)
    return (
        _have_same_inputs(pairs)
        and _have_same_results(pairs, is_sequence=is_sequence)
        and (is_sequence or not (_arguments(of_first) and _arguments(of_second)))
        and all(_is_scratch(item, {one.name, two.name}) for item in (*of_first, *of_second))
        and not (_reads_result(first, second) or _reads_result(second, first))
        and _have_same_numbers(one, two, is_sequence=is_sequence)
    )


def _arguments(buffers: Sequence[CandidateBuffer]) -> list[CandidateBuffer]:
    return [item for item in buffers if not item.variable]


def _have_same_inputs(pairs: Sequence[tuple[CandidateBuffer, CandidateBuffer]]) -> bool:
    """Whether what both only read is one buffer; where neither only reads a buffer, both work on one in place."""
    for use in (BufferUse.READ, BufferUse.CHANGED):
        if inputs := [pair for pair in pairs if pair[0].use is use and not pair[0].variable]:
            return all(theirs.use is use and _is_one(mine, theirs) for mine, theirs in inputs)
    return False


def _is_one(mine: CandidateBuffer, theirs: CandidateBuffer) -> bool:
    if mine.allocation is None or theirs.allocation is None:
        return mine.name == theirs.name
    return mine.allocation == theirs.allocation


def _have_same_results(pairs: Sequence[tuple[CandidateBuffer, CandidateBuffer]], *, is_sequence: bool) -> bool:
    """Whether both write one of the buffers as a result, which the same kernels read afterwards, or none.

    A structure that a sequence and another kernel write may have a result of each, and what one of them needs alone.
    """
    results = [pair for pair in pairs if pair[0].use.writes and pair[1].use.writes]
    final = [(mine, theirs) for mine, theirs in results if not (mine.is_intermediate or theirs.is_intermediate)]
    if is_sequence and any(_is_structure(mine, theirs) for mine, theirs in final):
        return False
    return bool(final) and all(mine.readers == theirs.readers for mine, theirs in final)


def _is_structure(mine: CandidateBuffer, theirs: CandidateBuffer) -> bool:
    return mine.may_be_structure and mine.allocation is not None and mine.allocation == theirs.allocation


def unlike(kernel: KernelCandidate, compared: Sequence[KernelCandidate]) -> str:
    """Return why a kernel is not compared with the others, as a sentence."""
    mine = [item for launch in kernel.launches[:1] for item in launch.buffers if item.use.writes]
    for other in compared:
        for theirs in (item for launch in other.launches[:1] for item in launch.buffers if item.use.writes):
            if len(kernel.kernels) != len(other.kernels) and any(_is_structure(item, theirs) for item in mine):
                return f"`{other.name}` writes `{theirs.name}`, too, and which parts are results of both is not known"
    return OTHER_PARAMETERS


def _is_scratch(buffer: CandidateBuffer, names: set[str]) -> bool:
    """Whether no kernel but those with these names uses what is in a buffer before or after a launch."""
    is_own = buffer.use.writes and not buffer.readers and buffer.writers <= names
    return bool(buffer.variable) or buffer.use is BufferUse.UNUSED or is_own


def _reads_result(one: CandidateLaunch, two: CandidateLaunch) -> bool:
    """Whether a launch only reads what the other one writes, as the next step of a computation does."""
    results = {item.allocation for item in one.buffers if item.use.writes} - {None}
    return any(item.use is BufferUse.READ and item.allocation in results for item in two.buffers)


def _have_same_numbers(one: KernelCandidate, two: KernelCandidate, *, is_sequence: bool) -> bool:
    """Whether numbers of one name are equal, and the others lead to addresses or iterations, in one kernel only."""
    mine, theirs = ({item.name: item.data for item in kernel.launches[0].numbers} for kernel in (one, two))
    if any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys()):
        return False
    others = [name for name in mine.keys() ^ theirs.keys() if name not in one.structural | two.structural]
    return not others and (is_sequence or not (mine.keys() - theirs.keys() and theirs.keys() - mine.keys()))
