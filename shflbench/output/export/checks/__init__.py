"""Export the results of `check`: one file per format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.checker import FileReport
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The reports of one `check`, and its options that formats name."""

    patterns: Sequence[SubjectReport]
    files: Sequence[FileReport]
    arch: str
    seed: int
    seconds: Mapping[tuple[Path, str], float] = field(default_factory=dict)  # by file and symbol, of those that ran
