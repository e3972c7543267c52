"""Named baselines: runs kept for comparison, in a folder that can live in git.

    <folder>/<name>/<suite>/<gpu>/<n>/{run.json, results.csv, samples.csv.gz}

They are copies of run folders, byte for byte, so that whatever reads runs reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError, UsageError
from shflbench.store.append import gpu_slug
from shflbench.store.baseline_runs import FILES, Candidate, Facts, doubts, refuse_mismatched
from shflbench.store.files import writing
from shflbench.store.read import read_info, read_run
from shflbench.store.swap import prune, settle, standing, swap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.store.read import Run

NAME = "[a-z0-9][a-z0-9._-]*"  # no slash and no dot first; lower case, because some systems take A for a
NOISE = "noise"  # no baseline: what was learned of the noise of machines lies there
PLACE = re.compile(rf"({NAME})/([a-z0-9-]+)/(?:([a-z0-9_-]+)|\.([a-z0-9_-]+)\.old)")  # the latter: see `swap`
NUMBER = re.compile("[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """What a baseline has of one suite on one model of GPU."""

    name: str
    suite: str
    gpu: str  # as folders have it: `nvidia-h200`
    place: Path

    @property
    def folder(self) -> Path:
        """The folder that holds it: `place`, unless a kill came while it was replaced."""
        return standing(self.place)

    @property
    def runs(self) -> tuple[Path, ...]:
        """The folders of its runs, by number."""
        numbered = (path for path in self.folder.glob("*") if NUMBER.fullmatch(path.name))
        held = (path for path in numbered if any((path / name).exists() for name in FILES))
        return tuple(sorted(held, key=lambda path: int(path.name)))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it consists of, in the order of removing them; links are none of its own."""
        files = (run / name for name in FILES for run in self.runs if not run.is_symlink())
        return tuple(path for path in files if path.is_file() and not path.is_symlink())

    @property
    def foreign_files(self) -> tuple[Path, ...]:
        """What lies in its place without being a part of it."""
        if self.folder.is_file():
            return (self.folder,)
        expected = {*self.files, *(file.parent for file in self.files)}
        return tuple(sorted(path for path in self.folder.rglob("*") if path not in expected))

    def check(self) -> None:
        """Raise ResultsError where a `run.json` is damaged, or of another suite or GPU than its folder says."""
        for path in self.runs:
            info = read_info(path)
            conditions = info.suite.name, gpu_slug(info.device.name) if info.device else "no GPU"
            if conditions != (self.suite, self.gpu):
                raise ResultsError(
                    f"{path} holds a run of {' on '.join(conditions)}", f"put back that of {self.suite} on {self.gpu}"
                )

    def read(self) -> tuple[Run, ...]:
        """Read its runs; ResultsError where one is damaged, or not what its folder says."""
        self.check()
        return tuple(map(read_run, self.runs))

    def refuse_unknown(self) -> None:
        """Raise ResultsError unless its runs are known to be a baseline, so that they may be deleted."""
        try:
            self.check()
        except ResultsError as error:
            raise ResultsError(error.message, f"restore it, or delete {self.folder} yourself") from error

    def refuse_links(self) -> None:
        """Raise ResultsError where a link leads to its place: what lies there may belong to others."""
        for path in (self.place, *self.place.parents[:2]):
            if path.is_symlink():
                advice = f"remove the link, or change {path.resolve()} itself"
                raise ResultsError(f"{path} is a link, not a folder of its own", advice)


@dataclass(frozen=True, slots=True)
class Saved:
    """A new baseline, and what to doubt about it, a sentence each."""

    entry: BaselineEntry
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed, and the files that stay in its folders because they were no part of it."""

    entries: tuple[BaselineEntry, ...]
    kept: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines in `folder`, which need not exist."""

    folder: Path

    def entries(self) -> tuple[BaselineEntry, ...]:
        """Return all that there is, sorted by name, suite and GPU; no file is read."""
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
        """Whether there is a baseline of that name, for any suite and GPU; a path or another text is no name."""
        return name in self.names()

    def find(self, name: str, suite: str, device: str) -> tuple[Path, ...]:
        """Return the run folders of a baseline; `device` is the GPU's name, or as folders have it.

        ResultsError where there is none, which says what there is, or where one is not what its folder says.
        """
        (entry,) = self.matching(name, suite, device)
        entry.check()
        return entry.runs

    def matching(self, name: str, suite: str | None = None, device: str | None = None) -> tuple[BaselineEntry, ...]:
        """Return what a baseline has, of that suite and model of GPU if given; ResultsError where that is nothing."""
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

    def save(self, name: str, folders: Sequence[Path], *, force: bool = False, allow_failed: bool = False) -> Saved:
        """Copy these runs, of one suite on one model of GPU, to the baseline `name`.

        With `force` they take the place of those that are there. UsageError for a name that cannot be one.
        ResultsError for runs that cannot be used (see `Candidate.read` and `refuse_mismatched`), where something is in
        the way, or where the disk cannot be written; then everything is as it was.
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
            settle(entry.place)
            _refuse_loss(entry, force=force)
            try:
                swap(entry.place, [candidate.contents for candidate in candidates])
            finally:
                prune(entry.place.parents[:2])  # where it is the first of its suite or name, and could not be written
        return Saved(entry, tuple(doubts(candidates)))

    def remove(self, name: str, suite: str | None = None, device: str | None = None) -> Removed:
        """Remove what a baseline has, of that suite and model of GPU if given, and nothing else.

        ResultsError where that is nothing, or not what its folder says; then everything is as it was.
        """
        removed = self.matching(name, suite, device)
        for entry in removed:
            entry.refuse_links()
            entry.refuse_unknown()
        with writing(self.folder):
            for entry in removed:
                settle(entry.place)
                runs = entry.runs
                for file in entry.files:
                    file.unlink()
                prune([*runs, entry.place, *entry.place.parents[:2]])
        others = {entry.folder for entry in self.entries() if entry not in removed}
        files = (path for path in (self.folder / name).rglob("*") if path.is_symlink() or not path.is_dir())
        return Removed(removed, tuple(sorted(path for path in files if others.isdisjoint(path.parents))))

    def _entry(self, name: str, suite: str, gpu: str) -> BaselineEntry:
        return BaselineEntry(name, suite, gpu, self.folder / name / suite / gpu)

    def _unknown(self, name: str) -> ResultsError:
        names = self.names()
        if not names:
            why = "holds none" if self.folder.exists() else "does not exist"
            advice = "save one: shflbench baseline save NAME RUN; or say by --baselines where they are"
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
        raise UsageError(f"`{name}` is where the noise of machines is kept", "Choose another name, such as `main`.")


def _refuse_loss(entry: BaselineEntry, *, force: bool) -> None:
    """Raise ResultsError where something is in the place of a new baseline that may not be replaced."""
    if entry.runs and not force:
        facts = Facts.of(entry.read())
        raise ResultsError(
            f"the baseline `{entry.name}` has runs of {entry.suite} on {entry.gpu} already: "
            f"{facts.dates}, commit {facts.commits}, driver {facts.drivers}",
            "replace them by --force, or choose another name",
        )
    entry.refuse_unknown()
    if foreign_files := entry.foreign_files:
        raise ResultsError(f"{foreign_files[0]} is in the way, and no part of a baseline", "move it elsewhere")
