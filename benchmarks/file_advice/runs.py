"""Run `advise` on each file as its user would: in the file's folder, without options; then check each patched file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.file_advice.sample import suggestions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.file_advice.sample import AdvisedFile

LIMIT_S = 300  # after which there is no advice
COMMAND = (sys.executable, "-m", "shflbench")


def run(files: Sequence[AdvisedFile], checkouts: Path, out: Path) -> None:
    """Append a line of JSON per file to `out`."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    done = {json.loads(line)["file"] for line in lines}
    for file in files:
        if file.key not in done:
            with out.open("a", encoding="utf-8") as target:
                target.write(json.dumps(_advised(file, checkouts)) + "\n")


def _advised(file: AdvisedFile, checkouts: Path) -> dict[str, object]:
    path = checkouts / file.repository.replace("/", "+") / file.path
    seconds, text = _timed(path, "advise", path.name, "--format", "json")
    kernels: list[dict[str, Any]] = json.loads(text)["kernels"] if text else []
    found = [item for item in map(_kernel, kernels) if item["exchanges"] or item["barriers"]]
    record: dict[str, object] = {"file": file.key, "seconds": seconds, "read": bool(text), "kernels": found}
    return {**record, "patched": _patched(path)} if suggestions(record) else record


def _kernel(record: dict[str, Any]) -> dict[str, Any]:
    keys = ("kernel", "verdict", "launches", "same_in_all_launches_of_these_blocks", "exchanges", "barriers")
    return {key: record[key] for key in keys}


def _patched(path: Path) -> str:
    """Return the verdicts on the kernels of the file with its patch: `clean`, or those that are not."""
    _, patch = _timed(path, "advise", path.name, "--patch")
    if not patch:
        return "no patch"
    with tempfile.NamedTemporaryFile(suffix=path.suffix, prefix="advised_", dir=path.parent) as copy:
        copy.write(path.read_bytes())
        copy.flush()
        command = ("patch", "--quiet", "--no-backup-if-mismatch", copy.name)
        if subprocess.run(command, input=patch, text=True, check=False).returncode:
            return "the patch does not apply"
        _, text = _timed(path, "check", Path(copy.name).name, "--format", "json")
    files = json.loads(text)["files"] if text else []
    return ", ".join(sorted({kernel["verdict"] for one in files for kernel in one["kernels"]})) or "not compiled"


def _timed(path: Path, *words: str) -> tuple[float, str]:
    """Return the seconds that a command took in the file's folder, and what it wrote; empty after `LIMIT_S`."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            (*COMMAND, *words), cwd=path.parent, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return LIMIT_S, ""
    return round(time.monotonic() - start, 1), done.stdout
