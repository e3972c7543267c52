"""Find suite files: those that come with shflbench by name, others by path."""

from __future__ import annotations

from pathlib import Path

from shflbench.core.words import did_you_mean
from shflbench.errors import SuiteError

_SUFFIXES = (".yaml", ".yml")


def find_shipped() -> dict[str, Path]:
    """Return the suites that come with shflbench, by name."""
    package = Path(__file__).parents[1]
    installed = package / "_suites"  # in a wheel; in a checkout they lie beside the package
    folder = installed if installed.is_dir() else package.parent / "suites"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def locate(name_or_path: str) -> Path:
    """Return the file of a shipped suite, or the path itself; SuiteError if it is neither."""
    known = find_shipped()
    if name_or_path in known:
        return known[name_or_path]
    path = Path(name_or_path)
    for beside in (Path(f"{path}.yaml"), path.with_name(f"{path.name.replace('_', '-')}.yaml")) if path.name else ():
        if _is_folder(path) and beside.is_file():
            raise SuiteError(f"{path} is a folder, not a file", f"Its suite is the file beside it: {beside}")
    if _exists(path) or path.suffix in _SUFFIXES or len(path.parts) > 1:
        return path  # reading it reports what is wrong with it
    allowed = ", ".join([*known, "or the path of a YAML file"])
    message = f"unknown suite `{name_or_path}`; allowed: {allowed}{did_you_mean(name_or_path, known)}"
    raise SuiteError(message, "`shflbench list suites` says what each of them measures.")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder without permission
        return True
