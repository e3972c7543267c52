"""The kernels of the list, the verdicts that a reader expects, and a run of `check` on each in its repository."""

from __future__ import annotations

import compileall
import json
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shflbench
from benchmarks.common.records import JsonLines, PublicFile, read_rows, read_table
from benchmarks.common.runs import call

HERE = Path(__file__).parent
PAGE = HERE.with_suffix(".md")
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


@dataclass(frozen=True, slots=True)
class PublicKernel(PublicFile):
    """One kernel of the list."""

    lines: str  # of a page with code, those of the code: `8-77`; empty for a whole file
    kernel: str
    mechanism: str
    launch: str  # `host` or `given`
    options: str  # of `check`, as a shell takes them
    license: str
    verdict: str  # that a reader expects: sound, doubtful, broken or refused
    reason: str

    @property
    def key(self) -> str:
        """The name of the kernel in all tables."""
        return f"{self.repository}/{self.path}:{self.kernel}"

    @property
    def name(self) -> str:
        """The name without arguments of a template."""
        return self.kernel.partition("<")[0]

    def agrees(self, result: KernelResult) -> bool:
        """Whether `check` came to the verdict of the reader."""
        if self.verdict == "sound":
            return result.verdict in {"clean", "schedule-dependent"}
        if self.verdict == "refused":
            return result.verdict == "not checked" and ("tensor" in result.sentence or "wgmma" in result.sentence)
        return result.verdict == self.verdict


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What one run said of a kernel."""

    verdict: str
    sentence: str
    cpu_s: float  # of all processes
    memory_mb: float  # of the largest process
    own_cpu_s: float | None = None  # without the processes of compilers; None in runs that did not measure it
    own_memory_mb: float | None = None


def sample() -> list[PublicKernel]:
    """Return the kernels of the list."""
    return read_rows(HERE / "sample.tsv", PublicKernel)


def notes() -> dict[str, dict[str, str]]:
    """Return the `verdict` of a second reading and its `note`, by key, where the reader and `check` differed."""
    return {row["key"]: row for row in read_table(HERE / "notes.tsv")}


def results(name: str) -> dict[str, KernelResult]:
    """Return the results of a run, by key."""
    return {record.pop("key"): KernelResult(**record) for record in JsonLines(HERE / name).read()}


def write_bytecode() -> None:
    """Compile the package, as pip does: without its bytecode, each start takes half a second more."""
    compileall.compile_dir(Path(shflbench.__file__).parent, quiet=1)


def check_kernel(kernel: PublicKernel, checkouts: Path) -> dict[str, Any]:
    """Return the verdict on a kernel, and what it cost."""
    root = kernel.checkout(checkouts).resolve()
    text = kernel.options.replace("STUBS", str(STUBS)).replace("CHECKOUT", str(root))
    words = ["--kernel", kernel.kernel, *shlex.split(text), "--format", "json", "--time-limit", str(LIMIT_S)]
    with tempfile.TemporaryDirectory() as folder:
        target = kernel.path
        if kernel.lines:
            root, target = Path(folder), "excerpt.cu"
            (root / target).write_text(_excerpt(kernel, checkouts), encoding="utf-8")
        limited = [sys.executable, "-c", _LIMITED, sys.executable, "-c", _OWN, "check", target, *words]
        reply = call(limited, None, root)
    costs, errors = read_costs(reply.errors)
    if reply.out:
        verdict, sentence = _verdict(kernel, reply.out)
    else:
        failed = NO_VERDICT in errors
        verdict, sentence = (NO_VERDICT, f"after {LIMIT_S} s") if failed else ("usage error", " ".join(errors))
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
    named = [item for item in file["kernels"] if item["name"].partition("<")[0].endswith(kernel.name)]
    chosen = (named or file["kernels"])[-1]
    return chosen["verdict"], chosen["sentence"]


def _excerpt(kernel: PublicKernel, checkouts: Path) -> str:
    """Return the lines of the page that are the code, without their common indentation."""
    first, last = map(int, kernel.lines.split("-"))
    lines = kernel.below(checkouts).read_text(encoding="utf-8").splitlines()[first - 1 : last]
    common = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[common:] for line in lines) + "\n"
