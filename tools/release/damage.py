"""Break an installation in every way that another program can, and read what shflbench says."""

from __future__ import annotations

import re
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING

from tools.release.artifacts import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tools.release.installation import Installation

COMMANDS = {"doctor": ("doctor",), "check": ("check", "kernels.cu")}
MISSING, RACE = 4, 1  # exit codes
OLD = "0.0.1"
# Without these, `check` of kernels that include nothing works; `doctor` names them all the same.
NOT_NEEDED = ("nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-nvdisasm", "nvidia-cuda-runtime")


def break_all(installation: Installation) -> str:
    """Remove, make older and damage each required package in turn; ReleaseError unless it is named with a remedy."""
    site = next(installation.folder.glob("lib/python*/site-packages"))
    tried = 0
    for name, broken in product(_required(site), (_removed, _older, _damaged)):
        with broken(site, name) as applies:
            tried += applies
            for command in COMMANDS if applies else ():
                may_work = command == "check" and (broken is _damaged or name in NOT_NEEDED)
                try:
                    _expect_remedy(installation, command, name, may_work=may_work)
                except ReleaseError as error:
                    raise ReleaseError(f"with {name} {broken.__name__.strip('_')}: {error}") from error
    return f"{tried} broken installations end in one sentence with a remedy, by {' and '.join(COMMANDS)}"


def _expect_remedy(installation: Installation, command: str, name: str, *, may_work: bool) -> None:
    """Run a command; ReleaseError unless it names the package and how to install it, or works where it may."""
    printed = installation.call(*COMMANDS[command], codes=(MISSING, RACE) if may_work else (MISSING,))
    is_repaired = re.search(rf"(?s)\Aerror: .*pip install .*{name}", printed)
    if "1 finding" not in printed and not is_repaired:
        raise ReleaseError(f"`{command}` prints: {printed.strip()}")


def _required(site: Path) -> list[str]:
    metadata = next(site.glob("shflbench-*.dist-info")) / "METADATA"
    lines = re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", metadata.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[._]", "-", name) for name, marker in lines if "extra ==" not in marker]


def _metadata(site: Path, name: str) -> Path:
    folders = [path for path in site.glob("*.dist-info") if re.sub(r"[._]", "-", path.name).startswith(f"{name}-")]
    return min(folders, key=lambda path: len(path.name))


@contextmanager
def _removed(site: Path, name: str) -> Iterator[bool]:
    """Put all files of a package aside."""
    listed = (_metadata(site, name) / "RECORD").read_text(encoding="utf-8").splitlines()
    paths = [site / line.split(",")[0].strip('"') for line in listed]
    moved = [(path, path.with_name(f"{path.name}.aside")) for path in paths if path.is_file()]
    folder = _metadata(site, name)
    for path, aside in moved:
        path.rename(aside)
    folder.rename(folder.with_suffix(".aside"))
    try:
        yield True
    finally:
        folder.with_suffix(".aside").rename(folder)
        for path, aside in moved:
            aside.rename(path)


@contextmanager
def _older(site: Path, name: str) -> Iterator[bool]:
    """Let a package say that it is of an old version."""
    folder = _metadata(site, name)
    old = folder.with_name(f"{folder.name.partition('-')[0]}-{OLD}.dist-info")
    text = (folder / "METADATA").read_text(encoding="utf-8")
    (folder / "METADATA").write_text(re.sub(r"(?m)^Version: .*$", f"Version: {OLD}", text, count=1), encoding="utf-8")
    folder.rename(old)
    try:
        yield True
    finally:
        old.rename(folder)
        (folder / "METADATA").write_text(text, encoding="utf-8")


@contextmanager
def _damaged(site: Path, name: str) -> Iterator[bool]:
    """Let the import of a package fail; there is none of a package of files."""
    from shflbench.core.packages import Package  # noqa: PLC0415

    module = Package(name, name, "").module
    path = site / module.replace(".", "/") / "__init__.py" if module else site / "none"
    path = path if path.is_file() else path.parent.with_suffix(".py")
    if not path.is_file():
        yield False
        return
    text = path.read_bytes()
    path.write_text('raise ImportError("a file of it is damaged")\n', encoding="utf-8")
    try:
        yield True
    finally:
        path.write_bytes(text)
