"""Compile a CUDA file with NVRTC, which accepts device code only: host code is replaced by spaces."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.cuda.compile.host_headers import cub_stub, language_stubs, standard_stubs
from shflbench.cuda.compile.nvrtc import PtxUnit
from shflbench.cuda.compile.ptx_process import TIMEOUT_S, UnfinishedError
from shflbench.cuda_sources.host_code import DEVICE_WORDS, blank, enclosing_host_item, host_spans, host_types
from shflbench.cuda_sources.launch_macros import host_instantiations
from shflbench.cuda_sources.messages import (
    compile_error,
    instance_error,
    missing_header,
    named_header,
)
from shflbench.cuda_sources.missing_headers import can_leave_out
from shflbench.cuda_sources.rejected_kernels import rejected_kernels, without
from shflbench.cuda_sources.text_items import rejected_host_item
from shflbench.cuda_sources.unevaluated import unevaluated_names, with_declarations
from shflbench.errors import TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from shflbench.cuda.compile.nvrtc import Message, PtxResult
    from shflbench.cuda.compile.ptx_cache import PtxCompiler
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions, RejectedKernel
    from shflbench.cuda_sources.lexer import TextSpan
    from shflbench.cuda_sources.macros import Macros
    from shflbench.cuda_sources.source import CudaSource
    from shflbench.emulator.file_budget import FileBudget
    from shflbench.errors import CompileError

_ADVICE = "Fix the source line, pass missing folders with -I and macros with -D, or install nvcc."
_NAMES = "__nv_name_map"  # the file that NVRTC generates from the expressions
_QUOTED_NAME = re.compile(r'Input name expression was: "(.*)"')  # which NVRTC adds, with spaces between all tokens
# What compilers say of a specialization of a class template that is not declared.
_LACKS_TEMPLATE = re.compile(
    r"\bis not a template\b|template argument list is not allowed in a declaration of a primary template"
)
_STOPS = re.compile(r"#error\b")  # NVRTC reads on behind it, and ends with this error
MOST_SAME_ROUNDS = 3  # after which an error has not gone with what was removed
MAXIMUM_ROUNDS = 6  # of compiling and removing the host code that was rejected
_OPTIONS = (
    "-lineinfo",
    "-default-device",  # for what stays without annotation: constexpr functions, members of classes
    "-w",
)
# What nvcc takes from the host's compiler.
_BUILTINS = (
    *(f"#define __builtin_{name} {name}" for name in ("memcpy", "memset", "fabs", "fabsf", "sqrt", "sqrtf", "abs")),
    *(f"#define __{name}__ {name}" for name in ("asm", "volatile")),
    "#define __NVCC__ 1",
    "#define __linux__ 1",
    "#define __unix__ 1",
    *(f"typedef unsigned {name} u{name};" for name in ("short", "int", "long")),  # of sys/types.h
    "#include <math.h>",  # as cuda_runtime.h does, which nvcc includes before each file
    "#include <limits.h>",
)
# Functions of the device runtime that NVRTC does not declare; nvcc includes their header before each file.
_GRID_CONTROLS = re.compile(rb"\bcuda(?:GridDependencySynchronize|TriggerProgrammaticLaunchCompletion)\b")
_INTEGERS = re.compile(rb"\bu?int(?:8|16|32|64)_t\b")  # of stdint.h, which nvcc includes before each file
# What other headers of C++ include, those of the host among them.
_LANGUAGE_HEADERS = b"#include <limits>\n#include <type_traits>\n#include <utility>\n"
_OF_LANGUAGE = re.compile(rb"\b(?:std|thrust)::")


@dataclass(frozen=True, slots=True)
class Jit:
    """The PTX of a file, and what NVRTC was given."""

    ptx: str
    unit: PtxUnit
    symbols: tuple[str, ...]  # of the expressions of the unit
    left_out: tuple[str, ...] = ()  # missing headers
    rejected: tuple[RejectedKernel, ...] = ()

    def unoptimized(self, compiler: PtxCompiler, budget: FileBudget) -> str | None:
        """Return the PTX without optimization; None if NVRTC rejects it or does not end."""
        options = tuple("-G" if option == "-lineinfo" else option for option in self.unit.options)
        try:
            return _compiled(replace(self.unit, options=options), compiler, budget).ptx
        except (UnfinishedError, TimeLimitError):
            return None


def compile_device_code(
    source: CudaSource, expressions: Sequence[str], options: CompileOptions, compiler: PtxCompiler
) -> Jit:
    """Return the PTX of the device code of a file; CompileError with the first error in what is no host code.

    UnfinishedError if NVRTC crashes or exceeds its limits, TimeLimitError at that of `options`.
    """
    unit, macros = source.unit, source.macros
    host = {file.name: host_spans(file, macros) + instantiations_of_host(source, file) for file in unit.files}
    named = unevaluated_names((file, host[file.name]) for file in unit.files)
    parted = {file.name: with_declarations(file, host[file.name], named) for file in unit.files}
    host = {name: spans for name, (spans, _) in parted.items()}
    types = {file.name: host_types(file, macros, unit.files) for file in unit.files}
    of_host = {name: tuple(items) for name, items in host.items()}
    # Types of the host are removed at once, because each round takes the time of a compilation.
    attempts = [{name: host[name] + types[name] for name in host}] if any(types.values()) else []
    arguments = (
        f"-arch={options.arch.replace('sm_', 'compute_')}",
        f"-std={options.standard}",
        *_OPTIONS,
        *options.words,
        *(("-rdc=true",) if options.device_launches else ()),
    )
    prelude = _prelude(unit, options.define, options.before)
    errors: tuple[Message, ...] = ()
    left_out: dict[str, bytes] = {}
    rejected: list[RejectedKernel] = []
    for spans in [*attempts, host]:
        language: dict[str, bytes] = {}
        lasting = LastingErrors()
        for _ in range(MAXIMUM_ROUNDS + len(unit.missing)):
            texts = {
                file.name: blank(file.text, spans[file.name], file.lexed.directives, parted[file.name][1])
                for file in unit.files
            }
            headers = standard_stubs() | cub_stub() | unit.stubs | left_out | language
            headers |= {name: text for name, text in texts.items() if name != unit.main.name}
            before = _LANGUAGE_HEADERS + prelude if language else prelude
            text = before + texts[unit.main.name] + b"".join(map(_include, unit.sources))
            given = PtxUnit(text, unit.main.name, headers, tuple(without(expressions, rejected)), arguments)
            result = _compiled(given, compiler, options.budget)
            if result.ptx is not None:
                removed = _removed(unit, spans, of_host)
                _require_kernel(result.ptx, removed, partial(_last_error, unit, errors, expressions, list(left_out)))
                return Jit(result.ptx, given, result.symbols, tuple(left_out), tuple(rejected))
            errors = result.errors
            _refuse_incomplete_toolkit(unit, errors)
            absent = [name for name in unit.missing if name not in left_out and _lacks(errors, name)]
            if absent and can_leave_out(unit, options.define, absent, expressions):
                left_out |= dict.fromkeys(absent, b"")
                continue
            if lasting.after(errors) or not remove_rejected(unit, macros, spans, errors, named):
                if not language and _OF_LANGUAGE.search(b"".join(texts.values())):
                    language = language_stubs()
                    lasting = LastingErrors()
                    continue
                if any(_STOPS.match(error.text) for error in errors):  # whatever else is removed
                    raise _last_error(unit, errors, expressions, list(left_out))
                kernels = rejected_kernels(source, errors, list(left_out))
                new = [item for item in kernels if item[0].name not in {one.name for one in rejected}]
                if new and len(rejected) + len(new) < len(source.definitions):
                    for kernel, file, span in new:
                        rejected.append(kernel)
                        spans[file.name].append(span)
                    lasting = LastingErrors()
                    continue
                break
    raise _last_error(unit, errors, expressions, list(left_out))


def instantiations_of_host(source: CudaSource, file: UserFile) -> list[TextSpan]:
    """Return the explicit instantiations of host functions that macros of a file stand for."""
    kernels = {item.plain_name for item in source.definitions}
    return host_instantiations(file, source.macros, DEVICE_WORDS | kernels)


def _include(file: UserFile) -> bytes:
    """Return the line behind the main file that adds a source to it."""
    return f'\n#include "{file.name}"\n'.encode()


def _lacks(errors: Sequence[Message], header: str) -> bool:
    return any(header in error.text and "cannot open source file" in error.text for error in errors)


def _refuse_incomplete_toolkit(unit: SourceUnit, errors: Sequence[Message]) -> None:
    """Raise CompileError if a header of CUDA includes one that is not installed: no further attempt has it."""
    first = errors[0]
    if named_header(first.text) is not None and all(first.file != file.name for file in unit.files):
        raise _error(unit, errors, ())


def _compiled(unit: PtxUnit, compiler: PtxCompiler, budget: FileBudget) -> PtxResult:
    """Compile a unit within the time limit."""
    budget.check_time()
    try:
        return compiler.compile(unit, budget.seconds_left(TIMEOUT_S))
    except UnfinishedError:
        budget.check_time()
        raise


def _prelude(unit: SourceUnit, define: Sequence[str], definitions: str) -> bytes:
    """Return the lines before the text; macros on NVRTC's command line would apply to its own declarations, too."""
    controls = any(_GRID_CONTROLS.search(file.text) for file in (*unit.files, *unit.sources))
    runtime = ["#include <cuda_device_runtime_api.h>"] if controls else []
    integers = any(_INTEGERS.search(file.text) for file in (*unit.files, *unit.sources))
    lines = [
        *_BUILTINS,
        *(["#include <stdint.h>"] if integers else []),
        *runtime,
        *(f"#define {item.replace('=', ' ', 1) if '=' in item else item + ' 1'}" for item in define),
        *definitions.splitlines(),
    ]
    return "\n".join([*lines, f'#line 1 "{unit.main.name}"', ""]).encode()


class LastingErrors:
    """The errors that stay, whatever is removed: with one of them, further rounds are in vain."""

    def __init__(self) -> None:
        """Start before the first round."""
        self._rounds: Counter[Message] = Counter()

    def after(self, errors: Sequence[Message]) -> bool:
        """Return whether one of the errors of a round was there in the rounds before, too."""
        self._rounds = Counter({error: self._rounds[error] + 1 for error in errors})
        return max(self._rounds.values(), default=0) > MOST_SAME_ROUNDS


def remove_rejected(
    unit: SourceUnit,
    macros: Macros,
    spans: dict[str, list[TextSpan]],
    errors: Sequence[Message],
    named: Collection[bytes],
) -> bool:
    """Add the host items that the errors name; False if there is no new one.

    None declares a function that is `named` by device code that does not call it.
    """
    files = {file.name: file for file in unit.files}
    progress = False
    without_template = {(message.file, message.line) for message in errors if _LACKS_TEMPLATE.search(message.text)}
    for name, line in dict.fromkeys((message.file, message.line) for message in errors):
        file = files.get(name)
        if file is None:
            continue
        is_alone = (name, line) in without_template
        item = enclosing_host_item(file, line, macros, unit.files, specializes_nothing=is_alone)
        items = (item, rejected_host_item(file, line, macros))
        known = [span for span in items if span is not None and span not in spans[name]]
        new = next(iter(with_declarations(file, known, named)[0]), None)
        if new is not None:
            spans[name].append(new)
            progress = True
    return progress


def _require_kernel(ptx: str, removed: Iterable[bytes], error: Callable[[], CompileError]) -> None:
    """Raise the error if no kernel remained, and one, no template, was removed for it: a signature beside its code."""
    if ".entry" not in ptx and any(b"__global__" in text and b"template" not in text for text in removed):
        raise error()


def _removed(
    unit: SourceUnit, spans: Mapping[str, Sequence[TextSpan]], host: Mapping[str, Sequence[TextSpan]]
) -> Iterator[bytes]:
    """Yield the texts that were removed because of errors."""
    for file in unit.files:
        yield from (file.text[span.start : span.end] for span in spans[file.name] if span not in host[file.name])


def _rejected(errors: Sequence[Message], expressions: Sequence[str]) -> int:
    """Return the place of the first expression that the errors quote, -1 if there is none."""
    plain = ["".join(item.split()) for item in expressions]
    quoted = next((match[1] for item in errors if (match := _QUOTED_NAME.search(item.text))), "")
    name = "".join(quoted.split())
    return plain.index(name) if name in plain else -1


def _last_error(
    unit: SourceUnit, errors: Sequence[Message], expressions: Sequence[str], left_out: Sequence[str]
) -> CompileError:
    """Return the error of the last round; what a missing header declares may be what the compiler misses."""
    if not left_out:
        return _error(unit, errors, expressions)
    including, line = unit.missing[left_out[0]]
    return missing_header(unit.main.path, f"{including.path}:{line}: ", left_out[0])


def _error(unit: SourceUnit, errors: Sequence[Message], expressions: Sequence[str]) -> CompileError:
    files: dict[str, UserFile] = {file.name: file for file in unit.files}
    first = errors[0]
    if first.file == _NAMES:
        return instance_error(unit.main.path, expressions, _rejected(errors, expressions), first.text)
    shown = files[first.file].path if first.file in files else first.file
    place = f"{shown}:{first.line}: " if first.file else ""
    header = next((name for name in unit.missing if name in first.text), None)
    if header is not None:
        return missing_header(unit.main.path, place, header)
    return compile_error(unit.main.path, str(shown), first.line, first.text, _ADVICE)
