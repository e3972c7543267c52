"""Expand the macros that launch, define or instantiate functions, so that the grammar reads these where they stand.

Only the interpreter of host code and the search for launches and kernels read this text: the compiler is given the
files as they are. A use stays on its lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.lexer import TextSpan, code_only
from shflbench.cuda_sources.macros import Macro, substitute

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.macros import Macros

MOST_ROUNDS = 8  # of macros in macros
MOST_BYTES = 1 << 20  # of an expanded file; larger ones stay as they are
_WORD = re.compile(r"[A-Za-z_]\w*")
_LAUNCH = re.compile(r"<<<|\bcudaLaunch")
_KERNEL = re.compile(r"\b__global__\b")
INSTANTIATION = re.compile(r"(?:^|[;}])\s*(?:extern\s+)?template\b(?!\s*<)")  # at the start of a declaration
# Of PyTorch: each runs a lambda expression once per type, with the type's name in it.
_DISPATCH = re.compile(r"AT_DISPATCH_\w*TYPES\w*")
_LAMBDA = re.compile(rb"\[[&=]?\]\s*(?:\(\s*\)\s*)?(?=\{)")
_OF_TYPE = {"scalar_t": "float", "index_t": "int"}
_INTEGRAL = re.compile(r"INTEGRAL|INDEX")


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of a macro with its arguments: `span` reaches from its name to the closing parenthesis."""

    name: str
    span: TextSpan
    arguments: TextSpan


def with_launches(files: Sequence[UserFile], macros: Macros, active: Mapping[str, Macro]) -> list[UserFile]:
    """Return the files, those that use macros which launch kernels, or instantiate functions, with these expanded.

    Of several definitions of a macro, the one that is `active` in the end counts.
    """
    launching = _leading_to(_LAUNCH, macros, active) | _leading_to(INSTANTIATION, macros, active)
    known = _with_parameters(macros, active)
    return [_expanded(file, launching | _handed_to(file, launching, known)) for file in files]


def with_kernels(files: Iterable[UserFile], macros: Macros) -> Iterator[UserFile]:
    """Yield the files, those that use macros with parameters which define kernels with these expanded."""
    defining = _leading_to(_KERNEL, macros, {})
    for file in files:
        yield _expanded(file, defining) if defining else file


def host_instantiations(file: UserFile, macros: Macros, device: frozenset[str]) -> list[TextSpan]:
    """Return the uses of macros that stand for explicit instantiations of functions, and have no word of `device` code.

    Each reaches to the semicolon behind it.
    """
    made = _leading_to(INSTANTIATION, macros, {})
    made |= _handed_to(file, made, _with_parameters(macros, {}))
    of_host = {name: macro for name, macro in made.items() if not macros.words(macro.body) & device}
    of_host = {name: macro for name, macro in of_host.items() if "(" in macro.body}
    wanted = re.compile(rf"(?m)^[ \t]*({'|'.join(map(re.escape, of_host))})\s*\(".encode())
    if not of_host or not wanted.search(file.text):
        return []
    code = _Code(file.text)
    behind = re.compile(rb"\s*;")
    uses = [use.span for use in _uses(code, wanted, of_host)]
    ends = [match.end() if (match := behind.match(code.code, span.end)) else span.end for span in uses]
    return [TextSpan(span.start, end) for span, end in zip(uses, ends, strict=True)]


def _leading_to(pattern: re.Pattern[str], macros: Macros, active: Mapping[str, Macro]) -> dict[str, Macro]:
    """Return the macros with parameters whose text matches, itself or that of other macros in it."""
    known = _with_parameters(macros, active)
    result = {name: macro for name, macro in known.items() if pattern.search(macro.body)}
    while True:
        more = {
            name: macro
            for name, macro in known.items()
            if name not in result and not result.keys().isdisjoint(_WORD.findall(macro.body))
        }
        if not more:
            return result
        result |= more


def _with_parameters(macros: Macros, active: Mapping[str, Macro]) -> dict[str, Macro]:
    """Return the macros with parameters of which the definition that counts is known."""
    known = {
        name: active.get(name, macros.definitions(name)[0])
        for name in macros.names
        if name in active or len(macros.definitions(name)) == 1
    }
    return {name: macro for name, macro in known.items() if macro.parameters is not None}


def _handed_to(file: UserFile, launching: Mapping[str, Macro], known: Mapping[str, Macro]) -> dict[str, Macro]:
    """Return the macros to which a file hands one of others: `FOR_ALL_TYPES(INSTANTIATE)`."""
    if not any(name.encode() in file.words for name in launching):
        return {}
    uses = re.finditer(rb"\b([A-Za-z_]\w*)\s*\(([^()]{1,1000})\)", file.text)
    return {
        name: known[name]
        for use in uses
        if (name := use[1].decode(errors="replace")) in known
        and not launching.keys().isdisjoint(_WORD.findall(use[2].decode(errors="replace")))
    }


class _Code:
    """A text, and what of it is code, with the brackets that belong together."""

    def __init__(self, text: bytes) -> None:
        self.text, self.code = text, code_only(text)
        self._pairs: dict[bytes, dict[int, int]] = {}

    def closing(self, start: int) -> int | None:
        """Return the position of the bracket that closes the one at `start`."""
        pair = b"()" if self.code[start : start + 1] == b"(" else b"{}"
        if pair not in self._pairs:
            self._pairs[pair] = _pairs(self.code, pair)
        return self._pairs[pair].get(start)


def _pairs(code: bytes, pair: bytes) -> dict[int, int]:
    """Return the positions of opening brackets with those of the closing ones."""
    result: dict[int, int] = {}
    waiting: list[int] = []
    for match in re.compile(b"[" + re.escape(pair) + b"]").finditer(code):
        if match[0] == pair[:1]:
            waiting.append(match.start())
        elif waiting:
            result[waiting.pop()] = match.start()
    return result


def _expanded(file: UserFile, launching: Mapping[str, Macro]) -> UserFile:
    text = file.text
    names = [*map(re.escape, launching), _DISPATCH.pattern]
    wanted = re.compile(rf"\b({'|'.join(names)})\s*\(".encode())
    for _ in range(MOST_ROUNDS):
        if not wanted.search(text):
            break
        code = _Code(text)
        parts: list[bytes] = []
        end = 0
        for use in _uses(code, wanted, launching):
            parts += [text[end : use.span.start], _text_of(code, use, launching)]
            end = use.span.end
        if not parts:
            break
        text = b"".join([*parts, text[end:]])
        if len(text) > MOST_BYTES:
            return file
    return UserFile.of(file.path, file.name, text) if text is not file.text else file


def _uses(code: _Code, wanted: re.Pattern[bytes], launching: Mapping[str, Macro]) -> Iterator[_Use]:
    """Yield the outermost uses in the order of the text."""
    end = 0
    for match in wanted.finditer(code.code):
        closing = code.closing(match.end() - 1) if match.start() >= end else None
        name = match[1].decode()
        if closing is None:
            continue
        if name in launching or _LAMBDA.search(code.text, match.end(), closing) is not None:
            end = closing + 1
            yield _Use(name, TextSpan(match.start(), end), TextSpan(match.end(), closing))


def _text_of(code: _Code, use: _Use, launching: Mapping[str, Macro]) -> bytes:
    """Return what a use stands for, with as many lines."""
    macro = launching.get(use.name)
    if macro is None:
        return _dispatched(code, use)
    arguments = [" ".join(item.decode(errors="replace").split()) for item in _arguments(code, use.arguments)]
    return substitute(macro, arguments).encode() + b"\n" * code.text.count(b"\n", use.span.start, use.span.end)


def _dispatched(code: _Code, use: _Use) -> bytes:
    """Return the call of the lambda expression, with one type in place of its name."""
    text, start, end = code.text, use.arguments.start, use.arguments.end
    match = _LAMBDA.search(text, start, end)
    closing = code.closing(match.end()) if match is not None else None
    if match is None or closing is None or closing >= end:  # no launch that the grammar can read
        return re.sub(rb"[^\r\n]", b" ", text[use.span.start : use.span.end])
    body = text[match.start() : closing + 1]
    types = _OF_TYPE | ({"scalar_t": "int"} if _INTEGRAL.search(use.name) else {})
    for name, type_ in types.items():
        body = re.sub(rf"\b{name}\b".encode(), type_.encode(), body)
    before = text.count(b"\n", use.span.start, match.start())
    after = text.count(b"\n", closing, use.span.end)
    return b"\n" * before + body + b"()" + b"\n" * after


def _arguments(code: _Code, span: TextSpan) -> Iterator[bytes]:
    """Yield the arguments of a macro: commas in parentheses do not separate them."""
    start, depth = span.start, 0
    for match in re.compile(rb"[(),]").finditer(code.code, span.start, span.end):
        depth += {b"(": 1, b")": -1}.get(match[0], 0)
        if match[0] == b"," and not depth:
            yield code.text[start : match.start()]
            start = match.end()
    yield code.text[start : span.end]
