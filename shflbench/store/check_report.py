"""The hazards of kernels, read from what `shflbench check --format json` printed.

The file may come from anybody: its size is bounded, and its content is validated before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter, ValidationError

from shflbench.errors import ResultsError
from shflbench.store import run_files
from shflbench.store.json_record import refuse_twice, sentence_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from shflbench.store.columns import Options

MOST_REPORT_BYTES = 32 * 2**20  # a report on every kernel of shflbench has 2 MB
WHICH_FILE = "give what `shflbench check SUITE --format json -o FILE` wrote"
NOT_RUN = frozenset({"not compiled", "not checked", "skipped"})  # verdicts without a result


@dataclass(frozen=True, slots=True)
class _Finding:
    kind: str


@dataclass(frozen=True, slots=True)
class _Kernel:
    pattern: str
    variant: str
    dtype: str
    options: Mapping[str, str]
    verdict: str
    sentence: str
    findings: tuple[_Finding, ...]
    wrong_schedules: tuple[str, ...]
    errors: tuple[str, ...]
    revision: str = ""  # which earlier versions did not write


@dataclass(frozen=True, slots=True)
class _Report:
    arch: str
    kernels: Annotated[tuple[_Kernel, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class KernelHazards:
    """The result for one kernel."""

    number: int  # of findings, wrong schedules and errors
    not_run: str = ""  # why the kernel was not checked
    revision: str = ""  # `kernel_revision` of its source; empty if the report does not name it


@dataclass(frozen=True, slots=True)
class HazardReport:
    """The hazards of each kernel that was checked."""

    arch: str
    kernels: Mapping[tuple[str, str, str, Options], KernelHazards] = field(repr=False)

    @property
    def patterns(self) -> frozenset[str]:
        """The patterns of the kernels."""
        return frozenset(pattern for pattern, *_ in self.kernels)

    def of(self, pattern: str, variant: str, dtype: str, options: Iterable[tuple[str, str]]) -> KernelHazards | None:
        """Return the hazards of one kernel, without options of the launch; None if it was not checked."""
        return self.kernels.get((pattern, variant, dtype, tuple(sorted(options))))


@cache
def _adapter() -> TypeAdapter[_Report]:
    return TypeAdapter(_Report)


def read_check_report(path: Path, patterns: Collection[str] = ()) -> HazardReport:
    """Read the report at `path`.

    ResultsError where the file is missing, too large, damaged, or has none of the `patterns` of the run.
    """
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}", WHICH_FILE) from error
    if size > MOST_REPORT_BYTES:
        raise ResultsError(f"{path} has {size:,} bytes, and a report has {MOST_REPORT_BYTES:,} at most", WHICH_FILE)
    text = run_files.text(run_files.read(path), path)
    refuse_twice(text, path, WHICH_FILE)
    try:
        content = _adapter().validate_json(text, strict=True)
    except ValidationError as error:
        raise ResultsError(f"{path}: {sentence_of(error.errors()[0])}", WHICH_FILE) from error
    report = HazardReport(content.arch, _by_kernel(content.kernels))
    if patterns and not report.patterns & set(patterns):
        raise ResultsError(
            f"{path} is about kernels of other patterns: {', '.join(sorted(report.patterns))}", WHICH_FILE
        )
    return report


def _by_kernel(kernels: Iterable[_Kernel]) -> dict[tuple[str, str, str, Options], KernelHazards]:
    """Return the results by kernel; of a kernel that was checked twice, the one with more hazards."""
    results: dict[tuple[str, str, str, Options], KernelHazards] = {}
    for kernel in kernels:
        key = (kernel.pattern, kernel.variant, kernel.dtype, tuple(sorted(kernel.options.items())))
        number = len(kernel.findings) + len(kernel.wrong_schedules) + len(kernel.errors)
        not_run = f"{kernel.verdict}: {kernel.sentence}" if kernel.verdict in NOT_RUN else ""
        hazards = KernelHazards(number, not_run, kernel.revision)
        results[key] = max(results.get(key, hazards), hazards, key=lambda known: (known.number, known.not_run))
    return results
