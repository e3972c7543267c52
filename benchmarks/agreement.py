"""Compare the PTX emulator with a GPU, bit by bit.

    python benchmarks/agreement.py --record FILE   on a machine with a GPU: run everything on both, and keep digests
    python benchmarks/agreement.py --check FILE    on any machine: the emulator must give the bits that the GPU gave

Each kernel is compiled once: the GPU runs the cubin, the emulator the PTX of the same compilation.
Exits with 1 where bits differ. Approximate instructions (sine, exponential, ...) are not among what is compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.agreement_subjects import Run, Subject, subjects
from shflbench.backends.base import KernelCall
from shflbench.backends.cuda import CudaBackend
from shflbench.backends.emulator.cohort import Shape
from shflbench.backends.emulator.launch import Launch, execute
from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from shflbench.compile import toolchain
from shflbench.compile.nvrtc import compile_kernel
from shflbench.errors import EmulatorError
from shflbench.model import Kernel, Resources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.agreement_subjects import Array
    from shflbench.backends.base import Backend
    from shflbench.compile.nvrtc import Compiled
    from shflbench.compile.source import Source
    from shflbench.compile.toolchain import Toolchain

Record = dict[str, Any]  # what becomes JSON
DEBUG = re.compile(r"^\s*(?:\.loc|\.file|//)[^\n]*$|^\s*\.section.*?^\s*\}", re.MULTILINE | re.DOTALL)
NO_RESOURCES = Resources(0, 0, 0, 0)  # neither backend asks for them here


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one run."""

    subject: Subject
    run: Run
    difference: str  # empty where the bits agree
    undecided: bool = False  # another compiler, and a result that depends on it


def compile_all(items: Sequence[Subject], arch: str, tools: Toolchain) -> dict[str, Compiled]:
    """Return what NVRTC makes of each subject, by its name; files of many kernels are compiled once."""
    sources: dict[str, Source] = {f"{item.source.name} {item.source.expression}": item.source for item in items}
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        made = dict(
            zip(sources, pool.map(partial(compile_kernel, arch=arch, toolchain=tools), sources.values()), strict=True)
        )
    return {item.name: made[f"{item.source.name} {item.source.expression}"] for item in items}


def emulate(subject: Subject, run: Run, ptx: str) -> Array:
    """Return what the emulator makes of a run, in lock step."""
    data = subject.data(run)
    # A template is the only kernel of its PTX.
    module = parse(ptx)
    symbol = subject.symbol or next(name for name, function in module.functions.items() if function.entry)
    shape = Shape(run.grid, run.block)
    launch = Launch(link(module, symbol), shape, data.shared_bytes, data.inputs, [data.output], run.iterations)
    return execute(launch).outputs[0]


def on_gpu(backend: Backend, subject: Subject, run: Run, compiled: Compiled) -> Array:
    """Return what the GPU makes of a run."""
    data = subject.data(run)
    count, dtype = data.output
    symbol = subject.symbol or compiled.symbol
    kernel = Kernel(symbol, backend.device.arch, compiled.ptx, compiled.cubin, NO_RESOURCES, None, None, ())
    sizes = tuple(array.size for array in data.inputs)
    opened = backend.open(KernelCall(kernel, run.grid, run.block, data.shared_bytes, sizes, (count,), dtype))
    try:
        return opened.run(data.inputs, run.iterations)[0]
    finally:
        opened.close()


def difference(subject: Subject, run: Run, gpu: Array, emulated: Array) -> str:
    """Return in words where bits differ, with one example for each part of the output; empty if they agree."""
    bits = f"u{gpu.dtype.itemsize}"
    on_gpu, here = gpu.view(bits), emulated.view(bits)
    wrong = np.flatnonzero(on_gpu != here)
    parts = wrong // subject.part_size(run)
    examples = [int(wrong[parts == part][0]) for part in dict.fromkeys(parts.tolist())]
    said = [f"{subject.describe(e, run)} is 0x{on_gpu[e]:x} on the GPU, 0x{here[e]:x} here" for e in examples]
    return "; ".join([*said, f"{wrong.size} of {gpu.size} differ"]) if said else ""


def digest(*parts: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(b"".join(parts)).hexdigest()


def code_digest(ptx: str) -> str:
    """Return the digest of a PTX text without its line tables, which name folders of the machine."""
    lines = DEBUG.sub("", ptx).splitlines()
    return digest("\n".join(line for line in lines if line.strip()).encode())


def record(backend: Backend, tools: Toolchain) -> tuple[Record, list[Outcome]]:
    """Run everything on the GPU of `backend` and on the emulator; return what to keep, and what came out."""
    device = backend.device
    items = subjects(device.arch)
    compiled = compile_all(items, device.arch, tools)
    outcomes: list[Outcome] = []
    kernels: Record = {}
    for item in items:
        runs: Record = {}
        for run in item.runs:
            gpu = on_gpu(backend, item, run, compiled[item.name])
            try:
                found = difference(item, run, gpu, emulate(item, run, compiled[item.name].ptx))
            except EmulatorError as error:
                found = f"the emulator fails: {error.message}"
            outcomes.append(Outcome(item, run, found))
            inputs = digest(*(array.tobytes() for array in item.data(run).inputs))
            kept = {"inputs": inputs, "outputs": digest(gpu.tobytes()), "agree": not found, "difference": found}
            runs[run.name] = kept
        kernels[item.name] = {"ptx": code_digest(compiled[item.name].ptx), "runs": runs}
    about = {"device": device.name, "arch": device.arch, "driver": device.driver, "cuda": device.cuda}
    return {**about, "nvrtc": tools.version, "numpy": np.__version__, "kernels": kernels}, outcomes


def check(recorded: Record, items: Sequence[Subject], ptx_of: Callable[[Subject], str]) -> Iterator[Outcome]:
    """Yield for each run of `items` whether the emulator gives the bits that the GPU gave."""
    for item in items:
        kept = recorded["kernels"].get(item.name)
        ptx = ptx_of(item)
        for run in item.runs:
            entry = kept["runs"].get(run.name) if kept else None
            if entry is None:
                yield Outcome(item, run, "it has not been recorded on a GPU")
            elif entry["inputs"] != digest(*(array.tobytes() for array in item.data(run).inputs)):
                yield Outcome(item, run, "its inputs are not those that were recorded")
            elif entry["outputs"] == digest(emulate(item, run, ptx).tobytes()):
                yield Outcome(item, run, "")
            elif item.exact(run) or kept["ptx"] == code_digest(ptx):
                yield Outcome(item, run, f"the emulator's bits are not those of the {recorded['device']}")
            else:
                yield Outcome(item, run, "", undecided=True)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a line for each pattern and file, and one for each difference."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.subject.source.name.removesuffix(".cu"), []).append(outcome)
    lines = [f"{'':24}{'kernels':>9}{'runs':>7}{'agree':>7}{'differ':>8}{'undecided':>11}"]
    for name, group in groups.items():
        counts = (
            len({outcome.subject.name for outcome in group}),
            len(group),
            sum(not outcome.difference and not outcome.undecided for outcome in group),
            sum(bool(outcome.difference) for outcome in group),
            sum(outcome.undecided for outcome in group),
        )
        lines.append(f"{name:24}{counts[0]:9}{counts[1]:7}{counts[2]:7}{counts[3]:8}{counts[4]:11}")
    lines += [f"{item.subject.name} {item.run.name}: {item.difference}" for item in outcomes if item.difference]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Record or check, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description="Compare the PTX emulator with a GPU, bit by bit.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, metavar="FILE", help="run on this machine's GPU, and keep digests in FILE")
    what.add_argument("--check", type=Path, metavar="FILE", help="hold the emulator against FILE; needs no GPU")
    chosen = parser.parse_args(words)
    tools = toolchain.find()
    if chosen.record:
        recorded, outcomes = record(CudaBackend.open_device(0, tools), tools)
        chosen.record.write_text(json.dumps(recorded, indent=1) + "\n")
    else:
        recorded = json.loads(chosen.check.read_text())
        items = subjects(recorded["arch"])
        compiled = compile_all(items, recorded["arch"], tools)
        outcomes = list(check(recorded, items, lambda item: compiled[item.name].ptx))
    print(f"{recorded['device']} ({recorded['arch']}), driver {recorded['driver']}, NVRTC {recorded['nvrtc']}")
    print(table(outcomes))
    return int(any(outcome.difference for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
