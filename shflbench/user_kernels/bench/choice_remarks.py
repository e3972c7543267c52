"""Remarks on what `bench` compares: kernels that are left out, what the check found, and uncertain arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.core.grouping import group_by
from shflbench.core.reporter import Remark
from shflbench.core.words import count_noun, join_words, one_or_many
from shflbench.user_kernels.check_coverage import coverage_of
from shflbench.user_kernels.own_memory import own_memory
from shflbench.user_kernels.replaced_inputs import fixed_inputs
from shflbench.user_kernels.unset_variables import unset_variables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.checker import KernelReport
    from shflbench.user_kernels.bench.file_choice import FileChoice
    from shflbench.user_kernels.comparison import KernelChoice, KernelComparison

UNDECIDED = frozenset({KernelVerdict.NOT_CHECKED, KernelVerdict.DOUBTFUL, KernelVerdict.NEEDS_ARGUMENTS})


def choice_remarks(choice: FileChoice) -> Iterator[Remark]:
    """Yield which kernels are not timed, what the check found of the others, and of which it could not decide."""
    for sentence, alike in group_by(choice.kernels.left_out, lambda item: item.sentence).items():
        kernels = join_words([item.kernel for item in alike])
        verb = one_or_many(len(alike), "is", "are")
        yield Remark(f"{kernels} {verb} not timed: {sentence}", is_warning=True)
    compared = list(coverage_of(choice.kernels.comparisons, choice.reports))
    if decided := [item.report for item in compared if item.report.verdict not in UNDECIDED and item.ran]:
        yield Remark(_result(decided))
    for item in compared:
        report = item.report
        if report.verdict in UNDECIDED:
            yield Remark(f"{report.name}: {report.verdict}, {report.sentence}", is_warning=True)
        elif item.sentence:
            yield Remark(f"{report.name}: {item.sentence}", is_warning=True)


def argument_remarks(comparisons: Iterable[KernelComparison]) -> Iterator[Remark]:
    """Yield which arguments the kernels get, and which of them make results or times uncertain."""
    for comparison in comparisons:
        yield from (Remark(f"{comparison.name}: {text}.") for text in _argument_texts(comparison))
        yield from (Remark(f"{comparison.name}: {text}", is_warning=True) for text in _uncertain_arguments(comparison))


def advice_without_kernels(choice: KernelChoice) -> str:
    """Return what helps if no kernel can be timed."""
    if any(item.advice or item.names_options for item in choice.left_out):
        return "Give the options that are named above."
    return "Change the kernels that are named above."


def _argument_texts(comparison: KernelComparison) -> Iterator[str]:
    yield from filter(None, (comparison.instances, *comparison.arguments, "; ".join(own_memory(comparison))))


def _uncertain_arguments(comparison: KernelComparison) -> Iterator[str]:
    for name in comparison.synthesized_indexes:
        yield (
            f"contents of `{name}` are indices or numbers of iterations, on which times depend, and are chosen; give "
            f"them by --arg {name}=FILE.npy"
        )
    for clause, given in unset_variables(comparison):
        yield f"{clause}; give its contents by {given}"
    for name in fixed_inputs(comparison):
        yield (
            f"all elements of `{name}` are equal, and because of indices results cannot be compared for others: wrong "
            f"kernels may be right; give other contents by --arg {name}=FILE.npy"
        )


def _result(reports: Sequence[KernelReport]) -> str:
    """Return the verdicts on the compared kernels as a sentence: `Checked: clean (2 kernels, 5 launches).`."""
    parts = []
    for verdict, alike in group_by(reports, lambda report: report.verdict).items():
        launches = sum(len(report.launches) for report in alike)
        parts.append(f"{verdict} ({count_noun(len(alike), 'kernel')}, {count_noun(launches, 'launch')})")
    return f"Checked: {', '.join(parts)}."
