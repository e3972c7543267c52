"""Keep the times of kernels that experts wrote to beat the published answers, and write the page on them.

    python -m benchmarks.challengers DEVICE RESULTS.csv [RESULTS.csv ...]   write challengers.json and challengers.md

Each file is the table of a run of a suite that has published variants and challengers (`x-…`) side by side.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.store.rows import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).with_suffix(".md")
CHALLENGER = "x-"
MARGIN = 1.03  # an answer stands if nothing else is faster by more
# What a challenger changes besides the exchange, so that it answers another question: pattern, challengers, reason.
OTHER_QUESTIONS = (
    ("reduce", ("x-mma-mma", "x-mma-shfl", "x-mma-shfl3"), "the sum of infinite values is NaN"),
    ("reduce", ("x-mma-or-shfl", "x-dmma-or-shfl", "x-dmma-or-mma"), "two kinds of exchange in turn"),
    ("reduce", ("x-redux-or-shfl", "x-redux-or-imma4", "x-redux-or-imma"), "two kinds of exchange in turn"),
    ("reduce", ("x-redux-or-smem",), "two kinds of exchange in turn"),
    ("scan", ("x-dmma-or-shfl", "x-mma-or-shfl"), "two kinds of exchange in turn"),
    ("neighbor", ("x-shfl-or-smem",), "two kinds of exchange in turn"),
    ("broadcast", ("x-shfl-or-redux",), "two kinds of exchange in turn"),
    ("broadcast-last", ("x-mixed",), "two kinds of exchange in turn"),
    ("bitonic-sort", ("x-rank-distinct", "x-rank-broadcast", "x-rank-sat"), "no two keys may be equal"),
    ("bitonic-sort", ("x-rank-halves", "x-rank-halves-int", "x-rank8-min"), "no two keys may be equal"),
    ("broadcast-work", ("x-pairs", "x-pairs-two-rows"), "other arithmetic, whatever the exchange"),
    ("private-array", ("x-pointers", "x-pointers-64", "x-bit-planes"), "indices are prepared outside of the loop"),
    ("lane-array", ("x-pointers", "x-pointers-64", "x-bit-planes"), "indices are prepared outside of the loop"),
    ("reserve", ("x-wide",), "a thread stores for others, and has no slot of its own"),
    ("moving-average", ("x-every-4th", "x-every-8th", "x-every-4th-prefetch"), "most blocks do nothing"),
    ("moving-average", ("x-quarter", "x-quarter-prefetch", "x-quarter-shfl"), "most warps do nothing"),
    ("device-reduce", ("x-keep",), "a part of the array stays in L2 from one launch to the next"),
    ("batched", ("x-halving-xor", "x-halving-xor-tile"), "registers change places outside of the loop"),
    ("batched", ("x-halving-fma",), "finite values only"),
    ("max-and-sum", ("x-redux-fixed", "x-redux-three"), "sums in fixed point"),
    ("max-and-sum", ("x-redux-mma", "x-lazy-mma"), "sums of factors that are rounded"),
    ("block-combine", ("x-mma",), "sums of factors that are rounded"),
    ("cluster-exchange", ("x-same-warp",), "partners lie in one warp, not in different blocks"),
    ("cluster-exchange", ("x-red-async",), "its check did not end"),
)
# Settings at which the fastest published variant was not timed beside the challengers.
WITHOUT_BEST = {
    "count i32 64x256 counters=1": "redux",
    "cluster-exchange i32 sms/8 x 128 cluster=2": "larger-block",
}
HEAD = """\
# Kernels that beat published answers

Written by `python -m benchmarks.challengers` from runs beside the published variants of commit d6f634f5; do not edit.

Four readers who knew the hardware were given the published answers, and wrote at least five kernels against each, which
were fixed before anybody timed them ([the kernels](challengers/)). At {fell} of {settings} settings of {patterns}
patterns, a challenger is over {margin:.0%} faster than the fastest published variant, and does the same; in `vote` and
`broadcast-last`, it also has other code around the exchange. These kernels are not in the suites yet: until they are,
read the answers of these rows as *of the published variants*.

Cycles per iteration, or µs of a launch without a loop, on {device}.

| setting | published | fastest challenger | faster by |
|---|---|---|---|
"""


def recorded(files: Sequence[Path]) -> dict[str, dict[str, list[Any]]]:
    """Return by setting the time of each safe variant that was timed, as `[time, unit]`."""
    settings: dict[str, dict[str, list[Any]]] = {}
    for row in (row for file in files for row in decode(file.read_text(encoding="utf-8"), file)):
        if row.safe and row.time_us is not None:
            options = ", ".join(row.option_texts)
            words = (row.pattern.removeprefix("my-"), row.dtype, row.launch, options)
            cycles = row.cycles_per_iteration
            time = [row.time_us, "µs"] if cycles is None else [round(cycles, 1), "cycles"]
            settings.setdefault(" ".join(filter(None, words)), {})[row.variant] = time
    return settings


def page(record: Mapping[str, Any]) -> str:
    """Return the page on a record."""
    settings: Mapping[str, Mapping[str, list[Any]]] = record["settings"]
    lines = list(filter(None, (_line(setting, times) for setting, times in settings.items())))
    patterns = {setting.partition(" ")[0] for setting in settings}
    head = HEAD.format(
        settings=len(settings), patterns=len(patterns), fell=len(lines), margin=MARGIN - 1, device=record["device"]
    )
    return "\n".join([head.rstrip("\n"), *lines, "", *_left_out(settings)])


def _line(setting: str, times: Mapping[str, list[Any]]) -> str:
    """Return the row of a setting whose published answer fell; empty if it stands."""
    others = {name for pattern, names, _ in OTHER_QUESTIONS if pattern == setting.partition(" ")[0] for name in names}
    published = {name: time for name, (time, _) in times.items() if not name.startswith(CHALLENGER)}
    alike = {name: time for name, (time, _) in times.items() if name.startswith(CHALLENGER) and name not in others}
    if not published or not alike or setting in WITHOUT_BEST:
        return ""
    best, challenger = min(published, key=published.__getitem__), min(alike, key=alike.__getitem__)
    ratio, unit = published[best] / alike[challenger], times[best][1]
    if ratio <= MARGIN:
        return ""
    words = f"`{challenger}` {alike[challenger]:g} {unit}"
    return f"| {setting} | `{best}` {published[best]:g} {unit} | {words} | {ratio:.2f}× |"


def _left_out(settings: Mapping[str, Mapping[str, list[Any]]]) -> Iterator[str]:
    yield "Timed, and not counted:"
    yield ""
    for pattern, names, reason in OTHER_QUESTIONS:
        timed = {name for setting, times in settings.items() if setting.partition(" ")[0] == pattern for name in times}
        if shown := [f"`{name}`" for name in names if name in timed]:
            yield f"- {pattern}, {', '.join(shown)}: {reason}"
    yield from (f"- {setting}: without `{best}`" for setting, best in WITHOUT_BEST.items() if setting in settings)
    yield ""


def main() -> None:
    """Write the record and the page."""
    device, *files = sys.argv[1:]
    record = {"device": device, "settings": recorded([Path(file) for file in files])}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")


if __name__ == "__main__":
    main()
