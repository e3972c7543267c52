"""The limits of a run, from its file and from what its kernels show now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.kernel_facts.recorded_limits import count_changed, current_limits, merge_limits, with_gaps
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.kernel_facts.run_memory_requests import requests_of_run
from shflbench.kernel_facts.run_predictions import Predictor
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.patterns.discover import builtin
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.analysis.limits.prediction import Prediction
    from shflbench.core.model import KernelRequests
    from shflbench.core.reporter import Reporter
    from shflbench.kernel_facts.stored_code import KnownCodes
    from shflbench.store import Run
    from shflbench.store.calibration_file import Calibration
    from shflbench.store.limits_file import CaseLimit


@dataclass(frozen=True, slots=True)
class KnownLimits:
    """The limits of a run, and how they differ from its file."""

    limits: list[CaseLimit]  # in the order of the rows
    changed: int  # cases that the file lacks or has with other values
    kept: int  # cases whose limit in the file is closer than the calculated one


def known_limits(
    run: Run, calibration: Calibration | None, cache_folder: Path, reporter: Reporter, *, again: bool
) -> KnownLimits:
    """Return the limits in the file of a run, and calculated ones where it lacks them, or all `again`.

    Calculated again, they include the requests to memory that the emulator counts. CompilerError where nvdisasm or the
    compiler is needed and not there; ResultsError where a file of the run is damaged.
    """
    recorded = read_limits(run.folder)
    current = current_limits(run, recorded)
    part = run if again else with_gaps(run, current, calibration)
    counted = requests_of_run(run, builtin(), cache_folder) if again else {}
    known: KnownCodes = {}
    codes = stored_codes(part.kernels(), [row.case_id for row in part.rows if row.time_us], known, cache_folder)
    predicted = _predicted(Predictor(part, calibration, codes=codes), counted, reporter)
    calculated = limits_of(part, calibration=calibration, requests=counted, predictions=predicted, known_codes=known)
    limits = merge_limits(run, current, calculated, counted if again else None)
    kept = sum(limit is current.get(limit.case_id) for limit in limits) if again else 0
    return KnownLimits(limits, count_changed(limits, recorded), kept)


def _predicted(
    predictor: Predictor, requests: Mapping[str, KernelRequests], reporter: Reporter
) -> dict[str, Prediction]:
    """Return the predictions of the cases that have one; takes about 0.05 s per case."""
    predicted = {}
    with reporter.progress() as progress:
        for number, row in enumerate(predictor.rows):
            progress.show(f"predicting, {number} of {len(predictor.rows)} cases", number, len(predictor.rows))
            prediction = predictor.predict(row, requests.get(row.case_id))
            if prediction.us:
                predicted[row.case_id] = prediction
    return predicted
