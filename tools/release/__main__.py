"""Print each item that a release needs, as it is checked: `python -m tools.release [FOLDER]`.

Build wheel and source archive into FOLDER, by default `dist`; exit with 1 at the first item that does not hold.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.release import artifacts, damage, installation

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_MEGABYTES = 250  # of a download


def items(folder: Path, temporary: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each item with what was seen."""
    yield "description", artifacts.description()
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("shflbench-*.whl"), *folder.glob("shflbench-*.tar.gz")):
        old.unlink()
    files = artifacts.build(folder)
    yield "contents", artifacts.contents(*files)
    yield "reproducible", artifacts.same_again(files, temporary / "again")
    wheel = files[0].resolve()
    for version, python in installation.pythons().items():
        packages = installation.wheelhouse(python, wheel, temporary / f"wheelhouse{version}")
        installed = installation.install(python, wheel, packages, temporary / f"python{version}")
        download, size = map(installation.megabytes, (packages, installed.folder))
        if download > MOST_MEGABYTES:
            raise artifacts.ReleaseError(f"pip downloads {download:.0f} MB, more than {MOST_MEGABYTES}")
        yield f"Python {version}, pip", f"offline, {download:.0f} MB downloaded, {size:.0f} MB: {installed.try_out()}"
        yield f"Python {version}, uv", installation.with_uv(python, wheel, packages, temporary / f"uv{version}")
        user = installation.as_normal_user(installed)
        yield f"Python {version}, user", f"with a home that cannot be written: {user.try_out()}"
        yield f"Python {version}, broken", damage.break_all(installed)
    absent = [version for version in artifacts.PYTHONS if version not in installation.pythons()]
    yield "other Pythons", f"{', '.join(absent) or 'none'} not on this machine: `release.yml` tries them"


def main(arguments: list[str]) -> int:
    """Print the items; return 1 if one does not hold."""
    with tempfile.TemporaryDirectory() as temporary:
        Path(temporary).chmod(0o755)
        try:
            for name, seen in items(Path(arguments[0] if arguments else "dist"), Path(temporary)):
                print(f"ok  {name:22} {seen}", flush=True)
        except artifacts.ReleaseError as error:
            print(f"--  {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
