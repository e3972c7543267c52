"""Freeze the sentinels: compile their source and write cubins and manifest beside it.

    python -m tools.sentinels sm_130            adds a cubin for a new architecture to the set
    python -m tools.sentinels --new-set sm_90   starts a new set, whose runs are not compared with older ones

Run it once for each architecture: a frozen cubin is never overwritten. Use NVRTC 12 where it supports the architecture
(`.venv-cuda12`), because drivers for CUDA 12 refuse what NVRTC 13 compiles.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from shflbench.cuda.compile import resources
from shflbench.cuda.compile.toolchain import find
from shflbench.measure.sentinels import SENTINELS
from shflbench.measure.sentinels.frozen import MANIFEST, SOURCE, Cubin, Manifest, path_of, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda.compile.toolchain import Toolchain

# The language of the patterns' kernels; and, for the manifest, the report of registers, which a cached result lacks.
OPTIONS = (b"-std=c++17", b"--no-cache", b"--ptxas-options=-v")
EMPTY_SET = Manifest(version=0, source_sha256="", cubins={})


def main(arguments: Sequence[str]) -> str | None:
    """Freeze the named architectures; return why that is not possible, or None."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archs", nargs="+", metavar="ARCH", help="e.g. sm_90")
    parser.add_argument("--new-set", action="store_true", help="discard the frozen cubins")
    options = parser.parse_args(arguments)
    frozen = read(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.exists() else EMPTY_SET
    source = SOURCE.read_bytes()
    start = next_set(frozen, source) if options.new_set else frozen
    if refusal := refusal_of(start, source, options.archs):
        return refusal
    toolchain = find()
    for arch in options.archs:
        toolchain.require(arch)
    cubins = {arch: compile_set(source, arch, toolchain) for arch in options.archs}
    for arch in frozen.cubins if options.new_set else ():
        path_of(arch).unlink(missing_ok=True)
    for arch, (machine_code, _) in cubins.items():
        path_of(arch).write_bytes(machine_code)
        print(f"{path_of(arch).name}: {len(machine_code)} bytes")
    records = {**start.cubins, **{arch: record for arch, (_, record) in cubins.items()}}
    MANIFEST.write_text(to_text(replace(start, cubins=records)), encoding="utf-8")
    return None


def next_set(frozen: Manifest, source: bytes) -> Manifest:
    """Return the empty set that follows `frozen`."""
    return Manifest(frozen.version + 1, hashlib.sha256(source).hexdigest(), {})


def refusal_of(frozen: Manifest, source: bytes, archs: Sequence[str]) -> str | None:
    """Return why `archs` cannot be added to the set `frozen`, or None."""
    if hashlib.sha256(source).hexdigest() != frozen.source_sha256:
        return f"{SOURCE.name} is not that of set {frozen.version}: undo the edit, or start a new set with --new-set"
    known = [arch for arch in archs if arch in frozen.cubins]
    if known:
        return f"set {frozen.version} already has {', '.join(known)}: name others, or start a new set with --new-set"
    return None


def compile_set(source: bytes, arch: str, toolchain: Toolchain) -> tuple[bytes, Cubin]:
    """Return the machine code of all sentinels for `arch`, and its record in the manifest."""
    machine_code, log = _compile(source, arch)
    reports = {symbol: _report(log, symbol) for symbol in sorted({sentinel.symbol for sentinel in SENTINELS})}
    record = Cubin(
        compiler=f"NVRTC {toolchain.version}",
        sha256=hashlib.sha256(machine_code).hexdigest(),
        kernels={symbol: resources.parse(report) for symbol, report in reports.items()},
    )
    return machine_code, record


def _compile(source: bytes, arch: str) -> tuple[bytes, str]:
    """Return cubin and log. Without line tables, unlike the patterns' kernels: they are half of the file."""
    from cuda.bindings import nvrtc  # noqa: PLC0415  (an optional dependency; `find` has said so if it is missing)

    program = _require_success(nvrtc.nvrtcCreateProgram(source, SOURCE.name.encode(), 0, [], []))
    options = [f"-arch={arch}".encode(), *OPTIONS]
    status, *_ = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytearray(_require_success(nvrtc.nvrtcGetProgramLogSize(program)))
    _require_success(nvrtc.nvrtcGetProgramLog(program, log))
    if status.value != 0:
        sys.exit(log.rstrip(b"\0").decode())
    machine_code = bytearray(_require_success(nvrtc.nvrtcGetCUBINSize(program)))
    _require_success(nvrtc.nvrtcGetCUBIN(program, machine_code))
    return bytes(machine_code), log.decode()


def _require_success(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401  (the binding is untyped)
    status, *values = answer
    if status.value != 0:
        sys.exit(f"NVRTC reports {status.name}")
    return values[0] if values else None


def _report(log: str, symbol: str) -> str:
    """Return the report of ptxas about one kernel, without those of the next ones."""
    return next(part for part in log.split("Compiling entry function")[1:] if f"'{symbol}'" in part)


def to_text(manifest: Manifest) -> str:
    """Return a manifest as text, sorted by architecture."""
    document = asdict(manifest)
    document["cubins"] = dict(sorted(document["cubins"].items(), key=lambda item: int(item[0].removeprefix("sm_"))))
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
