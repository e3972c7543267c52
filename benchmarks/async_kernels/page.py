"""The page on public kernels: the list, both runs, and every verdict that was not the expected one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from benchmarks.async_kernels.runs import HERE, LIMIT_S, NO_VERDICT, KernelResult, PublicKernel
from benchmarks.common.pages import UNKNOWN, bullets, table, written_by

Results = Mapping[str, KernelResult]
Notes = Mapping[str, Mapping[str, str]]

MOST_CPU_S, MOST_MB = 3, 1024
PAGE = """\
# `check` on public kernels with clusters, bulk copies and dependent launches

{written}

{rule}

{repositories}

{shares}

The limit is {cpu} s of CPU time and {mb} MB per kernel. {late} of {runs} did not end within {limit} s.

{costs}

{kernels}

## Verdicts that were not the expected one

{open}

## Expected verdicts

{reasons}
"""
SHARES = ("mechanism", "kernels", "first run as expected", "final run as expected", "right by a second reading")
COSTS = ("final run", "kernels", "median s", "most s", "median MB", "most MB", "within the limit")
KERNELS = (
    *("number", "kernel", "file", "mechanism", "launch", "expected", "first run", "final run"),
    *("s", "compiler s", "total s", "MB"),
)


def page(kernels: Sequence[PublicKernel], first: Results, final: Results, notes: Notes) -> str:
    """Return the page as Markdown."""
    again = [replace(item, verdict=notes[item.key]["verdict"]) if item.key in notes else item for item in kernels]
    counted = Counter((item.repository, item.commit, item.license) for item in kernels)
    repositories = [*((*repository, count) for repository, count in counted.items()), ("all", "", "", len(kernels))]
    ended = [item for item in final.values() if item.verdict != NO_VERDICT]
    own = [(item.own_cpu_s, item.own_memory_mb or 0) for item in ended if item.own_cpu_s is not None]
    costs = {
        "`check` itself: Python's start, reading the source, all schedules": own,
        "with the processes of the compiler": [(item.cpu_s, item.memory_mb) for item in ended],
    }
    return PAGE.format(
        written=written_by("async_kernels"),
        rule=(HERE / "rule.txt").read_text(encoding="utf-8").strip(),
        repositories=table(("repository", "commit", "license", "kernels"), repositories, 3),
        shares=table(SHARES, _shares(kernels, again, first, final)),
        cpu=MOST_CPU_S,
        mb=MOST_MB,
        late=len(final) - len(ended),
        runs=len(final),
        limit=LIMIT_S,
        costs=table(COSTS, ((what, *_costs(one, len(final))) for what, one in costs.items())),
        kernels=table(KERNELS, _kernels(kernels, first, final), 8),
        open=bullets(_open(kernels, first, final, notes), ""),
        reasons="\n".join(f"{number}. {kernel.verdict}: {kernel.reason}." for number, kernel in enumerate(kernels, 1)),
    )


def _shares(
    kernels: Sequence[PublicKernel], again: Sequence[PublicKernel], first: Results, final: Results
) -> Iterator[tuple[object, ...]]:
    for mechanism in [*dict.fromkeys(kernel.mechanism for kernel in kernels), ""]:
        group, read = ([one for one in every if mechanism in {one.mechanism, ""}] for every in (kernels, again))
        counts = (_right(items, results) for items, results in ((group, first), (group, final), (read, final)))
        yield mechanism or "all", len(group), *counts


def _right(kernels: Sequence[PublicKernel], results: Results) -> int:
    return sum(kernel.key in results and kernel.agrees(results[kernel.key]) for kernel in kernels)


def _costs(costs: Sequence[tuple[float, float]], kernels: int) -> Sequence[object]:
    if not costs:
        return 0, *[UNKNOWN] * 5
    seconds, memory = zip(*costs, strict=True)
    cheap = sum(cpu_s <= MOST_CPU_S and megabytes <= MOST_MB for cpu_s, megabytes in costs)
    figures = f"{median(seconds):.1f}", f"{max(seconds):.1f}", f"{median(memory):.0f}", f"{max(memory):.0f}"
    return len(costs), *figures, f"{cheap} of {kernels}"


def _kernels(kernels: Sequence[PublicKernel], first: Results, final: Results) -> Iterator[tuple[object, ...]]:
    for number, kernel in enumerate(kernels, 1):
        file = f"{kernel.repository.rpartition('/')[2]}: {kernel.path.rpartition('/')[2]}"
        words = (f"`{kernel.name}`", file, kernel.mechanism, kernel.launch, kernel.verdict)
        runs = [results.get(kernel.key) for results in (first, final)]
        yield number, *words, *(_shown(kernel, result) for result in runs), *_kernel_costs(runs[1])


def _kernel_costs(result: KernelResult | None) -> Sequence[str]:
    """Return the seconds of `check` itself, of the compiler and of both, and the memory of `check` itself."""
    if result is None or result.verdict == NO_VERDICT:
        return [UNKNOWN] * 4
    if result.own_cpu_s is None or result.own_memory_mb is None:
        return UNKNOWN, UNKNOWN, f"{result.cpu_s:.1f}", UNKNOWN
    seconds = result.own_cpu_s, max(result.cpu_s - result.own_cpu_s, 0), result.cpu_s
    return *(f"{one:.1f}" for one in seconds), f"{result.own_memory_mb:.0f}"


def _shown(kernel: PublicKernel, result: KernelResult | None) -> str:
    if result is None:
        return UNKNOWN
    return result.verdict if kernel.agrees(result) else f"**{result.verdict}**"


def _open(kernels: Sequence[PublicKernel], first: Results, final: Results, notes: Notes) -> Iterator[str]:
    for number, kernel in enumerate(kernels, 1):
        results = (run[kernel.key] for run in (first, final) if kernel.key in run)
        if wrong := [result for result in results if not kernel.agrees(result)]:
            text = notes[kernel.key]["note"] if kernel.key in notes else wrong[-1].sentence
            yield f"{number}, `{kernel.name}`: {text}"
