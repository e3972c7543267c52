"""The kernels that run on a GPU and on the emulator: of patterns, where PTX defines every bit, and torture kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shflbench.core.model import Case, Kernel, Launch
from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.cuda.compile.source import Source
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.declare import ITERATIONS
from tests import kernels

Array = NDArray[np.generic]

TESTS = Path(__file__).parent.parent / "tests" / "emulator"
SMALL = (4, 128)
LARGE = (26, 1024)
PAIRS = (16, 128)
ITERATION_COUNTS = (1, 7)
LARGE_KERNELS = (
    *("neighbor/shfl/f32/mode=idx", "neighbor/smem/f64/mode=idx"),
    *("reduce/shfl/f32/width=32", "reduce/smem-syncwarp/i64/width=32"),
)
MIXED_ITERATIONS = 3  # of the kernels in cuda/torture.cu, some of which have a loop
APPROXIMATE = ".approx"  # in the names of PTX instructions
SEED = 1
# Words that are corner cases as integers, floats, halves of doubles, halves or shift counts.
CORNERS = (
    *(0, 1, 2, 7, 31, 32, 33, 63, 64, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x00FF00FF),
    *(0x3F800000, 0xBF800000, 0x3F800001, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000, 0x00000003),
    *(0x4F000000, 0xCF000000, 0x3FF00000, 0x7FF00000, 0x43E00000, 0x3C007C00, 0x7BFFFC00, 0x03FF8001, 0x477FE000),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One launch of a subject: blocks, threads per block, and iterations."""

    grid: int
    block: int
    iterations: int

    @property
    def name(self) -> str:
        """The launch as in case ids, e.g. `4x128/33`."""
        return f"{self.grid}x{self.block}/{self.iterations}"


@dataclass(frozen=True, slots=True)
class PatternKernel:
    """One kernel × dtype of a built-in pattern, with its default options."""

    name: str  # e.g. `reduce/cub/f32/width=32`
    short: bool = False  # only the run with the fewest iterations

    @property
    def file(self) -> str:
        """The pattern and the file."""
        return kernels.source_of(self.name).name.removesuffix(".cu")

    @property
    def runs(self) -> list[Run]:
        """Few iterations, a number that ends inside the unrolled body, and an odd one above twice the unroll factor."""
        subject = kernels.subjects()[self.name]
        declared, small = subject.pattern.declaration, (SMALL[0], subject.case.launch.block)
        if declared.one_pass:
            return [Run(*small, 1)]
        most = 2 * declared.unroll + 1
        counts = sorted({*ITERATION_COUNTS, most}) if self.name in kernels.with_one_dtype() else [most]
        large = [Run(*LARGE, most)] if self.name in LARGE_KERNELS else []
        runs = [Run(*small, number) for number in counts] + large
        return runs[:1] if self.short else runs

    def workload(self, run: Run) -> Workload:
        """Return the workload, the same as for verification."""
        return _workload(self.name, run.grid, run.block)

    def inputs(self, run: Run) -> list[Array]:
        """Return the data of the buffers that are read."""
        return self.workload(run).inputs(0)

    def call(self, run: Run, kernel: Kernel) -> KernelCall:
        """Return the launch of `kernel`, which is this one, compiled."""
        subject = kernels.subjects()[self.name]
        return call_of(subject.pattern, case_at(self.name, run.grid, run.block), kernel, self.workload(run).setting)

    def comparable(self, run: Run, outputs: Sequence[Array]) -> list[Array]:
        """Return outputs sorted where any order is right."""
        workload = self.workload(run)
        return [
            np.sort(output.reshape(right.shape), axis=-1).reshape(-1) if unordered else output
            for output, right, unordered in zip(
                outputs, workload.expected(0, run.iterations), workload.unordered, strict=True
            )
        ]

    def exact(self, run: Run) -> bool:
        """Return whether every correct compiler leads to the same bits."""
        workload = self.workload(run)
        return workload.pattern.tolerance(workload.setting, run.iterations) == 0

    def part_size(self, run: Run) -> int:
        """Return that each output is one part."""
        return max(buffer.elements for buffer in self.workload(run).buffers if buffer.written)

    def describe(self, element: int, run: Run) -> str:
        """Return what an element of an output is."""
        return f"element {element} of {run.grid * run.block} threads"


def case_at(name: str, grid: int, block: int) -> Case:
    """Return the case of a kernel at another launch."""
    return replace(kernels.subjects()[name].case, launch=Launch(f"{grid}x{block}", block, grid))


@lru_cache(maxsize=4)  # the runs of a kernel share its inputs
def _workload(name: str, grid: int, block: int) -> Workload:
    return Workload.of(kernels.subjects()[name].pattern, case_at(name, grid, block), grid, SEED)


@dataclass(frozen=True, slots=True)
class TortureKernel:
    """One kernel of many instructions; with `puts`, each result is separate instead of one mixture of all."""

    source: Source
    symbol: str
    puts: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file."""
        return self.source.name.removesuffix(".cu")

    @property
    def name(self) -> str:
        """The file and the kernel."""
        return f"{self.file}/{self.symbol}"

    @property
    def runs(self) -> list[Run]:
        """One launch, with a thread for each pair of corners."""
        return [Run(*(PAIRS if self.puts else SMALL), MIXED_ITERATIONS)]

    def inputs(self, run: Run) -> list[Array]:
        """Return words at the edges of the number formats, in every combination of two, then random ones."""
        threads = run.grid * run.block
        rng = np.random.default_rng(SEED)
        words: list[Array] = [rng.integers(0, 1 << 32, threads, dtype=np.uint32) for _ in range(3)]
        if not self.puts:
            return [words[0].view(np.int32)]
        # Every pair of corners once, each with another third one.
        corners = np.array(CORNERS, np.uint32)
        number = np.arange(corners.size**2)
        first, second = number % corners.size, number // corners.size
        for column, chosen in zip(words, (first, second, (7 * first + second) % corners.size), strict=True):
            column[: number.size] = corners[chosen]
        return words

    def call(self, run: Run, kernel: Kernel) -> KernelCall:
        """Return the launch of `kernel`, which is this one, compiled."""
        threads = run.grid * run.block
        given = [
            Buffer(f"in{place}", array.size, str(array.dtype), read=True)
            for place, array in enumerate(self.inputs(run))
        ]
        results, dtype = (2 * threads * len(self.puts), "uint32") if self.puts else (threads, "int32")
        buffers = (*given, Buffer("results", results, dtype, written=True))
        shared = 0 if self.puts else 4 * run.block
        arguments = (*(buffer.name for buffer in buffers), ITERATIONS)
        return KernelCall(replace(kernel, symbol=self.symbol), run.grid, run.block, shared, buffers, arguments)

    def comparable(self, run: Run, outputs: Sequence[Array]) -> Sequence[Array]:
        """Return the outputs: the order of threads makes no difference."""
        del run
        return outputs

    def exact(self, run: Run) -> bool:
        """Return that the instructions are defined to the last bit."""
        return bool(run)

    def part_size(self, run: Run) -> int:
        """Return how many elements one expression has: two words per thread."""
        return (2 if self.puts else 1) * run.grid * run.block

    def describe(self, element: int, run: Run) -> str:
        """Return which expression of which thread an element of the output belongs to."""
        threads = run.grid * run.block
        if not self.puts:
            return f"thread {element}"
        number, thread = divmod(element // 2, threads)
        operands = ", ".join(f"0x{int(column[thread]):08x}" for column in self.inputs(run))
        return f"`{self.puts[number]}` of thread {thread} ({operands})"


Subject = PatternKernel | TortureKernel


def pattern_kernels(arch: str) -> list[PatternKernel]:
    """Return every kernel × dtype of the built-in patterns that `arch` has, without those of approximations."""
    names = (
        name
        for name in kernels.with_every_dtype()
        if not kernels.variant_of(name).unsupported_reason(kernels.tools().target(arch))
    )
    return [PatternKernel(name) for name in names if not is_approximate(name)]


def is_approximate(name: str) -> bool:
    """Return whether a kernel's source has an instruction whose result is not defined to the last bit.

    PTX bounds the error of `ex2.approx` and its like, and leaves the bits to the GPU. A pattern writes them as PTX, so
    that the text shows them. The results are compared within the tolerance that the pattern states.
    """
    source = kernels.source_of(name)
    return any(APPROXIMATE in text for text in (source.text, *source.headers.values()))


@cache
def torture_sources() -> tuple[Source, ...]:
    """Return the files of torture kernels; each compiles all its kernels at once."""
    folder = TESTS / "torture"
    headers = {path.name: path.read_text() for path in sorted(folder.glob("*.cuh"))}
    files = [TESTS / "cuda" / "torture.cu", *sorted(folder.glob("*.cu"))]
    return tuple(
        Source(f"{'mixed' if path.parent != folder else 'torture'}/{path.name}", text, headers, next(_kernels(text))[0])
        for path in files
        for text in [numbered(path.read_text())]
    )


def torture_kernels() -> list[TortureKernel]:
    """Return all torture kernels."""
    return [
        TortureKernel(source, symbol, tuple(puts(body)))
        for source in torture_sources()
        for symbol, body in _kernels(source.text)
    ]


def _kernels(text: str) -> Iterator[tuple[str, str]]:
    pattern = r'^(?:KERNEL\((?P<put>\w+)\)|extern "C" __global__ void (?P<mixed>\w+)).*?^\}'
    for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        yield match["put"] or match["mixed"], match[0]


def numbered(text: str) -> str:
    """Return the source with each kernel's PUTs numbered from 0: `PUT(x)` becomes `put(results, 0, x)`."""
    for _, body in list(_kernels(text)):
        numbers = count()
        text = text.replace(body, re.sub(r"\bPUT\(", lambda _: f"put(results, {next(numbers)}, ", body))  # noqa: B023
    return text


def puts(body: str) -> Iterator[str]:
    """Yield the expression of each numbered PUT."""
    for match in re.finditer(r"\bput\(results, \d+, ", body):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(body[end], 0)
            end += 1
        yield " ".join(body[match.end() : end - 1].split())


def subjects(arch: str) -> Sequence[Subject]:
    """Return everything that is compared on `arch`."""
    return [*pattern_kernels(arch), *torture_kernels()]
