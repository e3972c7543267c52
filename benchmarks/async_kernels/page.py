"""The page on public kernels: the list, both runs, and every verdict that was not the expected one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.async_kernels.runs import LIMIT_S, NO_VERDICT
from benchmarks.async_kernels.sample import HERE
from benchmarks.common.pages import table_row, written_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.async_kernels.sample import KernelResult, Note, PublicKernel

MOST_CPU_S, MOST_MB = 3, 1024
_NONE = "–"


def page(
    kernels: Sequence[PublicKernel],
    first: Mapping[str, KernelResult],
    final: Mapping[str, KernelResult],
    notes: Mapping[str, Note],
) -> str:
    """Return the page as Markdown."""
    read_again = [replace(item, verdict=notes[item.key].verdict) if item.key in notes else item for item in kernels]
    parts = (_head(kernels), _shares(kernels, read_again, first, final), _costs(final), _table(kernels, first, final))
    lines = [line for part in parts for line in part]
    return "\n".join([*lines, *_open(kernels, first, final, notes), *_reasons(kernels)]) + "\n"


def _head(kernels: Sequence[PublicKernel]) -> Iterator[str]:
    yield "# `check` on public kernels with clusters, bulk copies and dependent launches"
    yield ""
    yield written_by("async_kernels")
    yield ""
    yield (HERE / "rule.txt").read_text(encoding="utf-8").strip()
    yield ""
    yield "| repository | commit | license | kernels |"
    yield "| --- | --- | --- | --: |"
    for (repository, commit, license_), count in Counter((k.repository, k.commit, k.license) for k in kernels).items():
        yield table_row(repository, commit, license_, count)
    yield f"| all | | | {len(kernels)} |"
    yield ""


def _shares(
    kernels: Sequence[PublicKernel],
    read_again: Sequence[PublicKernel],
    first: Mapping[str, KernelResult],
    final: Mapping[str, KernelResult],
) -> Iterator[str]:
    yield "| mechanism | kernels | first run as expected | final run as expected | right by a second reading |"
    yield "| --- | --: | --: | --: | --: |"
    for mechanism in [*dict.fromkeys(kernel.mechanism for kernel in kernels), ""]:
        group = [kernel for kernel in kernels if mechanism in {kernel.mechanism, ""}]
        again = [kernel for kernel in read_again if mechanism in {kernel.mechanism, ""}]
        counts = (len(group), _right(group, first), _right(group, final), _right(again, final))
        yield table_row(mechanism or "all", *counts)
    yield ""


def _right(kernels: Sequence[PublicKernel], results: Mapping[str, KernelResult]) -> int:
    return sum(kernel.key in results and kernel.agrees(results[kernel.key]) for kernel in kernels)


def _costs(final: Mapping[str, KernelResult]) -> Iterator[str]:
    ended = [item for item in final.values() if item.verdict != NO_VERDICT]
    total = [(item.cpu_s, item.memory_mb) for item in ended]
    own = [(item.own_cpu_s, item.own_memory_mb) for item in ended if item.own_cpu_s is not None]
    yield (
        f"The limit is {MOST_CPU_S} s of CPU time and {MOST_MB} MB per kernel. "
        f"{len(final) - len(ended)} of {len(final)} did not end within {LIMIT_S} s."
    )
    yield ""
    yield "| final run | kernels | median s | most s | median MB | most MB | within the limit |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    yield _costs_row("`check` itself: Python's start, reading the source, all schedules", own, len(final))
    yield _costs_row("with the processes of the compiler", total, len(final))
    yield ""


def _costs_row(what: str, costs: Sequence[tuple[float, float | None]], kernels: int) -> str:
    if not costs:
        return f"| {what} | 0 {'| – ' * 4}| – |"
    seconds, memory = [cpu_s for cpu_s, _ in costs], [megabytes or 0 for _, megabytes in costs]
    cheap = sum(cpu_s <= MOST_CPU_S and (megabytes or 0) <= MOST_MB for cpu_s, megabytes in costs)
    shown = f"{median(seconds):.1f} | {max(seconds):.1f} | {median(memory):.0f} | {max(memory):.0f}"
    return table_row(what, len(costs), shown, f"{cheap} of {kernels}")


def _table(
    kernels: Sequence[PublicKernel], first: Mapping[str, KernelResult], final: Mapping[str, KernelResult]
) -> Iterator[str]:
    yield "| | kernel | file | mechanism | launch | expected | first run | final run | s | compiler s | total s | MB |"
    yield "| --: | --- | --- | --- | --- | --- | --- | --- | --: | --: | --: | --: |"
    for number, kernel in enumerate(kernels, 1):
        before, after = first.get(kernel.key), final.get(kernel.key)
        ended = after is not None and after.verdict != NO_VERDICT
        costs = _costs_cells(after) if after is not None and ended else " | ".join([_NONE] * 4)
        name = f"`{kernel.kernel.partition('<')[0]}`"
        file = f"{kernel.repository.rpartition('/')[2]}: {kernel.path.rpartition('/')[2]}"
        words = (name, file, kernel.mechanism, kernel.launch, kernel.verdict)
        runs = (_shown(kernel, before), _shown(kernel, after))
        yield table_row(number, *words, *runs, costs)
    yield ""


def _costs_cells(result: KernelResult) -> str:
    """Return the seconds of `check` itself, of the compiler and of both, and the memory of `check` itself."""
    if result.own_cpu_s is None or result.own_memory_mb is None:
        return f"{_NONE} | {_NONE} | {result.cpu_s:.1f} | {_NONE}"
    compiler_s = max(result.cpu_s - result.own_cpu_s, 0)
    return f"{result.own_cpu_s:.1f} | {compiler_s:.1f} | {result.cpu_s:.1f} | {result.own_memory_mb:.0f}"


def _shown(kernel: PublicKernel, result: KernelResult | None) -> str:
    if result is None:
        return _NONE
    return result.verdict if kernel.agrees(result) else f"**{result.verdict}**"


def _open(
    kernels: Sequence[PublicKernel],
    first: Mapping[str, KernelResult],
    final: Mapping[str, KernelResult],
    notes: Mapping[str, Note],
) -> Iterator[str]:
    yield "## Verdicts that were not the expected one"
    yield ""
    for number, kernel in enumerate(kernels, 1):
        wrong = [run for run in (first, final) if kernel.key in run and not kernel.agrees(run[kernel.key])]
        if wrong:
            text = notes[kernel.key].text if kernel.key in notes else wrong[-1][kernel.key].sentence
            yield f"- {number}, `{kernel.kernel.partition('<')[0]}`: {text}"
    yield ""


def _reasons(kernels: Sequence[PublicKernel]) -> Iterator[str]:
    yield "## Expected verdicts"
    yield ""
    for number, kernel in enumerate(kernels, 1):
        yield f"{number}. {kernel.verdict}: {kernel.reason}."
