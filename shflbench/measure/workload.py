"""The data that one group of cases is verified with: inputs, and what must come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import DTYPES, WARP
from shflbench.patterns.data import distinct
from shflbench.patterns.declare import Input, Output

if TYPE_CHECKING:
    from shflbench.backends.base import Array
    from shflbench.model import Case, Dtype
    from shflbench.patterns.discover import LoadedPattern

INPUT_SETS = 8


@dataclass(slots=True)
class Workload:
    """Inputs for one pattern, dtype and number of threads, drawn once and shared by all variants."""

    pattern: LoadedPattern
    dtype: Dtype
    threads: int
    options: tuple[tuple[str, str], ...]
    seed: int
    _expected: dict[tuple[int, int], list[Array]] = field(default_factory=dict)
    _inputs: dict[int, list[Array]] = field(default_factory=dict)

    @classmethod
    def of(cls, pattern: LoadedPattern, case: Case, threads: int, seed: int) -> Workload:
        """Return the workload of the group that `case` belongs to."""
        return cls(pattern, DTYPES[case.dtype], threads, case.options, seed)

    @property
    def verify_iterations(self) -> tuple[int, ...]:
        """The iteration counts to verify with: odd, and one that runs the unrolled body three times.

        Not twice: 2·16 trips rotate a warp's 32 values to where they were, and a kernel that left
        them out would look right.
        """
        return (1, (3 * self.pattern.declaration.unroll + 3) | 1)

    @property
    def input_elements(self) -> tuple[int, ...]:
        """Elements of each input buffer."""
        return self._elements(Input)

    @property
    def output_elements(self) -> tuple[int, ...]:
        """Elements of each output buffer."""
        return self._elements(Output)

    def _elements(self, kind: type[Input | Output]) -> tuple[int, ...]:
        buffers = self.pattern.declaration.buffers
        return tuple(self.threads * buffer.per_thread for buffer in buffers if isinstance(buffer, kind))

    def inputs(self, index: int) -> list[Array]:
        """Return input set `index`, one array a buffer, of shape [warps, 32·per_thread]."""
        if index not in self._inputs:
            rng = np.random.default_rng((self.seed, index))
            warps = self.threads // WARP
            draw = self.pattern.draw_inputs
            self._inputs[index] = [
                draw(rng, self.dtype, warps)
                if draw is not None
                else distinct(rng, self.dtype, elements).reshape(warps, -1)
                for elements in self.input_elements
            ]
        return self._inputs[index]

    def expected(self, index: int, iterations: int) -> list[Array]:
        """Return what the reference makes of input set `index` after `iterations` trips."""
        key = (index, iterations)
        if key not in self._expected:
            result = self.pattern.reference(*self.inputs(index), iterations=iterations, **dict(self.options))
            self._expected[key] = list(result) if isinstance(result, tuple) else [result]
        return self._expected[key]
