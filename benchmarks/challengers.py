"""Keep the times of kernels that experts wrote to beat the published answers, and write the page on them.

    python -m benchmarks.challengers ROUND DEVICE RESULTS.csv [RESULTS.csv ...]   write a round's record and the page
    python -m benchmarks.challengers                                              write the page anew

ROUND is 1 to 3. Each file is the table of a run of a suite that has published variants and challengers (`x-…`, `x_…`)
side by side.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.challenger_rounds import ROUNDS, Round
from benchmarks.opponents import gpu_of, kept, of_model
from shflbench.model import Mechanism
from shflbench.store.rows import decode
from shflbench.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).with_suffix(".md")
CHALLENGER = "x-"
MARGIN = 1.03  # an answer stands if nothing else is faster by more
HEAD = """\
# Kernels that beat published answers

Written by `python -m benchmarks.challengers` from runs beside the published variants; do not edit.

Twice, four readers who knew the hardware were given the published answers, and wrote five kernels or more against
nearly each; a third time, three readers had new patterns without an answer, and ten answers of their choice. All
kernels were fixed before anybody timed them. An answer falls where a challenger is over {margin:.0%} faster than the
fastest published variant, and does the same. Most of those that won are variants of the patterns now
([all variants](opponents.md)), and the tables mark where a challenger is still faster. A table says what is fastest
among the variants that it names.

Times are cycles per iteration, or µs of a launch without a loop; now: on another card of the model. Whether a launch is
as fast as that of a challenger is judged relative to a published variant on the same card, because what a launch costs
by itself differs between cards.
"""
SECTION = """\
## {title}

On {device}, beside the variants of commit {published} (sources of the challengers:
commit {sources}, `benchmarks/challengers/`). At {fell} of {settings} settings of {patterns} patterns, the published
answer fell; at {answered} of these, a variant is as fast within {margin:.0%} now ({gpus}).{new}

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
            name = row.variant.replace("_", "-") if row.variant.startswith("x_") else row.variant
            settings.setdefault(" ".join(filter(None, words)), {})[name] = time
    return settings


@dataclass(frozen=True, slots=True)
class Fall:
    """A setting whose published answer fell; times are cycles per iteration, or µs of a launch."""

    setting: str
    published: str
    challenger: str
    yardstick: str  # the published variant by which launches on two cards are compared
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
        scale = 1.0 if self.unit == "cycles" else self.now[self.yardstick] / self.times[self.yardstick]
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


def falls(one: Round, record: Mapping[str, Any], now: Mapping[str, Any]) -> list[Fall]:
    """Return the settings whose published answers fell, with what the suite `opponents` has there (`now`)."""
    every = (_fall(one, setting, times, now["settings"]) for setting, times in record["settings"].items())
    return [fall for fall in every if fall]


def page(records: Sequence[Mapping[str, Any]], opponents: Sequence[Mapping[str, Any]]) -> str:
    """Return the page on the records of the rounds; `opponents` are those of the suite of that name."""
    rounds = zip(ROUNDS, records, strict=True)
    sections = (section(one, record, of_model(one.model, opponents)) for one, record in rounds)
    return "\n".join([HEAD.format(margin=MARGIN - 1), *sections])


def section(one: Round, record: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return what the page says of a round; `now` is the record of the suite `opponents` on a GPU of the same model."""
    settings: Mapping[str, Mapping[str, list[Any]]] = record["settings"]
    fell = falls(one, record, now)
    head = SECTION.format(
        title=one.title,
        published=one.published,
        sources=one.sources,
        device=record["device"],
        settings=len(settings),
        patterns=len({_pattern(setting) for setting in settings}),
        fell=len(fell),
        answered=sum(fall.is_answered for fall in fell),
        margin=MARGIN - 1,
        gpus="; ".join(dict.fromkeys(_gpu(gpu_of(now, _pattern(fall.setting))) for fall in fell)) or _gpu(now),
        new=_of_new_patterns(one, fell),
    )
    return "\n".join([head.rstrip("\n"), *(fall.line for fall in fell), "", *_left_out(one, settings)])


def _gpu(record: Mapping[str, Any]) -> str:
    return f"`{record['uuid'][:12]}`, {record['started'][:10]}"


def _of_new_patterns(one: Round, fell: Sequence[Fall]) -> str:
    """Say how many of the settings are of patterns without an answer, and which answers fell; empty without any."""
    if not one.unanswered:
        return ""
    others = dict.fromkeys(_pattern(fall.setting) for fall in fell if _pattern(fall.setting) not in one.unanswered)
    new = sum(_pattern(fall.setting) in one.unanswered for fall in fell)
    named = join_words([f"`{name}`" for name in others])
    patterns = join_words(list(one.unanswered))
    return f"\n{new} of the {len(fell)} are of {patterns}, which had no answer; the others: {named}."


def _pattern(setting: str) -> str:
    return setting.partition(" ")[0]


def _fall(one: Round, setting: str, times: Mapping[str, list[Any]], now: Mapping[str, Any]) -> Fall | None:
    """Return how the published answer of a setting fell; None if it stands."""
    others, apart = one.left_out(_pattern(setting)), one.apart.get(_pattern(setting), ())
    published = {
        name: time for name, (time, _) in times.items() if not name.startswith(CHALLENGER) and name not in apart
    }
    alike = {name: time for name, (time, _) in times.items() if name.startswith(CHALLENGER) and name not in others}
    if not published or not alike or setting in one.without_best:
        return None
    best, challenger = min(published, key=published.__getitem__), min(alike, key=alike.__getitem__)
    if published[best] / alike[challenger] <= MARGIN:
        return None
    every = now.get(_place(one, setting), {})
    today = {
        name: time
        for name, (kind, time, _) in every.items()
        if (kind != Mechanism.LIBRARY or name == best) and name not in apart
    }
    replaced = one.replaced.get(_pattern(setting), ())
    same = [name for name in published if name not in replaced and (name in today or not today)]
    yardstick = best if best in same else min(same, key=published.__getitem__)
    return Fall(setting, best, challenger, yardstick, published | alike, times[best][1], today)


def _place(one: Round, setting: str) -> str:
    """Return a setting as the record of the suite `opponents` has it."""
    pattern, _, rest = setting.partition(" ")
    return f"{one.names.get(pattern, pattern)} {rest.replace(',', '')}"


def _left_out(one: Round, settings: Mapping[str, Mapping[str, list[Any]]]) -> Iterator[str]:
    yield "Timed, and not counted:"
    yield ""
    for pattern, names, reason in one.other_questions:
        timed = {name for setting, times in settings.items() if _pattern(setting) == pattern for name in times}
        if shown := [f"`{name}`" for name in names if name in timed]:
            yield f"- {pattern}, {', '.join(shown)}: {reason}"
    yield from (f"- {setting}: without `{best}`" for setting, best in one.without_best.items() if setting in settings)
    yield ""


def main() -> None:
    """Write the record of a round, if there are files to read, and the page."""
    records = json.loads(RECORD.read_text(encoding="utf-8"))
    if sys.argv[1:]:
        number, device, *files = sys.argv[1:]
        records[int(number) - 1 :] = [{"device": device, "settings": recorded([Path(file) for file in files])}]
        RECORD.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(records, kept()), encoding="utf-8")


if __name__ == "__main__":
    main()
