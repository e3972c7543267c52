"""Expand the macros that launch or define kernels, so that the grammar reads these where the files use the macros.

The same holds for macros whose arguments are statements, as those that choose a type or a constant for a launch.

Only the interpreter of host code and the search for launches and kernels read this text: the compiler is given the
files as they are. A use stays on its lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.launch_texts import launching_nodes
from shflbench.cuda_sources.lexer import TextSpan, code_only, without_lines
from shflbench.cuda_sources.macros import Macro, substitute
from shflbench.cuda_sources.syntax_trees import enclosing_function, function_name
from shflbench.cuda_sources.type_dispatch import DISPATCH, lambdas, names_of_types, with_one_case, with_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.macros import Macros

MOST_ROUNDS = 8  # of macros in macros
MOST_EXPANDED_BYTES = 1 << 20  # of an expanded file; larger ones stay as they are
MOST_FACTOR = 16  # times as many, if each word of a macro stood for all its arguments: it is not expanded to find out
_WORD = re.compile(r"[A-Za-z_]\w*")
_LAUNCH = re.compile(r"<<<|\bcudaLaunch")
_KERNEL = re.compile(r"\b__global__\b")
INSTANTIATION = re.compile(r"(?:^|[;}])\s*(?:extern\s+)?template\b(?!\s*<)")  # at the start of a declaration
_NAME = re.compile(rb"\w+")
_PLACE = "\0"  # of the argument that keeps its lines


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of a macro with its arguments: `span` reaches from its name to the closing parenthesis."""

    name: str
    span: TextSpan
    arguments: TextSpan


def with_launches(
    files: Sequence[UserFile], macros: Macros, active: Mapping[str, Macro], templates: Iterable[str] = ()
) -> list[UserFile]:
    """Return the files with macros expanded that launch kernels, instantiate functions, or are given statements.

    Those that name an instance of a function which launches kernels count as well, as `case K: launch<T, K>(data)`, or
    one of a kernel, whose `templates` are given by their plain names, as `if (width == K) return kernel<K>`.
    Of several definitions of a macro, the one that is `active` in the end counts.
    """
    certain = _certain(macros, active)
    known = _with_parameters(certain)
    launching = _leading_to(_LAUNCH, certain) | _leading_to(INSTANTIATION, known)
    if known and (named := _launching_templates(files).union(templates)):
        instances = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named)))})\s*<")
        launching |= _leading_to(instances, known)
    return [_expanded(file, launching | _handed_to(file, launching, known), known) for file in files]


def _launching_templates(files: Sequence[UserFile]) -> set[str]:
    """Return the names of the function templates in which the text launches kernels."""
    functions = (enclosing_function(node) for _, node, _ in launching_nodes(files))
    outer = ((item, item.parent) for item in functions if item is not None)
    templates = (item for item, around in outer if around is not None and around.type == "template_declaration")
    return set(map(function_name, templates)) - {""}


def with_kernels(files: Iterable[UserFile], macros: Macros) -> Iterator[UserFile]:
    """Yield the files, those that use macros with parameters which define kernels with these expanded."""
    defining = _leading_to(_KERNEL, _with_parameters(_certain(macros, {})))
    for file in files:
        yield _expanded(file, defining, {}) if defining else file


def host_instantiations(file: UserFile, macros: Macros, device: frozenset[str]) -> list[TextSpan]:
    """Return the uses of macros that stand for explicit instantiations of functions, and have no word of `device` code.

    Each reaches to the semicolon behind it.
    """
    known = _with_parameters(_certain(macros, {}))
    made = _leading_to(INSTANTIATION, known)
    made |= _handed_to(file, made, known)
    of_host = {name: macro for name, macro in made.items() if not macros.words(macro.body) & device}
    of_host = {name: macro for name, macro in of_host.items() if "(" in macro.body}
    if not any(name.encode() in file.words for name in of_host):
        return []
    code = _Code(file.text)
    behind = re.compile(rb"\s*;")
    uses = [use.span for use in _uses(code, of_host, of_host, {}) if _begins_line(file.text, use.span.start)]
    ends = [match.end() if (match := behind.match(code.code, span.end)) else span.end for span in uses]
    return [TextSpan(span.start, end) for span, end in zip(uses, ends, strict=True)]


def _begins_line(text: bytes, start: int) -> bool:
    return not text[text.rfind(b"\n", 0, start) + 1 : start].strip()


def _certain(macros: Macros, active: Mapping[str, Macro]) -> dict[str, Macro]:
    """Return the macros, those of several definitions as far as it is known which one counts."""
    return {
        name: active.get(name, macros.definitions(name)[0])
        for name in macros.names
        if name in active or len(macros.definitions(name)) == 1
    }


def _with_parameters(known: Mapping[str, Macro]) -> dict[str, Macro]:
    return {name: macro for name, macro in known.items() if macro.parameters is not None}


def _leading_to(pattern: re.Pattern[str], known: Mapping[str, Macro]) -> dict[str, Macro]:
    """Return the macros whose text matches, itself or that of other macros in it."""
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


def _expanded(file: UserFile, launching: Mapping[str, Macro], known: Mapping[str, Macro]) -> UserFile:
    """Return a file with the uses of `launching` macros expanded, and those of `known` ones that have statements."""
    text = file.text
    macros = {**known, **launching}
    for _ in range(MOST_ROUNDS):
        words = frozenset(item.decode(errors="replace") for item in _NAME.findall(text))
        used = [name for name in words if name in macros or DISPATCH.fullmatch(name)]
        if not used:
            break
        code = _Code(text)
        parts: list[bytes] = []
        end = 0
        for use in _uses(code, used, launching, known):
            expansion = _text_of(code, use, macros)
            if len(expansion) > MOST_EXPANDED_BYTES:
                return file
            parts += [text[end : use.span.start], expansion]
            end = use.span.end
        if not parts:
            break
        text = b"".join([*parts, text[end:]])
        if len(text) > MOST_EXPANDED_BYTES:
            return file
    return UserFile.of(file.path, file.name, text) if text is not file.text else file


def _uses(
    code: _Code, used: Iterable[str], launching: Mapping[str, Macro], known: Mapping[str, Macro]
) -> Iterator[_Use]:
    """Yield the outermost uses in the order of the text."""
    end = 0
    for match in re.compile(rf"\b({'|'.join(map(re.escape, used))})\b(?:\s*\()?".encode()).finditer(code.code):
        name = match[1].decode()
        is_plain = name in launching and launching[name].parameters is None
        if is_plain and match.start() >= end:
            end = match.end(1)
            yield _Use(name, TextSpan(match.start(), end), TextSpan(end, end))
            continue
        closing = code.closing(match.end() - 1) if match.start() >= end and match[0].endswith(b"(") else None
        if closing is None:
            continue
        arguments = TextSpan(match.end(), closing)
        has_statements = code.code.find(b";", match.end(), closing) >= 0
        is_of_library = name not in known and next(lambdas(code.code, arguments, code.closing), None) is not None
        if name in launching or (has_statements and (name in known or is_of_library)):
            end = closing + 1
            yield _Use(name, TextSpan(match.start(), end), arguments)


def _text_of(code: _Code, use: _Use, macros: Mapping[str, Macro]) -> bytes:
    """Return what a use stands for, with as many lines."""
    macro = macros.get(use.name)
    if macro is None:
        return _dispatched(code, use, macros)
    lines = code.text.count(b"\n", use.span.start, use.span.end)
    spans = list(_arguments(code, use.arguments))
    arguments = [_on_one_line(code.text[span.start : span.end]) for span in spans]
    if sum(map(len, arguments)) * len(_WORD.findall(macro.body)) > MOST_FACTOR * MOST_EXPANDED_BYTES:
        return b" " * (MOST_EXPANDED_BYTES + 1)
    kept = _with_statements(code, macro, spans)
    if kept is None:
        return substitute(macro, arguments).encode() + b"\n" * lines
    text, types = with_one_case(substitute(macro, [*arguments[: kept.number], _PLACE, *arguments[kept.after :]]))
    if text.count(_PLACE) != 1:
        flat = with_types(", ".join(arguments[kept.number : kept.after]).encode(), types)
        return text.encode().replace(_PLACE.encode(), flat) + b"\n" * lines
    before, _, after = text.encode().partition(_PLACE.encode())
    inside = with_types(code.text[kept.span.start : kept.span.end], types)
    above = code.text.count(b"\n", use.span.start, kept.span.start)
    below = lines - above - inside.count(b"\n")
    return before + b"\n" * above + inside + after + b"\n" * below


class _Statements(NamedTuple):
    """The argument of a use that has statements: its number, that of the next argument, and its text."""

    number: int
    after: int
    span: TextSpan


def _with_statements(code: _Code, macro: Macro, spans: Sequence[TextSpan]) -> _Statements | None:
    """Return the argument that has statements, if there is one; all those in place of `...` are one."""
    named = len([name for name in macro.parameters or () if name != "__VA_ARGS__"])
    is_variadic = len(spans) > named or "__VA_ARGS__" in macro.body
    having = [place for place, span in enumerate(spans) if code.code.find(b";", span.start, span.end) >= 0]
    if not having:
        return None
    if is_variadic and all(place >= named for place in having):
        return _Statements(named, len(spans), TextSpan(spans[named].start, spans[-1].end))
    return _Statements(having[0], having[0] + 1, spans[having[0]]) if len(having) == 1 else None


def _on_one_line(text: bytes) -> str:
    """Return a text without line ends, comments and directives."""
    return " ".join(without_lines(text).decode(errors="replace").split())


def _dispatched(code: _Code, use: _Use, macros: Mapping[str, Macro]) -> bytes:
    """Return the calls of the lambda expressions of a dispatch, with one type in place of each name of a type."""
    text, end = code.text, use.span.start
    parts: list[bytes] = []
    for span in lambdas(code.code, use.arguments, code.closing):
        types = names_of_types(code.code[end : span.start].decode(errors="replace"), macros)
        lines = b"\n" * text.count(b"\n", end, span.start)
        parts += [b", " if parts else b"", lines, with_types(text[span.start : span.end], types), b"()"]
        end = span.end
    return b"".join([*parts, b"\n" * text.count(b"\n", end, use.span.end)])


def _arguments(code: _Code, span: TextSpan) -> Iterator[TextSpan]:
    """Yield the arguments of a macro: commas in parentheses do not separate them."""
    start, depth = span.start, 0
    for match in re.compile(rb"[(),]").finditer(code.code, span.start, span.end):
        depth += {b"(": 1, b")": -1}.get(match[0], 0)
        if match[0] == b"," and not depth:
            yield TextSpan(start, match.start())
            start = match.end()
    yield TextSpan(start, span.end)
