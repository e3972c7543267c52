"""Decide which contents and numbers are varied, so that kernels that agree only for those of the program show it.

Contents that are addresses or numbers of iterations stay as they are, and so do numbers on which these, or branches,
depend: others may not be legal.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker import BufferUse
from shflbench.core.model import DTYPES
from shflbench.patterns.data import FEWEST_WITH_SPECIAL
from shflbench.patterns.stored import DrawKind, DrawRule
from shflbench.user_kernels.later_launches import later_launches
from shflbench.user_kernels.pattern_values import buffer_dtype, number_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker import CandidateBuffer, CandidateNumber
    from shflbench.user_kernels.comparison import KernelComparison, Size

SMALL_INTEGER = 255  # specified integers are varied up to this number at least
HIDING = {-1.0, 0.0, 1.0, 2.0}  # numbers that hide a factor or a term; 2 is the number whose square is its double
TINY = 2.0**-7  # numbers below it hide a term: added to the others, they leave the result within its tolerance
INVERSE_ERROR = 1e-5  # of the product of a number and its inverse in single precision


def is_varied(comparison: KernelComparison, buffer: CandidateBuffer) -> bool:
    """Whether a buffer that kernels read has other contents in the varied inputs."""
    deciding = comparison.named(kernel.candidate.deciding for kernel in comparison.kernels)
    counters = comparison.named(kernel.candidate.counters for kernel in comparison.kernels)
    if buffer.name in comparison.indexes:
        return False
    if buffer.variable and comparison.use(buffer) is BufferUse.CHANGED:
        return comparison.is_compared(buffer) and buffer.name not in counters  # else launches leave it for others
    if buffer.name in counters:
        return buffer.is_synthesized and buffer.name not in deciding
    if any(item.name == buffer.name for item in comparison.scratch):
        kept = comparison.named(kernel.candidate.kept for kernel in comparison.kernels)
        return buffer.is_synthesized or buffer.name in kept  # else the host code may set it before each launch
    if {BufferUse.WRITTEN, BufferUse.CHANGED} <= comparison.uses(buffer):
        return buffer.is_synthesized  # a kernel may add to what the host code specifies
    return DTYPES[buffer_dtype(buffer)].floating or buffer.name not in deciding


def varied_rule(comparison: KernelComparison, buffer: CandidateBuffer) -> DrawRule:
    """Return how the contents of a buffer are drawn in the varied inputs."""
    if not is_varied(comparison, buffer):
        return DrawRule()
    dtype = DTYPES[buffer_dtype(buffer)]
    if dtype.floating:
        return DrawRule(kind=DrawKind.VARIED, dtype=dtype.numpy, ascending=buffer.is_ordered)
    is_unsigned = buffer.element.startswith("u") or buffer.element == "bool"  # patterns have signed types only
    number = f"u{dtype.numpy}" if is_unsigned else dtype.numpy
    numbers = buffer.contents[: buffer.contents.size // dtype.size * dtype.size].view(number)
    is_specified = not buffer.is_synthesized and numbers.size > 0
    most = None
    if buffer.element == "bool":
        most = 1
    elif is_specified:
        most = max(SMALL_INTEGER, *(abs(int(item)) for item in (numbers.min(), numbers.max())))
        most = min(most, int(np.iinfo(number).max))
    return DrawRule(
        kind=DrawKind.VARIED,
        dtype=number,
        most=most,
        positive=is_unsigned or (is_specified and int(numbers.min()) >= 0),
        ascending=buffer.is_ordered,
    )


def other_value(comparison: KernelComparison, name: str, values: Mapping[Size, CandidateNumber]) -> float | None:
    """Return another value of a number that may hide a factor or a term; None where it keeps its own.

    All kernels that take the number must take it with these values.
    """
    numbers = [number_value(number) for number in values.values()]
    if not _hides(comparison, values) or name in _fixed(comparison) or name not in _shared(comparison):
        return None
    value, dtype = numbers[0]
    if not isfinite(value):
        return None
    place = sorted(_shared(comparison)).index(name) % 8
    if DTYPES[dtype].floating:
        return value + 0.625 + place / 8
    step = 3 + place
    return value + step if value + step <= np.iinfo(DTYPES[dtype].numpy).max else value - step


def left_out(comparison: KernelComparison) -> Iterator[str]:
    """Yield what verification does not compare, as noun phrases."""
    first = comparison.first
    read = [item for item in first.buffers if comparison.use(item) is not BufferUse.WRITTEN]
    if kept := [f"`{item.name}`" for item in read if not is_varied(comparison, item)]:
        yield f"results with other contents of {', '.join(kept)}"
    untried = [item for item in read if not _is_tried_with_special(comparison, item)]
    if finite := [f"`{item.name}`" for item in untried if _is_finite(item)]:
        yield f"results for infinities and NaN in {', '.join(finite)}"
    numbers = [item for item in first.numbers if _may_differ_for_others(comparison, item)]
    numbers.sort(key=lambda item: item.name not in _fixed(comparison))
    if numbers:
        texts = (f"`{item.name}` than {' and '.join(_values(comparison, item.name))}" for item in numbers)
        yield f"results with other values of {', '.join(texts)}"
    outputs = [item for item in first.buffers if comparison.use(item) is not BufferUse.READ]
    if not any(map(comparison.is_compared, outputs)):
        yield "results, because the kernels leave none in memory"
    if scratch := [f"`{item.name}`" for item in outputs if not comparison.is_compared(item)]:
        yield f"the contents of {', '.join(scratch)} afterwards"
    yield from later_launches(comparison)


def _values(comparison: KernelComparison, name: str) -> Iterator[str]:
    """Return the values of a number at all sizes, without repetitions."""
    launches = comparison.sizes.values()
    numbers = (item for launch in launches for item in launch.numbers if item.name == name)
    return iter(dict.fromkeys(f"{number_value(item)[0]:g}" for item in numbers))


def _may_differ_for_others(comparison: KernelComparison, number: CandidateNumber) -> bool:
    """Whether a number keeps its value, so that results may differ for others.

    Those on which addresses, iterations or branches depend, such as sizes, have the values of the sizes that are timed.
    """
    if number.name in _fixed(comparison):
        launches = comparison.sizes.values()
        values = {item.data for launch in launches for item in launch.numbers if item.name == number.name}
        return number.element != "bool" and (len(values) == 1 or _hides(comparison, {None: number}))
    is_passed_alike = number.element != "bool" and number.name in _shared(comparison)
    return is_passed_alike and other_value(comparison, number.name, {None: number}) is None


def _is_tried_with_special(comparison: KernelComparison, buffer: CandidateBuffer) -> bool:
    """Whether results are also compared for infinities and NaN in a buffer."""
    is_large = buffer.size >= FEWEST_WITH_SPECIAL * DTYPES[buffer_dtype(buffer)].size
    return is_large and comparison.use(buffer) is BufferUse.READ and is_varied(comparison, buffer)


def _is_finite(buffer: CandidateBuffer) -> bool:
    """Whether a buffer has floating-point numbers, all of which are finite, as the varied ones are."""
    dtype = DTYPES[buffer_dtype(buffer)]
    if not dtype.floating or buffer_dtype(buffer) == "bf16":
        return dtype.floating
    return bool(np.isfinite(buffer.contents[: buffer.contents.size // dtype.size * dtype.size].view(dtype.numpy)).all())


def _hides(comparison: KernelComparison, values: Mapping[Size, CandidateNumber]) -> bool:
    """Whether a number may hide a factor or a term, or that a kernel uses another number in its place."""
    if any(number.element == "bool" for number in values.values()):
        return False
    others = [number_value(item)[0] for item in comparison.first.numbers if item.element != "bool"]
    return all(_hides_among(*number_value(number), others) for number in values.values())


def _hides_among(value: float, dtype: str, numbers: Sequence[float]) -> bool:
    """Whether a value hides something among the numbers of a launch, of which it is one."""
    if value in HIDING or numbers.count(value) > 1:
        return True
    inverses = (value * power for number in numbers if number > 1 for power in (number, value * number))
    is_inverse = any(abs(product - 1) < INVERSE_ERROR for product in inverses)  # kernels may use either one
    return DTYPES[dtype].floating and abs(value) < TINY and not is_inverse


def _fixed(comparison: KernelComparison) -> set[str]:
    """Return the numbers on which addresses, iterations or branches depend, and those that equal one of them.

    Such as a size that a launch also gets as a float, which kernels may use in the place of the first one.
    """
    structural = comparison.named(kernel.candidate.structural for kernel in comparison.kernels)
    numbers = {item.name: number_value(item)[0] for item in comparison.first.numbers}
    values = {numbers[name] for name in structural & numbers.keys()} - HIDING
    return structural | {name for name, value in numbers.items() if value in values}


def _shared(comparison: KernelComparison) -> set[str]:
    """Return the numbers of the first kernel that no other one takes with another value."""
    base = {item.name: item.data for item in comparison.first.numbers}
    shared = set(base)
    for kernel in comparison.kernels:
        for item in kernel.launches[0].numbers:
            name = kernel.names[item.name]
            if base.get(name) != item.data:
                shared.discard(name)
    return shared
