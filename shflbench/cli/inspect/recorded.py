"""The kernels that a run recorded, as the compiler made them at that time."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from shflbench.compile.sass import disassemble
from shflbench.errors import ResultsError
from shflbench.model import Kernel, Loop
from shflbench.session.stored_code import machine_code

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.model import Instruction
    from shflbench.pattern_checks.targets import KernelSubject
    from shflbench.store import Run
    from shflbench.store.kernel_archive import StoredKernel


def recorded_kernels(
    run: Run, subjects: Sequence[KernelSubject], nvdisasm: Path | None
) -> tuple[str, dict[KernelSubject, Kernel]]:
    """Return the architecture of a run, and those of the subjects' kernels that it recorded.

    ResultsError where it recorded none, or where its file is damaged.
    """
    archive = run.kernels()
    if archive is None:
        raise ResultsError(
            f"{run.folder} contains no kernels.zip", "record the run again with this version of shflbench"
        )
    arch = archive.index.compiler.arch
    stored = {kernel.name: kernel for kernel in archive.index.kernels}
    chosen = {subject: stored[subject.name] for subject in subjects if subject.name in stored}
    codes = machine_code(archive, list(chosen.values()))
    listings = disassemble(codes, arch, nvdisasm) or repeat(None)
    return arch, {
        subject: _kernel(kernel, arch, archive.contents[kernel.cubin], sass)
        for (subject, kernel), sass in zip(chosen.items(), listings, strict=False)
    }


def _kernel(stored: StoredKernel, arch: str, cubin: bytes, sass: tuple[Instruction, ...] | None) -> Kernel:
    timed = stored.loop
    loop = Loop(timed.start, timed.end, timed.unroll, timed.instructions) if timed else None
    return Kernel(stored.symbol, arch, "", cubin, stored.resources, sass, loop, ())
