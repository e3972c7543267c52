"""Build the wheel and the source archive of a release, and look at what they contain."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

from ruamel.yaml import YAML

from shflbench.version import __version__

REPOSITORY = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NEEDED = (
    "shflbench/__main__.py",
    "shflbench/_suites/gtc2013.yaml",
    "shflbench/patterns/neighbor/pattern.py",
    "shflbench/py.typed",
    f"shflbench-{__version__}.dist-info/licenses/LICENSE",
)
FOREIGN = re.compile(r"^(tests|tools|benchmarks|docs|results|plots)/|/test_|/__pycache__/|\.(pyc|orig|rej)$")


class ReleaseError(Exception):
    """Why a release must not be published."""


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source archive of the checkout, and the wheel from it; return the paths of wheel and archive."""
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(REPOSITORY))
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def same_again(files: tuple[Path, Path], folder: Path) -> str:
    """Build both files again; ReleaseError unless they are the same byte for byte."""
    for path, other in zip(files, build(folder), strict=True):
        if path.read_bytes() != other.read_bytes():
            raise ReleaseError(f"{path.name} differs when it is built again")
    return "two builds are the same byte for byte"


def contents(wheel: Path, archive: Path) -> str:
    """Return what the files contain, in numbers; ReleaseError if one is missing or does not belong there."""
    with zipfile.ZipFile(wheel) as zipped, tarfile.open(archive) as packed:
        names, archived = zipped.namelist(), len(packed.getnames())
    if absent := [name for name in NEEDED if name not in names]:
        raise ReleaseError(f"{wheel.name} lacks {', '.join(absent)}")
    if foreign := [name for name in names if FOREIGN.search(name)]:
        raise ReleaseError(f"{wheel.name} contains {foreign[0]}, one of {len(foreign)} files that do not belong there")
    patterns = sum(bool(re.fullmatch(r"shflbench/patterns/\w+/pattern\.py", name)) for name in names)
    suites = sum(name.startswith("shflbench/_suites/") and name.endswith(".yaml") for name in names)
    megabytes = [f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in (wheel, archive)]
    return (
        f"{megabytes[0]}, {len(names)} files with {patterns} patterns and {suites} suites, none of tests; "
        f"{megabytes[1]}, {archived} files"
    )


def description() -> str:
    """Return the version and its date; ReleaseError if package, changelog and citation differ in them."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for python in PYTHONS:
        if f"Programming Language :: Python :: {python}" not in project["classifiers"]:
            raise ReleaseError(f"pyproject.toml has no classifier of Python {python}")
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## \[{re.escape(__version__)}\] - (\d{{4}}-\d\d-\d\d)$", changes, re.MULTILINE)
    if match is None:
        raise ReleaseError(f"CHANGELOG.md has no dated section of version {__version__}")
    citation = YAML(typ="safe").load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    if (str(citation["version"]), str(citation["date-released"])) != (__version__, match[1]):
        raise ReleaseError(f"CITATION.cff is not of version {__version__} of {match[1]}")
    return f"{__version__} of {match[1]}, in the package, the changelog and the citation"


def run(*words: str, codes: tuple[int, ...] = (0,), **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command and return its outcome; ReleaseError with its last line if it ends with another exit code."""
    outcome: subprocess.CompletedProcess[str] = subprocess.run(  # type: ignore[call-overload]
        words, capture_output=True, text=True, check=False, **options
    )
    if outcome.returncode not in codes:
        reason = next(reversed((outcome.stdout + outcome.stderr).strip().splitlines()), "no reason given")
        command = " ".join([Path(words[0]).name, *words[1:]])
        raise ReleaseError(f"`{command}` ends with {outcome.returncode}: {reason}")
    return outcome
