"""Read the mangled name of a kernel: its qualified name, template arguments and parameter types.

Source: Itanium C++ ABI, 5.1 (external names). Covers what occurs in names of kernels; a name with anything else is not
demangled at all. No package replaces it: pydemumble and cxxfilt return one text, whose parts would have to be read
again, and nvidia-cuda-cuxxfilt has no function that Python can call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double",
    "e": "long double", "g": "__float128", "z": "...",
}  # fmt: skip
_BUILTIN_D = {"Dn": "std::nullptr_t", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t", "Dh": "__half"}
_STANDARD = {
    "St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string", "Si": "std::istream",
    "So": "std::ostream", "Sd": "std::iostream",
}  # fmt: skip
_SUFFIX = {"j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}  # of literals
_QUALIFIERS = {"K": "const", "V": "volatile", "r": "__restrict__"}
_MAXIMUM_DEPTH = 200  # nested parts; names of real kernels have a few
_MOST_REPEATED = 1_000_000  # characters of parts that stand for earlier ones, which can double the text each time


class _UnknownPartError(Exception):
    """The name contains a part that is not covered."""


@dataclass(frozen=True, slots=True)
class Demangled:
    """A kernel's name in C++."""

    name: str  # qualified, without template arguments: `tools::copy`
    template_arguments: tuple[str, ...] | None  # None if it is no template
    parameters: tuple[str, ...]  # types

    @property
    def full_name(self) -> str:
        """The name with its template arguments, as users write it."""
        return self.name if self.template_arguments is None else f"{self.name}<{', '.join(self.template_arguments)}>"


def demangle(symbol: str) -> Demangled | None:
    """Return the parts of `symbol`; None if it is not mangled or has a part that is not covered."""
    if not symbol.startswith("_Z"):
        return None
    try:
        return _Reader(symbol).encoding()
    except (_UnknownPartError, IndexError):
        return None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 2
        self._substitutions: list[str] = []
        self._arguments: tuple[str, ...] | None = None  # of the innermost template of the name that ended last
        self._packs: dict[int, list[str]] = {}  # of the same template, by the number of the argument
        self._depth = 0
        self._repeated = 0  # characters

    def encoding(self) -> Demangled:
        name, arguments = self._name()
        if arguments is not None:
            self._type()  # a template's name states its result
        types = []
        while self._at < len(self._text) and self._peek() not in ".$E@":
            types.extend(self._types())
        if types == ["void"]:
            types = []
        return Demangled(name, arguments, tuple(types))

    def _peek(self, count: int = 1) -> str:
        return self._text[self._at : self._at + count]

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise _UnknownPartError

    def _name(self) -> tuple[str, tuple[str, ...] | None]:
        """Read a name; return it without its last template arguments, and these."""
        if self._take("N"):
            return self._nested()
        if self._take("Z"):
            self._enter()
            outer = self.encoding()
            self._expect("E")
            self._depth -= 1
            if self._take("s"):
                self._discriminator()
                return f"{outer.full_name}::string literal", None
            name, arguments = self._name()
            self._discriminator()
            return f"{outer.full_name}::{name}", arguments
        if self._peek() == "S" and self._peek(2) != "St":
            name = self._substitution()
        else:
            name = f"std::{self._unqualified()}" if self._take("St") else self._unqualified()
            if self._peek() == "I":
                self._substitutions.append(name)
        if self._peek() == "I":
            return name, self._template_arguments()
        return name, None

    def _nested(self) -> tuple[str, tuple[str, ...] | None]:
        while self._peek() in _QUALIFIERS:
            self._at += 1
        name = ""
        arguments: tuple[str, ...] | None = None
        while not self._take("E"):
            if self._peek() == "I":
                arguments = self._template_arguments()
                self._substitutions.append(f"{name}<{', '.join(arguments)}>")
                continue
            if arguments is not None:
                name, arguments = f"{name}<{', '.join(arguments)}>", None
            if self._peek() == "S" and self._peek(2) != "St":
                name = self._substitution()
                continue
            if self._peek() == "T":
                name = self._template_parameter()
            else:
                part = "std" if self._take("St") else self._unqualified()
                name = f"{name}::{part}" if name else part
                if part == "std":
                    continue
            self._substitutions.append(name)
        if self._substitutions:
            self._substitutions.pop()  # the whole name is no prefix
        return name, arguments

    def _unqualified(self) -> str:
        self._take("L")  # internal linkage
        match = re.compile(r"\d+").match(self._text, self._at)
        if match is None:
            return self._operator()
        length = int(match[0])
        start = match.end()
        self._at = start + length
        if self._at > len(self._text):
            raise _UnknownPartError
        name = self._text[start : self._at]
        while self._take("B"):  # ABI tags, which Numba uses for versions of a function
            self._unqualified()
        # Anonymous namespaces carry the name of the file.
        return "(anonymous namespace)" if name.startswith(("_GLOBAL__N", "_INTERNAL")) else name

    def _operator(self) -> str:
        if self._take("Ul"):
            while not self._take("E"):
                self._type()
            self._number_until("_")
            return "(lambda)"
        if self._take("Ut"):
            self._number_until("_")
            return "(unnamed)"
        raise _UnknownPartError

    def _number_until(self, end: str) -> str:
        stop = self._text.find(end, self._at)
        digits = self._text[self._at : stop]
        if stop < 0 or not re.fullmatch(r"[0-9A-Z]*", digits):
            raise _UnknownPartError
        self._at = stop + len(end)
        return digits

    def _discriminator(self) -> None:
        if self._take("__"):
            self._number_until("_")
        elif self._take("_"):
            self._at += 1

    def _template_arguments(self) -> tuple[str, ...]:
        self._expect("I")
        self._enter()
        arguments: list[str] = []  # as written, in which packs are flat
        numbered: list[str] = []
        packs: dict[int, list[str]] = {}
        while not self._take("E"):
            pack = self._peek() == "J"
            values = self._template_argument()
            if pack:
                packs[len(numbered)] = values
            arguments.extend(values)
            numbered.append(", ".join(values))
        self._depth -= 1
        self._arguments, self._packs = tuple(numbered), packs
        return tuple(arguments)

    def _template_argument(self) -> list[str]:
        if self._take("J"):
            pack: list[str] = []
            self._enter()
            while not self._take("E"):
                pack.extend(self._template_argument())
            self._depth -= 1
            return pack
        if self._take("L"):
            return [self._literal()]
        if self._take("XadL_Z"):  # the address of a function or a variable
            name = self._address()
            self._expect("E")
            return [name]
        if self._peek() == "X":
            self._expect("X")
            if self._peek() != "T":  # an expression of more than a parameter
                raise _UnknownPartError
            value = self._template_parameter()  # not to be substituted, as it is no type
            self._expect("E")
            return [value]
        return [self._type()]

    def _literal(self) -> str:
        if self._take("_Z"):
            return self._address()
        code = self._peek()
        type_ = self._type()
        value = self._text[self._at : self._text.index("E", self._at)] if "E" in self._text[self._at :] else None
        if value is None or not re.fullmatch(r"n?[0-9a-f]*", value):
            raise _UnknownPartError
        self._at += len(value) + 1
        number = value.replace("n", "-")
        if code == "b":
            return "true" if number == "1" else "false"
        if code == "i":
            return number
        if code in _SUFFIX:
            return number + _SUFFIX[code]
        return f"({type_}){number}"

    def _address(self) -> str:
        self._enter()
        name = self.encoding()
        self._depth -= 1
        self._expect("E")
        return f"&{name.full_name}"

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MAXIMUM_DEPTH:
            raise _UnknownPartError

    def _types(self) -> list[str]:
        """Read one parameter, or all parameters of an expanded pack."""
        match = re.compile(r"DpT(\d*)_").match(self._text, self._at)
        if match is not None and (pack := self._packs.get(int(match[1]) + 1 if match[1] else 0)) is not None:
            self._at = match.end()
            return [self._repeat(text) for text in pack]
        return [self._type()]

    def _type(self) -> str:
        self._enter()
        text = self._read_type()
        self._depth -= 1
        return text

    def _read_type(self) -> str:  # noqa: C901, PLR0911  (one branch per production of the grammar)
        code = self._peek()
        if code in _QUALIFIERS:
            return self._qualified()
        if code in ("P", "R", "O"):
            self._at += 1
            return self._remember(_indirect(self._type(), {"P": "*", "R": "&", "O": "&&"}[code]))
        if code == "S" and self._peek(2) != "St":
            name = self._substitution()
            if self._peek() == "I":
                return self._remember(f"{name}<{', '.join(self._nested_arguments())}>")
            return name
        if code == "T":
            name = self._remember(self._template_parameter())
            if self._peek() == "I":  # a template that is a parameter
                return self._remember(f"{name}<{', '.join(self._nested_arguments())}>")
            return name
        if code == "D":
            return self._type_d()
        if code in _BUILTIN:
            self._at += 1
            return _BUILTIN[code]
        if code == "u":
            self._at += 1
            return self._remember(self._unqualified())
        if code == "A":
            self._at += 1
            count = self._number_until("_")
            return self._remember(f"{self._type()} [{count}]")
        if code == "F":
            return self._function()
        if code in ("N", "Z") or code == "S" or code.isdigit():
            return self._class()
        raise _UnknownPartError

    def _qualified(self) -> str:
        words = []
        while self._peek() in _QUALIFIERS:
            words.append(_QUALIFIERS[self._peek()])
            self._at += 1
        words.reverse()
        inner = self._type()
        if inner.endswith(("*", "&")) or words == ["__restrict__"]:
            return self._remember(f"{inner} {' '.join(words)}")
        return self._remember(f"{' '.join(words)} {inner}")

    def _type_d(self) -> str:
        code = self._peek(2)
        if code in _BUILTIN_D:
            self._at += 2
            return _BUILTIN_D[code]
        if self._take("DF16b"):
            return "__nv_bfloat16"
        if self._take("DF16_"):
            return "__half"
        if self._take("Dp"):
            return self._type()
        if self._take("Dv"):
            count = self._number_until("_")
            return self._remember(f"{self._type()} __attribute__((vector_size({count})))")
        raise _UnknownPartError

    def _function(self) -> str:
        self._expect("F")
        self._take("Y")
        result = self._type()
        parameters = []
        while not self._take("E"):
            parameters.append(self._type())
        shown = "" if parameters == ["void"] else ", ".join(parameters)
        return self._remember(f"{result} ({shown})")

    def _class(self) -> str:
        outer = self._arguments, self._packs
        name, arguments = self._name()
        self._arguments, self._packs = outer
        if arguments is None:
            return self._remember(name)
        return self._remember(f"{name}<{', '.join(arguments)}>")

    def _nested_arguments(self) -> tuple[str, ...]:
        outer = self._arguments, self._packs
        arguments = self._template_arguments()
        self._arguments, self._packs = outer
        return arguments

    def _remember(self, text: str) -> str:
        self._substitutions.append(text)
        return text

    def _repeat(self, text: str) -> str:
        """Return an earlier part once more, as long as there are not too many."""
        self._repeated += len(text)
        if self._repeated > _MOST_REPEATED:
            raise _UnknownPartError
        return text

    def _substitution(self) -> str:
        two = self._peek(2)
        if two in _STANDARD:
            self._at += 2
            return _STANDARD[two]
        self._expect("S")
        digits = self._number_until("_")
        return self._repeat(self._substitutions[int(digits, 36) + 1 if digits else 0])

    def _template_parameter(self) -> str:
        self._expect("T")
        digits = self._number_until("_")
        if self._arguments is None:
            raise _UnknownPartError
        if digits and not digits.isdigit():
            raise _UnknownPartError
        # The number is a decimal one, unlike that of a substitution.
        return self._repeat(self._arguments[int(digits) + 1 if digits else 0])


def _indirect(text: str, mark: str) -> str:
    if text.endswith(")") and " (" in text:  # a pointer to a function
        result, _, parameters = text.partition(" (")
        return f"{result} ({mark})({parameters}"
    return f"{text}{mark}" if text.endswith(("*", "&")) else f"{text} {mark}"
