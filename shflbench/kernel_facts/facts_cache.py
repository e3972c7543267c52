"""Facts about the kernels of one call of `inspect`, in the cache of compiled kernels.

One entry holds all kernels of one architecture, so that a repeated call neither reads nor analyses their machine code.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench import analysis
from shflbench.core import arch
from shflbench.cuda.compile.data_cache import DataCache
from shflbench.cuda.compile.line_tables import LineStep
from shflbench.kernel_facts.facts import KernelFacts, LoopFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.kernel_facts.residency import ResidentBlocks

KIND = "inspect"  # ending of the files
CLASSES = (KernelFacts, LoopFacts, LineStep)
_SOURCES = (  # whose content decides the facts, beside the code that decides every entry
    (Path(__file__).parent, "*.py"),
    (Path(str(analysis.__file__)).parent / "limits", "*.py"),
    (Path(str(arch.__file__)).parent, "*.*"),
)


class FactsCache:
    """The entry of some kernels with these resident blocks; `keys` are those of the compiled kernels, in order."""

    def __init__(self, folder: Path, resident: ResidentBlocks, keys: Sequence[str]) -> None:
        """Use the entry in `folder`."""
        self._cache = DataCache(folder, KIND, CLASSES)
        self._path = self._cache.path(_rules(), resident, tuple(keys))
        self._number = len(keys)

    def read(self) -> Sequence[KernelFacts] | None:
        """Return the facts in the order of the kernels; None if they are missing or damaged."""
        facts = self._cache.read(self._path)
        return facts if isinstance(facts, tuple) and len(facts) == self._number else None

    def write(self, facts: Sequence[KernelFacts]) -> None:
        """Write the facts; without an error if that fails, because nothing but time is lost."""
        self._cache.write(self._path, tuple(facts))


@cache
def _rules() -> str:
    paths = sorted(path for folder, names in _SOURCES for path in folder.glob(names) if path.is_file())
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
