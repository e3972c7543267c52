"""Compare the PTX emulator with a GPU, bit by bit.

    python -m benchmarks agreement --record FILE   on a machine with a GPU: run everything on both, and keep digests
    python -m benchmarks agreement --check FILE    on any machine: the emulator must give the bits of the GPU

Each kernel is compiled once: the GPU runs the cubin, the emulator the PTX of the same compilation.
Exits with 1 where bits differ. Approximate instructions (sine, exponential, ...) are not compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.agreement_subjects import Array, PatternKernel, Run, Subject, case_at, subjects
from benchmarks.common.pages import program
from benchmarks.common.records import read_json, write_json
from shflbench.core.grouping import group_by
from shflbench.core.model import Kernel, Resources
from shflbench.core.processes import map_in_processes
from shflbench.cuda.backends.base import Backend
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.emulator import EmulatedKernel
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError
from tests import kernels

Record = dict[str, Any]  # the JSON file
DEBUG = re.compile(r"^\s*(?:\.loc|\.file|//)[^\n]*$|^\s*\.section.*?^\s*\}", re.MULTILINE | re.DOTALL)
NO_RESOURCES = Resources(0, 0, 0, 0)  # neither backend needs them here


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one run."""

    subject: Subject
    run: Run
    difference: str  # empty where the bits agree
    undecided: bool = False  # another compiler, and a result that depends on it


def compile_all(items: Sequence[Subject], arch: str) -> dict[str, Kernel]:
    """Return the kernel of each subject, by name; files of many kernels are compiled once."""
    builder = Builder(kernels.tools(), arch, None)
    requests, made, sources = {}, {}, {}
    for item in items:
        if isinstance(item, PatternKernel):
            largest = max(item.runs, key=lambda run: run.block)
            case = case_at(item.name, largest.grid, largest.block)
            requests[item.name] = builder.request(kernels.subjects()[item.name].pattern, case)
        elif item.file not in sources:
            one = compile_kernel(item.source, arch, kernels.tools())
            sources[item.file] = Kernel(one.symbol, arch, one.ptx, one.cubin, NO_RESOURCES, None, None, ())
    for name, kernel in builder.build_all(requests):
        if not isinstance(kernel, Kernel):
            raise kernel
        made[name] = kernel
    return {item.name: made[item.name] if item.name in made else sources[item.file] for item in items}


def emulate(job: tuple[Subject, Run, Kernel]) -> Sequence[Array] | str:
    """Return the outputs of the emulator for a run in lockstep, or why it fails."""
    subject, run, kernel = job
    try:
        call = subject.call(run, kernel)
        opened = EmulatedKernel(call, _program(call.kernel.ptx, call.kernel.symbol))
        (*_, last) = opened.steps(opened.launch(subject.inputs(run), run.iterations), POLICIES["lockstep"])
        return [one for buffer, one in zip(call.written, execute(last), strict=True) if buffer.compared]
    except EmulatorError as error:
        return f"the emulator fails: {error.message}"


@lru_cache(maxsize=4)  # a kernel has several runs
def _program(ptx: str, symbol: str) -> Program:
    return link(_module(ptx), symbol)


_module = lru_cache(maxsize=4)(parse)  # a file has many kernels


def emulate_all(
    items: Sequence[Subject], made: Mapping[str, Kernel]
) -> Iterator[tuple[Subject, Run, Sequence[Array] | str]]:
    """Yield the outputs of the emulator for every run; uses all cores."""
    jobs = [(item, run, replace(made[item.name], cubin=b"")) for item in items for run in item.runs]
    for (item, run, _), found in zip(jobs, map_in_processes(emulate, jobs), strict=True):
        yield item, run, found


def on_gpu(backend: Backend, subject: Subject, run: Run, kernel: Kernel) -> Sequence[Array]:
    """Return the outputs of the GPU for a run."""
    with closing(backend.open(subject.call(run, kernel))) as opened:
        return opened.run(subject.inputs(run), run.iterations)


def difference(subject: Subject, run: Run, gpu: Sequence[Array], emulated: Sequence[Array]) -> str:
    """Return a sentence on differing bits, with one example per part of each output; empty if all agree."""
    sentences = []
    pairs = zip(subject.comparable(run, gpu), subject.comparable(run, emulated), strict=True)
    for number, (first, second) in enumerate(pairs, start=1):
        bits = f"u{first.dtype.itemsize}"
        there, here = first.view(bits), second.view(bits)
        wrong = np.flatnonzero(there != here)
        parts = wrong // subject.part_size(run)
        output = f"in output {number}, " if len(gpu) > 1 else ""
        for part in dict.fromkeys(parts.tolist()):
            e = int(wrong[parts == part][0])
            sentences.append(f"{output}{subject.describe(e, run)} is 0x{there[e]:x} on the GPU, 0x{here[e]:x} here")
        if wrong.size:
            sentences.append(f"{wrong.size} of {first.size} differ")
    return "; ".join(sentences)


def digest(arrays: Sequence[Array]) -> str:
    """Return the SHA-256 of the arrays' bytes, in hexadecimal."""
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def code_digest(ptx: str) -> str:
    """Return the digest of a kernel's PTX without line tables, which name folders of the machine, and declarations."""
    _, entry, body = DEBUG.sub("", ptx).partition(".entry ")
    lines = (entry + body).splitlines()
    return hashlib.sha256("\n".join(line for line in lines if line.strip()).encode()).hexdigest()


def record(backend: Backend) -> tuple[Record, list[Outcome]]:
    """Run all kernels on `backend`'s GPU and on the emulator; return the record, and the outcomes."""
    device, outcomes = backend.device, []
    items = subjects(device.arch)
    made = compile_all(items, device.arch)
    kept: Record = {item.name: {"ptx": code_digest(made[item.name].ptx), "runs": {}} for item in items}
    for item, run, emulated in emulate_all(items, made):
        gpu = on_gpu(backend, item, run, made[item.name])
        found = emulated if isinstance(emulated, str) else difference(item, run, gpu, emulated)
        outcomes.append(Outcome(item, run, found))
        digests = {"inputs": digest(item.inputs(run)), "outputs": digest(item.comparable(run, gpu))}
        kept[item.name]["runs"][run.name] = {**digests, "agree": not found, "difference": found}
    about = {"device": device.name, "arch": device.arch, "driver": device.driver, "cuda": device.cuda}
    return {**about, "nvrtc": kernels.tools().version, "numpy": np.__version__, "kernels": kept}, outcomes


def judge(recorded: Record, item: Subject, run: Run, kernel: Kernel, emulated: Sequence[Array] | str) -> Outcome:
    """Return whether the emulator gives the bits of the GPU."""
    kept = recorded["kernels"].get(item.name)
    entry = kept["runs"].get(run.name) if kept else None
    if entry is None:
        return Outcome(item, run, "it has not been recorded on a GPU")
    if isinstance(emulated, str):
        return Outcome(item, run, emulated)
    if entry["inputs"] != digest(item.inputs(run)):
        return Outcome(item, run, "its inputs are not those that were recorded")
    if entry["outputs"] == digest(item.comparable(run, emulated)):
        return Outcome(item, run, "")
    if item.exact(run) or kept["ptx"] == code_digest(kernel.ptx):
        return Outcome(item, run, f"the emulator's bits are not those of the {recorded['device']}")
    return Outcome(item, run, "", undecided=True)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a line for each pattern and file, and one for each difference."""
    lines = [f"{'':24}{'kernels':>9}{'runs':>7}{'agree':>7}{'differ':>8}{'undecided':>11}"]
    for name, group in group_by(outcomes, lambda outcome: outcome.subject.file).items():
        count, differ = len({outcome.subject.name for outcome in group}), sum(bool(one.difference) for one in group)
        undecided = sum(one.undecided for one in group)
        agree = len(group) - differ - undecided
        lines.append(f"{name:24}{count:9}{len(group):7}{agree:7}{differ:8}{undecided:11}")
    lines += [f"{item.subject.name} {item.run.name}: {item.difference}" for item in outcomes if item.difference]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Record or check, print the table, and return the exit status."""
    parser = program(__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, metavar="FILE", help="run on this machine's GPU, and keep digests in FILE")
    what.add_argument("--check", type=Path, metavar="FILE", help="compare the emulator with FILE; needs no GPU")
    chosen = parser.parse_args(words)
    if chosen.record:
        recorded, outcomes = record(CudaBackend.open_device(0, kernels.tools()))
        write_json(chosen.record, recorded)
    else:
        recorded = read_json(chosen.check)
        items = subjects(recorded["arch"])
        made = compile_all(items, recorded["arch"])
        outcomes = [judge(recorded, item, run, made[item.name], found) for item, run, found in emulate_all(items, made)]
    print(f"{recorded['device']} ({recorded['arch']}), driver {recorded['driver']}, NVRTC {recorded['nvrtc']}")
    print(table(outcomes))
    return int(any(outcome.difference for outcome in outcomes))
