"""The functions of a pattern beside its declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.patterns.declare import Setting

    Array = NDArray[np.generic]
    DrawInputs = Callable[[np.random.Generator, Setting], Array | tuple[Array, ...]]


@dataclass(frozen=True, slots=True)
class PatternFunctions:
    """The functions that a `pattern.py` defines, or those of a stored pattern."""

    reference: Callable[..., Array | tuple[Array, ...]] | None = None  # None: a variant is the reference
    tolerance: Callable[[Setting, int], float] | None = None  # None: the bits must agree
    inputs: DrawInputs | None = None  # None: any distinct values will do
    other_inputs: DrawInputs | None = None  # for variants with `other_inputs`
    varied_inputs: DrawInputs | None = None  # of a wide range, for all variants
