"""Print a stored pattern as a `pattern.py` that a user can edit, for `new --from`."""

from __future__ import annotations

from keyword import iskeyword
from typing import TYPE_CHECKING

from shflbench.core.dimensions import NO_CLUSTER
from shflbench.core.model import DTYPES
from shflbench.patterns.stored import ANY_BLOCK, DrawKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.patterns.stored import (
        BySize,
        DrawRule,
        StoredArgument,
        StoredBuffer,
        StoredLaterLaunch,
        StoredLaunch,
        StoredPattern,
        StoredVariant,
    )


def pattern_python(pattern: StoredPattern, *, in_numpy: bool = False) -> str:
    """Return the text; the reference is the first variant, or `in_numpy` a function that the user has to write."""
    parts = [*_imports(pattern, in_numpy=in_numpy), *_declaration(pattern, in_numpy=in_numpy)]
    if in_numpy:
        parts += _reference_stub(pattern)
    if pattern.read:
        parts += _inputs(pattern)
        if pattern.needs_other_inputs:
            parts += _other_inputs(pattern)
    if not in_numpy:
        parts += _varied_inputs(pattern)
    return "".join(parts)


def _imports(pattern: StoredPattern, *, in_numpy: bool) -> Iterator[str]:
    arguments = [
        item for variant in pattern.variants for kernel in (variant, *variant.later) for item in kernel.arguments
    ]
    made = [item for item in arguments if not isinstance(item, str)]
    pointers = [item for item in made if item.byte or any(not isinstance(value, str) for _, value in item.fields)]
    classes = sorted({"Pattern", "Variant", *(item.kind for item in pattern.buffers)})
    classes += ["Scalar"] if pattern.scalars else []
    classes += ["PointerInto"] if pointers else []
    classes += ["ByValue"] if any(item.byte is None for item in made) else []
    classes += ["LaterKernel"] if any(variant.later for variant in pattern.variants) else []
    yield f'"""The kernels of {pattern.file} as a pattern."""\n\n'
    yield "from pathlib import Path\n\n" if pattern.read else ""
    if any(item.dtype == "bf16" for item in pattern.read):
        yield "import ml_dtypes  # noqa: F401  (NumPy knows bfloat16 then)\n"
    yield "import numpy as np\n\n" if pattern.read or in_numpy else ""
    yield "from shflbench.model import Mechanism\n"
    yield "from shflbench.patterns.data import varied\n" if pattern.varied and not in_numpy else ""
    yield f"from shflbench.patterns.declare import {', '.join(classes)}\n\n"


def _declaration(pattern: StoredPattern, *, in_numpy: bool) -> Iterator[str]:
    yield f"PATTERN = Pattern(\n    summary={pattern.summary!r},\n    source={pattern.file!r},\n"
    yield f"    dtypes=({pattern.dtype!r},),\n    one_pass=True,\n    fixed_sizes=True,\n"
    yield "" if in_numpy else f"    reference_variant={pattern.variants[0].name!r},\n"
    yield f"    relative_tolerance={pattern.relative_tolerance!r},\n"
    if not in_numpy:
        yield f"    varied={pattern.varied!r},\n    not_compared={pattern.not_compared!r},\n"
    yield f"    dimensions={pattern.dimensions},\n" if pattern.dimensions > 1 else ""
    yield f"    representative={ {'launch': pattern.launch}!r},\n"
    yield f"    compiler_options={pattern.compiler_options!r},\n"
    yield f"    options={pattern.options!r},\n" if pattern.options else ""
    yield "    buffers=(\n"
    yield from (f"        {_buffer(item)},\n" for item in pattern.buffers)
    yield "    ),\n    scalars=(\n"
    for scalar in pattern.scalars:
        other = "" if in_numpy or scalar.other is None else f", other={scalar.other!r}"
        yield f"        Scalar({scalar.name!r}, {_function(scalar.value)}, dtype={scalar.dtype!r}{other}),\n"
    yield "    ),\n    variants=(\n"
    for place, variant in enumerate(pattern.variants):
        yield from _variant(variant, baseline=not place)
    yield "    ),\n)\n"


def _function(value: BySize[object]) -> str:
    return f"lambda at: {_at_size(value)}"


def _at_size(value: BySize[object]) -> str:
    """Return a value as Python: itself, or by the option of the sizes if it depends on them."""
    texts = {size: f"float({item!r})" if isinstance(item, str) else repr(item) for size, item in value.values.items()}
    if not value.option:
        return texts[""]
    return f"{{{', '.join(f'{size!r}: {text}' for size, text in texts.items())}}}[at.options[{value.option!r}]]"


def _buffer(buffer: StoredBuffer) -> str:
    words = [repr(buffer.name), f"elements={_function(buffer.elements)}", f"dtype={buffer.dtype!r}"]
    words += [f"variable={buffer.variable!r}"] if buffer.variable else []
    words += ["restored=True"] if buffer.restored else []
    words += ["unordered=True"] if buffer.unordered else []
    words += [] if buffer.compared else ["compared=False"]
    return f"{buffer.kind}({', '.join(words)})"


def _variant(variant: StoredVariant, *, baseline: bool) -> Iterator[str]:
    yield f"        Variant(\n            name={variant.name!r},\n            kernel={variant.kernel!r},\n"
    yield f"            source={variant.source!r},\n" if variant.source != "kernels.cu" else ""
    yield f"            mechanism=Mechanism.{variant.mechanism.name},\n            summary={variant.summary!r},\n"
    yield "            baseline=True,\n" if baseline else ""
    yield f"            arguments={_arguments(variant)},\n"
    yield "            other_inputs=True,\n" if variant.other_inputs else ""
    yield from _launch(variant, "            ")
    if variant.later:
        yield "            later=(\n"
        for kernel in variant.later:
            yield from _later(kernel)
        yield "            ),\n"
    yield "        ),\n"


def _later(kernel: StoredLaterLaunch) -> Iterator[str]:
    yield f"                LaterKernel(\n                    kernel={kernel.kernel!r},\n"
    yield f"                    dims={_function(kernel.dims)},\n"
    yield f"                    arguments={_arguments(kernel)},\n"
    yield from _launch(kernel, "                    ")
    yield "                ),\n"


def _launch(kernel: StoredLaunch, indent: str) -> Iterator[str]:
    """Yield the dynamic shared memory and the clusters of a launch, where it has them."""
    if ANY_BLOCK in kernel.shared:
        yield f"{indent}shared={_function(kernel.shared[ANY_BLOCK])},\n"
    elif kernel.shared:
        listed = ", ".join(f"{threads}: {_at_size(nbytes)}" for threads, nbytes in kernel.shared.items())
        yield f"{indent}shared=lambda at: {{{listed}}}.get(at.block, 0),\n"
    if kernel.cluster != NO_CLUSTER:
        yield f"{indent}cluster={kernel.cluster!r},\n"


def _arguments(kernel: StoredLaunch) -> str:
    return _tuple(map(_argument, kernel.arguments))


def _argument(argument: str | StoredArgument) -> str:
    if isinstance(argument, str):
        return repr(argument)
    if argument.byte is not None:
        return f"PointerInto({argument.name!r}, {_function(argument.byte)})"
    fields = _tuple(f"({start}, {_argument(value)})" for start, value in argument.fields)
    return f"ByValue({argument.name!r}, {argument.size}, {fields})"


def _tuple(items: Iterable[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items).rstrip()})"


def _inputs(pattern: StoredPattern) -> Iterator[str]:
    yield "\n\ndef inputs(rng, at):\n"
    yield '    """Return what each buffer contains that a kernel reads.\n\n'
    yield "    Contents repeat in a larger buffer. Those that nobody states differ by input set.\n"
    yield '    """\n    shift = int(rng.integers(1, 1 << 16))\n'
    yield from _returned(pattern, [item.inputs for item in pattern.read])


def _other_inputs(pattern: StoredPattern) -> Iterator[str]:
    yield "\n\ndef other_inputs(rng, at):\n"
    yield '    """Return contents that no other launch has, also of buffers whose contents somebody states.\n\n'
    yield "    Results that a kernel has from earlier launches are wrong with them.\n"
    yield '    """\n    shift = int(rng.integers(1, 1 << 16))\n'
    yield from _returned(pattern, [item.other_inputs for item in pattern.read])


def _varied_inputs(pattern: StoredPattern) -> Iterator[str]:
    yield "\n\ndef varied_inputs(rng, at):\n"
    yield '    """Return contents with fractions, both signs and a wide range; indices keep theirs."""\n'
    rules = [item.varied_inputs for item in pattern.read]
    needs_file = any(rule.kind is not DrawKind.VARIED for rule in rules)
    yield from _returned(pattern, rules, needs_file=needs_file)


def _returned(pattern: StoredPattern, rules: Iterable[DrawRule], *, needs_file: bool = True) -> Iterator[str]:
    """Yield the statement that returns an array per buffer, each drawn by its rule."""
    yield '    with np.load(Path(__file__).with_name("inputs.npz")) as contents:\n' if needs_file else ""
    indent = "        " if needs_file else "    "
    yield f"{indent}return (\n"
    for buffer, rule in zip(pattern.read, rules, strict=True):
        yield f"{indent}    {_drawn(pattern, buffer, rule)},\n"
    yield f"{indent})\n"


def _drawn(pattern: StoredPattern, buffer: StoredBuffer, rule: DrawRule) -> str:
    """Return what `stored_inputs.StoredInputs` draws, as Python."""
    count, dtype = _at_size(buffer.elements), DTYPES[buffer.dtype].numpy
    if rule.kind is DrawKind.VARIED:
        words = ["ascending=True"] if rule.ascending else []
        words += ["positive=True"] if rule.positive else []
        words += [f"most={rule.most}"] if rule.most is not None else []
        viewed = f".view({dtype!r})" if rule.dtype != dtype else ""
        return f"varied({', '.join(['rng', repr(rule.dtype), count, *words])}){viewed}"
    if rule.kind is DrawKind.EXACT:
        exact = f"(rng.integers(-8, 9, {rule.count}) / 8)"
        if rule.most is not None:
            exact = f"rng.integers(0, {rule.most + 1}, {rule.count})"
        return f"np.resize({exact}.astype({rule.dtype!r}), {count})"
    option = pattern.size_option
    key = f"{buffer.name!r} + '-' + at.options[{option!r}]" if option else repr(buffer.name)
    values = f"contents[{key}].view({dtype!r})"
    return f"np.resize({f'np.roll({values}, shift)' if rule.kind is DrawKind.ROLLED else values}, {count})"


def _reference_stub(pattern: StoredPattern) -> Iterator[str]:
    """Yield a function `reference` that fails with a sentence until the user writes it."""
    outputs = [item for item in pattern.buffers if item.kind != "Input"]
    names = " and ".join(f"`{item.name}`" for item in outputs)
    parameters = [f"{item.name}_" if iskeyword(item.name) or item.name == "at" else item.name for item in pattern.read]
    yield f"\n\ndef reference({', '.join([*parameters, 'at'])}):\n"
    yield f'    """Return what the kernels must write to {names}.\n\n'
    yield "    All arrays are flat. Numbers are those of the scalars above; `at` has the launch.\n\n"
    for item in outputs:
        yield f"    {item.name}: {DTYPES[item.dtype].numpy}, elements: {_at_size(item.elements)}\n"
    yield '    """\n'
    yield f'    raise NotImplementedError("return what the kernels must write to {names}, computed with NumPy")\n'
