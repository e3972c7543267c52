"""Count the memory requests of kernels in the emulator, by the lines of the pattern's source files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure import requests
from shflbench.pattern_checks.source_files import SourceFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import Locate
    from shflbench.errors import KernelError
    from shflbench.measure.requests import RequestsJob
    from shflbench.model import Case, Kernel, KernelRequests
    from shflbench.patterns.discover import LoadedPattern


def requests_of(pattern: LoadedPattern, case: Case, kernel: Kernel) -> KernelRequests:
    """Return the memory requests of a compiled kernel; errors as in `measure.requests`."""
    return requests.requests_of(pattern, case, kernel, source_line)


def requests_of_all(jobs: Sequence[RequestsJob]) -> Iterator[KernelRequests | KernelError]:
    """Yield the requests of each kernel, or why they are not known, in order; uses all cores."""
    return requests.requests_of_all(jobs, source_line)


def source_line(pattern: LoadedPattern) -> Locate:
    """Return the function that names an instruction by the innermost line of the pattern's own files."""
    return SourceFiles(pattern).compiled_line
