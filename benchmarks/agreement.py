"""Compare the PTX emulator with a GPU, bit by bit.

    python -m benchmarks agreement --record FILE   on a machine with a GPU: run everything on both, and keep digests
    python -m benchmarks agreement --record FILE --beside OTHER   only what OTHER lacks
    python -m benchmarks agreement --check FILE    on any machine: the emulator must give the bits of the GPU

Each kernel is compiled once: the GPU runs the cubin, the emulator the PTX of the same compilation.
Exits with 1 where bits differ. Approximate instructions (sine, exponential, ...) are not compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.agreement_subjects import PatternKernel, Run, Subject, case_at, subjects
from shflbench.core.model import Kernel, Resources
from shflbench.core.processes import map_in_processes
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.emulator import EmulatedKernel
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from benchmarks.agreement_subjects import Array
    from shflbench.cuda.backends.base import Backend
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import Module

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
    subjects_by_name = {item.name: kernels.subjects()[item.name] for item in items if isinstance(item, PatternKernel)}
    largest = {
        item.name: max(item.runs, key=lambda run: run.block) for item in items if isinstance(item, PatternKernel)
    }
    requests = {
        name: builder.request(item.pattern, case_at(name, largest[name].grid, largest[name].block))
        for name, item in subjects_by_name.items()
    }
    made: dict[str, Kernel] = {}
    for name, kernel in builder.build_all(requests):
        if not isinstance(kernel, Kernel):
            raise kernel
        made[name] = kernel
    sources: dict[str, Kernel] = {}
    for item in items:
        if not isinstance(item, PatternKernel):
            if item.file not in sources:
                compiled = compile_kernel(item.source, arch, kernels.tools())
                sources[item.file] = Kernel(
                    compiled.symbol, arch, compiled.ptx, compiled.cubin, NO_RESOURCES, None, None, ()
                )
            made[item.name] = sources[item.file]
    return made


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


@lru_cache(maxsize=4)  # a file has many kernels
def _module(ptx: str) -> Module:
    return parse(ptx)


def emulate_all(
    items: Sequence[Subject], made: Mapping[str, Kernel]
) -> Iterator[tuple[Subject, Run, Sequence[Array] | str]]:
    """Yield the outputs of the emulator for every run; uses all cores."""
    jobs = [(item, run, replace(made[item.name], cubin=b"")) for item in items for run in item.runs]
    for (item, run, _), found in zip(jobs, map_in_processes(emulate, jobs), strict=True):
        yield item, run, found


def on_gpu(backend: Backend, subject: Subject, run: Run, kernel: Kernel) -> Sequence[Array]:
    """Return the outputs of the GPU for a run."""
    opened = backend.open(subject.call(run, kernel))
    try:
        return opened.run(subject.inputs(run), run.iterations)
    finally:
        opened.close()


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


def record(backend: Backend, known: Collection[str] = ()) -> tuple[Record, list[Outcome]]:
    """Run all but the `known` kernels on `backend`'s GPU and on the emulator; return the record, and the outcomes."""
    device = backend.device
    items = [item for item in subjects(device.arch) if item.name not in known]
    made = compile_all(items, device.arch)
    outcomes: list[Outcome] = []
    kept: Record = {item.name: {"ptx": code_digest(made[item.name].ptx), "runs": {}} for item in items}
    for item, run, emulated in emulate_all(items, made):
        gpu = on_gpu(backend, item, run, made[item.name])
        found = emulated if isinstance(emulated, str) else difference(item, run, gpu, emulated)
        outcomes.append(Outcome(item, run, found))
        kept[item.name]["runs"][run.name] = {
            "inputs": digest(item.inputs(run)),
            "outputs": digest(item.comparable(run, gpu)),
            "agree": not found,
            "difference": found,
        }
    about = {"device": device.name, "arch": device.arch, "driver": device.driver, "cuda": device.cuda}
    return {**about, "nvrtc": kernels.tools().version, "numpy": np.__version__, "kernels": kept}, outcomes


def check(recorded: Record, items: Sequence[Subject], made: Mapping[str, Kernel]) -> Iterator[Outcome]:
    """Yield for each run of `items` whether the emulator gives the bits of the GPU."""
    for item, run, emulated in emulate_all(items, made):
        yield judge(recorded, item, run, made[item.name], emulated)


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
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.subject.file, []).append(outcome)
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
    what.add_argument("--check", type=Path, metavar="FILE", help="compare the emulator with FILE; needs no GPU")
    parser.add_argument("--beside", type=Path, metavar="OTHER", help="leave out the kernels that this record has")
    chosen = parser.parse_args(words)
    if chosen.record:
        known = json.loads(chosen.beside.read_text())["kernels"] if chosen.beside else ()
        recorded, outcomes = record(CudaBackend.open_device(0, kernels.tools()), known)
        chosen.record.write_text(json.dumps(recorded, indent=1) + "\n")
    else:
        recorded = json.loads(chosen.check.read_text())
        items = subjects(recorded["arch"])
        outcomes = list(check(recorded, items, compile_all(items, recorded["arch"])))
    print(f"{recorded['device']} ({recorded['arch']}), driver {recorded['driver']}, NVRTC {recorded['nvrtc']}")
    print(table(outcomes))
    return int(any(outcome.difference for outcome in outcomes))
