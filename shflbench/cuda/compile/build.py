"""Build kernels: compile each file, disassemble the kernels, find their loops, and check them."""

from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, TypeVar

from shflbench.core.model import DTYPES, Kernel
from shflbench.core.processes import run_in_processes
from shflbench.cuda.compile import cubin as cubins
from shflbench.cuda.compile import loops, nested_loops, nvrtc, resources, rules, signature
from shflbench.cuda.compile.cache import KernelCache, key
from shflbench.cuda.compile.launch_bounds import launch_bounds
from shflbench.cuda.compile.rules import ExpectedCode
from shflbench.cuda.compile.sass import disassemble
from shflbench.cuda.compile.source import translation_unit
from shflbench.errors import CompileError, KernelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Case, Instruction
    from shflbench.cuda.compile.launch_bounds import CompiledBounds
    from shflbench.cuda.compile.nvrtc import Compiled
    from shflbench.cuda.compile.signature import Argument
    from shflbench.cuda.compile.source import Source
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.patterns.declare import DeclaredArgument
    from shflbench.patterns.discover import LoadedPattern

Name = TypeVar("Name")

JOBS_PER_CORE = 8  # enough to keep every core busy to the end and to show progress; each job starts the disassembler


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One kernel to build: its source, and the machine code that its declaration expects."""

    source: Source
    expected: ExpectedCode
    arguments: tuple[Argument, ...]
    key: str  # in the cache
    later: tuple[BuildRequest, ...] = ()  # of the kernels that follow it
    without_spills: BuildRequest | None = None  # of half the blocks per SM, to build if this spills

    @property
    def parts(self) -> tuple[BuildRequest, ...]:
        """The requests for its kernels, each alone."""
        return (replace(self, later=()), *self.later)


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The output of compiler and disassembler; plain data, which can be sent between processes."""

    compiled: Compiled
    sass: tuple[Instruction, ...] | None  # None if no disassembler can read it


def machine_code(
    units: Sequence[Sequence[Source]], arch: str, toolchain: Toolchain
) -> list[list[MachineCode | CompileError]]:
    """Compile and disassemble the kernels of translation units; return an error for each kernel that NVRTC rejects.

    This takes a fifth of the time of single kernels: the compiler reads the headers once per unit, and the disassembler
    starts once.
    """
    compiled = [_compile_unit(sources, arch, toolchain) for sources in units]
    kernels = [kernel for unit in compiled for kernel in unit if not isinstance(kernel, CompileError)]
    code = {cubin: cubins.kernel_code(cubin) for cubin in {kernel.cubin for kernel in kernels}}
    sass = disassemble([code[kernel.cubin][kernel.symbol] for kernel in kernels], arch, toolchain.nvdisasm)
    listings = iter(sass if sass is not None else repeat(None))
    return [
        [kernel if isinstance(kernel, CompileError) else MachineCode(kernel, next(listings)) for kernel in unit]
        for unit in compiled
    ]


def _compile_unit(sources: Sequence[Source], arch: str, toolchain: Toolchain) -> list[Compiled | CompileError]:
    """Compile the kernels of one translation unit together; if NVRTC rejects one, compile each alone."""
    try:
        unit = nvrtc.compile_unit(sources, arch, toolchain)
    except CompileError as error:
        if len(sources) == 1:
            return [error]
        return [kernel for source in sources for kernel in _compile_unit([source], arch, toolchain)]
    ptx = nvrtc.ptx_by_kernel(unit[0].ptx)
    return [replace(kernel, ptx=ptx.get(kernel.symbol, kernel.ptx)) for kernel in unit]


class Builder:
    """Builds kernels for one architecture, with a cache on disk."""

    def __init__(self, toolchain: Toolchain, arch: str, cache_folder: Path | None) -> None:
        """Build for `arch` (`sm_90`); without `cache_folder`, nothing is cached."""
        self.toolchain = toolchain
        self.arch = arch
        self.target = toolchain.target(arch)
        self.cache = KernelCache(cache_folder)

    def request(self, pattern: LoadedPattern, case: Case) -> BuildRequest:
        """Return the build request for `case`."""
        source, bounds = translation_unit(pattern, case), launch_bounds(pattern.declaration, case, self.arch)
        return self._bounded(pattern, case, source, bounds) if bounds else self._request(pattern, case, source)

    def _bounded(self, pattern: LoadedPattern, case: Case, source: Source, bounds: CompiledBounds) -> BuildRequest:
        """Return the request for `case` with these launch bounds; should it spill, with half the blocks per SM."""
        options = (*source.options, f"-DLAUNCH_BOUNDS={bounds}")
        request = self._request(pattern, case, replace(source, options=options))
        if not bounds.blocks:
            return request
        fewer = replace(bounds, blocks=bounds.blocks // 2)
        return replace(request, without_spills=self._bounded(pattern, case, source, fewer))

    def _request(self, pattern: LoadedPattern, case: Case, source: Source) -> BuildRequest:
        """Return the build request for `case`, of its translation unit."""
        variant, dtype = pattern.declaration.variant(case.variant), DTYPES[case.dtype]
        constants = pattern.declaration.constants(dict(case.options), case.launch.block)
        expected = ExpectedCode.of(pattern.declaration, variant, dtype, constants)
        # Kernels that follow one another may share `__device__` variables, so they are compiled and cached together.
        names_of_later = tuple(item.kernel.replace("{T}", dtype.cuda) for item in variant.later)

        def requested(source: Source, taken: Sequence[DeclaredArgument], expected: ExpectedCode) -> BuildRequest:
            declared = signature.arguments(pattern.declaration, taken, dtype)
            decisive = repr((expected, declared, *([expression, *names_of_later] if names_of_later else ())))
            return BuildRequest(source, expected, declared, key(source, self.arch, self.toolchain.identity, decisive))

        expression = source.expression
        later = (
            requested(replace(source, expression=name), item.arguments, expected.of_later(item))
            for name, item in zip(names_of_later, variant.later, strict=True)
        )
        return replace(requested(source, pattern.declaration.arguments(variant), expected), later=tuple(later))

    def of_source(self, request: BuildRequest, source: Source) -> BuildRequest:
        """Return a request with another `source` in place of its own, and with its options; no kernel may follow it."""

        def changed(request: BuildRequest) -> BuildRequest:
            other = replace(source, options=request.source.options)
            decisive = repr((request.expected, request.arguments))
            return replace(request, source=other, key=key(other, self.arch, self.toolchain.identity, decisive))

        looser = request.without_spills
        return replace(changed(request), without_spills=self.of_source(looser, source) if looser else None)

    def build(self, pattern: LoadedPattern, case: Case) -> Kernel:
        """Return the kernel of `case`, from the cache if possible.

        CompileError if NVRTC rejects it, or if its parameters do not match the declared arguments.
        """
        request = self.request(pattern, case)
        if request.later:
            ((_, built),) = self.build_all({"": request})
            if not isinstance(built, Kernel):
                raise built
            return built
        kernel = self._build_alone(request)
        while request.without_spills and _spills(kernel):
            request = request.without_spills
            kernel = self._build_alone(request)
        return kernel

    def _build_alone(self, request: BuildRequest) -> Kernel:
        if (kernel := self.cache.get(request.key)) is not None:
            return kernel
        ((code,),) = machine_code([[request.source]], self.arch, self.toolchain)
        return self.finish(request, code)

    def build_all(self, requests: Mapping[Name, BuildRequest]) -> Iterator[tuple[Name, Kernel | KernelError]]:
        """Yield the name of each request with its kernel or its error, as soon as it is built.

        Compiles in processes and not in threads, so that a crash of the compiler does not end the run.
        """
        parts = {(name, place): part for name, request in requests.items() for place, part in enumerate(request.parts)}
        built: dict[Name, dict[int, Kernel | KernelError]] = {}
        spilling: dict[Name, BuildRequest] = {}
        for (name, place), kernel in self._build_each(parts):
            of_name = built.setdefault(name, {})
            of_name[place] = kernel
            if len(of_name) < len(requests[name].parts):
                continue
            whole, loose = _with_later([of_name[number] for number in sorted(of_name)]), requests[name].without_spills
            if loose and isinstance(whole, Kernel) and _spills(whole):
                spilling[name] = loose
            else:
                yield name, whole
        if spilling:
            yield from self.build_all(spilling)

    def _build_each(self, requests: Mapping[Name, BuildRequest]) -> Iterator[tuple[Name, Kernel | KernelError]]:
        """Yield the kernel of each request, without those that follow it."""
        missing: dict[Name, BuildRequest] = {}
        for name, request in requests.items():
            kernel = self.cache.get(request.key)
            if kernel is None:
                missing[name] = request
            else:
                yield name, kernel
        yield from self._compile(sorted(_units(missing), key=_cost, reverse=True))

    def _compile(self, units: Sequence[Mapping[Name, BuildRequest]]) -> Iterator[tuple[Name, Kernel | KernelError]]:
        """Compile whole units; after a crash of the compiler, search for the kernel that caused it."""
        if not units:
            return
        crashed: list[Mapping[Name, BuildRequest]] = []
        number = min(len(units), JOBS_PER_CORE * (os.cpu_count() or 1))
        jobs = [units[first::number] for first in range(number)]
        sources = [[[request.source for request in unit.values()] for unit in job] for job in jobs]
        compile_units = partial(machine_code, arch=self.arch, toolchain=self.toolchain)
        for index, future in run_in_processes(compile_units, sources):
            try:
                made = future.result()
            except BrokenProcessPool:
                crashed += jobs[index]
                continue
            requests = chain.from_iterable(unit.items() for unit in jobs[index])
            for (name, request), code in zip(requests, chain.from_iterable(made), strict=True):
                try:
                    yield name, self.finish(request, code)
                except KernelError as error:
                    yield name, error
        if sum(map(len, units)) > 1:
            yield from chain.from_iterable(map(self._compile, _halves(crashed)))
        else:
            for name, request in chain.from_iterable(unit.items() for unit in crashed):
                message = f"the compiler crashed on {request.source.expression}"
                yield name, CompileError(message, "Simplify the kernel, or try another version of NVRTC.")

    def finish(self, request: BuildRequest, code: MachineCode | CompileError) -> Kernel:
        """Check `code` against the declaration, cache the kernel and return it.

        CompileError if there is no code, or if its parameters do not match the declared arguments.
        """
        if isinstance(code, CompileError):
            raise code
        parameters = signature.parameters(code.compiled.ptx, code.compiled.symbol)
        signature.check(request.source.expression, parameters, request.arguments)
        counted = nested_loops.outermost(loops.counted_loops(code.sass)) if code.sass else []
        violations = rules.violations(request.expected, code.sass, counted) if code.sass else ()
        kernel = Kernel(
            symbol=code.compiled.symbol,
            arch=self.arch,
            ptx=code.compiled.ptx,
            cubin=code.compiled.cubin,
            resources=resources.parse(code.compiled.log, code.compiled.symbol),
            sass=code.sass,
            loop=None if request.expected.unroll is None else rules.timed_loop(counted),
            violations=tuple(violations),
        )
        self.cache.put(request.key, kernel)
        return kernel


def _spills(kernel: Kernel) -> bool:
    """Whether registers do not suffice for a kernel or one of those that follow it."""
    return any(item.resources.spill_bytes for item in (kernel, *kernel.later))


def _with_later(kernels: Sequence[Kernel | KernelError]) -> Kernel | KernelError:
    """Return the first kernel with those that follow it, or the first error."""
    error = next((item for item in kernels if not isinstance(item, Kernel)), None)
    if error is not None:
        return error
    first, *later = [item for item in kernels if isinstance(item, Kernel)]
    return replace(first, later=tuple(later)) if later else first


def _units(requests: Mapping[Name, BuildRequest]) -> Iterable[dict[Name, BuildRequest]]:
    """Return the requests by translation unit."""
    units: dict[object, dict[Name, BuildRequest]] = {}
    for name, request in requests.items():
        units.setdefault(request.source.unit, {})[name] = request
    return units.values()


def _cost(unit: Mapping[Name, BuildRequest]) -> int:
    """Return a unit's relative cost: CUDA headers cost as much as dozens of kernels."""
    return len(unit) + 30 * next(iter(unit.values())).source.includes_cuda


def _halves(units: Sequence[Mapping[Name, BuildRequest]]) -> Iterator[Sequence[Mapping[Name, BuildRequest]]]:
    """Yield the first and the second half of several units, or of the kernels of one."""
    if len(units) == 1:
        pairs = list(units[0].items())
        yield from ([dict(pairs[: len(pairs) // 2])], [dict(pairs[len(pairs) // 2 :])])
    elif units:
        yield from (units[: len(units) // 2], units[len(units) // 2 :])
