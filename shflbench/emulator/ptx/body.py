"""A function while it is read: its scopes, and the unique names in them."""

from dataclasses import dataclass, field, replace

from shflbench.emulator.ptx.declarations import Header
from shflbench.emulator.ptx.syntax import (
    Address,
    Function,
    Operand,
    Prototype,
    PtxInstruction,
    Symbol,
    Variable,
    Vector,
)
from shflbench.errors import EmulatorError

DEEPEST_SCOPE = 100  # NVRTC nests two; deeper nesting is a damaged text


@dataclass(slots=True)
class Scope:
    """The names that one pair of braces declares; inline assembly reuses names, so each gets a suffix."""

    suffix: str
    names: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Body:
    """A function while it is read."""

    header: Header
    scopes: list[Scope] = field(default_factory=list)
    opened: int = 0
    registers: dict[str, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    instructions: list[tuple[PtxInstruction, tuple[Scope, ...]]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prototypes: dict[str, Prototype] = field(default_factory=dict)

    def open(self) -> None:
        """Enter a scope."""
        if len(self.scopes) >= DEEPEST_SCOPE:
            raise EmulatorError(f"the scopes of {self.header.name} nest deeper than {DEEPEST_SCOPE}")
        self.scopes.append(Scope(f"@{self.opened}" if self.opened else ""))
        self.opened += 1

    def declare(self, name: str) -> str:
        """Return the unique name of `name` in the innermost scope."""
        scope = self.scopes[-1]
        return scope.names.setdefault(name, name + scope.suffix)

    def resolve(self, name: str) -> str | None:
        """Return the unique name of a register in scope."""
        unique = _lookup(name, tuple(self.scopes))
        return unique if unique in self.registers else None

    def finish(self) -> Function:
        """Return the function, its symbols made unique."""
        head = self.header
        return Function(
            head.name,
            head.entry,
            head.parameters,
            head.results,
            self.registers,
            tuple(self.variables),
            tuple(_with_unique_symbols(instruction, scopes) for instruction, scopes in self.instructions),
            self.labels,
            self.tables,
            self.prototypes,
            head.directives,
        )


def _lookup(name: str, scopes: tuple[Scope, ...]) -> str:
    return next((scope.names[name] for scope in reversed(scopes) if name in scope.names), name)


def _with_unique_symbols(instruction: PtxInstruction, scopes: tuple[Scope, ...]) -> PtxInstruction:
    """Return `instruction` with labels and variables by their unique names, known once its scopes are closed."""

    def unique(item: Operand) -> Operand:
        match item:
            case Symbol():
                return replace(item, name=_lookup(item.name, scopes))
            case Vector(items=items):
                return Vector(tuple(unique(part) for part in items))
            case Address(base=Symbol() as base):
                return replace(item, base=replace(base, name=_lookup(base.name, scopes)))
            case _:
                return item

    operands = tuple(unique(item) for item in instruction.operands)
    return instruction if operands == instruction.operands else replace(instruction, operands=operands)
