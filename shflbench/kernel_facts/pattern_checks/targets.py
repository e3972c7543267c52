"""Find the kernels that suites, patterns, files and folders name."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.dimensions import LaunchDims, complete
from shflbench.core.launch import parse_launch
from shflbench.core.model import Case, Launch
from shflbench.core.words import did_you_mean
from shflbench.cuda.compile.source import translation_unit
from shflbench.errors import PatternError, UsageError
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.declare import LAUNCH_OPTIONS, complete_block
from shflbench.patterns.discover import LoadedPattern, builtin, load
from shflbench.store.kernel_archive import kernel_revision
from shflbench.suite import find_shipped
from shflbench.suite import load as load_suite
from shflbench.suite.pattern_names import did_you_mean_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.core.model import Kernel
    from shflbench.cuda.backends.base import KernelCall
    from shflbench.patterns.declare import Pattern, Variant

# Four warps per block show races within and between warps; two blocks show whether blocks interfere.
BLOCKS, BLOCK = 2, 128
SMALL_BLOCK = 64  # of a single one, where variants may launch several blocks instead of it
MOST_THREADS = 1 << 14  # of a launch that is checked whole, under every schedule
BLOCK_DIMS: Mapping[int, Dims] = {2: (16, 16, 1), 3: (8, 4, 4)}  # by the number of dimensions


@dataclass(frozen=True, slots=True)
class KernelSubject:
    """One kernel to check, at the launch to check it at."""

    pattern: LoadedPattern
    case: Case
    incomparable: str = ""  # why results of this launch cannot be compared with the reference
    long_iterations: tuple[int, ...] = ()  # further iteration counts, at which it is checked in lockstep only

    @property
    def name(self) -> str:
        """The kernel's readable name, e.g. `neighbor/shfl/f32`."""
        options = (f"{name}={value}" for name, value in self.case.options)
        return "/".join((self.case.pattern, self.case.variant, self.case.dtype, *options))

    @property
    def revision(self) -> str:
        """What identifies its source, as in the index of `kernels.zip`; PatternError where a file cannot be read."""
        source = translation_unit(self.pattern, self.case)
        return kernel_revision(source.text, source.headers, source.expression)

    @property
    def variant(self) -> Variant:
        """The declaration of the kernel's variant."""
        return self.pattern.declaration.variant(self.case.variant)

    @property
    def reference(self) -> KernelSubject | None:
        """The kernel whose results are the reference; None where the pattern has a reference of its own."""
        name = self.pattern.declaration.reference_variant
        return replace(self, case=replace(self.case, variant=name)) if name else None

    def has_whole(self, cluster: tuple[int, int, int], blocks: int) -> bool:
        """Whether the launched blocks make whole clusters, or no launch with other blocks is known."""
        launch = self.case.launch
        return launch.dims is not None or not launch.grid or blocks % math.prod(cluster) == 0

    def in_whole(self, cluster: tuple[int, int, int]) -> KernelSubject:
        """Return the same kernel at a launch of one cluster along x, of blocks of the same size."""
        block, grid = self.case.launch.block, math.prod(cluster)
        return replace(self, case=replace(self.case, launch=Launch(f"{grid}x{block}", block, grid)))

    def workload(self, seed: int) -> Workload:
        """Return the data to check the kernel with; PatternError where a function of the pattern fails."""
        return Workload.of(self.pattern, self.case, self.case.launch.grid or BLOCKS, seed)

    def call(self, kernel: Kernel, workload: Workload) -> KernelCall:
        """Return the launch to check the compiled `kernel` at; PatternError where a function of the pattern fails."""
        return replace(call_of(self.pattern, self.case, kernel, workload.setting), emulated_work=math.inf)


@dataclass(frozen=True, slots=True)
class Filters:
    """Keep only these patterns, variants and dtypes; empty keeps all."""

    patterns: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()

    def apply(self, subjects: Sequence[KernelSubject]) -> list[KernelSubject]:
        """Return the subjects that pass; UsageError where a word matches none, or all filters together do."""
        filters = (("pattern", self.patterns), ("variant", self.variants), ("dtype", self.dtypes))
        chosen = list(subjects)
        for kind, words in filters:
            known = list(dict.fromkeys(str(getattr(subject.case, kind)) for subject in subjects))
            for word in words:
                if word not in known:
                    message = f"unknown {kind} `{word}`; allowed: {', '.join(known)}{did_you_mean(word, known)}"
                    raise UsageError(message, f"These are the {kind}s of the targets.")
            chosen = [subject for subject in chosen if not words or getattr(subject.case, kind) in words]
        if not chosen:
            filter_words = ", ".join(f"{kind} {' or '.join(words)}" for kind, words in filters if words)
            raise UsageError(f"no kernel has {filter_words}", "Leave out one of these filters.")
        return chosen


_ALL = Filters()


def find(targets: Sequence[str], filters: Filters = _ALL) -> list[KernelSubject]:
    """Return each kernel that `targets` name, once, in the order of the targets.

    PatternError where a target is unknown, SuiteError where a suite is wrong, UsageError where filters match nothing.
    """
    subjects: dict[tuple[object, ...], KernelSubject] = {}
    for target in targets:
        for subject in _named(target):
            case = subject.case
            subjects.setdefault((subject.pattern.folder, case.variant, case.dtype, case.options), subject)
    return filters.apply(list(subjects.values()))


def _named(target: str) -> Iterator[KernelSubject]:
    path = Path(target)
    if target in find_shipped():
        yield from _of_suite(find_shipped()[target])
    elif target in builtin():
        yield from _of_pattern(load(builtin()[target]))
    elif path.is_dir():
        yield from _of_pattern(load(path.resolve()))
    elif path.exists():
        yield from _of_suite(path)
    else:
        known = [*find_shipped(), *builtin()]
        raise PatternError(
            f"unknown target `{target}`; allowed: {', '.join(known)}, a suite file or a pattern folder"
            + did_you_mean_pattern(target, known),
            "`shflbench list` describes suites and patterns.",
        )


def _of_suite(path: Path) -> Iterator[KernelSubject]:
    suite = load_suite(path)
    patterns = {name: load(folder) for name, folder in suite.pattern_folders.items()}
    for case in suite.cases:
        # Options of the launch do not change the kernel.
        options = tuple(item for item in case.options if item[0] not in LAUNCH_OPTIONS)
        yield _subject(patterns[case.pattern], case.variant, case.dtype, options, case.launch)


def _of_pattern(pattern: LoadedPattern) -> Iterator[KernelSubject]:
    declared = pattern.declaration
    choices = [declared.usual.options] if declared.fixed_sizes else declared.option_choices
    for variant in declared.variants:
        for dtype in variant.dtypes or declared.dtypes:
            for options in choices:
                if variant.has(dtype, options):
                    yield _subject(pattern, variant.name, dtype, tuple(options.items()))


def _subject(
    pattern: LoadedPattern,
    variant: str,
    dtype: str,
    options: tuple[tuple[str, str], ...],
    launch: Launch | None = None,
) -> KernelSubject:
    """Return one kernel to check; `launch` is one at which a suite runs it."""
    named = pattern.declaration.usual.launch
    timed = launch or (parse_launch(named) if named else None)
    chosen, why = _launch(pattern.declaration, timed), ""
    if timed and timed.grid and pattern.declaration.fixed_sizes:
        if timed.grid * timed.block <= MOST_THREADS:
            chosen = timed
        else:
            why = f"its results are compared on a GPU only: {timed.expression} has more than {MOST_THREADS:,} threads"
    return KernelSubject(pattern, Case(pattern.name, variant, dtype, chosen, 1, options), why)


def _launch(declared: Pattern, timed: Launch | None) -> Launch:
    """Return a small launch to check a kernel at; of the shape of `timed` in several dimensions or for fixed data."""
    if declared.dimensions > 1:
        dims = (timed.dims if timed else None) or _small_dims(declared)
        dims = dims.scaled_down(BLOCKS**dims.dimensions)
        return Launch(str(dims), dims.threads_per_block, dims.blocks, dims)
    grid, usual = (1, SMALL_BLOCK) if any(variant.dims for variant in declared.variants) else (BLOCKS, BLOCK)
    if timed and declared.fixed_sizes:  # kernels for fixed data may need their block
        usual = timed.block
    block = min(declared.block_sizes or (usual,), key=lambda threads: abs(threads - usual))
    return Launch(f"{grid}x{block}", block, grid)


def _small_dims(declared: Pattern) -> LaunchDims:
    """Return a launch of as many dimensions as the kernels support, where nobody names one."""
    grid = complete((BLOCKS,) * declared.dimensions)
    return LaunchDims(grid, complete_block(declared.blocks[0]) if declared.blocks else BLOCK_DIMS[declared.dimensions])
