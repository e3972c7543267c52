"""Find what is wrong with a declaration, so that a mistake in `pattern.py` is reported before anything runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from shflbench.core.bounds import MAX_NAME
from shflbench.core.dimensions import MAX_BLOCK_DIMS, MOST_DIMENSIONS, NO_CLUSTER, LaunchDims, complete
from shflbench.core.files import irregular_kind, read_source
from shflbench.core.model import DTYPES, MAX_BLOCK, WARP, Dtype, Mechanism
from shflbench.errors import PatternError
from shflbench.patterns.declare import (
    ITERATIONS,
    LAUNCH_OPTIONS,
    NO_SHARED,
    ByValue,
    InOut,
    Input,
    LaterKernel,
    Output,
    Pattern,
    PerWord,
    PointerInto,
    Scalar,
    Setting,
    Variant,
    complete_block,
    values_of,
)
from shflbench.patterns.user_code import run_user_code

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.patterns.pattern_functions import PatternFunctions

NAME = r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*"  # part of a kernel's name in C++, where `-` is written as `_`
NAME_ALLOWED = f"up to {MAX_NAME} letters, digits, `_` and single `-` between them"
SHOWN = 40  # characters of a name in an error
POINTER_BYTES = 8
OPTION_NAME = r"[a-z_][a-z0-9_-]*"
OPTION_VALUE = r"[A-Za-z0-9_.+-]+"  # the value of a macro, and part of a case's id
REPRESENTATIVE_LAUNCH = r"[0-9a-z*]+( x |x)[0-9]+|[0-9]+(x[0-9]+){0,2}:[0-9]+(x[0-9]+){0,2}"
OPCODE = r"[A-Z][A-Z0-9]*"
ARCHITECTURE = r"sm_[0-9]+[af]?"

# The arguments that `reference` takes beside the options, and the keys of an experiment and of its `skip`.
RESERVED = (*LAUNCH_OPTIONS, "at", "iterations", "pattern", "variants", "variant", "dtypes", "dtype", "launch", "skip")


def problems(pattern: Pattern, functions: PatternFunctions, file: Path) -> Iterator[str]:
    """Yield what is wrong with the pattern that `file` declares, one sentence per problem.

    Stop at the first: a later check may rely on an earlier one.
    """
    folder = file.parent
    if not _matches(NAME, folder.name) or folder.name[0].isdigit():
        yield f"kernels' names start with the folder's, `{folder.name}`; allowed: {NAME_ALLOWED}, a letter first"
    yield from _of_dtypes("the pattern", pattern.dtypes)
    if not pattern.dtypes:
        yield "no dtypes"
    if not _is_whole(pattern.unroll, least=1):
        yield f"unroll is {pattern.unroll!r}, not an integer above 0"
    yield from _of_blocks(pattern)
    yield from _of_buffers(pattern)
    yield from _of_options(pattern.options)
    yield from _of_representative(pattern)
    if not all(map(str.strip, map(str, pattern.also_called))):
        yield f"also_called is {pattern.also_called!r}, not a tuple of names"
    if pattern.static_block and "block" in pattern.options:
        yield "the option `block` needs another name: with static_block, kernels have a constant BLOCK"
    yield from _of_variants(pattern, file)
    yield from _of_functions(pattern, functions)


def _matches(form: str, text: object) -> bool:
    return isinstance(text, str) and re.fullmatch(form, text) is not None


def _is_version(value: object) -> bool:
    return isinstance(value, tuple) and [_is_whole(part, 0) for part in value] == [True, True]


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _of_blocks(pattern: Pattern) -> Iterator[str]:
    if not _is_whole(pattern.dimensions, least=1) or pattern.dimensions > MOST_DIMENSIONS:
        yield f"dimensions is {pattern.dimensions!r}, not 1, 2 or 3"
    for block in pattern.blocks:
        sizes = block if isinstance(block, tuple) else (block,)
        if not 1 <= len(sizes) <= MOST_DIMENSIONS or not all(_is_whole(size, least=1) for size in sizes):
            yield f"blocks has {block!r}, neither a number of threads nor two or three sizes such as (16, 16)"
            return
        threads = prod(sizes)
        if threads % WARP or threads > MAX_BLOCK:
            yield f"blocks has {block!r}, not a multiple of {WARP} from {WARP} to {MAX_BLOCK} threads"
        if complete(sizes)[2] > MAX_BLOCK_DIMS[2]:
            yield f"blocks has {block!r}, with more than {MAX_BLOCK_DIMS[2]} threads along z"
        if len(sizes) > pattern.dimensions:
            yield f"blocks has {block!r}, of more dimensions than the pattern declares: {pattern.dimensions}"


def _of_dtypes(owner: str, dtypes: object) -> Iterator[str]:
    if not isinstance(dtypes, (tuple, list)):
        yield f"the dtypes of {owner} are {dtypes!r}, not a tuple such as ('f32',)"
        return
    for dtype in dtypes:
        if dtype not in DTYPES:
            yield f"unknown dtype `{dtype}`; known: {', '.join(DTYPES)}"


def _of_representative(pattern: Pattern) -> Iterator[str]:
    allowed = {"dtype": pattern.dtypes, **pattern.options}
    for name, value in pattern.representative.items():
        if name == "launch":
            if not _matches(REPRESENTATIVE_LAUNCH, value):
                yield f"the launch of `representative` is {value!r}, not text such as '26x1024'"
        elif name not in allowed:
            yield f"`representative` has `{name}`; allowed: {', '.join(['launch', *allowed])}"
        elif value not in allowed[name]:
            yield f"`representative` has {name}={value!r}; allowed: {', '.join(allowed[name])}"


def _of_buffers(pattern: Pattern) -> Iterator[str]:
    for buffer in pattern.buffers:
        if not isinstance(buffer, (Input, InOut, Output)):
            yield f"the buffer {buffer!r} is not an Input, InOut or Output"
            return
        if not _is_whole(buffer.per_thread, least=1):
            yield f"the buffer `{buffer.name}` has {buffer.per_thread!r} elements per thread, not 1 or more"
        if buffer.dtype:
            yield from _of_dtypes(f"the buffer `{buffer.name}`", (buffer.dtype,))
    for kind, known in (("Input", (Input, InOut)), ("Output", (Output, InOut))):
        if pattern.fixed_sizes:  # a kernel of a file may fill a buffer, or have none
            break
        if not any(isinstance(buffer, known) for buffer in pattern.buffers):
            yield f"no {kind} buffer"
    yield from _of_scalars(pattern)
    names = [item.name for item in (*pattern.buffers, *pattern.scalars)]
    for name in dict.fromkeys(names):
        if names.count(name) > 1 or name == ITERATIONS:
            yield f"two arguments have the name `{name}`"


def _of_scalars(pattern: Pattern) -> Iterator[str]:
    for scalar in pattern.scalars:
        if not isinstance(scalar, Scalar):
            yield f"the scalar {scalar!r} is not a Scalar"
            return
        dtypes = (scalar.dtype,) if scalar.dtype else pattern.dtypes
        yield from _of_dtypes(f"the scalar `{scalar.name}`", dtypes)
        for dtype in dtypes:
            if dtype in DTYPES and DTYPES[dtype].components > 1:
                yield f"the scalar `{scalar.name}` is a {dtype}, which is not a single number"


def _of_options(options: object) -> Iterator[str]:
    if not isinstance(options, Mapping):
        yield f"options is {options!r}, not a mapping of names to values"
        return
    for name, values in options.items():
        if not _matches(OPTION_NAME, name) or name in RESERVED:
            yield f"the option `{name}` needs another name: lower-case words, and none of {', '.join(RESERVED)}"
        if not isinstance(values, (tuple, list)) or not values:
            yield f"the option `{name}` has {values!r}, not a tuple of at least one value"
            return
        for value in values:
            if not _matches(OPTION_VALUE, value):
                yield f"the option `{name}` has the value {value!r}, not a string of letters, digits and `_.+-`"


def _of_variants(pattern: Pattern, file: Path) -> Iterator[str]:
    for variant in pattern.variants:
        if not isinstance(variant, Variant):
            yield f"{variant!r} is not a Variant"
            return
        yield from _of_variant(variant, pattern, file)
    names = [variant.name for variant in pattern.variants]
    if len(set(names)) != len(names):
        yield "two variants have the same name"
    baselines = [variant.name for variant in pattern.variants if variant.baseline]
    if len(baselines) != 1:
        yield f"{len(baselines)} variants have `baseline=True`, not exactly one"


def _of_variant(variant: Variant, pattern: Pattern, file: Path) -> Iterator[str]:
    who = f"variant `{variant.name}`"
    if not _matches(NAME, variant.name) or len(variant.name) > MAX_NAME:
        yield f"variant `{str(variant.name)[:SHOWN]}` needs another name; allowed: {NAME_ALLOWED}"
    if variant.mechanism not in list(Mechanism):
        yield f"{who} has the unknown mechanism `{variant.mechanism}`; known: {', '.join(Mechanism)}"
    if variant.needs and not _matches(ARCHITECTURE, variant.needs):
        yield f"{who} needs `{variant.needs}`, which is not an architecture such as `sm_80`"
    if not _is_version(variant.needs_cccl):
        yield f"{who} needs CCCL {variant.needs_cccl!r}, which is not a version such as (3, 4)"
    yield from _of_dtypes(who, variant.dtypes)
    if variant.kernel and "{T}" not in variant.kernel and len(variant.dtypes or pattern.dtypes) > 1:
        dtypes = ", ".join(variant.dtypes or pattern.dtypes)
        remedy = "give it one dtype, or {T} in the name"
        yield f"{who} declares a single kernel, `{variant.kernel}`, for {dtypes}; {remedy}"
    if variant.later and not pattern.one_pass:
        yield f"{who} has `later` kernels, which only a pattern with one_pass=True may have"
    yield from _of_arguments(who, variant, pattern)
    kernels_beside = any(item.programmatic or item.cluster != NO_CLUSTER for item in variant.later)
    if variant.graph and (variant.cooperative or variant.cluster != NO_CLUSTER or kernels_beside):
        yield f"{who} has graph=True, which takes kernels without clusters, cooperative and programmatic launches"
    for item in variant.later:
        yield from _of_arguments(who, item, pattern)
    yield from _of_zeroed(who, variant, pattern)
    yield from _of_choices(who, "only", variant.only, pattern)
    yield from _of_choices(who, "may_fold", variant.may_fold, pattern)
    yield from _of_source(who, file.parent / variant.source)
    yield from _of_functions_of(who, variant, pattern, file)


def _of_zeroed(who: str, variant: Variant, pattern: Pattern) -> Iterator[str]:
    outputs = [item.name for item in pattern.buffers if isinstance(item, Output)]
    for name in variant.zeroed:
        if name not in outputs:
            yield f"{who} has zeroed=`{name}`, which is no Output; known: {', '.join(outputs)}"


def _of_arguments(who: str, variant: Variant | LaterKernel, pattern: Pattern) -> Iterator[str]:
    known = [*(item.name for item in (*pattern.buffers, *pattern.scalars)), ITERATIONS]
    buffers = [item.name for item in pattern.buffers]
    for value in values_of(variant.arguments):
        if isinstance(value, PointerInto) and value.name not in buffers:
            yield f"{who} takes a pointer into `{value.name}`, which is no buffer; known: {', '.join(buffers)}"
        elif isinstance(value, str) and value not in known:
            yield f"{who} takes the argument `{value}`, which is not declared; known: {', '.join(known)}"
    for argument in variant.arguments:
        if isinstance(argument, ByValue):
            yield from _of_structure(who, argument, pattern)


def _of_structure(who: str, structure: ByValue, pattern: Pattern) -> Iterator[str]:
    if not _is_whole(structure.size, least=1):
        yield f"{who} takes the structure `{structure.name}` of {structure.size!r} bytes, not an integer above 0"
        return
    dtypes = {item.name: (item.dtype,) if item.dtype else pattern.dtypes for item in pattern.scalars}
    dtypes[ITERATIONS] = ("i32",)
    for start, value in structure.fields:
        name = value.name if isinstance(value, PointerInto) else value
        size = max((DTYPES[dtype].size for dtype in dtypes.get(name, ()) if dtype in DTYPES), default=POINTER_BYTES)
        if not _is_whole(start, least=0) or start + size > structure.size:
            yield f"{who} takes `{name}` at byte {start!r} of `{structure.name}`, which has {structure.size} bytes"


def _of_choices(who: str, field: str, choices: object, pattern: Pattern) -> Iterator[str]:
    if not isinstance(choices, Mapping):
        yield f"{who} has {field}={choices!r}, not a mapping of options to values"
        return
    for name, values in choices.items():
        known = pattern.options.get(name, ())
        if not isinstance(values, (tuple, list)) or not set(values) <= set(known):
            yield f"{who} has {field}={{{name!r}: {values!r}}}, which are not values of an option of the pattern"


def _are_counts(counts: object) -> bool:
    return isinstance(counts, Mapping) and all(
        _matches(OPCODE, opcode) and (isinstance(count, PerWord) or _is_whole(count, least=0))
        for opcode, count in counts.items()
    )


def _of_source(who: str, path: Path) -> Iterator[str]:
    try:
        if kind := irregular_kind(path):
            yield f"{who} needs the file {path.name}, which is {kind}"
            return
        read_source(path)
    except FileNotFoundError:
        yield f"{who} needs the file {path.name}, which does not exist"
    except (OSError, UnicodeDecodeError) as error:
        yield f"{who} needs the file {path.name}, which cannot be read: {error}"


def _of_functions_of(who: str, variant: Variant, pattern: Pattern, path: Path) -> Iterator[str]:
    """Try what a variant computes at every block size and option, so that it cannot fail in the middle of a run."""
    dtypes = [DTYPES[name] for name in variant.dtypes or pattern.dtypes if name in DTYPES]
    problem = what = ""
    try:
        with run_user_code(path):  # once, because it takes as long as the functions of dozens of choices
            for dtype, options in product(dtypes, pattern.option_choices):
                what = " ".join([dtype.name, *(f"{name}={value}" for name, value in options.items())])
                problem = problem or _problem_of_functions(who, variant, pattern, dtype, options)
    except PatternError as error:
        problem = f"{who}: `shared`, `dims` or `per_iteration` fails for {what}: {error.message}"
    if problem:
        yield problem


def _problem_of_functions(
    who: str, variant: Variant, pattern: Pattern, dtype: Dtype, options: Mapping[str, str]
) -> str:
    """Return which of the variant's functions returns something unusable, empty if none does, or if it has no case."""
    if not variant.has(dtype.name, options):
        return ""
    for block in pattern.block_sizes or (MAX_BLOCK,):
        counts = variant.per_iteration
        if callable(counts):
            counts = counts(dtype, pattern.constants(options, block))
        if counts is not None and not _are_counts(counts):
            return f"{who} has per_iteration={counts!r}, not a mapping of opcodes to integers or PerWord"
    if variant.shared is NO_SHARED and not any((variant.dims, *(item.dims for item in variant.later))):
        return ""
    several = [complete_block(block) for block in pattern.blocks if isinstance(block, tuple)]
    for block, dims in [
        *((block, None) for block in range(WARP, MAX_BLOCK + 1, WARP)),
        *((prod(block), LaunchDims((1, 1, 1), block)) for block in several),
    ]:
        setting = Setting(dtype, options, 1, block, dims)
        nbytes = variant.shared(setting)
        if not _is_whole(nbytes, least=0):
            return f"{who}: shared at {block} threads of {dtype.name} is {nbytes!r}, not an integer of bytes"
        for shape in filter(None, (variant.dims, *(item.dims for item in variant.later))):
            if not _is_shape(launched := shape(setting)):
                return f"{who}: dims at {block} threads is {launched!r}, not blocks and threads along x, y and z"
    return ""


def _is_shape(launched: object) -> bool:
    """Whether a value has the sizes of a grid and of a block along x, y and z."""
    return (
        isinstance(launched, tuple)
        and len(launched) == 2  # noqa: PLR2004  (grid and block)
        and all(isinstance(sizes, tuple) and len(sizes) == len(complete((1,))) for sizes in launched)
        and all(_is_whole(size, least=1) for sizes in launched for size in sizes)
    )


def _of_functions(pattern: Pattern, functions: PatternFunctions) -> Iterator[str]:
    if pattern.reference_variant:
        yield from _of_reference_variant(pattern)
    else:
        inputs = [buffer for buffer in pattern.buffers if isinstance(buffer, (Input, InOut))]
        keywords: dict[str, object] = dict.fromkeys(pattern.options, "")
        if not pattern.one_pass:
            keywords[ITERATIONS] = 1
        yield from _of_call("reference", functions.reference, *inputs, optional=("at",), **keywords)
    if functions.inputs is not None:
        yield from _of_call("inputs", functions.inputs, "rng", "at")
    if functions.tolerance is not None:
        yield from _of_call("tolerance", functions.tolerance, "at", "iterations")


def _of_reference_variant(pattern: Pattern) -> Iterator[str]:
    who = f"the reference variant `{pattern.reference_variant}`"
    known = {variant.name: variant for variant in pattern.variants}
    variant = known.get(pattern.reference_variant)
    if variant is None:
        yield f"{who} is not one of the pattern's variants: {', '.join(known)}"
    elif not variant.safe:
        yield f"{who} is unsafe, so its results cannot be trusted"
    elif variant.only or set(pattern.dtypes) - set(variant.dtypes or pattern.dtypes):
        yield f"{who} lacks dtypes or options of the pattern; their results could not be compared with anything"


def _of_call(
    name: str, function: object, *arguments: object, optional: tuple[str, ...] = (), **keywords: object
) -> Iterator[str]:
    if not callable(function):
        yield f"`{name}` is not a function"
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some functions that are written in C
        yield f"`{name}` does not show which arguments it takes; define it with `def`"
        return
    try:
        signature.bind(*arguments, **keywords, **{word: None for word in optional if word in signature.parameters})
    except TypeError as error:
        expected = ", ".join([f"{len(arguments)} by position", *(f"`{word}`" for word in keywords)])
        yield f"`{name}` does not take its arguments ({expected}): {error}"
