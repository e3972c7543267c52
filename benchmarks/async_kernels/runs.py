"""Run `check` on each kernel with its options, in the checkout of its repository."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.async_kernels.sample import PublicKernel

LIMIT_S = 300  # after which there is no verdict
STUBS = Path(__file__).parent / "stubs"  # of headers that only host code needs; CHECKOUT is that of the repository
NO_VERDICT = "no verdict"
_MEASURED = f"""
import resource, subprocess, sys
try:
    subprocess.run(sys.argv[1:], timeout={LIMIT_S})
except subprocess.TimeoutExpired:
    print("{NO_VERDICT}", file=sys.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"used {{used.ru_utime + used.ru_stime:.1f}} {{used.ru_maxrss / 1024:.0f}}", file=sys.stderr)
"""


def run(kernels: Sequence[PublicKernel], checkouts: Path, out: Path) -> None:
    """Append a line of JSON per kernel to `out`."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    done = {json.loads(line)["key"] for line in lines}
    for kernel in kernels:
        if kernel.key not in done:
            record = {"key": kernel.key, **_checked(kernel, checkouts)}
            with out.open("a", encoding="utf-8") as target:
                target.write(json.dumps(record, ensure_ascii=False) + "\n")


def _checked(kernel: PublicKernel, checkouts: Path) -> dict[str, object]:
    root = (checkouts / kernel.repository.replace("/", "+")).resolve()
    text = kernel.options.replace("STUBS", str(STUBS)).replace("CHECKOUT", str(root))
    words = ["--kernel", kernel.kernel, *shlex.split(text), "--format", "json", "--time-limit", str(LIMIT_S)]
    with tempfile.TemporaryDirectory() as folder:
        if kernel.lines:
            root, target = Path(folder), "excerpt.cu"
            (root / target).write_text(_excerpt(checkouts, kernel), encoding="utf-8")
        else:
            target = kernel.path
        command = [sys.executable, "-c", _MEASURED, sys.executable, "-m", "shflbench", "check", target, *words]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    *errors, used = done.stderr.strip().splitlines() or [""]
    _, cpu_s, memory_mb = used.split()
    failed = (NO_VERDICT, f"after {LIMIT_S} s") if NO_VERDICT in errors else ("usage error", " ".join(errors))
    verdict, sentence = _verdict(kernel, done.stdout) if done.stdout else failed
    sentence = sentence.replace(f"{checkouts.resolve()}/", "").replace(f"{folder}/", "")
    return {"verdict": verdict, "sentence": sentence, "cpu_s": float(cpu_s), "memory_mb": float(memory_mb)}


def _verdict(kernel: PublicKernel, text: str) -> tuple[str, str]:
    """Return the verdict on the kernel that the list names, or on the file, and its sentence."""
    (file,) = json.loads(text)["files"]
    plain = kernel.kernel.partition("<")[0]
    named = [item for item in file["kernels"] if item["name"].partition("<")[0].endswith(plain)]
    chosen = (named or file["kernels"])[-1]
    return chosen["verdict"], chosen["sentence"]


def _excerpt(checkouts: Path, kernel: PublicKernel) -> str:
    """Return the lines of the page that are the code, without their common indentation."""
    first, last = map(int, kernel.lines.split("-"))
    path = checkouts / kernel.repository.replace("/", "+") / kernel.path
    lines = path.read_text(encoding="utf-8").splitlines()[first - 1 : last]
    common = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[common:] for line in lines) + "\n"
