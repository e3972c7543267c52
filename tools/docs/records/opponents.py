"""Read and renew the record of the suite `opponents`, which pages of the documentation take their figures from.

    python -m tools.docs.records.opponents RUN [RUN ...]   read runs, write opponents.json beside this file

The record keeps the latest run of each model. A later run of some patterns, as with `--pattern vote`, replaces their
settings alone. `make plots` then writes the pages.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.patterns.discover import builtin_declaration
from shflbench.store import read_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECORD = Path(__file__).with_suffix(".json")


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


def main() -> None:
    """Write the record."""
    records = kept()
    for word in sys.argv[1:]:
        records = merged(records, recorded(Path(word)))
    RECORD.write_text(json.dumps(records, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
