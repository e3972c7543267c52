"""Freeze the sentinels: compile their source and write cubins and manifest beside it.

    python -m tools.sentinels sm_130            adds a cubin for a new architecture to the set
    python -m tools.sentinels --new-set sm_90   starts a new set, which no run of the old one is compared with

Meant to run once for each architecture: what is frozen is never overwritten. With NVRTC 12 where that knows the
architecture (`.venv-cuda12`), because drivers for CUDA 12 refuse what NVRTC 13 makes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from shflbench.compile import resources
from shflbench.compile.toolchain import find
from shflbench.measure.sentinels import SENTINELS
from shflbench.measure.sentinels.frozen import MANIFEST, SOURCE, Cubin, Manifest, path_of, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.compile.toolchain import Toolchain

# The language of the patterns' kernels; and, for the manifest, the report of registers, which a cached answer lacks.
OPTIONS = (b"-std=c++17", b"--no-cache", b"--ptxas-options=-v")
NONE_YET = Manifest(version=0, source_sha256="", cubins={})


def main(arguments: Sequence[str]) -> str | None:
    """Freeze what the command line asks for; return what is wrong with it, or None."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archs", nargs="+", metavar="ARCH", help="e.g. sm_90")
    parser.add_argument("--new-set", action="store_true", help="discard the frozen cubins")
    asked = parser.parse_args(arguments)
    frozen = read(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.exists() else NONE_YET
    source = SOURCE.read_bytes()
    start = begun(frozen, source) if asked.new_set else frozen
    if refusal := refused(start, source, asked.archs):
        return refusal
    toolchain = find()
    for arch in asked.archs:
        toolchain.require(arch)
    made = {arch: compiled(source, arch, toolchain) for arch in asked.archs}
    for arch in frozen.cubins if asked.new_set else ():
        path_of(arch).unlink(missing_ok=True)
    for arch, (machine_code, _) in made.items():
        path_of(arch).write_bytes(machine_code)
        print(f"{path_of(arch).name}: {len(machine_code)} bytes")
    cubins = {**start.cubins, **{arch: about for arch, (_, about) in made.items()}}
    MANIFEST.write_text(written(replace(start, cubins=cubins)), encoding="utf-8")
    return None


def begun(frozen: Manifest, source: bytes) -> Manifest:
    """Return the empty set that follows `frozen`."""
    return Manifest(frozen.version + 1, hashlib.sha256(source).hexdigest(), {})


def refused(frozen: Manifest, source: bytes, archs: Sequence[str]) -> str | None:
    """Return why `archs` cannot be added to the set `frozen`, or None."""
    if hashlib.sha256(source).hexdigest() != frozen.source_sha256:
        return f"{SOURCE.name} is not that of set {frozen.version}: undo the edit, or start another set with --new-set"
    there = [arch for arch in archs if arch in frozen.cubins]
    if there:
        return f"set {frozen.version} has {', '.join(there)} already: name others, or start another set with --new-set"
    return None


def compiled(source: bytes, arch: str, toolchain: Toolchain) -> tuple[bytes, Cubin]:
    """Return the machine code of all sentinels for `arch`, and what the manifest says about it."""
    machine_code, log = _compile(source, arch)
    reports = {symbol: _report(log, symbol) for symbol in sorted({sentinel.symbol for sentinel in SENTINELS})}
    about = Cubin(
        compiler=f"NVRTC {toolchain.version}",
        sha256=hashlib.sha256(machine_code).hexdigest(),
        kernels={symbol: resources.parse(report) for symbol, report in reports.items()},
    )
    return machine_code, about


def _compile(source: bytes, arch: str) -> tuple[bytes, str]:
    """Return cubin and log. Without line tables, unlike the patterns' kernels: they are half of the file."""
    from cuda.bindings import nvrtc  # noqa: PLC0415  (an optional dependency; `find` has said so if it is missing)

    program = _checked(nvrtc.nvrtcCreateProgram(source, SOURCE.name.encode(), 0, [], []))
    options = [f"-arch={arch}".encode(), *OPTIONS]
    status, *_ = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytearray(_checked(nvrtc.nvrtcGetProgramLogSize(program)))
    _checked(nvrtc.nvrtcGetProgramLog(program, log))
    if status.value != 0:
        sys.exit(log.rstrip(b"\0").decode())
    machine_code = bytearray(_checked(nvrtc.nvrtcGetCUBINSize(program)))
    _checked(nvrtc.nvrtcGetCUBIN(program, machine_code))
    return bytes(machine_code), log.decode()


def _checked(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401  (the binding is untyped)
    status, *values = answer
    if status.value != 0:
        sys.exit(f"NVRTC answers {status.name}")
    return values[0] if values else None


def _report(log: str, symbol: str) -> str:
    """Return what ptxas says about one kernel, and nothing of what it says about the next."""
    return next(part for part in log.split("Compiling entry function")[1:] if f"'{symbol}'" in part)


def written(manifest: Manifest) -> str:
    """Return a manifest as text, architectures in order."""
    document = asdict(manifest)
    document["cubins"] = dict(sorted(document["cubins"].items(), key=lambda item: int(item[0].removeprefix("sm_"))))
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
