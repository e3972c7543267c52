"""Verify kernels of a file once more with varied inputs: other contents than the program's, numbers and outputs.

The program's own inputs hide differences: contents of 0 and 1 those of squares, whole numbers those of sums in half
precision, a factor of 1 that of a term, an output of zeros that it is added to. The varied ones have fractions, both
signs and a wide range, numbers of 0 and 1 have other values where no address depends on them, and outputs contain other
bits before the launch. Others have infinities and NaN in one input as well: kernels may treat them differently and be
right, so that a difference is no fault, and is named.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.words import count_noun
from shflbench.cuda.backends.base import OTHER_POISON
from shflbench.errors import BudgetError
from shflbench.measure.verify import agreement_with, difference, find_unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.core.model import Proof
    from shflbench.cuda.backends.base import Array, OpenKernel
    from shflbench.measure.workload import Workload

ITERATIONS = 1  # the kernels of a file make one pass
LEFT_OUT = "results with varied inputs"
NO_END = "because the emulator does not end within its budget"


@dataclass(slots=True)
class VariedReference:
    """Results of the reference variant with varied inputs."""

    workload: Workload
    index: int | None = None  # of the input set; None: there is no reference
    special: set[int] = field(default_factory=set)  # of input sets with infinities and NaN
    left_out: str = ""  # what is not compared, as a noun phrase

    @classmethod
    def of(cls, workload: Workload, open_varied: Callable[[], OpenKernel]) -> VariedReference | None:
        """Run the reference variant, with positive inputs if its results are not finite otherwise.

        `open_varied` opens it with its other numbers. None if the pattern has no varied inputs. LaunchError if the
        kernel crashes on a device; where the emulator cannot run it, nothing is compared.
        """
        if not workload.varied_sets:
            return None
        known = cls(workload)
        try:
            with closing(open_varied()) as kernel:
                known._run(kernel)
        except BudgetError:
            known.left_out = f"{LEFT_OUT}, {NO_END}"
        return known

    def _run(self, kernel: OpenKernel) -> None:
        first, second = self.workload.varied_sets
        for index in (first, second):
            outputs = _run(kernel, self.workload, index)
            self.workload.accept_expected(outputs, index, ITERATIONS, OTHER_POISON)
            if all(map(_is_finite, outputs)):
                break
        else:
            index = max((first, second), key=self._finite)
        if difference(self.workload, _run(kernel, self.workload, index), index, ITERATIONS):
            self.left_out = f"{LEFT_OUT}, because the reference gives another result the second time"
            return
        self.index = index
        sizes = sum(array.size for array in self.workload.expected(index, ITERATIONS))
        if others := sizes - self._finite(index):
            self.left_out = f"{count_noun(others, 'result')} of varied inputs, because the reference is not finite"
        self._run_special(kernel)

    def _run_special(self, kernel: OpenKernel) -> None:
        """Make the references for inputs with infinities and NaN, as far as the emulator can."""
        for index in self.workload.special_sets:
            with suppress(BudgetError):
                self.workload.accept_expected(_run(kernel, self.workload, index), index, ITERATIONS, OTHER_POISON)
                self.special.add(index)

    def _finite(self, index: int) -> int:
        """Return how many numbers of the reference are finite."""
        return sum(int(np.count_nonzero(_finite(array))) for array in self.workload.expected(index, ITERATIONS))

    def completed(self, proof: Proof, open_varied: Callable[[], OpenKernel]) -> Proof:
        """Return the proof of a kernel with the comparison of its results with varied inputs; errors as for `of`."""
        left_out = (*proof.not_compared, *filter(None, [self.left_out]))
        proof = replace(proof, not_compared=left_out)
        if self.index is None:
            return proof
        try:
            with closing(open_varied()) as kernel:
                return self._with_special(self._with_results(proof, kernel, self.index), kernel)
        except BudgetError:
            reason = f"{LEFT_OUT}, {NO_END}"
            return replace(proof, not_compared=(*proof.not_compared, reason))

    def _with_results(self, proof: Proof, kernel: OpenKernel, index: int) -> Proof:
        workload = self.workload
        got = _run(kernel, workload, index)
        agreed = agreement_with(workload, self._where_finite(got, index), index, ITERATIONS)
        wrong = agreed.mismatch and (find_unwritten(kernel, workload, got, index, ITERATIONS) or agreed.mismatch)
        return replace(
            proof,
            matched=proof.matched + (not wrong),
            inputs=proof.inputs + 1,
            mismatch=proof.mismatch or (wrong and f"{_inputs_of(workload)}, {wrong}"),
            by_median=max(proof.by_median, agreed.by_median),
            other_zeros=max(proof.other_zeros, agreed.other_zeros),
        )

    def _with_special(self, proof: Proof, kernel: OpenKernel) -> Proof:
        """Return the proof with how results for infinities and NaN differ, for which kernels may be equally right."""
        left_out: dict[str, str] = {}  # by input
        for index, (name, _) in self.workload.special_sets.items():
            if name not in left_out and (wrong := self._special_difference(kernel, index)):
                left_out[name] = f"results for infinities and NaN in `{name}`, {wrong}"
        return replace(proof, not_compared=(*proof.not_compared, *left_out.values()))

    def _special_difference(self, kernel: OpenKernel, index: int) -> str:
        """Return how results differ, or why they were not compared, as a clause; empty if they agree."""
        if index not in self.special:
            return NO_END
        try:
            wrong = difference(self.workload, _run(kernel, self.workload, index), index, ITERATIONS)
        except BudgetError:
            return NO_END
        return wrong and f"which differ: {wrong}"

    def _where_finite(self, got: Sequence[Array], index: int) -> list[Array]:
        """Return results with those of the reference where it is not finite: kernels may differ that are right."""
        results = []
        for actual, wanted in zip(got, self.workload.expected(index, ITERATIONS), strict=True):
            reference = np.ascontiguousarray(wanted).reshape(-1)
            results.append(np.where(_finite(reference), actual, reference))
        return results


def _run(kernel: OpenKernel, workload: Workload, index: int) -> list[Array]:
    return kernel.run(workload.inputs(index), ITERATIONS, OTHER_POISON)


def _inputs_of(workload: Workload) -> str:
    """Return what is other than in the program, as the begin of a sentence."""
    declared = workload.pattern.declaration
    contents = ", ".join(f"`{name}`" for name in declared.varied)
    numbers = [f"{item.name} = {item.other:g}" for item in declared.scalars if item.other is not None]
    parts = [*([f"varied contents of {contents}"] if contents else []), *numbers]
    return f"with {' and '.join(parts)}" if parts else "with other contents of the outputs before the launch"


def _is_finite(array: Array) -> bool:
    return bool(_finite(array).all())


def _finite(array: Array) -> Array:
    is_integer = np.issubdtype(array.dtype, np.integer)
    return np.ones(array.shape, bool) if is_integer else np.isfinite(array.astype(np.float64))
