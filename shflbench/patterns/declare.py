"""The words in which a pattern's `pattern.py` declares what is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.model import DTYPES, Dtype, Mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    SharedBytes = Callable[[int, Dtype], int]  # (threads a block, element type) → bytes a block

__all__ = ["EXCHANGES", "Input", "Output", "Pattern", "PerWord", "Variant", "elements_per_thread"]

# Opcodes that exchange values or wait for other threads, which a variant may promise. WARPSYNC is not among
# them: a full-mask __syncwarp leaves no instruction on most architectures, so its absence proves nothing.
EXCHANGES = ("SHFL", "STS", "LDS", "BAR", "VOTE", "REDUX", "CREDUX", "MATCH", "ATOMS", "LDL", "STL")


@dataclass(frozen=True, slots=True)
class Input:
    """A buffer that the kernel reads: `per_thread` elements of the case's dtype for each thread."""

    name: str
    per_thread: int = 1


@dataclass(frozen=True, slots=True)
class Output:
    """A buffer that the kernel writes: `per_thread` elements of the case's dtype for each thread."""

    name: str
    per_thread: int = 1


@dataclass(frozen=True, slots=True)
class PerWord:
    """A count that holds for each 32-bit word of the element: a 64-bit shuffle is two SHFL."""

    count: int


def elements_per_thread(count: int) -> SharedBytes:
    """Return the shared memory of a kernel that keeps `count` elements a thread, in bytes a block."""
    return lambda block, dtype: block * count * dtype.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do a pattern: one `__global__` template named `<pattern>_<variant>`."""

    name: str
    mechanism: Mechanism
    summary: str
    safe: bool = True
    baseline: bool = False
    dtypes: tuple[str, ...] = ()  # empty: all of the pattern's
    needs: str = ""  # the first architecture that has it, e.g. "sm_80"
    source: str = "kernels.cu"  # the file of the pattern's folder that holds it
    shared: SharedBytes = field(default=elements_per_thread(0))
    per_iteration: Mapping[str, int | PerWord] | None = None  # exchange instructions a trip; None: shown, not promised

    def promised(self, dtype: Dtype) -> dict[str, int] | None:
        """Return the exchange instructions a trip for `dtype`, or None where nothing is promised."""
        if self.per_iteration is None:
            return None
        return {
            opcode: count.count * dtype.words if isinstance(count, PerWord) else count
            for opcode, count in self.per_iteration.items()
        }

    def lacking(self, arch: str) -> str:
        """Return why `arch` (`sm_90`) cannot run this variant, empty if it can."""
        if self.needs and _generation(arch) < _generation(self.needs):
            return f"{self.name} needs {self.needs} or newer, and this is {arch}"
        return ""


def _generation(arch: str) -> int:
    return int(arch.removeprefix("sm_").rstrip("af"))  # sm_90a and sm_100f are sm_90 and sm_100 with extras


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One communication pattern: what it does, on which data, and the variants that compete."""

    summary: str
    source: str
    buffers: tuple[Input | Output, ...]
    variants: tuple[Variant, ...]
    dtypes: tuple[str, ...] = tuple(DTYPES)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # own axes: name → values, default first
    unroll: int = 16  # trips in one pass through the compiled loop, equal for every variant

    def variant(self, name: str) -> Variant:
        """Return the variant called `name`; KeyError if there is none."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(name)

    @property
    def baseline(self) -> Variant:
        """The variant that the others are compared with."""
        return next(variant for variant in self.variants if variant.baseline)
