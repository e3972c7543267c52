"""Print a stored pattern as a `pattern.py` that a user can edit, for `new --from`."""

from __future__ import annotations

from dataclasses import fields
from keyword import iskeyword
from typing import TYPE_CHECKING

from shflbench.core.model import DTYPES, Mechanism
from shflbench.patterns.declare import ByValue, PointerInto, values_of
from shflbench.patterns.stored import ANY_BLOCK, BySize, DrawKind, SharedBytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.patterns.declare import DeclaredArgument, InOut, Input, LaterKernel, Output, Variant
    from shflbench.patterns.stored import DrawRule, StoredBuffer, StoredPattern

PATTERN_FIELDS = (
    *("summary", "source", "dtypes", "one_pass", "fixed_sizes", "reference_variant", "relative_tolerance", "varied"),
    *("not_compared", "dimensions", "representative", "compiler_options", "options"),
)
NOT_IN_NUMPY = {"reference_variant", "varied", "not_compared"}
UNLESS_USUAL = {"dimensions": 1, "options": {}}


def pattern_python(stored: StoredPattern, *, in_numpy: bool = False) -> str:
    """Return the text; the reference is the first variant, or `in_numpy` a function that the user has to write."""
    parts = [*_imports(stored, in_numpy=in_numpy), *_declaration(stored, in_numpy=in_numpy)]
    if in_numpy:
        parts += _reference_stub(stored)
    if stored.read:
        parts += _inputs(stored)
        if stored.needs_other_inputs:
            parts += _other_inputs(stored)
    if not in_numpy:
        parts += _varied_inputs(stored)
    return "".join(parts)


def _imports(stored: StoredPattern, *, in_numpy: bool) -> Iterator[str]:
    pattern = stored.declared
    later = [kernel for variant in pattern.variants for kernel in variant.later]
    arguments = [argument for variant in pattern.variants for argument in variant.arguments]
    arguments += [argument for kernel in later for argument in kernel.arguments]
    classes = sorted({"Pattern", "Variant", *(type(item).__name__ for item in pattern.buffers)})
    classes += ["Scalar"] if pattern.scalars else []
    classes += ["PointerInto"] if any(isinstance(item, PointerInto) for item in values_of(arguments)) else []
    classes += ["ByValue"] if any(isinstance(item, ByValue) for item in arguments) else []
    classes += ["LaterKernel"] if later else []
    source = pattern.source.replace("\\", r"\\")
    yield f'"""The kernels of {source} as a pattern."""\n\n'
    yield "from pathlib import Path\n\n" if stored.read else ""
    if any(item.dtype == "bf16" for item in stored.read):
        yield "import ml_dtypes  # noqa: F401  (NumPy knows bfloat16 then)\n"
    yield "import numpy as np\n\n" if stored.read or in_numpy else ""
    yield "from shflbench.model import Mechanism\n"
    yield "from shflbench.patterns.data import varied\n" if pattern.varied and not in_numpy else ""
    yield f"from shflbench.patterns.declare import {', '.join(classes)}\n\n"


def _declaration(stored: StoredPattern, *, in_numpy: bool) -> Iterator[str]:
    pattern = stored.declared
    yield "PATTERN = Pattern(\n"
    for name in PATTERN_FIELDS:
        value = getattr(pattern, name)
        if not (in_numpy and name in NOT_IN_NUMPY) and value != UNLESS_USUAL.get(name):
            yield f"    {name}={value!r},\n"
    yield "    buffers=(\n"
    yield from (f"        {_buffer(item)},\n" for item in pattern.buffers)
    yield "    ),\n    scalars=(\n"
    for scalar in stored.scalars:
        other = "" if in_numpy or scalar.other is None else f", other={scalar.other!r}"
        yield f"        Scalar({scalar.name!r}, {_python(scalar.value)}, dtype={scalar.dtype!r}{other}),\n"
    yield "    ),\n    variants=(\n"
    for variant in pattern.variants:
        yield from _variant(variant)
    yield "    ),\n)\n"


def _buffer(buffer: Input | InOut | Output) -> str:
    names = [item.name for item in fields(buffer) if item.name != "name"]
    return f"{type(buffer).__name__}({', '.join([repr(buffer.name), *_words(buffer, names)])})"


def _variant(variant: Variant) -> Iterator[str]:
    yield "        Variant(\n"
    yield from _lines(variant, ("name", "kernel", "source", "mechanism", "summary", "baseline"), 12)
    yield f"            arguments={_arguments(variant.arguments)},\n"
    yield from _lines(variant, ("other_inputs", "shared", "cluster"), 12)
    if variant.later:
        yield "            later=(\n"
        for kernel in variant.later:
            yield "                LaterKernel(\n"
            yield from _lines(kernel, ("kernel", "dims"), 20)
            yield f"                    arguments={_arguments(kernel.arguments)},\n"
            yield from _lines(kernel, ("shared", "cluster"), 20)
            yield "                ),\n"
        yield "            ),\n"
    yield "        ),\n"


def _lines(item: Variant | LaterKernel, names: Sequence[str], indent: int) -> Iterator[str]:
    yield from (f"{' ' * indent}{word},\n" for word in _words(item, names))


def _words(item: Variant | LaterKernel | Input | InOut | Output, names: Sequence[str]) -> list[str]:
    """Return the fields of these names that have another value than usual, with it, as Python."""
    usual = {known.name: known.default for known in fields(item)}
    values = {name: getattr(item, name) for name in names}
    return [f"{name}={_python(value)}" for name, value in values.items() if value != usual[name]]


def _python(value: object) -> str:
    """Return a value of a field as Python."""
    if isinstance(value, BySize):
        return f"lambda at: {_at_size(value)}"
    if isinstance(value, SharedBytes):
        if ANY_BLOCK in value.by_block:
            return _python(value.by_block[ANY_BLOCK])
        listed = ", ".join(f"{threads}: {_at_size(nbytes)}" for threads, nbytes in value.by_block.items())
        return f"lambda at: {{{listed}}}.get(at.block, 0)"
    return f"Mechanism.{value.name}" if isinstance(value, Mechanism) else repr(value)


def _at_size(value: BySize[object]) -> str:
    """Return a value as Python: itself, or by the option of the sizes if it depends on them."""
    texts = {size: f"float({item!r})" if isinstance(item, str) else repr(item) for size, item in value.values.items()}
    if not value.option:
        return texts[""]
    return f"{{{', '.join(f'{size!r}: {text}' for size, text in texts.items())}}}[at.options[{value.option!r}]]"


def _arguments(arguments: Iterable[DeclaredArgument]) -> str:
    return _tuple(map(_argument, arguments))


def _argument(argument: DeclaredArgument) -> str:
    if isinstance(argument, PointerInto):
        return f"PointerInto({argument.name!r}, {_python(argument.byte)})"
    if isinstance(argument, ByValue):
        listed = _tuple(f"({start}, {_argument(value)})" for start, value in argument.fields)
        return f"ByValue({argument.name!r}, {argument.size}, {listed})"
    return repr(argument)


def _tuple(items: Iterable[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items).rstrip()})"


def _inputs(pattern: StoredPattern) -> Iterator[str]:
    yield "\n\ndef inputs(rng, at):\n"
    yield '    """Return what each buffer contains that a kernel reads.\n\n'
    yield "    Contents repeat in a larger buffer. Those that nobody specifies differ by input set.\n"
    yield '    """\n    shift = int(rng.integers(1, 1 << 16))\n'
    yield from _returned(pattern, [item.inputs for item in pattern.read])


def _other_inputs(pattern: StoredPattern) -> Iterator[str]:
    yield "\n\ndef other_inputs(rng, at):\n"
    yield '    """Return contents that no other launch has, also of buffers whose contents somebody specifies.\n\n'
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
    plain = [item.name.replace(".", "_") for item in pattern.read]  # of a field of a structure: `p.in`
    parameters = [f"{name}_" if iskeyword(name) or name == "at" else name for name in plain]
    yield f"\n\ndef reference({', '.join([*parameters, 'at'])}):\n"
    yield f'    """Return what the kernels must write to {names}.\n\n'
    yield "    All arrays are flat. Numbers are those of the scalars above; `at` has the launch.\n\n"
    for item in outputs:
        yield f"    {item.name}: {DTYPES[item.dtype].numpy}, elements: {_at_size(item.elements)}\n"
    yield '    """\n'
    yield f'    raise NotImplementedError("return what the kernels must write to {names}, computed with NumPy")\n'
