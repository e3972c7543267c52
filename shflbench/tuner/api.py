"""Tune: rank the candidates by the model, measure rung after rung, and answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.patterns.discover import builtin_declaration
from shflbench.store import run_files
from shflbench.tuner.answer import TunedSetting, gpu_seconds, tuned_settings
from shflbench.tuner.candidates import rank
from shflbench.tuner.record import RECORD_FILE, TuneRecord, write_record, write_tried
from shflbench.tuner.rules import RUNGS
from shflbench.tuner.rung_suite import suite_text
from shflbench.tuner.rungs import RungRuns, Tournament

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.model import Device
    from shflbench.reporter import Reporter
    from shflbench.tuner.record import TriedCandidate
    from shflbench.tuner.request import TuneRequest

WINNERS_FILE = "winners.yaml"


@dataclass(frozen=True, slots=True)
class TuneResult:
    """What became of all candidates, and the answers; none without a GPU."""

    record: TuneRecord
    tried: tuple[TriedCandidate, ...]
    answers: tuple[TunedSetting, ...] = ()
    winners: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the best of each mechanism, by launch
    seconds: float = 0.0  # in which samples were taken

    @property
    def failures(self) -> list[TriedCandidate]:
        """The candidates that failed or computed a wrong result."""
        return [one for one in self.tried if one.has_failed]


def ranked(request: TuneRequest, arch: str, device: Device | None, sms: int | None, reporter: Reporter) -> TuneRecord:
    """Return the record with the ranking of all settings, by an architecture's limits and predictions."""
    declared = builtin_declaration(request.pattern)
    family = declared.family if declared else None
    reasons = (family.excluded(choice) for _, choice in family.combinations()) if family else ()
    return TuneRecord(
        request=request,
        arch=arch,
        uuid=device.uuid if device else "",
        device=device.name if device else "",
        settings=tuple(rank(request, launch, arch, sms, reporter) for launch in request.launches),
        excluded=dict(Counter(filter(None, reasons))),
    )


def tune(record: TuneRecord, folder: Path, gpu: int | None, reporter: Reporter) -> TuneResult:
    """Measure what the ranking of a record leaves, in a folder that may hold finished rungs; without a GPU, nothing.

    Writes `tune.json`, `tried.csv` after each rung, and the winners as a suite. ResultsError where no candidate is
    left, and where the folder cannot be written or holds other runs.
    """
    if builtin_declaration(record.request.pattern) is None:
        raise ResultsError(
            f"{folder / RECORD_FILE}: there is no pattern {record.request.pattern}", "tune in a new folder"
        )
    write_record(folder, record)
    tournament = Tournament.of(record.settings)
    write_tried(folder, tournament.tried())
    if gpu is None:
        return TuneResult(record, tuple(tournament.tried()))
    seconds = 0.0
    rungs = RungRuns(folder, record, gpu, reporter)
    for number in range(1, len(RUNGS) + 1):
        remaining = {launch: names for launch, names in tournament.remaining().items() if names}
        if not remaining:
            raise ResultsError(f"no candidate of {record.request.pattern} was timed", f"see {folder / 'tried.csv'}")
        last = rungs.measure(number, remaining)
        tournament.apply(number, last.rows)
        write_tried(folder, tournament.tried())
        seconds += gpu_seconds(last)
    answers = tuple(tuned_settings(last, record.settings, tuple(tournament.tried())))
    winners = {launch: names for launch in record.request.launches if (names := tournament.winners(launch))}
    text = suite_text(record, "winners", RUNGS[-1], winners)
    with run_files.writing(folder):
        run_files.replace(folder / WINNERS_FILE, text.encode())
    return TuneResult(record, tuple(tournament.tried()), answers, winners, seconds)
