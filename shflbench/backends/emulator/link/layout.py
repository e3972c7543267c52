"""Place every variable in its memory space."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from shflbench.backends.emulator.frontend.ptx import Immediate, Variable, size_of
from shflbench.backends.emulator.opcodes.addresses import MODULE_BASE, WINDOW_BYTES
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError

MOST_MODULE_BYTES = 1 << 28


@dataclass(slots=True)
class Area:
    """One memory space that is filled from the bottom."""

    used: int = 0

    def place(self, size: int, align: int) -> int:
        """Return the address of `size` new bytes."""
        start = -(-self.used // align) * align
        self.used = start + size
        return start


@dataclass(slots=True)
class Layout:
    """Where the variables lie: name → (space, address)."""

    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    shared: Area = field(default_factory=Area)
    local: Area = field(default_factory=Area)
    module: Area = field(default_factory=Area)
    dynamic: list[str] = field(default_factory=list)

    def add(self, name: str, variable: Variable) -> None:
        """Place one variable; parameters of device functions live in local memory."""
        if variable.space == "shared":
            if variable.count is None:
                self.dynamic.append(name)
                self.shared.used = -(-self.shared.used // variable.align) * variable.align
            else:
                self.places[name] = ("shared", self.shared.place(variable.bytes, variable.align))
        elif variable.space in {"local", "param"}:
            self.places[name] = ("local", self.local.place(variable.bytes, variable.align))
        else:
            self.places[name] = (variable.space, MODULE_BASE + self.module.place(variable.bytes, variable.align))

    def finish(self) -> None:
        """Place dynamic shared memory behind all static variables, and check the sizes."""
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
                bits = value.value if isinstance(value, Immediate) else self.places.get(value.name, ("", 0))[1]
                word = (bits % (1 << (8 * size))).to_bytes(size, "little")
                image[start + size * index : start + size * (index + 1)] = np.frombuffer(word, np.uint8)
        return image
