"""The files of the sample, `advise` on each as its user would, and what readers say of each suggestion."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common.records import JsonLines, PublicFile, read_rows
from benchmarks.common.runs import Reply, call, shflbench

HERE = Path(__file__).parent
PAGE = HERE.with_suffix(".md")
NO_SUGGESTION = {"needed", "not enough evidence"}  # needs of a barrier
RIGHT = "right"
Records = list[dict[str, Any]]
Key = tuple[str, str, str, str]
LIMIT_S = 300  # after which there is no advice
KEPT = ("kernel", "verdict", "launches", "same_in_all_launches_of_these_blocks", "exchanges", "barriers")


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """What one line of the advice proposes."""

    file: str
    kernel: str
    line: str  # of the barrier, or of the load
    what: str  # the shuffle, or what is enough instead of the barrier

    @property
    def key(self) -> Key:
        """The same for a suggestion and for what readers say of it."""
        return self.file, self.kernel, self.line, self.what


@dataclass(frozen=True, slots=True)
class Suggestion(ProposedChange):
    """One line of the advice that proposes a change."""

    is_fixed: bool  # holds in all launches with blocks of the shape, not only in those that ran


@dataclass(frozen=True, slots=True)
class Reading(ProposedChange):
    """What two readers say of one suggestion."""

    first: str  # right or wrong, by the first reader
    second: str  # likewise by the second one, who did not see the first answer
    decided: str  # where they differ, by a third look
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """The speed of a kernel with the barriers of the advice, relative to the file as it is."""

    file: str
    kernel: str
    speedup: float
    low: float  # of the interval
    high: float


def sample() -> list[PublicFile]:
    """Return the files of the sample."""
    return read_rows(HERE / "sample.tsv", PublicFile)


def results(name: str) -> Records:
    """Return the records of a run, a file of this folder."""
    return JsonLines(HERE / name).read()


def readings() -> list[Reading]:
    """Return what readers say."""
    return read_rows(HERE / "readings.tsv", Reading)


def measured() -> list[Measured]:
    """Return what `advise --measure` printed."""
    return read_rows(HERE / "measured.tsv", Measured)


def suggestions(record: dict[str, Any]) -> list[Suggestion]:
    """Return the suggestions of one record, exchanges first."""
    found = []
    for kernel in record["kernels"]:
        name, is_fixed = kernel["kernel"], kernel["same_in_all_launches_of_these_blocks"]
        found += [
            Suggestion(record["file"], name, f"{one['store']} → {one['load']}", one["instead"], is_fixed=is_fixed)
            for one in kernel["exchanges"]
            if one["instead"]
        ]
        found += [
            Suggestion(record["file"], name, one["line"], one["need"], is_fixed=False)
            for one in kernel["barriers"]
            if one["need"] not in NO_SUGGESTION
        ]
    return found


def advise(file: PublicFile, checkouts: Path) -> dict[str, Any]:
    """Return the advice on a file, in its folder and without options, and what `check` says of its patched copy."""
    path = file.below(checkouts)
    reply = shflbench_on(path, "advise", path.name, "--format", "json")
    kernels = [{key: kernel[key] for key in KEPT} for kernel in reply.json().get("kernels", [])]
    found = [item for item in kernels if item["exchanges"] or item["barriers"]]
    record = {"seconds": reply.seconds, "read": bool(reply.out), "kernels": found}
    return {**record, "patched": _patched(path)} if suggestions({"file": file.key, **record}) else record


def shflbench_on(path: Path, *words: str) -> Reply:
    """Run a command in the folder of a file."""
    return shflbench(*words, folder=path.parent, seconds=LIMIT_S)


def _patched(path: Path) -> str:
    """Return the verdicts on the kernels of the file with its patch: `clean`, or those that are not."""
    patch = shflbench_on(path, "advise", path.name, "--patch").out
    if not patch:
        return "no patch"
    with tempfile.NamedTemporaryFile(suffix=path.suffix, prefix="advised_", dir=path.parent) as copy:
        copy.write(path.read_bytes())
        copy.flush()
        if call(("patch", "--quiet", "--no-backup-if-mismatch", copy.name), LIMIT_S, text=patch).code:
            return "the patch does not apply"
        files = shflbench_on(path, "check", Path(copy.name).name, "--format", "json").json().get("files", [])
    return ", ".join(sorted({kernel["verdict"] for one in files for kernel in one["kernels"]})) or "not compiled"
