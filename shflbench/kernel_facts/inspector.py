"""Compile the kernels of all architectures, or take what is known of them from the cache."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

from shflbench.analysis.limits.access_findings import findings
from shflbench.core.model import WARP, Kernel, Launch, Loop
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.line_tables import source_lines
from shflbench.cuda.compile.sass import disassemble
from shflbench.errors import ResultsError
from shflbench.kernel_facts.facts import KernelFacts, facts_of
from shflbench.kernel_facts.facts_cache import FactsCache
from shflbench.kernel_facts.inspected_kernel import inspect, inspect_recorded, skipped
from shflbench.kernel_facts.memory_requests import requests_of_all, source_line
from shflbench.kernel_facts.run_subjects import recorded_launches, stored_kernels
from shflbench.kernel_facts.stored_code import machine_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Case, KernelRequests
    from shflbench.core.reporter import ProgressLine, Reporter
    from shflbench.cuda.compile.line_tables import LineTable
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.errors import KernelError
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.store import Run

    Built = Mapping[KernelSubject, Kernel | KernelError]
    Gathered = Mapping[KernelSubject, KernelFacts | KernelError]
    from shflbench.store.kernel_archive import StoredKernel, StoredLaterKernel


class Inspector:
    """Inspects kernels at one residency."""

    def __init__(
        self, toolchain: Toolchain, folder: Path, resident: ResidentBlocks, reporter: Reporter, run: Run | None = None
    ) -> None:
        """Use the cache in `folder`, or the kernels of `run`; report progress and problems to `reporter`."""
        self._toolchain, self._folder, self._resident, self._reporter = toolchain, folder, resident, reporter
        self._run = run
        self._lines: dict[bytes, Mapping[str, LineTable]] = {}  # by cubin

    @property
    def compiler(self) -> str:
        """The compiler's version, e.g. `NVRTC 13.5`."""
        return f"NVRTC {self._toolchain.version}"

    def inspect(
        self, subjects: Sequence[KernelSubject], archs: Sequence[str], *, with_kernels: bool
    ) -> Iterator[InspectedKernel]:
        """Yield what is known of each kernel, by architecture and in the order of the subjects.

        `with_kernels` includes their machine code. PatternError where a function of a pattern fails. ResultsError where
        the run recorded no kernels.
        """
        if self._run:
            yield from self.inspect_run(self._run, subjects).values()
            return
        supported = {
            target: [subject for subject in subjects if not subject.variant.unsupported_reason(target)]
            for target in map(self._toolchain.target, archs)
        }
        total, earlier = sum(map(len, supported.values())), 0
        with self._reporter.progress() as progress:
            for target, chosen in supported.items():
                show = partial(_show, progress, target.arch, earlier, total)
                facts, built = self._gather(chosen, target.arch, show, with_kernels=with_kernels)
                earlier += len(chosen)
                for subject in subjects:
                    known = facts.get(subject)
                    one = inspect(subject, known, target.arch, self._resident) if known else skipped(subject, target)
                    kernel = built.get(subject)
                    yield replace(one, kernel=kernel) if with_kernels and isinstance(kernel, Kernel) else one

    def inspect_run(self, run: Run, subjects: Sequence[KernelSubject]) -> dict[KernelSubject, InspectedKernel]:
        """Return what is known of the kernels that a run recorded; ResultsError where it recorded none."""
        arch, kernels = read_kernels(run, subjects, self._toolchain.nvdisasm)
        facts, recorded = self._facts(kernels), recorded_launches(run, subjects)
        made = {}
        for subject, kernel in kernels.items():
            known = facts[subject]
            if subject in recorded and isinstance(known, KernelFacts):
                one = inspect_recorded(subject, known, arch, recorded[subject])
            else:
                one = inspect(subject, known, arch, self._resident)
            made[subject] = replace(one, kernel=kernel)
        return made

    def requests(self, inspected: Sequence[InspectedKernel]) -> dict[KernelSubject, KernelRequests | KernelError]:
        """Return the memory requests of each kernel, counted by the emulator for the first architecture that has it.

        Others do the same. Uses all cores.
        """
        kernels = {one.subject: one.kernel for one in reversed(inspected) if one.kernel}
        jobs = [(subject.pattern, subject.case, kernel) for subject, kernel in kernels.items()]
        return dict(zip(kernels, requests_of_all(jobs, source_line), strict=True))

    def with_accesses(
        self, inspected: Sequence[InspectedKernel], requests: Mapping[KernelSubject, KernelRequests | KernelError]
    ) -> Iterator[InspectedKernel]:
        """Yield each with the findings about its memory requests, and with a limit that includes them."""
        lines = self.lines(one.kernel for one in inspected if one.kernel and one.kernel.resources.local_bytes)
        for one in inspected:
            counted = requests.get(one.subject) if one.kernel else None
            if one.kernel is None or counted is None:
                yield one
            elif isinstance(counted, Exception):
                yield replace(one, uncounted=counted.message)
            else:
                table = lines.get(one.kernel.cubin, {}).get(one.kernel.symbol, {})
                facts = facts_of(one.subject, one.kernel, self._resident.residency, table, counted)
                yield replace(one, facts=facts, accesses=findings(counted))

    def _gather(
        self, subjects: Sequence[KernelSubject], arch: str, show: Callable[[int], None], *, with_kernels: bool
    ) -> tuple[Gathered, Built]:
        """Return the facts about kernels of one architecture, and the kernels if they were compiled or read."""
        builder = Builder(self._toolchain, arch, self._folder)
        requests = {subject: builder.request(subject.pattern, self._timed_case(subject)) for subject in subjects}
        keys = [request.key for request in requests.values()]
        cache = FactsCache(self._folder, self._resident, keys)
        stored = None if with_kernels else cache.read()
        if stored is not None:
            return dict(zip(subjects, stored, strict=True)), {}
        built: dict[KernelSubject, Kernel | KernelError] = {}
        for subject, kernel in builder.build_all(requests):
            built[subject] = kernel
            show(len(built))
        if builder.cache.problem:
            self._reporter.warn(builder.cache.problem)
        facts = self._facts(built)
        complete = [one for subject in subjects if not isinstance(one := facts[subject], Exception)]
        if len(complete) == len(subjects):
            cache.write(complete)
        return facts, built

    def _timed_case(self, subject: KernelSubject) -> Case:
        """Return the case of a subject at a launch of the resident blocks, for which its kernel is compiled."""
        case, declared = subject.case, subject.pattern.declaration
        if not declared.launch_bounds:
            return case
        threads = case.launch.block if declared.static_block else -(-self._resident.threads // WARP) * WARP
        grid = "fill" if self._resident.fill else f"{self._resident.blocks}*sms"
        return replace(case, launch=Launch(f"{grid} x {threads}", threads, None))

    def _facts(self, built: Built) -> Gathered:
        kernels = {subject: kernel for subject, kernel in built.items() if isinstance(kernel, Kernel)}
        lines = self.lines(kernel for kernel in kernels.values() if kernel.resources.local_bytes)
        residency = self._resident.residency
        return {
            subject: facts_of(subject, kernel, residency, lines.get(kernel.cubin, {}).get(kernel.symbol, {}))
            if isinstance(kernel, Kernel)
            else kernel
            for subject, kernel in built.items()
        }

    def lines(self, kernels: Iterable[Kernel]) -> Mapping[bytes, Mapping[str, LineTable]]:
        """Return the line tables of these kernels and of earlier ones, by cubin and symbol."""
        cubins = [cubin for cubin in dict.fromkeys(kernel.cubin for kernel in kernels) if cubin not in self._lines]
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # each thread waits for nvdisasm
            tables = pool.map(lambda cubin: source_lines(cubin, self._toolchain.nvdisasm), cubins)
            self._lines |= dict(zip(cubins, tables, strict=True))
        return self._lines


def _show(progress: ProgressLine, arch: str, earlier: int, total: int, number: int) -> None:
    progress.show(f"compiling for {arch}, {earlier + number} of {total} kernels", earlier + number, total)


def read_kernels(
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
    stored = stored_kernels(run, archive, subjects)
    chosen = list({kernel.name: kernel for kernel in stored.values()}.values())
    every: list[StoredKernel | StoredLaterKernel] = []
    for kernel in chosen:
        every += [kernel, *kernel.later]
    listings = iter(disassemble(machine_code(archive, every), arch, nvdisasm) or repeat(None))

    def read(stored: StoredKernel | StoredLaterKernel, loop: Loop | None = None) -> Kernel:
        cubin = archive.contents[stored.cubin]
        return Kernel(stored.symbol, arch, "", cubin, stored.resources, next(listings), loop, ())

    kernels = {
        kernel.name: replace(read(kernel, _loop(kernel)), later=tuple(map(read, kernel.later))) for kernel in chosen
    }
    return arch, {subject: kernels[kernel.name] for subject, kernel in stored.items()}


def _loop(stored: StoredKernel) -> Loop | None:
    timed = stored.loop
    return Loop(timed.start, timed.end, timed.unroll, timed.instructions) if timed else None
