"""The data that one group of cases is verified with: inputs, and what must come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import DTYPES, WARP
from shflbench.patterns.data import distinct
from shflbench.patterns.declare import Input, Output

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        """Return input set `index`, one read-only array a buffer, of shape [warps, 32·per_thread].

        PatternError where the pattern's own `inputs` fails.
        """
        if index not in self._inputs:
            rng = np.random.default_rng((self.seed, index))
            warps = self.threads // WARP
            draw = self.pattern.draw_inputs
            if draw is None:
                drawn = [distinct(rng, self.dtype, elements) for elements in self.input_elements]
            else:
                with self.pattern.calling("inputs"):
                    drawn = [draw(rng, self.dtype, warps) for _ in self.input_elements]
                self._check("inputs", drawn, self.input_elements)
            self._inputs[index] = [array.reshape(warps, -1) for array in drawn]
            for array in self._inputs[index]:
                array.flags.writeable = False  # a reference that works in place would spoil the other variants' inputs
        return self._inputs[index]

    def expected(self, index: int, iterations: int) -> list[Array]:
        """Return what the reference makes of input set `index` after `iterations` trips; PatternError if it fails."""
        key = (index, iterations)
        if key not in self._expected:
            inputs = self.inputs(index)
            with self.pattern.calling("reference"):
                result = self.pattern.reference(*inputs, iterations=iterations, **dict(self.options))
            outputs = list(result) if isinstance(result, tuple) else [result]
            self._check("reference", outputs, self.output_elements)
            self._expected[key] = outputs
        return self._expected[key]

    def _check(self, function: str, arrays: Sequence[object], elements: Sequence[int]) -> None:
        """Raise PatternError unless the pattern's function returned an array of the right kind for each buffer."""
        if len(arrays) != len(elements):
            raise self.pattern.wrong(function, f"returns {len(arrays)} arrays for {len(elements)} buffers")
        for array, count in zip(arrays, elements, strict=True):
            if not isinstance(array, np.ndarray):
                raise self.pattern.wrong(function, f"returns {type(array).__name__}, not a NumPy array")
            if array.dtype != self.dtype.numpy or array.size != count:
                found = f"{array.size} elements of {array.dtype}"
                raise self.pattern.wrong(function, f"returns {found}, not {count} of {self.dtype.numpy}")
