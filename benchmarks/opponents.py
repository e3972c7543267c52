"""Keep the times of runs of the suite `opponents`, and write the page on them.

    python -m benchmarks.opponents RUN [RUN ...]   read runs, write opponents.json and opponents.md beside this file

The record keeps the latest run of each model. A later run of some patterns, as with `--pattern vote`, replaces their
settings alone, and the page says on which GPU these were timed.
A test compares the record with the times of kernels that someone wrote to beat the published answers.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.patterns.discover import builtin_declaration
from shflbench.store import read_run
from shflbench.words import count_noun, join_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).with_suffix(".md")
HEAD = """\
# Every variant beside every other

Written by `python -m benchmarks.opponents RUN …` from runs of `shflbench run opponents`; do not edit.

Cycles per iteration, or µs of a launch without a loop, of the two fastest safe variants of each setting, without
library calls and without `soa`, whose data are laid out otherwise. [The pages of the
patterns](../docs/reference/patterns/README.md) say what each variant does.
"""


@dataclass(frozen=True, slots=True)
class Timed:
    """A variant at one setting."""

    setting: str  # e.g. `reduce f32 sms x 32 width=32`
    variant: str
    mechanism: str
    time: float
    unit: str  # `cycles` per iteration, or `µs` of a launch without a loop


def recorded(folder: Path) -> dict[str, Any]:
    """Return the record of a run: its device, and the safe timed variants by setting."""
    run = read_run(folder)
    device = run.info.device
    rows: dict[str, dict[str, list[Any]]] = {}
    for row in run.rows:
        if row.safe and row.time_us is not None:
            setting = " ".join((row.pattern, row.dtype, row.launch, *row.option_texts))
            cycles = row.cycles_per_iteration
            time = [row.time_us, "µs"] if cycles is None else [round(cycles, 1), "cycles"]
            rows.setdefault(setting, {})[row.variant] = [row.mechanism, *time]
    noise = run.info.noise
    return {
        "device": device.name if device else "",
        "uuid": device.uuid if device else "",
        "driver": run.info.versions.driver,
        "nvrtc": run.info.versions.nvrtc,
        "started": run.info.started,
        "quiet": noise is not None and noise.quiet,
        "noise": noise.sentence if noise else "",
        "settings": rows,
    }


def kept() -> list[Mapping[str, Any]]:
    """Return the records of the latest runs, one per model."""
    records: list[Mapping[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return records


def merged(records: Sequence[Mapping[str, Any]], new: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the records with that of a new run: in place of its model's, or as a part of it if it has less.

    ValueError if it has less of a pattern than the record: a cut run replaces nothing.
    """
    others = [record for record in records if record["device"] != new["device"]]
    old = next((record for record in records if record["device"] == new["device"]), None)
    if old is None or old["settings"].keys() <= new["settings"].keys():
        return [*others, new]
    patterns = {_pattern(setting) for setting in new["settings"]}
    if missing := [at for at in old["settings"] if _pattern(at) in patterns and at not in new["settings"]]:
        raise ValueError(f"the run of {', '.join(sorted(patterns))} lacks settings of the record, such as {missing[0]}")
    part = {name: value for name, value in new.items() if name != "settings"} | {"patterns": sorted(patterns)}
    parts = [one for one in old.get("parts", ()) if not patterns >= set(one["patterns"])]
    kept_ones = {at: times for at, times in old["settings"].items() if _pattern(at) not in patterns}
    settings = {at: (kept_ones | new["settings"])[at] for at in dict.fromkeys((*old["settings"], *new["settings"]))}
    return [*others, {**old, "parts": [*parts, part], "settings": settings}]


def gpu_of(record: Mapping[str, Any], pattern: str) -> Mapping[str, Any]:
    """Return the record, or its part, that tells on which GPU and when a pattern was timed."""
    return next((part for part in record.get("parts", ()) if pattern in part["patterns"]), record)


def _pattern(setting: str) -> str:
    return setting.split(maxsplit=1)[0]


def of_model(model: str, records: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the record of a GPU of a model."""
    return next(record for record in records if model in record["device"])


def timed(record: Mapping[str, Any], setting: str) -> list[Timed]:
    """Return the variants of a setting, the fastest first."""
    found = [Timed(setting, name, *figures) for name, figures in record["settings"][setting].items()]
    return sorted(found, key=lambda one: one.time)


def has_other_layout(pattern: str, variant: str) -> bool:
    """Whether a variant declares that its data are laid out otherwise, so that it replaces no other."""
    declared = builtin_declaration(pattern)
    return declared is not None and any(one.name == variant and one.other_layout for one in declared.variants)


def rivals(record: Mapping[str, Any], setting: str) -> list[Timed]:
    """Return the variants of a setting that may replace one another, the fastest first."""
    return [one for one in timed(record, setting) if not has_other_layout(_pattern(setting), one.variant)]


def shown(one: Timed) -> str:
    """Return the time of a variant: `104.2`, or `3.36 µs` of a launch."""
    return f"{one.time:,.1f}" if one.unit == "cycles" else f"{one.time:,.4g} µs"


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page on the records of several GPUs."""
    return "\n".join((HEAD, *_about(records), "", *_table(records))) + "\n"


def _about(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for record in records:
        older = len(_variants(*records) - _variants(record))
        age = f"; with earlier code, and without {count_noun(older, 'variant')} of the other run" if older else ""
        yield f"{_about_run(record)}{age}"
        yield from (f"{_about_run(part)}; of {join_words(part['patterns'])}" for part in record.get("parts", ()))


def _about_run(record: Mapping[str, Any]) -> str:
    state = "quiet" if record["quiet"] else f"not quiet: {record['noise']}"
    return (
        f"- {record['device']} (`{record['uuid'][:12]}`), driver {record['driver']}, NVRTC {record['nvrtc']}, "
        f"{record['started'][:10]}, {state}"
    )


def _variants(*records: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return the variants that the records have, each with its pattern."""
    every = (item for record in records for item in record["settings"].items())
    return {(_pattern(setting), name) for setting, times in every for name in times}


def _table(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = [record["device"].removeprefix("NVIDIA ").split()[0] for record in records]
    yield "| setting | " + " | ".join(f"{name}, fastest | {name}, second" for name in names) + " |"
    yield "|---|" + "---|" * (2 * len(names))
    for setting in dict.fromkeys(setting for record in records for setting in record["settings"]):
        cells: list[str] = []
        for record in records:
            timed_there = rivals(record, setting) if setting in record["settings"] else []
            own = [one for one in timed_there if one.mechanism != "library"][:2]
            cells += [f"`{one.variant}` {shown(one)}" for one in own] + ["–"] * (2 - len(own))
        yield f"| {setting} | {' | '.join(cells)} |"


def main() -> None:
    """Write the record and the page."""
    records = kept()
    for word in sys.argv[1:]:
        records = merged(records, recorded(Path(word)))
    RECORD.write_text(json.dumps(records, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(records), encoding="utf-8")


if __name__ == "__main__":
    main()
