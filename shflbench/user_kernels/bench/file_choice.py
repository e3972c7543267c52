"""Choose which kernels of a file are compared, or of two versions of it, as `bench` asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.errors import UsageError
from shflbench.user_kernels.comparison import choose, choose_between
from shflbench.user_kernels.revision import checked_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from shflbench.checker import CandidateFile, CheckStep, KernelReport
    from shflbench.core.reporter import ProgressLine, Reporter
    from shflbench.user_kernels.comparison import KernelChoice
    from shflbench.user_kernels.file_options import FileFlags

    ShowStep = Callable[[ProgressLine, CheckStep], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """The kernels that are compared: those of a file, or of its two versions. Fields are parameters of `bench`."""

    files: tuple[Path, ...]
    flags: FileFlags
    against: str | None = None  # a revision of the file
    reference: str | None = None  # the kernel that is the baseline
    no_check: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for more than two versions."""
        if len(self.files) > 2 or (len(self.files) > 1 and self.against):  # noqa: PLR2004  (old and new)
            raise UsageError("bench compares two files at most", "Give FILE, FILE NEW, or FILE --against REVISION.")

    @property
    def new(self) -> Path:
        """The file, or its new version."""
        return self.files[-1]

    @property
    def names(self) -> list[str]:
        """The kernels that the user names, the reference first."""
        named = self.flags.kernels
        return list(dict.fromkeys([*filter(None, [self.reference]), *named])) if named else []


@dataclass(frozen=True, slots=True)
class FileChoice:
    """What of the files is compared, and the reports on their kernels."""

    kernels: KernelChoice
    reports: tuple[KernelReport, ...]


def choose_in_files(request: FileRequest, show: ShowStep, reporter: Reporter) -> FileChoice:
    """Read, compile and check the files, and return what of them is compared.

    `show` shows a step of the check. Raises what `read_candidates` raises, and UsageError for a reference that the file
    does not have.
    """
    reader, new, against = _FileReader(request, show, reporter), request.new, request.against
    if len(request.files) == 1 and against is None:
        file = reader.read(new, joins=not request.flags.kernels and not request.reference)
        choice = choose(file, named=bool(request.flags.kernels), reference=_first(file, request))
        return FileChoice(choice, tuple(file.reports.values()))
    if against is None:
        old, earlier = reader.read(request.files[0]), str(request.files[0])
    else:
        old, earlier = reader.read_at(against), f"{against}:{new}"
    file = reader.read(new)
    reports = (*old.reports.values(), *file.reports.values())
    return FileChoice(choose_between(old, file, (earlier, str(new))), reports)


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads, compiles and checks the kernels of files."""

    request: FileRequest
    show: ShowStep
    reporter: Reporter

    def read_at(self, against: str) -> CandidateFile:
        """Return the kernels of the file at a revision; warn if it is the same."""
        new = self.request.new
        with checked_out(new, against) as revision:
            include = tuple(map(revision.path, self.request.flags.include))
            place = revision.path(new)
            if place.read_bytes() == new.read_bytes():
                self.reporter.warn(f"{new} is as at {against}: only what it includes can differ")
            return self.read(place, include=include)

    def read(self, file: Path, *, include: Sequence[Path] | None = None, joins: bool = False) -> CandidateFile:
        """Return the kernels of a file; `include` replaces the folders of headers."""
        flags = self.request.flags
        sets = parse_argument_sets(flags.arguments)
        timed = replace(
            flags.timed(self.request.names),
            include=flags.include if include is None else include,
            launches=[text for text in flags.launches if "=" not in text],
            named_launches=[text for text in flags.launches if "=" in text],
        )
        options = timed.options([file])
        with self.reporter.progress() as progress:
            watch = None if self.request.no_check else partial(self.show, progress)
            return read_candidates(file, options, watch, sets, joins=joins)


def _first(file: CandidateFile, request: FileRequest) -> str:
    """Return the name of the kernel that is the baseline; UsageError if the file has no kernel of the name."""
    name = request.reference or next(iter(request.flags.kernels), "")
    of_function = f"{name}()"  # of which the parentheses were left out
    name = of_function if of_function in file.names else name
    if request.reference and name not in file.names:
        known = ", ".join(file.names)
        raise UsageError(f"--reference: there is no kernel `{name}`", f"Choose one of: {known}.")
    return name
