"""Run `check` on each file as its user would: in the file's folder, without options."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.whole_programs.sample import ProgramFile

LIMIT_S = 130  # after which there is no verdict
WORST_FIRST = ("broken", "doubtful", "not checked", "needs arguments", "schedule-dependent", "clean")


def run(files: Sequence[ProgramFile], checkouts: Path, out: Path) -> None:
    """Append a line of JSON per file to `out`."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    done = {json.loads(line)["file"] for line in lines}
    for file in files:
        if file.key not in done:
            with out.open("a", encoding="utf-8") as target:
                target.write(json.dumps(_checked(file, checkouts)) + "\n")


def _checked(file: ProgramFile, checkouts: Path) -> dict[str, object]:
    path = checkouts / file.repository.replace("/", "+") / file.path
    start = time.monotonic()
    words = [sys.executable, "-m", "shflbench", "check", path.name, "--format", "json"]
    try:
        done = subprocess.run(words, cwd=path.parent, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = ""
    seconds = round(time.monotonic() - start, 1)
    files = json.loads(text)["files"] if text else []
    kernels = [(kernel["name"], kernel["verdict"]) for one in files for kernel in one["kernels"]]
    verdicts = {verdict for _, verdict in kernels}
    verdict = next((one for one in WORST_FIRST if one in verdicts), "not compiled" if text else "no verdict")
    return {"file": file.key, "verdict": verdict, "seconds": seconds, "kernels": kernels}
