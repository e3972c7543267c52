"""Find the runs that a user names as the sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.compare import Side
from shflbench.errors import ResultsError
from shflbench.store import find_runs, read_info, read_run
from shflbench.store.baselines import Baselines
from shflbench.store.readers.runs import run_of
from shflbench.store.readers.tool_files import is_foreign, read_recording
from shflbench.store.run_files import ROWS_FILE, RUN_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.store import Run, RunInfo


@dataclass(frozen=True, slots=True)
class _GivenSide:
    """What the user named as one side."""

    paths: tuple[Path, ...]
    converted: Run | None  # of all files of other tools among the paths
    others: tuple[Path, ...]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> _GivenSide:
        """Read the files of other tools; ResultsError if one is damaged."""
        foreign = [path for path in paths if _is_foreign(path)]
        others = tuple(path for path in paths if path not in foreign)
        return cls(tuple(paths), run_of(read_recording(*foreign)) if foreign else None, others)

    def info(self) -> RunInfo | None:
        """Return the record of its first run; None if only baselines are named."""
        if self.converted:
            return self.converted.info
        folders = filter(_is_folder, self.others)
        return next((read_info(find_runs([path], report_missing=False)[0]) for path in folders), None)

    def side(self, kept: Baselines, named: RunInfo | None) -> Side:
        """Read all runs; of a baseline those of the same suite and GPU as the `named` run."""
        runs = [run for path in self.others for run in _runs(path, kept, named)]
        return Side.of([*([self.converted] if self.converted else []), *runs], ", ".join(map(str, self.paths)))


def sides(base: Sequence[Path], new: Sequence[Path], folder: Path) -> tuple[Side, Side]:
    """Read both sides: run folders, folders that hold runs, files of other tools, and names of baselines in `folder`.

    Of a baseline, the runs of the suite and GPU of the given run folders are read. ResultsError for a run that cannot
    be found or read.
    """
    kept = Baselines(folder)
    after, before = _GivenSide.of(new), _GivenSide.of(base)
    named = after.info() or before.info()
    return before.side(kept, named), after.side(kept, named)


def _is_folder(path: Path) -> bool:
    """Whether a path names a folder and not a baseline: a folder that exists, or a path of several parts."""
    return path.exists() or len(path.parts) > 1


def _is_foreign(path: Path) -> bool:
    """Whether a path is a file or folder of another tool, and has no run."""
    if not path.exists() or any((file.parent / ROWS_FILE).exists() for file in path.rglob(RUN_FILE)):
        return False
    return is_foreign(path)


def _runs(path: Path, kept: Baselines, named: RunInfo | None) -> Iterator[Run]:
    if _is_folder(path):
        yield from map(read_run, find_runs([path]))
        return
    suite = named.suite.name if named else None
    device = named.device.name if named and named.device else None
    try:
        entries = kept.matching(str(path), suite, device)
    except ResultsError as error:
        raise ResultsError(f"there is no folder {path}, and {error.message}", error.advice) from error
    for entry in entries:
        yield from entry.read()
