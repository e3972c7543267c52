"""Find the runs that a user names as the sides of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.analysis.compare import Side
    from shflbench.store import Run
    from shflbench.store.baselines import Baselines


def sides(base: Sequence[Path], new: Sequence[Path], folder: Path) -> tuple[Side, Side]:
    """Read both sides: run folders, folders that hold runs, and names of baselines in `folder`.

    Of a baseline, the runs of the suite and GPU of the given run folders are read. ResultsError for a run that cannot
    be found or read.
    """
    from shflbench.analysis.compare import Side
    from shflbench.store.baselines import Baselines

    kept = Baselines(folder)
    suite, device = _named_side((*new, *base))

    def side(paths: Sequence[Path]) -> Side:
        runs = [run for path in paths for run in _runs(path, kept, suite, device)]
        return Side.of(runs, ", ".join(map(str, paths)))

    return side(base), side(new)


def _is_folder(path: Path) -> bool:
    """Whether a path names a folder and not a baseline: a folder that exists, or a path of several parts."""
    return path.exists() or len(path.parts) > 1


def _named_side(paths: Iterable[Path]) -> tuple[str | None, str | None]:
    """Return suite and GPU model of the first run whose folder is given; None for what its record does not contain."""
    from shflbench.store import find_runs, read_info

    for path in filter(_is_folder, paths):
        info = read_info(find_runs([path])[0])
        return info.suite.name, info.device.name if info.device else None
    return None, None


def _runs(path: Path, kept: Baselines, suite: str | None, device: str | None) -> Iterator[Run]:
    from shflbench.store import find_runs, read_run

    if _is_folder(path):
        yield from map(read_run, find_runs([path]))
        return
    try:
        entries = kept.matching(str(path), suite, device)
    except ResultsError as error:
        raise ResultsError(f"there is no folder {path}, and {error.message}", error.advice) from error
    for entry in entries:
        yield from entry.read()
