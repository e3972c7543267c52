"""Find the runs that a user names as the sides of a comparison, and the noise that was learned where they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.analysis.compare import Side
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.cli.compare.options import Gate
    from shflbench.store import Run
    from shflbench.store.baselines import Baselines


def sides(base: Sequence[Path], new: Sequence[Path], folder: Path) -> tuple[Side, Side]:
    """Read both sides: run folders, folders that hold some, and names of baselines in `folder`.

    A baseline is that of the suite and GPU of the runs whose folders are given. ResultsError for what cannot be found
    or read.
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
    """Whether a folder is meant, and not a baseline: one that is there, or a path that no baseline's name can be."""
    return path.exists() or len(path.parts) > 1


def _named_side(paths: Iterable[Path]) -> tuple[str | None, str | None]:
    """Return the suite and the GPU's model of the first run whose folder is given; None for what that does not say."""
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


def learned_noise(base: Side, new: Side, gate: Gate) -> tuple[NoiseModel | None, str]:
    """Return the noise that was learned on the GPU of the new side; where it does not fit, none and a sentence why.

    ResultsError where the file cannot be read.
    """
    from shflbench.analysis.compare.noise_learning import applies, model_of
    from shflbench.store import noise_file

    device = new.runs[0].info.device
    path = gate.noise or (noise_file.find(gate.baselines, device.uuid) if device else None)
    if path is None:
        return None, ""
    learned = noise_file.read(path)
    reason = applies(learned, base, new)
    return (None, f"the noise in {path} is not used: {reason}") if reason else (model_of(learned), "")
