"""The packages that shflbench requires, and which of them are missing or cannot be imported.

Standard library only, because any other package may be missing.
"""

from __future__ import annotations

import dis
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module, metadata
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import MissingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

EXTRAS = ("", "fleet", "mcp")  # whose packages are imported by name; `cuda13` and others have advice of their own
MODULES = {  # by package, where the names differ
    "cuda-bindings": "cuda.bindings",
    "cuda-pathfinder": "cuda.pathfinder",
    "nvidia-ml-py": "pynvml",
    "ruamel-yaml": "ruamel.yaml",
}
FILES_ONLY = "nvidia-cuda-"  # packages of libraries, headers and programs, which Python does not import
LONGEST = 200  # characters of a reason, as those of pydantic need


@dataclass(frozen=True, slots=True)
class Package:
    """A package that shflbench imports."""

    name: str
    requirement: str  # with the versions that fit
    extra: str  # empty if it is always required

    @property
    def module(self) -> str:
        """The name by which it is imported; empty if it is not."""
        return "" if self.name.startswith(FILES_ONLY) else MODULES.get(self.name, self.name.replace("-", "_"))

    def is_older(self, version: str) -> bool:
        """Return whether a version is older than the oldest one that fits; False if either is no row of numbers."""
        least = re.search(r">=\s*([\d.]+)", self.requirement)
        return bool(least and version[:1].isdecimal() and "!" not in version and _numbers(version) < _numbers(least[1]))

    def has(self, module: str) -> bool:
        """Return whether a module belongs to it, or contains it."""
        pairs = ((module, self.module), (self.module, module))
        return bool(module and self.module) and any(f"{one}.".startswith(f"{other}.") for one, other in pairs)

    def broken(self, error: BaseException, path: str = "") -> MissingError:
        """Return the error of a package whose import raises another one, in the file at `path`."""
        where = f" ({path})" if path else ""
        return MissingError(
            f"the package {self.name} cannot be imported{where}: {_reason(error)}",
            f"reinstall it: pip install --force-reinstall '{self.requirement}'",
        )


def packages() -> list[Package]:
    """Return all packages that shflbench imports by name; none from a checkout that is not installed."""
    try:
        lines = metadata.requires("shflbench") or []
    except metadata.PackageNotFoundError:
        return []
    return [package for package in map(_parsed, lines) if package and package.extra in EXTRAS]


def require_packages() -> None:
    """Raise MissingError if a package that is always imported is not installed, or a required one is too old.

    Names of folders have the versions: they are read in 3 ms, where `importlib.metadata` takes 20 (24 packages).
    """
    versions = _installed_versions()
    required = [package for package in packages() if not package.extra]
    unseen = [package for package in required if package.module and package.name not in versions]
    if missing := [package for package in unseen if installed_version(package.name) is None]:
        raise missing_error(*missing)
    old = [package for package in required if package.is_older(versions.get(package.name, ""))]
    if old:
        names = ", ".join(f"{package.name} {versions[package.name]}" for package in old)
        raise MissingError(
            f"installed packages are too old for shflbench: {names}",
            f"run: pip install --upgrade {_quoted(old)}",
        )


def missing_packages() -> list[Package]:
    """Return the required packages that are not installed, as after `pip install --no-deps`, those of files as well."""
    return [package for package in packages() if not package.extra and installed_version(package.name) is None]


def missing_error(*missing: Package) -> MissingError:
    """Return the error of packages that are not installed."""
    names = ", ".join(package.name for package in missing)
    return MissingError(f"required packages are not installed: {names}", f"run: pip install {_quoted(missing)}")


def installed_version(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def broken_packages() -> Iterator[tuple[Package, MissingError]]:
    """Import every installed package, and yield those whose import raises an error."""
    for package in packages():
        if not package.module or installed_version(package.name) is None:
            continue
        try:
            import_module(package.module)
        except Exception as error:  # noqa: BLE001  (whatever a package raises that does not fit another one)
            yield package, package_error(error) or package.broken(error)


def package_error(error: BaseException) -> MissingError | None:
    """Return the error to report if a required package cannot be imported; None for an error of another cause.

    The traceback shows it: an import statement of such a package at its end, or a module of one that was executed, or
    called from shflbench and lacks another module.
    """
    known = packages()
    steps = [step for step in _entries(error.__traceback__) if not step.file.startswith("<frozen importlib")]
    for caller, step in reversed(list(pairwise([None, *steps]))):
        package = _owner(known, step.module) if step else None
        lacks = isinstance(error, ImportError) and caller is not None and caller.is_ours
        if package and step and (step.function == "<module>" or lacks):
            return package.broken(error, step.file)
    return _failed_import(error, known, steps[-1]) if steps else None


def _parsed(line: str) -> Package | None:
    """Return the package of a line of metadata, `name>=1; extra == "x"`; None if it is for another platform."""
    requirement, _, marker = line.partition(";")
    platform = re.search(r"sys_platform == ['\"](\w+)['\"]", marker)
    name = re.match(r"[\w.-]+", requirement)
    if name is None or (platform and platform[1] != sys.platform):
        return None
    extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
    return Package(_normal(name[0]), requirement.strip(), extra[1] if extra else "")


def _quoted(wanted: Iterable[Package]) -> str:
    return " ".join(f"'{package.requirement}'" for package in wanted)


def _normal(name: str) -> str:
    return re.sub(r"[._]", "-", name).lower()


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without zeros at its end: (2, 1) for 2.1.0rc1."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in release[0].split(".")] if release else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _installed_versions() -> dict[str, str]:
    """Return the versions of all packages on the path, by name: of two folders the first, of two in one the newest."""
    versions: dict[str, str] = {}
    for folder in sys.path:
        inside: dict[str, str] = {}  # an interrupted installation leaves the folder of an old version
        with suppress(OSError):  # a zip file, or a folder that is not there
            for entry in Path(folder).iterdir():
                if match := re.fullmatch(r"(.+?)-([^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info", entry.name):
                    name = _normal(match[1])
                    inside[name] = max(inside.get(name, ""), match[2], key=_numbers)
        versions = inside | versions
    return versions


@dataclass(frozen=True, slots=True)
class _TracebackEntry:
    """One entry of a traceback."""

    module: str
    function: str
    file: str
    imports: str  # the module of the import statement that was running, empty if it was another one

    @property
    def is_ours(self) -> bool:
        return self.module.partition(".")[0] == "shflbench"


def _entries(entry: TracebackType | None) -> Iterator[_TracebackEntry]:
    while entry:
        code = entry.tb_frame.f_code
        running = (step for step in dis.get_instructions(code) if step.offset == entry.tb_lasti)
        module = next((str(step.argval) for step in running if step.opname == "IMPORT_NAME"), "")
        yield _TracebackEntry(str(entry.tb_frame.f_globals.get("__name__", "")), code.co_name, code.co_filename, module)
        entry = entry.tb_next


def _failed_import(error: BaseException, known: Sequence[Package], last: _TracebackEntry) -> MissingError | None:
    """Return the error of the import at which a traceback ends, if it is of a required package."""
    name = str(error.name) if isinstance(error, ImportError) else ""
    package = _owner(known, last.imports or (name if last.is_ours else ""))
    if (
        package
        and isinstance(error, ModuleNotFoundError)
        and name in {package.module, package.module.partition(".")[0]}
    ):
        return missing_error(package)
    path = error.filename or "" if isinstance(error, SyntaxError) else ""
    return package.broken(error, path) if package else None


def _owner(known: Sequence[Package], module: str) -> Package | None:
    return next((package for package in known if package.has(module)), None)


def _reason(error: BaseException) -> str:
    """Return the first cause of an error in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
