"""Draw the inputs of a stored pattern."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.files import irregular_kind
from shflbench.core.model import DTYPES
from shflbench.patterns.data import varied
from shflbench.patterns.stored import DrawKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.patterns.declare import Setting
    from shflbench.patterns.pattern_functions import Array
    from shflbench.patterns.stored import DrawRule, StoredBuffer, StoredPattern

CONTENTS = "inputs.npz"  # beside the pattern: the bytes of each buffer that kernels read, by `contents_key`
FROM_FILE = {DrawKind.STORED, DrawKind.ROLLED}
MOST_SHIFT = 1 << 16  # elements


def contents_key(name: str, size: str) -> str:
    """Return the name of the contents of a buffer at a size, which is empty if there is one size only."""
    return f"{name}-{size}" if size else name


@dataclass(frozen=True, slots=True)
class StoredInputs:
    """The functions of a stored pattern that draw inputs, with the contents in a file of NumPy."""

    pattern: StoredPattern
    file: Path

    def inputs(self, rng: np.random.Generator, at: Setting) -> tuple[Array, ...]:
        """Return what each buffer contains that a kernel reads; what nobody specifies differs by input set."""
        shift = int(rng.integers(1, MOST_SHIFT))
        return self._drawn([item.inputs for item in self.pattern.read], rng, at, shift)

    def other_inputs(self, rng: np.random.Generator, at: Setting) -> tuple[Array, ...]:
        """Return contents that no other launch has, also of buffers whose contents somebody specifies."""
        shift = int(rng.integers(1, MOST_SHIFT))
        return self._drawn([item.other_inputs for item in self.pattern.read], rng, at, shift)

    def varied_inputs(self, rng: np.random.Generator, at: Setting) -> tuple[Array, ...]:
        """Return contents with fractions, both signs and a wide range; indices keep theirs."""
        return self._drawn([item.varied_inputs for item in self.pattern.read], rng, at, 0)

    def _drawn(self, rules: Sequence[DrawRule], rng: np.random.Generator, at: Setting, shift: int) -> tuple[Array, ...]:
        option = self.pattern.size_option
        size = at.options[option] if option else ""
        needs_file = any(rule.kind in FROM_FILE for rule in rules)
        if needs_file and (kind := irregular_kind(self.file)):
            raise ValueError(f"{self.file} is {kind}, not a file")
        with np.load(self.file) if needs_file else nullcontext({}) as contents:
            return tuple(
                _from_file(buffer, contents, size, buffer.elements(at), shift if rule.kind is DrawKind.ROLLED else 0)
                if rule.kind in FROM_FILE
                else _numbers(buffer, rule, rng, buffer.elements(at))
                for buffer, rule in zip(self.pattern.read, rules, strict=True)
            )


def _from_file(buffer: StoredBuffer, contents: Mapping[str, Array], size: str, count: int, shift: int) -> Array:
    values = contents[contents_key(buffer.name, size)].view(DTYPES[buffer.dtype].numpy)
    return np.resize(np.roll(values, shift) if shift else values, count)


def _numbers(buffer: StoredBuffer, rule: DrawRule, rng: np.random.Generator, count: int) -> Array:
    if rule.kind is DrawKind.VARIED:
        numbers = varied(rng, rule.dtype, count, most=rule.most, positive=rule.positive, ascending=rule.ascending)
        return numbers.view(DTYPES[buffer.dtype].numpy)
    drawn = rng.integers(-8, 9, rule.count) / 8 if rule.most is None else rng.integers(0, rule.most + 1, rule.count)
    return np.resize(drawn.astype(rule.dtype), count)
