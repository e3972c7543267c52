"""The challengers of a published pattern as data: what `challenge` writes, in place of a `pattern.py`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping  # noqa: TC003  (read from JSON by the types of the annotations)
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism  # noqa: TC001
from shflbench.patterns.declare import Variant

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.patterns.declare import Pattern, Setting


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Bytes of dynamic shared memory, per block, per thread or per warp, as a function of a setting."""

    nbytes: int
    threads: int = 0  # that share them: 1 or a warp; 0: all of a block

    def __call__(self, at: Setting) -> int:
        """Return the bytes per block at a setting."""
        return self.nbytes * (at.block // self.threads if self.threads else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChallenger:
    """One kernel of the user's file, as a variant."""

    name: str
    mechanism: Mechanism
    kernel: str  # its name in C++, with `{T}` for the element type if it is a template
    arguments: tuple[str, ...]
    shared: SharedMemory | None = None  # None: as much as the `model` has


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChallengers:
    """The challengers of a published pattern, at one element type and one choice of its options."""

    pattern: str
    revision: str  # of the pattern's folder, whose kernels lie beside this file
    dtype: str
    options: Mapping[str, str]
    model: str  # the published variant whose launch they have
    source: str  # the user's file, relative to the folder
    challengers: tuple[StoredChallenger, ...]

    def check(self, folder: Path) -> None:
        """Raise ValueError for what `challenge` does not write into `folder`, such as a source outside of it."""
        inside = self.source.isprintable() and (folder / self.source).resolve().is_relative_to(folder.resolve())
        if not inside or not self.source:
            raise ValueError(f"source {self.source!r} is not a file below the folder")
        if not self.challengers:
            raise ValueError("there is no challenger")
        for item in self.challengers:
            if not item.kernel.isprintable() or not item.kernel.strip():
                raise ValueError(f"kernel {item.kernel!r} is no name")

    def published(self, folders: Mapping[str, Path]) -> Path:
        """Return the folder of the published pattern among `folders`; ValueError if it is not there, or has changed."""
        folder = folders.get(self.pattern)
        if folder is None or revision_of(folder) != self.revision:
            raise ValueError(f"this version of shflbench has another pattern `{self.pattern}`, or none")
        return folder

    def joined(self, published: Pattern) -> Pattern:
        """Return the published pattern with the challengers as further variants; ValueError if it lacks the model."""
        if not published.has_variant(self.model):
            raise ValueError(f"`{self.pattern}` has no variant `{self.model}`")
        usual = published.variant(self.model).shared
        challengers = tuple(
            Variant(
                name=item.name,
                mechanism=item.mechanism,
                summary=f"`{item.kernel}` of {PurePosixPath(self.source).name}",
                dtypes=(self.dtype,),
                only={name: (value,) for name, value in self.options.items()},
                source=self.source,
                kernel=item.kernel,
                arguments=item.arguments,
                shared=item.shared or partial(usual),  # not itself, which may be NO_SHARED: kernels compile alike
                untrusted=True,
            )
            for item in self.challengers
        )
        return replace(published, family=None, variants=(*published.variants, *challengers))


def revision_of(folder: Path) -> str:
    """Return a hash of the files of a published pattern."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:32]
