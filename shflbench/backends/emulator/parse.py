"""Read a PTX text into a module."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.backends.emulator import declarations
from shflbench.backends.emulator.body import Body
from shflbench.backends.emulator.locations import LineTable
from shflbench.backends.emulator.operands import NAME, operand, split
from shflbench.backends.emulator.ptx import (
    Function,
    Instruction,
    Module,
    Register,
    Variable,
)
from shflbench.backends.emulator.statements import Kind, Statement, statements
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from shflbench.backends.emulator.declarations import Header

_INSTRUCTION = re.compile(rf"(?:@(?P<guard>!?\s*{NAME})\s+)?(?P<opcode>[a-z][A-Za-z0-9_.:]*)(?:\s+(?P<operands>.*))?")
_TABLE = re.compile(rf"({NAME})\s*:\s*\.branchtargets\s+(.+)")


def parse(text: str) -> Module:
    """Return the module that a PTX text declares; EmulatorError names the line that makes no sense."""
    return _Parser().module(text)


class _Parser:
    """Holds what has been read so far."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self.variables: dict[str, Variable] = {}
        self.lines = LineTable()
        self.body: Body | None = None
        self.pending: Header | None = None

    def module(self, text: str) -> Module:
        self.lines.read_files(text)
        for statement in statements(text):
            try:
                self._read(statement)
            except EmulatorError as error:
                raise EmulatorError(
                    f"PTX line {statement.line}: {' '.join(error.message.split())}",
                    "Compile the kernel anew; if the text is whole, report it.",
                ) from error
        if self.body or self.pending:
            name = self.body.header.name if self.body else self.pending.name if self.pending else ""
            raise EmulatorError(f"the PTX breaks off inside {name}", "Compile the kernel anew; the text is damaged.")
        return Module(self.functions, self.variables)

    def _read(self, statement: Statement) -> None:
        match statement.kind:
            case Kind.LINE:
                self.lines.read(statement.text)
            case Kind.HEADER:
                if self.body:
                    raise EmulatorError(f"a function starts inside {self.body.header.name}")
                self.pending = declarations.header(statement.text)
                self.lines.forget()
            case Kind.OPEN:
                self._open()
            case Kind.CLOSE:
                self._close()
            case Kind.LABEL if self.body:
                self.body.labels[self.body.declare(statement.text)] = len(self.body.instructions)
            case Kind.PLAIN if self.body:
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
            self.functions[self.body.header.name] = self.body.finish()
            self.body = None

    def _outside(self, statement: Statement) -> None:
        self.pending = None  # a function that is declared only
        if statement.text.startswith((".pragma", ".alias")):
            return
        variable = declarations.variable(statement.text)
        self.variables[variable.name] = variable

    def _inside(self, body: Body, statement: Statement) -> None:
        text = statement.text
        if text.startswith(".reg"):
            for name, type_ in declarations.registers(text):
                body.registers[body.declare(name)] = type_
        elif text.startswith("."):
            if not text.startswith(".pragma"):
                variable = declarations.variable(text)
                body.variables.append(replace(variable, name=body.declare(variable.name)))
        elif match := _TABLE.fullmatch(text):
            body.tables[body.declare(match[1])] = tuple(split(match[2]))
        elif text:
            body.instructions.append((self._instruction(body, statement), tuple(body.scopes)))

    def _instruction(self, body: Body, statement: Statement) -> Instruction:
        match = _INSTRUCTION.fullmatch(statement.text)
        if not match:
            raise EmulatorError(f"`{statement.text[:80]}` is no instruction")
        opcode, *modifiers = match["opcode"].replace("::", ".").split(".")
        guard = operand(match["guard"], body.resolve) if match["guard"] else None
        if guard is not None and not isinstance(guard, Register):
            raise EmulatorError(f"`{match['guard']}` is no predicate")
        operands = tuple(operand(item, body.resolve) for item in split(match["operands"])) if match["operands"] else ()
        location = self.lines.current
        return Instruction(opcode, tuple(modifiers), operands, guard, location, statement.text, statement.line)
