"""Clone the public sets with git, each at its pinned commit."""

from __future__ import annotations

import subprocess
from shutil import rmtree
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.public_sets.sets import PublicSet


def fetch(sets: Iterable[PublicSet], folder: Path) -> None:
    """Clone those of the sets that `folder` lacks; ResultsError if git fails."""
    for public in sets:
        clone = folder / public.folder
        if clone.exists():
            continue
        clone.mkdir(parents=True)
        # One commit without its history: a fetch by id, which GitHub allows.
        for arguments in (
            ("init", "--quiet"),
            ("fetch", "--quiet", "--depth=1", public.repository, public.commit),
            ("checkout", "--quiet", "FETCH_HEAD"),
        ):
            run = subprocess.run(["git", "-C", str(clone), *arguments], check=False, capture_output=True, text=True)
            if run.returncode:
                rmtree(clone)
                raise ResultsError(
                    f"git {arguments[0]} of {public.repository} failed: {run.stderr.strip()}",
                    "check the network, or clone it by hand at the commit in benchmarks/public_sets/sets.py",
                )
