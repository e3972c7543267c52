"""Compile a translation unit with NVRTC to PTX, a cubin, mangled names and the report of ptxas."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shflbench.errors import CompileError, CompilerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.cuda.compile.source import Source
    from shflbench.cuda.compile.toolchain import Toolchain

OPTIONS = (
    "-std=c++17",  # the oldest that CCCL accepts
    "-lineinfo",  # source lines for reports on hazards and hot spots; does not change the code
    "--no-cache",  # results from NVRTC's own cache lack the report of the next option
    "--ptxas-options=-v",  # registers, stack and spills in the log
)


class RejectedFileError(CompileError):
    """NVRTC rejects a file: `file` as users know it, and the line, which is 0 if there is none."""

    def __init__(self, place: tuple[str, int], what: str, advice: str, subject: str, log: str = "") -> None:
        """Keep the place and `what` is wrong beside the reason, which begins with the place."""
        self.file, self.line = place
        self.what = what
        super().__init__(
            f"{self.file}:{self.line}: {what}" if self.line else f"{self.file} {what}", advice, subject, log
        )

    def with_file(self, file: str, advice: str) -> RejectedFileError:
        """Return the error of the same text that lies in another file."""
        return RejectedFileError((file, self.line), self.what, advice, self.subject, self.log)


class TooMuchSharedError(CompileError):
    """The variables of a kernel in shared memory are larger than a block can have."""


class _NoSuchNameError(RejectedFileError):
    """No kernel has the name of an expression."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The output of NVRTC for one kernel."""

    symbol: str
    ptx: str
    cubin: bytes
    log: str


def compile_kernel(source: Source, arch: str, toolchain: Toolchain) -> Compiled:
    """Compile `source` for `arch` (`sm_90`); the CompileError shows the source line with its number."""
    (compiled,) = compile_unit([source], arch, toolchain)
    return compiled


def compile_unit(sources: Sequence[Source], arch: str, toolchain: Toolchain) -> list[Compiled]:
    """Compile kernels that differ only in their expression; they share PTX, cubin and log."""
    expressions = [item.expression for item in sources]
    try:
        return _compile(sources[0], expressions, arch, toolchain)
    except _NoSuchNameError:
        # An `extern "C"` kernel in a namespace: its name is its symbol, and no expression.
        if not all(map(str.isidentifier, expressions)):
            raise
        (compiled,) = _compile(sources[0], [""], arch, toolchain)
        if not ptx_by_kernel(compiled.ptx).keys() >= set(expressions):
            raise
        return [replace(compiled, symbol=symbol) for symbol in expressions]


def _compile(source: Source, expressions: Sequence[str], arch: str, toolchain: Toolchain) -> list[Compiled]:
    """Return the result for each expression; that for an empty one has no symbol."""
    from cuda.bindings import nvrtc

    texts = [text.encode() for text in source.headers.values()]
    names = [name.encode() for name in source.headers]
    program = _call(nvrtc.nvrtcCreateProgram(source.text.encode(), source.name.encode(), len(names), texts, names))
    try:
        for expression in filter(None, expressions):
            _call(nvrtc.nvrtcAddNameExpression(program, expression.encode()))
        options = [f"-arch={arch}", *_options(source), *(f"-I{folder}" for folder in toolchain.headers)]
        encoded = [option.encode() for option in options]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(encoded), encoded)
        log = _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise _error(source, arch, log, status.name)
        ptx = _text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
        cubin = _bytes(program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
        symbols = [
            _call(nvrtc.nvrtcGetLoweredName(program, item.encode())).decode() if item else "" for item in expressions
        ]
        return [Compiled(symbol, ptx, cubin, log) for symbol in symbols]
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _options(source: Source) -> tuple[str, ...]:
    """Return the options that do not depend on the machine; a source may name another standard of C++."""
    standards = [option for option in source.options if option.startswith("-std=")]
    usual = [option for option in OPTIONS if not (standards and option.startswith("-std="))]
    return (*usual, *source.options)


_ENTRY = re.compile(r"^(?:\.\w+\s+)*\.entry\s+(?P<symbol>[\w$]+)\s*\(")
_NO_CODE = re.compile(r'"[^"\n]*"|//.*|/\*.*?\*/')  # strings and comments, in which braces do not count


def ptx_by_kernel(ptx: str) -> dict[str, str]:
    """Return, by kernel, the text without the other kernels, which the emulator need not parse."""
    parts: list[tuple[str, list[str]]] = [("", [])]  # kernel or "", lines
    symbol, depth = "", 0
    for line in ptx.splitlines(keepends=True):
        code = _NO_CODE.sub("", line) if '"' in line or "/" in line else line
        if not depth and not symbol and (entry := _ENTRY.match(code)):
            symbol = entry["symbol"]
            parts.append((symbol, []))
        parts[-1][1].append(line)
        depth += code.count("{") - code.count("}")
        if symbol and not depth and ("}" in code or ";" in code):
            symbol = ""
            parts.append(("", []))
    texts = [(owner, "".join(lines)) for owner, lines in parts]
    return {kernel: "".join(text for owner, text in texts if owner in {"", kernel}) for kernel, _ in texts if kernel}


def _call(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401  (the binding is untyped)
    status, *values = answer
    if status.value != 0:
        raise CompilerError(f"NVRTC returned {status.name}", "Run `shflbench doctor`.")
    return values[0] if values else None


def _bytes(program: Any, size: Any, get: Any) -> bytes:  # noqa: ANN401
    buffer = bytearray(_call(size(program)))
    _call(get(program, buffer))
    return bytes(buffer)


def _text(program: Any, size: Any, get: Any) -> str:  # noqa: ANN401
    return _bytes(program, size, get).rstrip(b"\0").decode(errors="replace")


_ERROR = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): (?:catastrophic )?error\b[^:]*: (?P<what>.+)$", re.MULTILINE
)
_STATIC_SHARED = re.compile(r"too much shared data \((?P<needed>0x[0-9a-f]+) bytes, (?P<most>0x[0-9a-f]+) max\)")
_NAMES = "__nv_name_map"  # the file that NVRTC generates from the name expressions
_NO_HEADER = "cannot open source file"
_FIX = "Fix the source line; the rest of the suite is not affected."


def _error(source: Source, arch: str, log: str, status: str) -> CompileError:
    kernel = f"{source.expression} for {arch}"
    match = _ERROR.search(log)
    if match is None:
        if static := _STATIC_SHARED.search(log):
            needed, most = (int(static[group], 16) for group in ("needed", "most"))
            what = f"its `__shared__` variables take {needed} bytes per block, at most {most}"
            return TooMuchSharedError(what, "Use less, or dynamic shared memory.", kernel)
        # NVRTC passes on what ptxas prints, which begins with a zero byte.
        printed = "".join(letter for letter in log if letter == "\n" or letter.isprintable())
        first = next((line.strip() for line in printed.splitlines() if "error" in line), status)
        return CompileError(first, "`shflbench doctor` shows the compiler in use.", kernel, first)
    file, number, what = match["file"], int(match["line"]), match["what"].strip()
    if file == _NAMES:
        template, _, argument = source.expression.partition("<")
        wanted = f"kernel template `{template}` for <{argument}" if argument else f"kernel `{template}`"
        return _NoSuchNameError((source.shown(source.name), 0), f"has no {wanted}", _FIX, kernel)
    texts = {source.name: source.text.split(f'#line 1 "{source.name}"\n', 1)[-1], **source.headers}
    lines = texts.get(file, "").splitlines()
    shown = f"\n  {number} | {lines[number - 1].strip()}" if number <= len(lines) else ""
    advice = _FIX
    if what.startswith(_NO_HEADER):
        advice = "Fix the #include; `shflbench doctor` lists missing CUDA headers and how to install them."
    return RejectedFileError((source.shown(file), number), f"{what}{shown}", advice, kernel, what)


@dataclass(frozen=True, slots=True)
class Message:
    """One error of the compiler; `line` is 0 if it names none."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class PtxUnit:
    """A translation unit as NVRTC takes it."""

    text: bytes
    name: str  # of the file
    headers: Mapping[str, bytes]  # by their names in `#include`
    expressions: tuple[str, ...]  # kernels that the PTX must have
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PtxResult:
    """PTX with the symbols of the named kernels; without PTX, the errors."""

    ptx: str | None
    symbols: tuple[str, ...]
    errors: tuple[Message, ...]
    log: str


def compile_ptx(unit: PtxUnit, toolchain: Toolchain) -> PtxResult:
    """Compile a translation unit to PTX; a text that NVRTC rejects gives a result with errors."""
    from cuda.bindings import nvrtc

    headers = unit.headers
    program = _call(
        nvrtc.nvrtcCreateProgram(unit.text, unit.name.encode(), len(headers), [*headers.values()], _encoded(headers))
    )
    try:
        for expression in unit.expressions:
            _call(nvrtc.nvrtcAddNameExpression(program, expression.encode()))
        arguments = _encoded([*unit.options, "--no-cache", *(f"-I{folder}" for folder in toolchain.headers)])
        (status,) = nvrtc.nvrtcCompileProgram(program, len(arguments), arguments)
        log = _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            errors = [
                Message(match["file"], int(match["line"]), match["what"].strip()) for match in _ERROR.finditer(log)
            ]
            if not errors:
                first = next((line.strip() for line in log.splitlines() if "error" in line), status.name)
                errors = [Message("", 0, first.replace("At end of source: error:", "at the end of the file:"))]
            return PtxResult(None, (), tuple(errors), log)
        symbols = tuple(_call(nvrtc.nvrtcGetLoweredName(program, item.encode())).decode() for item in unit.expressions)
        return PtxResult(_text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX), symbols, (), log)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _encoded(words: Iterable[str]) -> list[bytes]:
    return [word.encode() for word in words]
