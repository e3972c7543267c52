"""Read a PTX text into a module."""

import re
from collections.abc import Sequence
from dataclasses import replace

from shflbench.emulator.ptx import declarations
from shflbench.emulator.ptx.body import Body
from shflbench.emulator.ptx.declarations import Header
from shflbench.emulator.ptx.line_table import LineTable, files_of
from shflbench.emulator.ptx.operands import NAME, operand, split
from shflbench.emulator.ptx.statements import Statement, StatementKind, statements
from shflbench.emulator.ptx.syntax import (
    Function,
    Module,
    PtxInstruction,
    Register,
    Variable,
    shorten,
)
from shflbench.errors import EmulatorError

_INSTRUCTION = re.compile(
    rf"(?:@(?P<guard>!?\s*{NAME})\s+)?(?P<opcode>[a-z][A-Za-z0-9_.:]*)(?:(?:\s+|(?=[{{\[]))(?P<operands>.*))?"
)
_TABLE = re.compile(rf"({NAME})\s*:\s*\.(?:branchtargets|calltargets)\s+(.+)")
_PROTOTYPE = re.compile(rf"({NAME})\s*:\s*\.callprototype\b\s*(.*)")
_WITH_PARTS = frozenset({"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vmad"})  # scalar video instructions
_PART = re.compile(rf"({NAME})\.([bh][0-3])")
MOST_REGISTERS = 1 << 18  # of one function; the emulator needs memory for each in every thread
MOST_INSTRUCTIONS = 1 << 17  # of one function, as after inlining; reading more takes minutes
_LONGEST_MESSAGE = 200  # characters; names that a compiler made are long
_ALIAS = re.compile(rf"\.alias\s+({NAME})\s*,\s*({NAME})")


def parse(text: str) -> Module:
    """Return the module that a PTX text declares; EmulatorError names the line that cannot be read."""
    return _Parser().module(text)


class _Parser:
    """The state of reading one text."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.aliases: dict[str, str] = {}
        self.declared: set[str] = set()
        self.lines = LineTable({})
        self.body: Body | None = None
        self.pending: Header | None = None

    def module(self, text: str) -> Module:
        self.lines = LineTable(files_of(text))
        for statement in statements(text):
            try:
                self._read(statement)
            except EmulatorError as error:
                raise EmulatorError(
                    f"PTX line {statement.line}: {shorten(' '.join(error.message.split()), _LONGEST_MESSAGE)}",
                    "Compile the kernel again; if the error persists, report it.",
                ) from error
        if self.body or self.pending:
            name = self.body.header.name if self.body else self.pending.name if self.pending else ""
            raise EmulatorError(f"the PTX ends inside {name}", "Compile the kernel again; the text is damaged.")
        for alias, name in self.aliases.items():
            if name in self.functions:
                self.functions[alias] = self.functions[name]
        return Module(self.functions, self.variables, frozenset(self.declared - self.functions.keys()))

    def _read(self, statement: Statement) -> None:
        match statement.kind:
            case StatementKind.LINE:
                self.lines.read(statement.text)
            case StatementKind.HEADER:
                if self.body:
                    raise EmulatorError(f"a function starts inside {self.body.header.name}")
                self.pending = declarations.header(statement.text)
                self.declared.add(self.pending.name)
                self.lines.forget()
            case StatementKind.OPEN:
                self._open()
            case StatementKind.CLOSE:
                self._close()
            case StatementKind.LABEL if self.body:
                self.body.labels[self.body.declare(statement.text)] = len(self.body.instructions)
            case StatementKind.PLAIN if self.body:
                self._inside(self.body, statement)
            case _:
                self._outside(statement)

    def _open(self) -> None:
        if self.body is None:
            if self.pending is None:
                raise EmulatorError("a brace opens outside of every function")
            self.body, self.pending = Body(self.pending), None
        self.body.open()

    def _close(self) -> None:
        if self.body is None:
            raise EmulatorError("a brace closes that was never opened")
        self.body.scopes.pop()
        if not self.body.scopes:
            if self.body.header.name in self.functions:
                raise EmulatorError(f"{self.body.header.name} is defined twice")
            self.functions[self.body.header.name] = self.body.finish()
            self.body = None

    def _outside(self, statement: Statement) -> None:
        self.pending = None  # a function that is only declared
        if match := _ALIAS.fullmatch(statement.text):
            self.aliases[match[1]] = match[2]
            return
        if statement.text.startswith(".pragma"):
            return
        variable = declarations.variable(statement.text)
        if not variable.external or variable.name not in self.variables:
            self.variables[variable.name] = variable

    def _inside(self, body: Body, statement: Statement) -> None:
        text = statement.text
        if text.startswith(".reg"):
            for name, type_ in declarations.registers(text):
                body.registers[body.declare(name)] = type_
            if len(body.registers) > MOST_REGISTERS:
                raise EmulatorError(f"{body.header.name} declares more than {MOST_REGISTERS} registers")
        elif text.startswith("."):
            if not text.startswith(".pragma"):
                variable = declarations.variable(text)
                body.variables.append(replace(variable, name=body.declare(variable.name)))
        elif match := _TABLE.fullmatch(text):
            body.tables[body.declare(match[1])] = tuple(split(match[2]))
        elif match := _PROTOTYPE.fullmatch(text):
            body.prototypes[body.declare(match[1])] = declarations.prototype(match[2])
        elif text:
            if len(body.instructions) >= MOST_INSTRUCTIONS:
                raise EmulatorError(f"{body.header.name} has more than {MOST_INSTRUCTIONS} instructions")
            body.instructions.append((self._instruction(body, statement), tuple(body.scopes)))

    def _instruction(self, body: Body, statement: Statement) -> PtxInstruction:
        match = _INSTRUCTION.fullmatch(statement.text)
        if not match:
            raise EmulatorError(f"`{statement.text[:80]}` is not an instruction")
        opcode, *modifiers = match["opcode"].replace("::", ".").split(".")
        guard = operand(match["guard"], body.resolve) if match["guard"] else None
        if guard is not None and not isinstance(guard, Register):
            raise EmulatorError(f"`{match['guard']}` is not a predicate")
        texts = list(split(match["operands"])) if match["operands"] else []
        if opcode in _WITH_PARTS:
            texts, parts = _parts(texts)
            modifiers += parts
        operands = tuple(operand(item, body.resolve) for item in texts)
        location = self.lines.current
        return PtxInstruction(opcode, tuple(modifiers), operands, guard, location, statement.text, statement.line)


def _parts(operands: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return operands without the parts of registers that they name, and a modifier for each part: `a-h0`."""
    matches = [_PART.fullmatch(item.strip()) for item in operands]
    names = [match[1] if match is not None else item for match, item in zip(matches, operands, strict=True)]
    return names, [f"{letter}-{match[2]}" for letter, match in zip("dabc", matches, strict=False) if match is not None]
