"""Named baselines: runs to compare with, in a folder that can be committed.

    <folder>/<name>/<suite>/<gpu>/<n>/{run.json, results.csv, samples.csv.gz, kernels.zip}

They are byte-for-byte copies of run folders, so that every reader of runs reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError, UsageError
from shflbench.store.append import gpu_slug
from shflbench.store.baseline_runs import FILES, BaselineSummary, Candidate, baseline_warnings, refuse_mismatched
from shflbench.store.read import read_info, read_run
from shflbench.store.run_files import writing
from shflbench.store.swap import clear, current_folder, prune, swap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.store.read import Run

NAME = "[a-z0-9][a-z0-9._-]*"  # no slash and no dot first; lower case, because some file systems ignore case
WHICH_BASELINES = "name a folder by --baselines or SHFLBENCH_BASELINES"
NOISE = "noise"  # not a baseline: the folder of learned noise
PLACE = re.compile(rf"({NAME})/([a-z0-9-]+)/(?:([a-z0-9_-]+)|\.([a-z0-9_-]+)\.old)")  # the latter: see `swap`
NUMBER = re.compile("[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """The runs of a baseline of one suite on one model of GPU."""

    name: str
    suite: str
    gpu: str  # as in names of folders: `nvidia-h200`
    place: Path

    @property
    def folder(self) -> Path:
        """The folder that contains it: `place`, unless a kill interrupted its replacement."""
        return current_folder(self.place)

    @property
    def runs(self) -> tuple[Path, ...]:
        """The folders of its runs, by number."""
        numbered = (path for path in self.folder.glob("*") if NUMBER.fullmatch(path.name))
        held = (path for path in numbered if any((path / name).exists() for name in FILES))
        return tuple(sorted(held, key=lambda path: int(path.name)))

    @property
    def files(self) -> tuple[Path, ...]:
        """Its files, in the order in which they are removed; without links."""
        files = (run / name for name in FILES for run in self.runs if not run.is_symlink())
        return tuple(path for path in files if path.is_file() and not path.is_symlink())

    @property
    def foreign_files(self) -> tuple[Path, ...]:
        """Files in its folder that are not part of it."""
        if self.folder.is_file():
            return (self.folder,)
        expected = {*self.files, *(file.parent for file in self.files)}
        return tuple(sorted(path for path in self.folder.rglob("*") if path not in expected))

    def check(self) -> None:
        """Raise ResultsError where a `run.json` is damaged, or its suite or GPU is not that of the folder."""
        for path in self.runs:
            info = read_info(path)
            conditions = info.suite.name, gpu_slug(info.device.name) if info.device else "no GPU"
            if conditions != (self.suite, self.gpu):
                raise ResultsError(
                    f"{path} contains a run of {' on '.join(conditions)}",
                    f"put back that of {self.suite} on {self.gpu}",
                )

    def read(self) -> tuple[Run, ...]:
        """Read its runs; ResultsError where one is damaged, or does not belong to its folder."""
        self.check()
        return tuple(map(read_run, self.runs))

    def refuse_unknown(self) -> None:
        """Raise ResultsError unless its runs are certainly those of a baseline, which may be deleted."""
        try:
            self.check()
        except ResultsError as error:
            raise ResultsError(error.message, f"restore it, or delete {self.folder} yourself") from error

    def refuse_links(self) -> None:
        """Raise ResultsError where its path has a symbolic link, whose target may belong to others."""
        for path in (self.place, *self.place.parents[:2]):
            if path.is_symlink():
                advice = f"remove the link, or work in {path.resolve()} directly"
                raise ResultsError(f"{path} is a symbolic link, not a folder", advice)


@dataclass(frozen=True, slots=True)
class SavedBaseline:
    """A new baseline, with warnings, a sentence each."""

    entry: BaselineEntry
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemovedBaselines:
    """The baselines that were removed, and the files that remain in their folders because they belong to none."""

    entries: tuple[BaselineEntry, ...]
    kept: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines in `folder`, which need not exist."""

    folder: Path

    def entries(self) -> tuple[BaselineEntry, ...]:
        """Return all baselines, sorted by name, suite and GPU, without reading a file."""
        if self.folder.exists() and not self.folder.is_dir():
            raise ResultsError(f"{self.folder} is a file, not a folder of baselines", WHICH_BASELINES)
        keys = set()
        for path in self.folder.glob("*/*/*"):
            match = PLACE.fullmatch(path.relative_to(self.folder).as_posix())
            if match and match[1] != NOISE:
                keys.add((match[1], match[2], match[3] or match[4]))
        entries = (self._entry(*key) for key in sorted(keys))
        return tuple(entry for entry in entries if entry.runs)

    def names(self) -> tuple[str, ...]:
        """Return the names of all baselines, sorted."""
        return tuple(sorted({entry.name for entry in self.entries()}))

    def has(self, name: str) -> bool:
        """Whether a baseline has that name, for any suite and GPU; a path is not a name."""
        return self.folder.is_dir() and name in self.names()

    def find(self, name: str, suite: str, device: str) -> tuple[Path, ...]:
        """Return the run folders of a baseline; `device` is the GPU's name, or as in names of folders.

        ResultsError where there is none, which lists those that exist, or where one does not belong to its folder.
        """
        (entry,) = self.matching(name, suite, device)
        entry.check()
        return entry.runs

    def matching(self, name: str, suite: str | None = None, device: str | None = None) -> tuple[BaselineEntry, ...]:
        """Return the entries of a baseline, of that suite and GPU model if given; ResultsError where there is none."""
        named = [entry for entry in self.entries() if entry.name == name]
        if not named:
            raise self._unknown(name)
        gpu = device and gpu_slug(device)
        matches = tuple(entry for entry in named if suite in {None, entry.suite} and gpu in {None, entry.gpu})
        if not matches:
            wanted = " on ".join(text for text in (suite, gpu) if text)
            there = ", ".join(f"{entry.suite} on {entry.gpu}" for entry in named)
            raise ResultsError(
                f"the baseline `{name}` in {self.folder} has no runs of {wanted}; it has {there}",
                f"give one of these, or save others: shflbench baseline save {name} RUN",
            )
        return matches

    def save(
        self, name: str, folders: Sequence[Path], *, force: bool = False, allow_failed: bool = False
    ) -> SavedBaseline:
        """Copy these runs, of one suite on one model of GPU, to the baseline `name`.

        With `force` they replace the runs of that baseline. UsageError for a name that is not allowed. ResultsError for
        runs that cannot be used (see `Candidate.read` and `refuse_mismatched`), where other files are in the way, or
        where the disk cannot be written; then nothing has changed.
        """
        _refuse_name(name)
        candidates = [Candidate.read(folder, allow_failed=allow_failed) for folder in folders]
        if not candidates:
            raise UsageError("a baseline needs a run", "Give the folder that `shflbench run` printed.")
        refuse_mismatched(candidates)
        info = candidates[0].run.info
        entry = self._entry(name, info.suite.name, gpu_slug(info.device.name if info.device else ""))
        with writing(self.folder):
            entry.refuse_links()
            clear(entry.place)
            _refuse_loss(entry, force=force)
            try:
                swap(entry.place, [candidate.contents for candidate in candidates])
            finally:
                prune(entry.place.parents[:2])  # empty ones, where a first baseline could not be written
        return SavedBaseline(entry, tuple(baseline_warnings(candidates)))

    def remove(self, name: str, suite: str | None = None, device: str | None = None) -> RemovedBaselines:
        """Remove the entries of a baseline, of that suite and model of GPU if given, and nothing else.

        ResultsError where there is none, or a run does not belong to its folder; then nothing has changed.
        """
        removed = self.matching(name, suite, device)
        for entry in removed:
            entry.refuse_links()
            entry.refuse_unknown()
        with writing(self.folder):
            for entry in removed:
                clear(entry.place)
                runs = entry.runs
                for file in entry.files:
                    file.unlink()
                prune([*runs, entry.place, *entry.place.parents[:2]])
        others = {entry.folder for entry in self.entries() if entry not in removed}
        files = (path for path in (self.folder / name).rglob("*") if path.is_symlink() or not path.is_dir())
        return RemovedBaselines(removed, tuple(sorted(path for path in files if others.isdisjoint(path.parents))))

    def _entry(self, name: str, suite: str, gpu: str) -> BaselineEntry:
        return BaselineEntry(name, suite, gpu, self.folder / name / suite / gpu)

    def _unknown(self, name: str) -> ResultsError:
        names = self.names()
        if not names:
            why = "contains none" if self.folder.exists() else "does not exist"
            advice = "save one: shflbench baseline save NAME RUN; or name the folder of the baselines by --baselines"
            return ResultsError(f"there is no baseline `{name}`: the folder {self.folder} {why}", advice)
        near = get_close_matches(name, names, n=1)
        question = f"did you mean `{near[0]}`? " if near else ""
        return ResultsError(
            f"there is no baseline `{name}` in {self.folder}", f"{question}there are {', '.join(names)}"
        )


def _refuse_name(name: str) -> None:
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f"found the name `{name}`; allowed: lower-case letters, digits, `.`, `_` and `-`, a letter or digit first",
            "Try `main`.",
        )
    if name == NOISE:
        raise UsageError(f"`{name}` is the folder of learned noise", "Choose another name, such as `main`.")


def _refuse_loss(entry: BaselineEntry, *, force: bool) -> None:
    """Raise ResultsError where a new baseline would replace what it may not."""
    if entry.runs and not force:
        facts = BaselineSummary.of(entry.read())
        raise ResultsError(
            f"the baseline `{entry.name}` has runs of {entry.suite} on {entry.gpu} already: "
            f"{facts.dates}, commit {facts.commits}, driver {facts.drivers}",
            "replace them by --force, or choose another name",
        )
    entry.refuse_unknown()
    if foreign_files := entry.foreign_files:
        raise ResultsError(f"{foreign_files[0]} is in the way and not part of a baseline", "move it elsewhere")
