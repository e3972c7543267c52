"""Show the cost of exchanges on a GPU without results, from the machine code of the kernels that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.prediction import require_figures
from shflbench.analysis.answers.costs import EXCHANGES, predicted_cost
from shflbench.analysis.limits.constants import PREDICTED_ARCH
from shflbench.core.environment import cache_folder
from shflbench.core.model import DTYPES, Case, Launch
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.kernel_facts.estimates import with_predictions
from shflbench.kernel_facts.inspector import Inspector
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.residency import ResidentBlocks
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.answers.costs import ExchangeCost
    from shflbench.core.reporter import Reporter
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel

DTYPES_OF_COSTS = "i32", "f32", "f64"  # with or without rounding, of one and of two words
RESIDENCIES = tuple(ResidentBlocks(1, threads) for threads in (32, 256, 1024))


def predict_costs(arch: str, reporter: Reporter) -> list[ExchangeCost]:
    """Return the costs for an architecture with one block of 32, 256 and 1024 threads per SM.

    UsageError for an architecture without figures; CompilerError without a compiler for it.
    """
    require_figures(arch)
    toolchain = find_toolchain()
    toolchain.require(arch)
    subjects = list(_subjects())
    costs = []
    for resident in RESIDENCIES:
        inspector = Inspector(toolchain, cache_folder(), resident, reporter)
        inspected = list(inspector.inspect(subjects, [arch], with_kernels=True))
        if arch == PREDICTED_ARCH:
            inspected = list(with_predictions(inspected, {}, resident))
        costs += [cost for one in inspected if (cost := _cost(one, resident))]
    return costs


def _subjects() -> Iterator[KernelSubject]:
    for name, variant in EXCHANGES:
        pattern = load(builtin()[name])
        declared = pattern.declaration
        options = {option: values[0] for option, values in declared.options.items()}
        for dtype in DTYPES_OF_COSTS:
            if dtype in (declared.variant(variant).dtypes or declared.dtypes):
                yield KernelSubject(
                    pattern, Case(name, variant, dtype, Launch("1x32", 32, 1), 1, tuple(options.items()))
                )


def _cost(one: InspectedKernel, resident: ResidentBlocks) -> ExchangeCost | None:
    case, loop = one.subject.case, one.kernel.loop if one.kernel else None
    if loop is None or one.block != resident.threads:
        return None
    exchange, dtype = EXCHANGES[case.pattern, case.variant], DTYPES[case.dtype]
    exchanges = exchange.per_iteration({opcode: count / loop.unroll for opcode, count in loop.counts.items()}, dtype)
    if not exchanges:
        return None
    return predicted_cost(
        arch=one.arch,
        exchange=exchange,
        mechanism=one.subject.variant.mechanism,
        dtype=dtype,
        exchanges=exchanges,
        blocks=resident.blocks,
        block=resident.threads,
        limit_cycles=one.cycles,
        predicted_cycles=one.predicted.cycles if one.predicted else None,
        pattern=case.pattern,
        variant=case.variant,
        options=dict(case.options),
    )
