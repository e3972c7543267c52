"""Compute the limits of a run and store them with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import count_noun, one_or_many
from shflbench.errors import ShflbenchError
from shflbench.kernel_facts.recorded_limits import TOLERANCE, current_limits, is_exceeded, merge_limits, with_gaps
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.store.calibration_file import of_gpu
from shflbench.store.limits_file import read_limits, write_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shflbench.kernel_facts.stored_code import KnownCodes
    from shflbench.store import Run
    from shflbench.store.calibration_file import Calibration
    from shflbench.store.limits_file import CaseLimit

NAMED = 3  # cases in a sentence
AGAIN = "compute them again: shflbench limits --save"


def calibration_of(run: Run, baselines: Path, given: Path | None = None) -> Calibration | None:
    """Return the calibration of the GPU of a run: the `given` file, else that among the `baselines` or of its model."""
    return of_gpu(run.info.device, baselines, given) if run.info.device else None


def write_limits_of(
    run: Run,
    folders: Mapping[str, Path],
    baselines: Path,
    known_codes: KnownCodes | None = None,
    cache_folder: Path | None = None,
) -> str:
    """Write `limits.csv` of a run on a GPU, and return a sentence on what is wrong with them, empty if nothing is.

    `folders` are those of its patterns. An error is a sentence, too, because the run itself is complete. A resumed run
    keeps what its file knows. Kernels in `known_codes` are not disassembled again, and the others are
    added to them; listings of few kernels are kept in `cache_folder`.
    """
    if run.info.backend != "cuda":
        return ""
    try:
        current, calibration = current_limits(run, read_limits(run.folder)), calibration_of(run, baselines)
        part = with_gaps(run, current, calibration, predicts=False)
        calculated = limits_of(part, folders, calibration, known_codes=known_codes, cache_folder=cache_folder)
        limits = merge_limits(run, current, calculated)
        if part.rows:
            write_limits(run.folder, limits)
    except ShflbenchError as error:
        return f"the limits are missing: {error.message}; {AGAIN} {run.folder}"
    return exceeded_sentence(limits)


def exceeded_sentence(limits: Iterable[CaseLimit]) -> str:
    """Return a sentence about the cases that are more than 1% faster than their limit; empty if there is none."""
    wrong = sorted(filter(is_exceeded, limits), key=lambda limit: limit.limit_fraction or 0.0, reverse=True)
    if not wrong:
        return ""
    named = ", ".join(f"{limit.case_id} ({limit.limit_fraction:.1%} of {limit.limit_by})" for limit in wrong[:NAMED])
    others = f" and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    verb = one_or_many(len(wrong), "is", "are")
    return (
        f"{count_noun(len(wrong), 'case')} {verb} more than {TOLERANCE - 1:.0%} faster than the limit, so the limit is "
        f"wrong: {named}{others}; report it as a fault of shflbench"
    )
