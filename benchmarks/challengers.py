"""Keep the times of kernels that experts wrote to beat the published answers, and write the page on them.

    python -m benchmarks.challengers DEVICE RESULTS.csv [RESULTS.csv ...]   write challengers.json and challengers.md
    python -m benchmarks.challengers                                        write challengers.md anew

Each file is the table of a run of a suite that has published variants and challengers (`x-…`) side by side.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.opponents import RECORD as OPPONENTS
from shflbench.model import Mechanism
from shflbench.store.rows import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).with_suffix(".md")
CHALLENGER = "x-"
NAMES = {"batched": "batched-reduce"}  # of patterns, where the challengers' folder had another one
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
were fixed before anybody timed them (their sources: commit fc602ad9, `benchmarks/challengers/`). At {fell} of
{settings} settings of {patterns} patterns, a challenger was over {margin:.0%} faster than the fastest published
variant, and did the same; in `vote` and `broadcast-last`, it also had other code around the exchange. Those that won
are variants of the patterns now: at {answered} of the {fell} settings, a variant is as fast within {margin:.0%}
([all variants](opponents.md)).

Cycles per iteration, or µs of a launch without a loop, on {device};
now: on another one (`{uuid}`, {date}). Whether a launch is as fast as that of a challenger is judged
relative to the published variant on the same card, because what a launch costs by itself differs between cards.

| setting | published | fastest challenger | faster by | now |
|---|---|---|---|---|
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


@dataclass(frozen=True, slots=True)
class Fall:
    """A setting whose published answer fell; times are cycles per iteration, or µs of a launch."""

    setting: str
    published: str
    challenger: str
    times: Mapping[str, float]  # then, by variant
    unit: str
    now: Mapping[str, float]  # by variant; empty if the suite `opponents` does not have the setting

    @property
    def fastest_now(self) -> str:
        """The fastest variant of today."""
        return min(self.now, key=self.now.__getitem__)

    @property
    def is_answered(self) -> bool:
        """Whether a variant of today is as fast as the challenger."""
        if not self.now:
            return False
        scale = 1.0 if self.unit == "cycles" else self.now[self.published] / self.times[self.published]
        return self.now[self.fastest_now] <= MARGIN * scale * self.times[self.challenger]

    @property
    def line(self) -> str:
        """The row of the page."""
        published, challenger = (self.times[name] for name in (self.published, self.challenger))
        cells = (
            self.setting,
            f"`{self.published}` {published:g} {self.unit}",
            f"`{self.challenger}` {challenger:g} {self.unit}",
            f"{published / challenger:.2f}×",
            f"`{self.fastest_now}` {self.now[self.fastest_now]:g}{'' if self.is_answered else ' (slower)'}"
            if self.now
            else "–",
        )
        return f"| {' | '.join(cells)} |"


def falls(record: Mapping[str, Any], now: Mapping[str, Any]) -> list[Fall]:
    """Return the settings whose published answers fell, with what the suite `opponents` has there (`now`)."""
    every = (_fall(setting, times, now["settings"]) for setting, times in record["settings"].items())
    return [one for one in every if one]


def page(record: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the page on a record; `now` is that of the suite `opponents` on a GPU of the same model."""
    settings: Mapping[str, Mapping[str, list[Any]]] = record["settings"]
    fell = falls(record, now)
    head = HEAD.format(
        settings=len(settings),
        patterns=len({setting.partition(" ")[0] for setting in settings}),
        fell=len(fell),
        answered=sum(one.is_answered for one in fell),
        margin=MARGIN - 1,
        device=record["device"],
        uuid=now["uuid"][:12],
        date=now["started"][:10],
    )
    return "\n".join([head.rstrip("\n"), *(one.line for one in fell), "", *_left_out(settings)])


def _fall(setting: str, times: Mapping[str, list[Any]], now: Mapping[str, Any]) -> Fall | None:
    """Return how the published answer of a setting fell; None if it stands."""
    others = {name for pattern, names, _ in OTHER_QUESTIONS if pattern == setting.partition(" ")[0] for name in names}
    published = {name: time for name, (time, _) in times.items() if not name.startswith(CHALLENGER)}
    alike = {name: time for name, (time, _) in times.items() if name.startswith(CHALLENGER) and name not in others}
    if not published or not alike or setting in WITHOUT_BEST:
        return None
    best, challenger = min(published, key=published.__getitem__), min(alike, key=alike.__getitem__)
    if published[best] / alike[challenger] <= MARGIN:
        return None
    every = now.get(_place(setting), {})
    today = {name: time for name, (kind, time, _) in every.items() if kind != Mechanism.LIBRARY or name == best}
    return Fall(setting, best, challenger, published | alike, times[best][1], today)


def _place(setting: str) -> str:
    """Return a setting as the record of the suite `opponents` has it."""
    pattern, _, rest = setting.partition(" ")
    return f"{NAMES.get(pattern, pattern)} {rest.replace(',', '')}"


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
    """Write the record, if there are files to read, and the page."""
    if sys.argv[1:]:
        device, *files = sys.argv[1:]
        record = {"device": device, "settings": recorded([Path(file) for file in files])}
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    PAGE.write_text(page(record, opponents_now()), encoding="utf-8")


def opponents_now() -> Mapping[str, Any]:
    """Return the record of the suite `opponents` on an H100."""
    records = json.loads(OPPONENTS.read_text(encoding="utf-8"))
    return next(one for one in records if "H100" in one["device"])


if __name__ == "__main__":
    main()
