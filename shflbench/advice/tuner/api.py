"""Tune: rank the candidates by the model, measure rung after rung, and answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.advice.tuner.answer import TunedSetting, sampling_seconds, tuned_settings
from shflbench.advice.tuner.candidates import rank
from shflbench.advice.tuner.record import TRIED_FILE, TuneRecord, write_record, write_tried
from shflbench.advice.tuner.rules import Rung
from shflbench.advice.tuner.rung_suite import suite_text
from shflbench.advice.tuner.rungs import RungRuns, Tournament
from shflbench.errors import ResultsError
from shflbench.patterns.discover import builtin_declaration
from shflbench.store import run_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.advice.tuner.record import TriedCandidate
    from shflbench.advice.tuner.request import TuneRequest
    from shflbench.core.model import Device
    from shflbench.core.reporter import Reporter
    from shflbench.store import Run

WINNERS_FILE = "winners.yaml"
WINNERS = Rung(0.002, 0.25, 3, 0)  # of which the user wants to know more than which is fastest


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

    Writes `tune.json`, `tried.csv` after each rung, and the winners as a suite. ResultsError where none was timed
    though none failed, and where the folder cannot be written or holds other runs.
    """
    write_record(folder, record)
    tournament = Tournament(record.settings)
    write_tried(folder, tournament.tried())
    if gpu is None:
        return TuneResult(record, tuple(tournament.tried()))
    seconds = 0.0
    last: dict[str, tuple[int, Run]] = {}
    rungs = RungRuns(folder, record, gpu, reporter)
    while rung := tournament.next_rung():
        number, chosen = rung
        run = rungs.measure(number, chosen)
        tournament.apply(number, chosen, run.rows)
        write_tried(folder, tournament.tried())
        seconds += sampling_seconds(run)
        last |= dict.fromkeys(chosen, (number, run))
    tried = tuple(tournament.tried())
    winners = {launch: names for launch in record.request.launches if (names := tournament.winners(launch))}
    if not winners and not any(one.has_failed for one in tried):
        raise ResultsError(f"no candidate of {record.request.pattern} was timed", f"see {folder / TRIED_FILE}")
    answers = tuple(tuned_settings(last, record.settings, tried))
    if winners:
        text = suite_text(record, "winners", WINNERS, winners)
        with run_files.writing(folder):
            run_files.replace(folder / WINNERS_FILE, text.encode())
    return TuneResult(record, tried, answers, winners, seconds)
