"""Keep the times of kernels that experts wrote to beat the published answers, and write the page on them.

    python -m benchmarks.challengers DEVICE RESULTS.csv [RESULTS.csv ...]   write challengers.json and challengers.md

Each file is the table of a run of a suite that has published variants and challengers (`x-…`) side by side.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).with_suffix(".md")
CHALLENGER = "x-"
MARGIN = 1.03  # an answer stands if nothing else is faster by more
# What a challenger changes besides the exchange, so that it answers another question.
OTHER_QUESTIONS = {
    "x-keep": "keeps a part of the array in L2 from one launch to the next",
    "x-every-4th": "a launch of which most blocks do nothing",
    "x-every-8th": "a launch of which most blocks do nothing",
    "x-every-4th-prefetch": "a launch of which most blocks do nothing",
    "x-halving-xor": "sums in another order of registers, which is made outside of the loop",
    "x-halving-xor-tile": "sums in another order of registers, which is made outside of the loop",
    "x-pairs": "other arithmetic, whatever the exchange",
    "x-pairs-two-rows": "other arithmetic, whatever the exchange",
    "x-redux-fixed": "sums in fixed point",
    "x-red-async": "not proven: its check did not end",
    "x-bit-planes": "indices that are prepared outside of the loop",
    "x-pointers": "indices that are prepared outside of the loop",
    "x-pointers-64": "indices that are prepared outside of the loop",
}
HEAD = """\
# Kernels that beat published answers

Written by `python -m benchmarks.challengers` from runs beside the published variants; do not edit.

Four readers who knew the hardware were given the published answers, and wrote at least five kernels against each, which
were fixed and checked before anybody timed them ([the kernels](challengers/), for the patterns as they were). At
{settings} settings of {patterns} patterns, {fell} have a challenger that is over 3% faster. These kernels are not in
the suites yet: until they are, read the answers of those rows as *of the variants in the table*.

Cycles per iteration, or µs of a launch without a loop, on {device}.

| setting | published | fastest challenger | faster by |
|---|---|---|---|
"""


def recorded(files: Sequence[Path]) -> dict[str, dict[str, list[Any]]]:
    """Return by setting the time of each safe variant that was timed, as `[time, unit]`."""
    settings: dict[str, dict[str, list[Any]]] = {}
    for file in files:
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                if row["status"] == "timed" and row["safe"].lower() == "true":
                    options = row["options"].replace(";", ", ")
                    words = (row["pattern"].removeprefix("my-"), row["dtype"], row["launch"], options)
                    settings.setdefault(" ".join(filter(None, words)), {})[row["variant"]] = _time(row)
    return settings


def _time(row: Mapping[str, str]) -> list[Any]:
    if row["cycles_per_iteration"]:
        return [round(float(row["cycles_per_iteration"]), 1), "cycles"]
    return [float(row["time_us"]), "µs"]


def page(record: Mapping[str, Any]) -> str:
    """Return the page on a record."""
    settings: Mapping[str, Mapping[str, list[Any]]] = record["settings"]
    lines = list(filter(None, (_line(setting, times) for setting, times in settings.items())))
    patterns = {setting.partition(" ")[0] for setting in settings}
    head = HEAD.format(settings=len(settings), patterns=len(patterns), fell=len(lines), device=record["device"])
    return "\n".join([head.rstrip("\n"), *lines, "", *_left_out(settings)])


def _line(setting: str, times: Mapping[str, list[Any]]) -> str:
    """Return the row of a setting whose published answer fell; empty if it stands."""
    published = {name: time for name, (time, _) in times.items() if not name.startswith(CHALLENGER)}
    tried = {name: time for name, (time, _) in times.items() if name.startswith(CHALLENGER)}
    alike = {name: time for name, time in tried.items() if name not in OTHER_QUESTIONS}
    if not published or not alike:
        return ""
    best, challenger = min(published, key=published.__getitem__), min(alike, key=alike.__getitem__)
    ratio = published[best] / alike[challenger]
    unit = times[best][1]
    if ratio <= MARGIN:
        return ""
    words = f"`{challenger}` {alike[challenger]:g} {unit}"
    return f"| {setting} | `{best}` {published[best]:g} {unit} | {words} | {ratio:.2f}× |"


def _left_out(settings: Mapping[str, Mapping[str, list[Any]]]) -> Iterator[str]:
    yield "Timed, and not counted:"
    yield ""
    names = {name for times in settings.values() for name in times}
    yield from (f"- `{name}`: {reason}" for name, reason in OTHER_QUESTIONS.items() if name in names)
    yield ""


def main() -> None:
    """Write the record and the page."""
    device, *files = sys.argv[1:]
    record = {"device": device, "settings": recorded([Path(file) for file in files])}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")


if __name__ == "__main__":
    main()
