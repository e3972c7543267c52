"""One baseline on the disk: the runs of one suite on one model of GPU."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.append import gpu_slug
from shflbench.store.baseline_runs import FILES
from shflbench.store.read import read_info, read_run
from shflbench.store.swap import standing

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.store.read import Run

NUMBER = re.compile("[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class Entry:
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
    def strangers(self) -> tuple[Path, ...]:
        """What lies in its place without being a part of it."""
        if self.folder.is_file():
            return (self.folder,)
        own = {*self.files, *(file.parent for file in self.files)}
        return tuple(sorted(path for path in self.folder.rglob("*") if path not in own))

    def check(self) -> None:
        """Raise ResultsError where a `run.json` is damaged, or of another suite or GPU than its folder says."""
        for path in self.runs:
            info = read_info(path)
            found = info.suite.name, gpu_slug(info.device.name) if info.device else "no GPU"
            if found != (self.suite, self.gpu):
                raise ResultsError(
                    f"{path} holds a run of {' on '.join(found)}", f"put back that of {self.suite} on {self.gpu}"
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
