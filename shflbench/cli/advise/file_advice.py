"""Advise on the kernels of a file: their exchanges through shared memory, and their barriers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.cli.advise.gains import gain_lines, gain_record, gains_of
from shflbench.cli.advise.measuring import NO_CHANGE, measure_patch, print_measured, record_of, required_gpu
from shflbench.cli.advise.output import as_json
from shflbench.cli.check.progress import show_step
from shflbench.cli.file_arguments import as_built
from shflbench.cli.layout import Line, Table, wrap_text
from shflbench.default_arch import DEFAULT_ARCH
from shflbench.errors import KernelError
from shflbench.user_kernels.file_options import TIME_LIMIT_S, file_options
from shflbench.words import joined, one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker import ExchangeAdvice, FileOptions, KernelAdvice, Patch, SourceLine
    from shflbench.cli.advise.gains import KernelGain
    from shflbench.cli.console import Console
    from shflbench.kernel_bench.versions import MeasuredKernel

MOST_DISTANCES = 8  # in a cell of the table
WHERE = {  # relation → where the value comes from, as a reader says it
    "thread": "the same thread",
    "xor": "a lane of the warp",
    "shift": "a lane of the warp",
    "broadcast": "a lane of the warp",
    "permutation": "a lane of the warp",
    "several": "lanes of the warp, several values each",
    "across": "another warp",
    "parts": "lanes of the warp, parts of a value each",
}


def print_file_advice(file: Path, flags: dict[str, Any], console: Console) -> int:
    """Check the kernels of a file, print the advice on each or the patch, and return the exit code."""
    from shflbench.checker import advise_file, make_patch

    gpu = required_gpu(flags)
    flags = as_built(file, flags, console)
    options = _options(file, flags)
    with console.progress() as progress:
        advice = advise_file(file, options, partial(show_step, progress))
        patch = make_patch(file, advice, options) if flags["patch"] or flags["measure"] else None
    gains = {} if flags["patch"] else gains_of(advice, flags, console)
    if patch is not None and flags["patch"]:
        _print_patch(patch, advice, console)
    elif flags["form"] != "json":
        _print_tables(advice, gains, "given by --launch" if flags["launches"] else "of the host code", console)
    measured = [] if patch is None or gpu is None else measure_patch(patch, flags, gpu, console)
    if flags["form"] == "json" and not flags["patch"]:
        console.json(as_json("kernels", records(advice, gains, measured)))
    else:
        print_measured(measured, console.say if flags["patch"] else console.data)
    return 0 if all(item.result.is_timed for item in measured) else KernelError.exit_code


def _options(file: Path, flags: dict[str, Any]) -> FileOptions:
    return file_options(
        kernels=flags["kernels"],
        launches=flags["launches"],
        arguments=flags["arguments"],
        shared=flags["shared"],
        include=flags["include"],
        define=flags["define"],
        host_args=flags["host_args"],
        fast_math=flags["fast_math"],
        compiler=None,
        time_limit_s=TIME_LIMIT_S,
        arch=flags["arch"] or DEFAULT_ARCH,
        seed=0,
        files=[file],
    )


def _print_patch(patch: Patch, advice: Sequence[KernelAdvice], console: Console) -> None:
    diff = patch.diff
    if not diff:
        console.say(NO_CHANGE)
        return
    if "\r\n" in diff:  # a terminal gets no carriage returns
        console.warn(f"{patch.path} has the line ends of Windows: apply the diff by `git apply --ignore-whitespace`")
    launches = list(dict.fromkeys(launch for kernel in advice for launch in kernel.launches))
    console.say(f"The changed file computed the same in {_at(launches)}.")
    console.data(diff.replace("\r\n", "\n").rstrip("\n"))


def _print_tables(
    advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain], origin: str, console: Console
) -> None:
    for kernel in advice:
        if sentence := _sentence(kernel):
            console.data(f"{_title(kernel)}: {sentence}")
        for table in tables(kernel, origin):
            console.table(table, data=True)
        if gain := gains.get(kernel.report.name):
            console.data(f"{_title(kernel)}: what shuffles bring")
            for line in gain_lines(gain):
                console.data("\n".join(wrap_text(f"  {line}", console.width(data=True))))


def _title(advice: KernelAdvice) -> str:
    return f"{advice.report.name} ({advice.report.place.shown(Path.cwd())})"


def _sentence(advice: KernelAdvice) -> str:
    """Return why there is no table for a kernel; empty if there is one."""
    if advice.missing or advice.exchanges or advice.barriers:
        return advice.missing
    return "no exchange through shared memory and no barrier of the block"


def tables(advice: KernelAdvice, origin: str) -> Iterator[Table]:
    """Yield the tables of one kernel, exchanges first; `origin` says where its launches come from."""
    place, title = advice.report.place, _title(advice)

    def line(other: SourceLine) -> str:
        return str(other.line) if other.file == place.file else other.shown(Path.cwd())

    at = f"in {_at(advice.launches)} {origin}"
    if advice.exchanges:
        lines = tuple(
            Line((line(one.store), line(one.load), _sources(one), one.instead or "–")) for one in advice.exchanges
        )
        where = f"in all launches with blocks of {joined(_blocks(advice))}" if advice.is_fixed else at
        columns = ("store in line", "load in line", "values come from (loads by a warp)", "could be")
        yield Table(f"{title}: exchanges through shared memory, {where}", columns, lines, key=2)
    if advice.barriers:
        lines = tuple(
            Line((line(one.line), f"{one.need}: {one.reason}" if one.reason else str(one.need)))
            for one in advice.barriers
        )
        yield Table(f"{title}: barriers, {at}", ("in line", "need"), lines)


def _at(launches: Sequence[str]) -> str:
    return f"{one_or_many(len(launches), 'launch', 'launches')} {joined(launches)}"


def _blocks(advice: KernelAdvice) -> list[str]:
    """Return the sizes of the blocks of the launches: `256 threads`, or `32x8 threads`."""
    shapes = (launch.partition(":")[2] or launch.rpartition("x")[2] for launch in advice.launches)
    return [f"{shape} threads" for shape in dict.fromkeys(shapes)]


def _sources(exchange: ExchangeAdvice) -> str:
    """Return where values come from: `the same thread (80), another warp (60)`."""
    counts: dict[str, int] = {}
    for relation, count in exchange.relations:
        where = WHERE[relation.name.lower()]
        counts[where] = counts.get(where, 0) + count
    parts = [f"{where} ({count:,})" for where, count in counts.items()]
    if 0 < len(exchange.distances) <= MOST_DISTANCES:
        parts.append(f"{_unit(exchange)} {', '.join(str(abs(item)) for item in exchange.distances)}")
    return ", ".join(parts)


def _unit(exchange: ExchangeAdvice) -> str:
    """Return what the numbers of an exchange are: lanes of a broadcast, or distances."""
    return "lane" if any(relation.name == "BROADCAST" for relation, _ in exchange.relations) else "distance"


def records(
    advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain], measured: Sequence[MeasuredKernel]
) -> list[dict[str, object]]:
    """Return the advice on each kernel as a JSON object, with what shuffles bring, and what `--measure` measured."""
    base = Path.cwd()
    times = {item.name: record_of(item) for item in measured}
    return [
        {
            "kernel": kernel.report.name,
            "line": kernel.report.place.shown(base),
            "verdict": kernel.report.verdict,
            "launches": list(kernel.launches),
            "same_in_all_launches_of_these_blocks": kernel.is_fixed,
            "missing": kernel.missing,
            "exchanges": [
                {
                    "store": one.store.shown(base),
                    "load": one.load.shown(base),
                    "values": one.values,
                    "executions": {relation.name.lower(): count for relation, count in one.relations},
                    "distances": list(one.distances),
                    "instead": one.instead,
                }
                for one in kernel.exchanges
            ],
            "barriers": [
                {"line": one.line.shown(base), "need": one.need, "reason": one.reason} for one in kernel.barriers
            ],
            **({"shuffles": gain_record(gains[kernel.report.name])} if kernel.report.name in gains else {}),
            **({"measured": times[kernel.report.name]} if kernel.report.name in times else {}),
        }
        for kernel in advice
    ]
