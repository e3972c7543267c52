"""Read PTX declarations: variables in a state space, registers, function headers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from shflbench.emulator.ptx.operands import NAME, number, operand, split
from shflbench.emulator.ptx.syntax import NUMPY, Immediate, Prototype, Symbol, Variable
from shflbench.errors import EmulatorError

MOST_REGISTERS = 1 << 16  # of one declaration; more is a damaged text
MOST_ELEMENTS = 1 << 28  # of one variable, likewise
MOST_ALIGNMENT = 1 << 16  # bytes: kernels align tiles to the window of a copy, no more than shared memory has

_TYPES = "|".join(sorted(NUMPY, key=len, reverse=True))
_VARIABLE = re.compile(
    rf"(?P<linkage>(?:\.(?:visible|extern|weak|common)\s+)*)\.(?P<space>global|const|shared|local|param)(?:::\w+|\[\d+\])?"
    rf"(?:\s*\.attribute\([^)]*\))?(?:\s*\.align\s+(?P<align>\d+))?(?:\s*\.attribute\([^)]*\))?"
    rf"(?:\s*\.v(?P<vector>[24]))?\s*\.(?P<type>{_TYPES})(?P<pointer>\s+\.ptr(?:\s*\.\w+)?(?:\s+\.align\s+\d+)?)?\s+(?P<name>{NAME})"
    rf"\s*(?P<array>\[\s*\w*\s*\])?\s*(?:=\s*(?P<values>.+))?",
    re.DOTALL,
)
_REGISTERS = re.compile(rf"\.reg\s*\.(?P<type>{_TYPES})\s+(?P<names>.+)", re.DOTALL)
_RANGE = re.compile(rf"({NAME})<(\d{{1,9}})>")
_DIRECTIVE = re.compile(r"\.(?P<name>[a-z_]+)(?P<values>(?:\s*,?\s*\d+)+)?")
_PROTOTYPE = re.compile(
    rf"(?:\((?P<results>[^)]*)\))?\s*{NAME}\s*(?:\((?P<parameters>[^)]*)\))?\s*(?:\.noreturn)?\s*", re.DOTALL
)
_OPAQUE = re.compile(
    rf"(?:\.(?:visible|extern|weak)\s+)*\.global\s+\.(?:texref|samplerref|surfref)\s+(?P<name>{NAME}).*"
)
_HEADER = re.compile(
    rf"(?P<linkage>(?:\.(?:weak|visible|extern)\s+)*)\.(?P<kind>entry|func)\s*(?:\((?P<results>[^)]*)\))?"
    rf"\s*(?P<name>{NAME})\s*(?:\((?P<parameters>[^)]*)\))?\s*(?P<rest>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Header:
    """The declaration of a function, without its body."""

    name: str
    entry: bool
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    directives: Mapping[str, tuple[int, ...]]  # e.g. `maxntid` → (256, 1, 1)


def header(text: str) -> Header:
    """Return what a `.entry` or `.func` line declares."""
    text = _spaced(text)
    match = _HEADER.fullmatch(text)
    if not match:
        raise EmulatorError(f"`{text[:80]}` is not a function header")
    directives = {
        item["name"]: tuple(number(value).value for value in split(item["values"])) if item["values"] else ()
        for item in _DIRECTIVE.finditer(match["rest"])
    }
    parameters, results = _list(match["parameters"]), _list(match["results"])
    return Header(match["name"], match["kind"] == "entry", parameters, results, directives)


def prototype(text: str) -> Prototype:
    """Return what a `.callprototype` declares."""
    text = _spaced(text)
    match = _PROTOTYPE.fullmatch(text)
    if not match:
        raise EmulatorError(f"`{text[:80]}` is not a prototype of a call")
    results, parameters = (tuple(item.bytes for item in _list(match[name])) for name in ("results", "parameters"))
    return Prototype(results, parameters)


def _spaced(text: str) -> str:
    """Return a declaration with single spaces: the search for optional parts among thousands takes minutes."""
    return " ".join(text.split())


def _list(text: str | None) -> tuple[Variable, ...]:
    return tuple(variable(item) for item in split(text)) if text and text.strip() else ()


def variable(text: str) -> Variable:
    """Return the variable that one declaration declares."""
    text = _spaced(text)
    match = _VARIABLE.fullmatch(text)
    if opaque := _OPAQUE.fullmatch(text):  # only instructions that the emulator refuses use these
        return Variable(opaque["name"], "global", "b64", 1, 8)
    if not match:
        raise EmulatorError(f"`{text[:80]}` is not a declaration that the emulator supports")
    array = match["array"]
    inside = array[1:-1].strip() if array else ""
    count = number(inside).value if inside else None if array else 1
    if match["vector"] and count is not None:
        count *= int(match["vector"])
    align = int(match["align"] or int(NUMPY[match["type"]].lstrip("?uif") or 1) * int(match["vector"] or 1))
    is_alignment = 0 < align <= MOST_ALIGNMENT and not align & (align - 1)
    if (count is not None and not 0 <= count <= MOST_ELEMENTS) or not is_alignment:
        raise EmulatorError(f"`{text[:80]}` has an impossible size or alignment")
    values = tuple(_values(match["values"])) if match["values"] else ()
    external = ".extern" in match["linkage"] and match["space"] in {"global", "const"}
    kinds = {"external": external, "pointer": bool(match["pointer"]), "array": bool(array)}
    return Variable(match["name"], match["space"], match["type"], count, align, values, **kinds)


def _values(text: str) -> Iterator[Immediate | Symbol]:
    text = text.strip()
    if text.startswith("{"):
        for item in split(text[1:-1]):
            yield from _values(item)
        return
    generic = re.fullmatch(r"generic\(([^()]*)\)(\s*\+\s*\d+)?", text)
    value = operand(f"{generic[1]}{generic[2] or ''}" if generic else text, lambda _: None)
    if not isinstance(value, Immediate | Symbol):
        raise EmulatorError(f"`{text[:80]}` cannot initialize a variable")
    yield value


def registers(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, type) of each register that a `.reg` declaration declares."""
    match = _REGISTERS.fullmatch(text)
    if not match:
        raise EmulatorError(f"`{text[:80]}` is not a register declaration that the emulator supports")
    for item in split(match["names"]):
        numbered = _RANGE.fullmatch(item)
        if numbered and int(numbered[2]) <= MOST_REGISTERS:
            yield from ((f"{numbered[1]}{index}", match["type"]) for index in range(int(numbered[2])))
        elif re.fullmatch(NAME, item):
            yield item, match["type"]
        else:
            raise EmulatorError(f"`{text[:80]}` declares no register name")
