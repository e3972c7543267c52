"""The functions of a written `pattern.py`: inputs as the host code states them, and a reference to be written."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING

from shflbench.checker import BufferUse
from shflbench.core.model import DTYPES
from shflbench.user_kernels.pattern_text import buffer_dtype, element_count
from shflbench.user_kernels.replaced_inputs import is_replaceable, needs_other_inputs
from shflbench.user_kernels.varied_inputs import is_varied, varied_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import CandidateBuffer
    from shflbench.user_kernels.comparison import KernelComparison


def inputs_function(comparison: KernelComparison, read: list[CandidateBuffer]) -> Iterator[str]:
    """Yield the function `inputs`, and `other_inputs` where a kernel needs it."""
    yield "\n\ndef inputs(rng, at):\n"
    yield '    """Return what each buffer contains that a kernel reads.\n\n'
    yield "    Contents repeat in a larger buffer. Those that nobody states differ by input set.\n"
    yield '    """\n    shift = int(rng.integers(1, 1 << 16))\n'
    yield '    with np.load(Path(__file__).with_name("inputs.npz")) as contents:\n        return (\n'
    for buffer in read:
        values = _contents(comparison, buffer)
        rolled = buffer.is_derived and not buffer.is_ordered
        yield _resized(comparison, buffer, f"np.roll({values}, shift)" if rolled else values)
    yield "        )\n"
    if any(needs_other_inputs(comparison, kernel) for kernel in comparison.kernels):
        yield from _other_inputs(comparison, read)


def _other_inputs(comparison: KernelComparison, read: list[CandidateBuffer]) -> Iterator[str]:
    yield "\n\ndef other_inputs(rng, at):\n"
    yield '    """Return contents that no other launch has, also of buffers whose contents somebody states.\n\n'
    yield "    Results that a kernel has from earlier launches are wrong with them.\n"
    yield '    """\n    shift = int(rng.integers(1, 1 << 16))\n'
    yield '    with np.load(Path(__file__).with_name("inputs.npz")) as contents:\n        return (\n'
    for buffer in read:
        values = _contents(comparison, buffer)
        if is_replaceable(comparison, buffer):
            yield _resized(comparison, buffer, _random(buffer))
        elif comparison.use(buffer) is not BufferUse.READ or buffer.is_ordered:
            yield _resized(comparison, buffer, values)
        else:
            yield _resized(comparison, buffer, f"np.roll({values}, shift)")
    yield "        )\n"


def varied_function(comparison: KernelComparison, read: list[CandidateBuffer]) -> Iterator[str]:
    """Yield the function `varied_inputs`."""
    yield "\n\ndef varied_inputs(rng, at):\n"
    yield '    """Return contents with fractions, both signs and a wide range; indices keep theirs."""\n'
    kept = [item for item in read if not is_varied(comparison, item)]
    if kept:
        yield '    with np.load(Path(__file__).with_name("inputs.npz")) as contents:\n        return (\n'
    else:
        yield "    return (\n"
    indent = "            " if kept else "        "
    for buffer in read:
        if buffer in kept:
            yield _resized(comparison, buffer, _contents(comparison, buffer))
        else:
            yield f"{indent}{varied_text(buffer, element_count(comparison, buffer))},\n"
    yield f"{indent[4:]})\n"


def _random(buffer: CandidateBuffer) -> str:
    """Return numbers as Python whose sums are exact in any order: from -1 to 1, or integers from 0 to 8."""
    dtype = DTYPES[buffer_dtype(buffer)]
    count = buffer.contents.size // dtype.size
    if dtype.floating:
        return f"(rng.integers(-8, 9, {count}) / 8).astype({dtype.numpy!r})"
    most = 1 if buffer.element == "bool" else 8
    return f"rng.integers(0, {most + 1}, {count}).astype({dtype.numpy!r})"


def _contents(comparison: KernelComparison, buffer: CandidateBuffer) -> str:
    option = next((size[0] for size in comparison.sizes if size is not None), "")
    key = f"{buffer.name!r} + '-' + at.options[{option!r}]" if option else repr(buffer.name)
    return f"contents[{key}].view({DTYPES[buffer_dtype(buffer)].numpy!r})"


def _resized(comparison: KernelComparison, buffer: CandidateBuffer, values: str) -> str:
    return f"            np.resize({values}, {element_count(comparison, buffer)}),\n"


def reference_stub(comparison: KernelComparison, read: Sequence[CandidateBuffer]) -> Iterator[str]:
    """Yield a function `reference` that fails with a sentence until the user writes it."""
    outputs = [item for item in comparison.first.buffers if comparison.use(item) is not BufferUse.READ]
    names = " and ".join(f"`{item.name}`" for item in outputs)
    parameters = [f"{item.name}_" if iskeyword(item.name) or item.name == "at" else item.name for item in read]
    yield f"\n\ndef reference({', '.join([*parameters, 'at'])}):\n"
    yield f'    """Return what the kernels must write to {names}.\n\n'
    yield "    All arrays are flat. Numbers are those of the scalars above; `at` has the launch.\n\n"
    for item in outputs:
        count, dtype = element_count(comparison, item), DTYPES[buffer_dtype(item)].numpy
        yield f"    {item.name}: {dtype}, elements: {count}\n"
    yield '    """\n'
    yield f'    raise NotImplementedError("return what the kernels must write to {names}, computed with NumPy")\n'
