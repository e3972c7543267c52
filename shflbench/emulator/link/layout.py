"""Place every variable in its memory space."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.link.program import ModuleVariable, PlacedVariable
from shflbench.emulator.opcodes.addresses import MODULE_BASE, WINDOW_BYTES
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.syntax import Immediate, Symbol, Variable, shorten, size_of
from shflbench.errors import EmulatorError

MOST_MODULE_BYTES = 1 << 28
WORKSPACE = "workspace of cooperative groups"
WORKSPACE_BYTES = 256  # cooperative_groups/details/helpers.h uses less than 64
FUNCTION_BASE = 0x0600_0000_0000  # outside of every window of memory
_MODULE_ALIGN = 16  # apart, so that accesses to one variable never touch the cells of another
# Bytes without a variable between two of them, which show accesses beyond the end of one. In shared memory, these are
# all banks, so that conflicts stay as they are.
_GAP = 128


@dataclass(slots=True)
class Area:
    """One memory space that is filled from the bottom."""

    used: int = 0
    variables: list[PlacedVariable] = field(default_factory=list)

    def place(self, size: int, align: int) -> int:
        """Return the address of `size` new bytes."""
        start = -(-self.used // align) * align
        self.used = start + size
        return start

    def place_variable(self, name: str, size: int, align: int) -> int:
        """Return the address of a variable, apart from the one before."""
        if self.variables and self.variables[-1].size:
            self.used += _GAP
        start = self.place(size, align)
        self.variables.append(PlacedVariable(name, start, size))
        return start


@dataclass(slots=True)
class Layout:
    """Where the variables lie: name → (space, address)."""

    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    shared: Area = field(default_factory=Area)
    local: Area = field(default_factory=Area)
    module: Area = field(default_factory=Area)
    dynamic: list[str] = field(default_factory=list)
    dynamic_align: int = 1
    symbols: list[ModuleVariable] = field(default_factory=list)
    workspace: int = 0
    stack_start: int = 0  # in local memory
    _stack_bytes: int = 0

    def add(self, name: str, variable: Variable) -> None:
        """Place one variable; parameters of device functions live in local memory."""
        if variable.space == "shared":
            if variable.count is None:
                self.dynamic.append(name)
                self.dynamic_align = max(self.dynamic_align, variable.align)
            else:
                self.places[name] = ("shared", self.shared.place_variable(name, variable.bytes, variable.align))
        elif variable.space in {"local", "param"}:
            self.places[name] = ("local", self.local.place_variable(name, variable.bytes, variable.align))
        else:
            start = self.module.place_variable(name, variable.bytes, max(variable.align, _MODULE_ALIGN))
            self.places[name] = (variable.space, MODULE_BASE + start)
            self.symbols.append(ModuleVariable(name, variable.space, start, variable.bytes, variable.type))

    def place_function(self, name: str, number: int) -> None:
        """Give a function whose address is taken an address; no memory lies there."""
        self.places[name] = ("function", FUNCTION_BASE + 16 * number)

    def reserve_stack(self, size: int) -> None:
        """Keep local memory for the frames of functions that are not inlined."""
        self._stack_bytes = size

    def finish(self) -> None:
        """Place dynamic shared memory behind all static variables, and check the sizes."""
        self.workspace = self.module.place_variable(WORKSPACE, WORKSPACE_BYTES, WORKSPACE_BYTES)
        self.symbols.append(ModuleVariable(WORKSPACE, "global", self.workspace, WORKSPACE_BYTES))
        self.stack_start = self.local.place_variable("stack", self._stack_bytes, 16)
        if self.dynamic:
            self.shared.place_variable(self.dynamic[0], 0, self.dynamic_align)
        for name in self.dynamic:
            self.places[name] = ("shared", self.shared.used)
        for area, most, what in (
            (self.shared, WINDOW_BYTES, "shared"),
            (self.local, WINDOW_BYTES, "local"),
            (self.module, MOST_MODULE_BYTES, "global"),
        ):
            if area.used > most:
                raise EmulatorError(
                    f"the kernel declares {area.used} bytes of {what} memory",
                    "No GPU has that much; the PTX is damaged.",
                )

    def _address(self, value: Symbol) -> int:
        """Return the address that an initial value is."""
        if value.name not in self.places:
            raise EmulatorError(f"a variable holds the address of `{shorten(value.name)}`, which the PTX does not hold")
        return self.places[value.name][1] + value.offset

    def image(self, variables: Iterable[Variable]) -> Values:
        """Return the bytes of the module's variables as they are before a launch."""
        image = np.zeros(self.module.used, np.uint8)
        for variable in variables:
            if variable.space not in {"global", "const"} or variable.name not in self.places:
                continue
            start = self.places[variable.name][1] - MODULE_BASE
            size = size_of(variable.type)
            if len(variable.values) > (variable.count or 0):
                raise EmulatorError(f"{variable.name} has more initial values than elements")
            for index, value in enumerate(variable.values):
                bits = value.value if isinstance(value, Immediate) else self._address(value)
                word = (bits % (1 << (8 * size))).to_bytes(size, "little")
                image[start + size * index : start + size * (index + 1)] = np.frombuffer(word, np.uint8)
        return image
