"""The outcome of a challenge: what the check and the doubts say, the run, and the estimates without a GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.user_kernels.challenge.prediction import EstimatedSetting
    from shflbench.user_kernels.challenge.prepare import Challenge


@dataclass(frozen=True, slots=True)
class ChallengeOutcome:
    """All that is known of a challenge after its run, or after a check that ended it."""

    challenge: Challenge
    reports: Sequence[SubjectReport]  # of the check, one per challenger
    doubts: Mapping[str, str] = field(default_factory=dict)  # by challenger: why its times are not compared
    folder: Path | None = None  # of the run
    estimates: Sequence[EstimatedSetting] = ()  # without a GPU
