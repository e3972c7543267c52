"""Run `check` on each kernel with its options, in the checkout of its repository."""

from __future__ import annotations

import compileall
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import shflbench
from benchmarks.common.records import JsonLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.async_kernels.sample import PublicKernel

LIMIT_S = 300  # after which there is no verdict
STUBS = Path(__file__).parent / "stubs"  # of headers that only host code needs; CHECKOUT is that of the repository
NO_VERDICT = "no verdict"
_USED = re.compile(r"(used|own) ([0-9.]+) ([0-9]+)")
# Ends a check after the limit; the last line says what it used with all processes that it started.
_LIMITED = f"""
import resource, subprocess, sys
try:
    subprocess.run(sys.argv[1:], timeout={LIMIT_S})
except subprocess.TimeoutExpired:
    print("{NO_VERDICT}", file=sys.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"used {{used.ru_utime + used.ru_stime:.1f}} {{used.ru_maxrss / 1024:.0f}}", file=sys.stderr)
"""
# Runs a check and says at its end what its own process used: the others are those of the compilers.
_OWN = """
import atexit, resource, runpy, sys
@atexit.register
def show():
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"own {used.ru_utime + used.ru_stime:.1f} {used.ru_maxrss / 1024:.0f}", file=sys.stderr)
runpy.run_module("shflbench", run_name="__main__", alter_sys=True)
"""


def run(kernels: Sequence[PublicKernel], checkouts: Path, out: Path) -> None:
    """Append a line of JSON per kernel to `out`."""
    lines = JsonLines(out)
    done = {record["key"] for record in lines.read()}
    _write_bytecode()
    for kernel in kernels:
        if kernel.key not in done:
            lines.add({"key": kernel.key, **_checked(kernel, checkouts)})


def _write_bytecode() -> None:
    """Compile the package, as pip does: without its bytecode, each start takes half a second more."""
    compileall.compile_dir(Path(shflbench.__file__).parent, quiet=1)


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
        check = [sys.executable, "-c", _OWN, "check", target, *words]
        command = [sys.executable, "-c", _LIMITED, *check]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    costs, errors = read_costs(done.stderr)
    failed = (NO_VERDICT, f"after {LIMIT_S} s") if NO_VERDICT in errors else ("usage error", " ".join(errors))
    verdict, sentence = _verdict(kernel, done.stdout) if done.stdout else failed
    sentence = sentence.replace(f"{checkouts.resolve()}/", "").replace(f"{folder}/", "")
    return {"verdict": verdict, "sentence": sentence, **costs}


def read_costs(text: str) -> tuple[dict[str, float], list[str]]:
    """Return what a check used, of which its own process, and the other lines that it wrote to standard error."""
    costs: dict[str, float] = {}
    errors = []
    for line in text.splitlines():
        if match := _USED.fullmatch(line):
            prefix = "own_" if match[1] == "own" else ""
            costs |= {f"{prefix}cpu_s": float(match[2]), f"{prefix}memory_mb": float(match[3])}
        else:
            errors.append(line)
    return costs, errors


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
