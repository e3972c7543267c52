"""The tables and the JSON of `shflbench limits`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from shflbench.analysis.limits.distance import is_unreached, unreached_words
from shflbench.analysis.settings import one_pass
from shflbench.cli.layout import Line, Table, align_right
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun, join_words
from shflbench.kernel_facts.recorded_limits import is_exceeded
from shflbench.schemas.limits import SCHEMA
from shflbench.store.limits_file import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.schemas.limits import RunLimits
    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit


BYTES_PER_US = 1000  # at 1 GB/s
MEANINGS = (
    ("GB/s", "bytes that a launch reads, and those that it writes, each once, per measured time"),
    ("limit µs", "lower bound at the documented rates of the hardware, or at measured ones with a margin"),
    ("limit/time", "a small share says that something else takes the time, such as waiting for results"),
    ("limited by", "the unit that needs the most time at these rates, or another cause"),
    ("ceiling µs", "the limit at the lower rates that `calibrate` measured on a GPU; a kernel can be faster"),
    ("predicted µs", "by a model with constants of an H200; neither a bound nor a measurement"),
    ("expected µs", "nine of ten measured times lie in such an interval around the predicted one"),
)


def headline(run: Run) -> str:
    """Return suite, device and date of a run in one line."""
    device = run.info.device
    return f"suite {run.info.suite.name}, {device.name if device else 'no GPU'}, {run.info.started[:10]}"


def tables(run: Run, limits: Sequence[CaseLimit]) -> Iterator[Table]:
    """Yield a table for each group of a run that has timed cases, the fastest case first."""
    known = {limit.case_id: limit for limit in limits}
    timed = [row for row in run.rows if row.case_id in known]
    for group in group_by(timed, _group).values():
        yield _table(sorted(group, key=lambda row: row.time_us or 0.0), known)


def _group(row: Row) -> tuple[object, ...]:
    return row.pattern, row.dtype, row.launch, row.iterations, row.options


def _table(rows: Sequence[Row], known: Mapping[str, CaseLimit]) -> Table:
    head, limits = rows[0], [known[row.case_id] for row in rows]
    iterations = "one pass" if one_pass(head) else f"{head.iterations} iterations"
    columns = {
        "variant": [row.variant for row in rows],
        "time µs": align_right([_us(row.time_us) for row in rows]),
        "GB/s": align_right([_rate(row, limit) for row, limit in zip(rows, limits, strict=True)]),
        "limit µs": align_right([_marked(limit, _us(limit.limit_us)) for limit in limits]),
        "limit/time": align_right([_marked(limit, _share(limit.limit_fraction)) for limit in limits]),
        "limited by": [limit.limit_by or "" for limit in limits],
        "ceiling µs": align_right([_us(limit.ceiling_us) for limit in limits]),
        "ceiling/time": align_right(
            [_share(_ratio(limit.ceiling_us, row.time_us)) for row, limit in zip(rows, limits, strict=True)]
        ),
        "ceiling by": [limit.ceiling_by or "" for limit in limits],
        "predicted µs": align_right([_us(limit.model_us) for limit in limits]),
        "expected µs": align_right([_interval(limit) for limit in limits]),
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    styles = ["bad" if is_exceeded(limit) else "" for limit in limits]
    body = tuple(Line(cells, style) for cells, style in zip(zip(*kept.values(), strict=True), styles, strict=True))
    title = "  ".join((head.pattern, head.dtype, head.launch, iterations, *head.option_texts))
    return Table(title, tuple(kept), body, notes=tuple(_notes(rows, known)))


def _notes(rows: Sequence[Row], known: Mapping[str, CaseLimit]) -> Iterator[str]:
    """Yield why cases have no limit, and what limits rest on."""
    for reason, alike in group_by(rows, lambda row: known[row.case_id].limit_reason).items():
        if reason:
            yield f"{', '.join(row.variant for row in alike)}: no limit: {reason}"
    if far := [(row, known[row.case_id]) for row in rows if is_unreached(row, known[row.case_id])]:
        shares = join_words(
            [f"{row.variant} ({one.limit_by}, {one.mark}{_share(one.limit_fraction)})" for row, one in far]
        )
        yield f"no throughput limit is reached by {shares}: {unreached_words(len(far))}"
    limits = {limit.limit_basis: limit for row in rows if (limit := known[row.case_id]).limit_us and limit.limit_basis}
    for basis, limit in limits.items():
        sampled = "; ≈ marks limits that are estimates" if limit.is_sampled else ""
        yield f"what the launch does was counted in the emulator in {basis}{sampled}"


def _rate(row: Row, limit: CaseLimit) -> str:
    return f"{limit.moved_bytes / row.time_us / BYTES_PER_US:.0f}" if limit.moved_bytes and row.time_us else ""


def _ratio(value: float | None, time_us: float | None) -> float | None:
    return value / time_us if value is not None and time_us else None


def _marked(limit: CaseLimit, text: str) -> str:
    return limit.mark + text if text else ""


def _us(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _interval(limit: CaseLimit) -> str:
    low, high = limit.model_low_us, limit.model_high_us
    return "" if low is None or high is None else f"{low:.2f}–{high:.2f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def legend(shown: Iterable[Table]) -> str:
    """Return what the columns of the `shown` tables mean, a line each; empty if none of them needs it."""
    present = {name for table in shown for name in table.columns}
    width = max(len(name) for name, _ in MEANINGS)
    return "\n".join(f"{name:{width}}  {meaning}" for name, meaning in MEANINGS if name in present)


def omitted_sentence(limits: Iterable[CaseLimit]) -> str:
    """Return the units and latencies that limits lack, because of unknown amounts or rates; empty if they lack none."""
    parts = Counter(part for limit in limits if limit.omitted for part in limit.omitted.split(SEPARATOR))
    listed = ", ".join(f"{part} (in {count_noun(cases, 'case')})" for part, cases in parts.most_common())
    return f"ignored in the limits, because an amount or a rate is not known: {listed}" if listed else ""


def as_json(limited: Iterable[tuple[Run, Sequence[CaseLimit]]]) -> str:
    """Return a list with an object per run; unknown values are null."""
    records: list[RunLimits] = [
        {
            "schema": SCHEMA,
            "folder": str(run.folder),
            "suite": run.info.suite.name,
            "cases": [asdict(limit) for limit in limits],
        }
        for run, limits in limited
    ]
    return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False)
