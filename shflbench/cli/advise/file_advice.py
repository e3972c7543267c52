"""Advise on the kernels of a file: their exchanges through shared memory, and their barriers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.advice.files.file_advice_words import (
    barrier_scope,
    exchange_scope,
    gap_sentence,
    launches_text,
    sources_of,
)
from shflbench.cli.advise.measuring import measure_patch, no_change, print_measured, record_of, required_gpu
from shflbench.cli.advise.output import as_json
from shflbench.cli.advise.sarif import as_sarif
from shflbench.cli.check.progress import show_step
from shflbench.cli.file_arguments import as_built
from shflbench.cli.layout import Line, Table, wrap_text
from shflbench.errors import KernelError, UsageError
from shflbench.schemas.advise import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.advice.files.file_gains import KernelGain
    from shflbench.advice.files.kernel_pairs import AdvisedPair
    from shflbench.checker import BarrierAlternative, FileOptions, KernelAdvice, Patch
    from shflbench.cli.console import Console
    from shflbench.cuda_sources import SourceLine
    from shflbench.schemas.advise import AdvisedKernel, BarrierAlternativeObject, FileAdviceDocument
    from shflbench.user_kernels.bench.versions import MeasuredKernel
    from shflbench.user_kernels.file_options import FileFlags


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAdviceOptions:
    """What the options of `advise` say of a file."""

    flags: FileFlags
    results: tuple[Path, ...]
    gpu: str | None  # a part of its name
    arch: str | None
    form: str
    patch: bool
    measure: bool


def print_file_advice(file: Path, given: FileAdviceOptions, console: Console) -> int:
    """Check the kernels of a file, print the advice on each or the patch, and return the exit code."""
    from shflbench.advice.files.kernel_pairs import kernel_pairs
    from shflbench.advice.files.pair_records import pair_record
    from shflbench.checker import advise_file, make_patch

    if given.form == "sarif" and given.measure:
        raise UsageError("--format sarif has no times, which --measure takes", "Leave one out, or use --format json.")
    if given.flags.cluster is not None and given.measure:
        raise UsageError("--measure cannot launch clusters of a size that --cluster gives", "Leave one out.")
    gpu = required_gpu(given.gpu) if given.measure else None
    given = replace(given, flags=as_built(file, given.flags, console))
    options = given.flags.options([file])
    with console.progress() as progress:
        advice = advise_file(file, options, partial(show_step, progress))
        patch = make_patch(file, advice, options) if given.patch or given.measure else None
    gains = {} if given.patch else _gains(advice, given, console)
    pairs = kernel_pairs(advice, gains)
    origin = "given by --launch" if given.flags.launches else "of the host code"
    if patch is not None and given.patch:
        _print_patch(patch, advice, console)
    elif given.form == "text":
        _print_tables(advice, gains, origin, console)
        _print_pairs(pairs, console)
    measured = []
    if patch is not None and gpu is not None and patch.kernels:
        measured = measure_patch(patch, given.flags, gpu, console)
    elif patch is not None and gpu is not None and not given.patch:
        console.say(no_change(advice))
    if given.form == "json" and not given.patch:
        document: FileAdviceDocument = {
            "schema": SCHEMA,
            "comparisons": list(map(pair_record, pairs)),
            "kernels": records(advice, gains, measured),
        }
        console.json(as_json(document))
    elif given.form == "sarif" and not given.patch:
        console.json(as_sarif(advice, gains, origin))
    else:
        print_measured(measured, console.say if given.patch else console.data)
    return 0 if all(item.result.is_timed for item in measured) else KernelError.exit_code


def _gains(advice: Sequence[KernelAdvice], given: FileAdviceOptions, console: Console) -> dict[str, KernelGain]:
    from shflbench.advice.files.file_gains import GainRequest, gains_of

    def options(items: Sequence[KernelAdvice]) -> FileOptions:
        choices = [item.report.choice for item in items]
        return replace(given.flags.timed(choices), cluster=None).options([items[0].report.place.file])

    place = (given.results, given.gpu, given.arch, given.flags.arguments)
    with console.progress():
        return gains_of(advice, GainRequest(*place, options, is_measured=given.measure))


def _print_patch(patch: Patch, advice: Sequence[KernelAdvice], console: Console) -> None:
    diff = patch.diff
    if not diff:
        console.say(no_change(advice))
        return
    launches = list(dict.fromkeys(launch for kernel in advice for launch in kernel.launch_texts))
    console.say(f"The changed file computed the same in {launches_text(launches)}.")
    if not console.exact(diff):
        console.warn("the diff has characters that a terminal does not show: write it to a file with --output")


def _print_tables(
    advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain], origin: str, console: Console
) -> None:
    for kernel in advice:
        if sentence := _sentence(kernel):
            console.data(f"{_title(kernel)}: {sentence}")
        for gap in kernel.gaps:
            console.data(f"  {gap_sentence(gap)}")
        for table in tables(kernel, origin):
            console.table(table, data=True)
        for item in kernel.collectives:
            console.data(f"  all steps of line {item.load.line} could be {' or '.join(item.instead)}")
        if gain := gains.get(kernel.report.symbol):
            _print_gain(kernel, gain, console)


def _print_gain(kernel: KernelAdvice, gain: KernelGain, console: Console) -> None:
    from shflbench.advice.files.gain_words import limit_rows, worth_lines, worth_title

    title, limits = _title(kernel), gain.prospect.limits
    if limits is None and kernel.missing:
        return
    console.data(f"{title}: is it worth it?" + (f" ({worth_title(limits)})" if limits else ""))
    for line in worth_lines(gain, kernel.report.place.file):
        console.data("\n".join(wrap_text(f"  {line}", console.width(data=True))))
    if limits:
        rows = tuple(Line(row) for row in limit_rows(limits))
        console.table(Table(f"{title}: predicted times", ("of", "time", "share"), rows), data=True)


def _print_pairs(pairs: Sequence[AdvisedPair], console: Console) -> None:
    from shflbench.advice.files.pair_words import pair_sentence

    for pair in pairs:
        console.data(f"{pair.first.name} and {pair.second.name}: which one is faster, and why? (predicted)")
        console.data("\n".join(wrap_text(f"  {pair_sentence(pair)}", console.width(data=True))))


def _title(advice: KernelAdvice) -> str:
    return f"{advice.report.name} ({advice.report.place.shown(Path.cwd())})"


def _sentence(advice: KernelAdvice) -> str:
    """Return why there is no table for a kernel, or what is doubtful of it; empty if there is nothing to say."""
    from shflbench.checker import KernelVerdict

    if advice.missing or advice.exchanges or advice.barriers:
        doubt = f"{advice.report.verdict}: {advice.report.sentence}"
        return advice.missing or (doubt if advice.report.verdict is KernelVerdict.DOUBTFUL else "")
    return "no exchange through shared memory and no barrier of the block"


def tables(advice: KernelAdvice, origin: str) -> Iterator[Table]:
    """Yield the tables of one kernel, exchanges first; `origin` says where its launches come from."""
    place, title = advice.report.place, _title(advice)

    def line(other: SourceLine) -> str:
        return str(other.line) if other.file == place.file else other.shown(Path.cwd())

    if advice.exchanges:
        lines = tuple(
            Line((line(one.store), line(one.load), sources_of(one), one.instead or one.reason or "–"))
            for one in advice.exchanges
        )
        where = exchange_scope(advice, origin)
        columns = ("store in line", "load in line", "values come from (loads by a warp)", "could be")
        yield Table(f"{title}: exchanges through shared memory, {where}", columns, lines, key=2)
    if advice.barriers:
        lines = tuple(
            Line((line(one.line), f"{one.need}: {one.reason}" if one.reason else str(one.need)))
            for one in advice.barriers
        )
        yield Table(f"{title}: barriers, {barrier_scope(advice, origin)}", ("in line", "need"), lines)


def records(
    advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain], measured: Sequence[MeasuredKernel]
) -> list[AdvisedKernel]:
    """Return the advice on each kernel as a JSON object, with what shuffles bring, and what `--measure` measured."""
    from shflbench.advice.files.gain_records import gain_record

    base = Path.cwd()
    times = {symbol: record_of(item) for item in measured for symbol in item.symbols}
    made = [_record(kernel, base) for kernel in advice]
    for kernel, item in zip(advice, made, strict=True):
        symbol = kernel.report.symbol
        if symbol in gains:
            item["worth"] = gain_record(gains[symbol], base)
        if symbol in times:
            item["measured"] = times[symbol]
    return made


def _record(kernel: KernelAdvice, base: Path) -> AdvisedKernel:
    """Return the advice on one kernel."""
    return {
        "kernel": kernel.report.name,
        "line": kernel.report.place.shown(base),
        "verdict": kernel.report.verdict,
        "launches": list(kernel.launches),
        "same_in_all_launches_of_these_blocks": kernel.is_fixed,
        "only_for": list(kernel.only),
        "missing": kernel.missing,
        "missing_barriers": [
            {"first": gap.first.shown(base), "last": gap.last.shown(base), "enough": gap.barrier} for gap in kernel.gaps
        ],
        "exchanges": [
            {
                "store": one.store.shown(base),
                "load": one.load.shown(base),
                "values": one.values,
                "executions": {relation.name.lower(): count for relation, count in one.relations},
                "distances": list(one.distances),
                "instead": one.instead,
                "reason": one.reason,
                "proved": one.is_proved,
            }
            for one in kernel.exchanges
        ],
        "collectives": [{"load": one.load.shown(base), "instead": list(one.instead)} for one in kernel.collectives],
        "barriers": [
            {
                "line": one.line.shown(base),
                "need": one.need,
                "reason": one.reason,
                "proved": one.could_be_weaker and one.is_proved,
                "alternative": _alternative(one.alternative, base) if one.alternative else None,
            }
            for one in kernel.barriers
        ],
    }


def _alternative(item: BarrierAlternative, base: Path) -> BarrierAlternativeObject:
    """Return what a barrier is needed for while others stay that are weakened instead."""
    return {"need": item.need, "stay": [line.shown(base) for line in item.stay]}
