"""Find what is wrong with a declaration, so that a mistake in `pattern.py` is a sentence before anything runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from shflbench.model import DTYPES, MAX_BLOCK, WARP, Mechanism
from shflbench.patterns.declare import EXCHANGES, Input, Output, Pattern, PerWord, Variant

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

NAME = r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*"  # part of a kernel's name in C++, where `-` is written as `_`
NAME_ALLOWED = "letters, digits, `_` and single `-` between them"
OPTION_NAME = r"[a-z_][a-z0-9_-]*"
OPTION_VALUE = r"[A-Za-z0-9_.+-]+"  # the text of a macro, and part of a case's id
ARCHITECTURE = r"sm_[0-9]+[af]?"

# What `reference` takes beside the options, and the keys of an experiment and of its `skip`.
RESERVED = ("iterations", "pattern", "variants", "variant", "dtypes", "dtype", "launch", "skip")


def problems(pattern: Pattern, module: ModuleType, folder: Path) -> Iterator[str]:
    """Yield what is wrong with the pattern that `module` declares, in words; what follows may rest on it."""
    if not _matches(NAME, folder.name) or folder.name[0].isdigit():
        yield f"the folder's name `{folder.name}` begins its kernels' names; allowed: {NAME_ALLOWED}, a letter first"
    yield from _of_dtypes("the pattern", pattern.dtypes)
    if not pattern.dtypes:
        yield "no dtypes"
    if not _is_whole(pattern.unroll, least=1):
        yield f"unroll is {pattern.unroll!r}, not a whole number above 0"
    yield from _of_buffers(pattern)
    yield from _of_options(pattern.options)
    yield from _of_variants(pattern, folder)
    yield from _of_functions(pattern, module)


def _matches(form: str, text: object) -> bool:
    return isinstance(text, str) and re.fullmatch(form, text) is not None


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _of_dtypes(owner: str, dtypes: object) -> Iterator[str]:
    if not isinstance(dtypes, (tuple, list)):
        yield f"the dtypes of {owner} are {dtypes!r}, not a tuple such as ('f32',)"
        return
    for dtype in dtypes:
        if dtype not in DTYPES:
            yield f"unknown dtype `{dtype}`; known: {', '.join(DTYPES)}"


def _of_buffers(pattern: Pattern) -> Iterator[str]:
    for buffer in pattern.buffers:
        if not isinstance(buffer, (Input, Output)):
            yield f"the buffer {buffer!r} is no Input or Output"
        elif not _is_whole(buffer.per_thread, least=1):
            yield f"the buffer `{buffer.name}` has {buffer.per_thread!r} elements per thread, not 1 or more"
    for kind in (Input, Output):
        if not any(isinstance(buffer, kind) for buffer in pattern.buffers):
            yield f"no {kind.__name__} buffer"


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
                yield f"the option `{name}` has the value {value!r}, not a text of letters, digits and `_.+-`"


def _of_variants(pattern: Pattern, folder: Path) -> Iterator[str]:
    for variant in pattern.variants:
        if not isinstance(variant, Variant):
            yield f"{variant!r} is no Variant"
            return
        yield from _of_variant(variant, pattern, folder)
    names = [variant.name for variant in pattern.variants]
    if len(set(names)) != len(names):
        yield "two variants have the same name"
    baselines = [variant.name for variant in pattern.variants if variant.baseline]
    if len(baselines) != 1:
        yield f"exactly one variant must be the baseline, found {len(baselines)}"


def _of_variant(variant: Variant, pattern: Pattern, folder: Path) -> Iterator[str]:
    who = f"variant `{variant.name}`"
    if not _matches(NAME, variant.name):
        yield f"{who} needs another name; allowed: {NAME_ALLOWED}"
    if variant.mechanism not in list(Mechanism):
        yield f"{who} has the unknown mechanism `{variant.mechanism}`; known: {', '.join(Mechanism)}"
    if variant.needs and not _matches(ARCHITECTURE, variant.needs):
        yield f"{who} needs `{variant.needs}`, which is no architecture such as `sm_80`"
    yield from _of_dtypes(who, variant.dtypes)
    if variant.per_iteration is not None and not _are_counts(variant.per_iteration):
        yield f"{who} has per_iteration={variant.per_iteration!r}, not a mapping of opcodes to whole numbers or PerWord"
    for opcode in variant.per_iteration or ():
        if opcode not in EXCHANGES:
            yield f"{who} promises `{opcode}`, which is no exchange; known: {', '.join(EXCHANGES)}"
    yield from _of_source(who, folder / variant.source)
    yield from _of_shared(who, variant, pattern)


def _are_counts(counts: object) -> bool:
    return isinstance(counts, Mapping) and all(
        isinstance(count, PerWord) or _is_whole(count, least=0) for count in counts.values()
    )


def _of_source(who: str, path: Path) -> Iterator[str]:
    if not path.is_file():
        yield f"{who} needs the file {path.name}, which is not there"
        return
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{who} needs the file {path.name}, which cannot be read: {error}"


def _of_shared(who: str, variant: Variant, pattern: Pattern) -> Iterator[str]:
    """Try `shared` at every block size, so that it cannot fail in the middle of a run."""
    for dtype in (DTYPES[name] for name in variant.dtypes or pattern.dtypes if name in DTYPES):
        for block in range(WARP, MAX_BLOCK + 1, WARP):
            try:
                count = variant.shared(block, dtype)
            except Exception as error:  # noqa: BLE001  (the user's own code)
                yield f"{who}: shared({block}, {dtype.name}) raises {type(error).__name__}: {error}"
                return
            if not _is_whole(count, least=0):
                yield f"{who}: shared({block}, {dtype.name}) is {count!r}, not a whole number of bytes"
                return


def _of_functions(pattern: Pattern, module: ModuleType) -> Iterator[str]:
    inputs = [buffer for buffer in pattern.buffers if isinstance(buffer, Input)]
    options = dict.fromkeys(pattern.options, "")
    yield from _of_call(module, "reference", *inputs, iterations=1, **options)
    if hasattr(module, "inputs"):
        yield from _of_call(module, "inputs", "rng", "dtype", "warps")
    if hasattr(module, "tolerance"):
        yield from _of_call(module, "tolerance", "dtype", "iterations")


def _of_call(module: ModuleType, name: str, *arguments: object, **named: object) -> Iterator[str]:
    function: Callable[..., object] | object = getattr(module, name, None)
    if not callable(function):
        yield f"`{name}` is not a function"
        return
    try:
        inspect.signature(function).bind(*arguments, **named)
    except TypeError as error:
        taken = ", ".join([f"{len(arguments)} by position", *(f"`{word}`" for word in named)])
        yield f"`{name}` does not take its arguments ({taken}): {error}"
