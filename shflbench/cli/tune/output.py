"""Print the result of a tuning run as tables or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table, align_right
from shflbench.cli.show.tables import group_table
from shflbench.core.json_objects import object_of, objects_of
from shflbench.core.words import count_noun
from shflbench.schemas.tune import SCHEMA, CandidateObject, TuneRequestObject

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.advice.tuner.api import TuneResult
    from shflbench.advice.tuner.candidates import RankedSetting
    from shflbench.cli.console import Console
    from shflbench.schemas.tune import TuneDocument


def print_result(result: TuneResult, folder: Path, form: str, console: Console) -> None:
    """Print the answers, or the ranking where nothing was measured, and the folder."""
    if form == "json":
        console.json(json.dumps(_as_json(result, folder), indent=2))
        return
    if not result.answers:
        for setting in result.record.settings:
            console.say()
            console.table(_ranking(setting))
    for answer in result.answers:
        if answer.rows:
            console.say()
            console.table(group_table(answer.rows))
    if result.answers:
        console.say()
    for answer in result.answers:
        console.say(f"{answer.sentence}.")
        if answer.mechanisms:
            console.say(f"{answer.mechanisms}.")
    if failed := result.failures:
        first = failed[0]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        console.warn(f"{first.variant} at {first.launch}: {first.left_out}{more}")
    console.say(_extent(result))
    console.path(folder)


def _extent(result: TuneResult) -> str:
    """Say how many candidates there were, and how long they were measured."""
    count = count_noun(len(result.tried), "candidate")
    settings = count_noun(len(result.record.settings), "setting")
    if not result.answers:
        return f"Ranked by the limit model of {result.record.arch}: {count} in {settings}; nothing was measured."
    measured = sum(one.rung is not None for one in result.tried)
    return f"Measured {measured} of {count} in {settings}; sampling took {result.seconds:.1f} s."


def _ranking(setting: RankedSetting) -> Table:
    """Return the candidates that a GPU would measure, in the order of the model."""
    shown = setting.measured
    columns = {
        "candidate": [one.variant for one in shown],
        "mechanism": [one.mechanism.value for one in shown],
        "predicted cycles": align_right([_cycles(one.predicted_cycles) for one in shown]),
        "limit cycles": align_right([_cycles(one.limit_cycles) for one in shown]),
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    others = len(setting.candidates) - len(shown)
    notes = (f"{others} others are left out: tried.csv has the reasons",) if others else ()
    lines = tuple(Line(cells) for cells in zip(*kept.values(), strict=True))
    basis = "predicted" if any(one.predicted_cycles for one in shown) else "ranked by limits"
    return Table(f"{setting.launch}  ({basis}, not measured)", tuple(kept), lines, notes=notes)


def _cycles(cycles: float | None) -> str:
    return "" if cycles is None else f"{cycles:.0f}"


def _as_json(result: TuneResult, folder: Path) -> TuneDocument:
    return {
        "schema": SCHEMA,
        "folder": str(folder),
        "request": object_of(TuneRequestObject, result.record.request),
        "arch": result.record.arch,
        "device": result.record.device,
        "answers": [
            {
                "launch": answer.launch,
                "sentence": answer.sentence,
                "rung": answer.rung,
                "mechanisms": {one.mechanism: one.variant for one in answer.best},
            }
            for answer in result.answers
        ],
        "winners": result.winners,
        "tried": objects_of(CandidateObject, result.tried),
        "gpu_seconds": result.seconds,
    }
