"""Number the registers of a kernel, special ones included."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shflbench.emulator.opcodes.addresses import OWNER
from shflbench.emulator.ptx.syntax import NUMPY
from shflbench.errors import EmulatorError

AXES = ("x", "y", "z")
SPECIAL: Mapping[str, str] = {
    **{
        f"%{name}.{axis}": "u4"
        for name in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
        for axis in AXES
    },
    **dict.fromkeys(("%cluster_ctarank", "%cluster_nctarank"), "u4"),
    "%is_explicit_cluster": "?",
    **{f"%envreg{number}": "u4" for number in range(32)},
    **{f"%pm{number}": "u4" for number in range(8)},
    **{f"%pm{number}_64": "u8" for number in range(8)},
    **{f"%lanemask_{relation}": "u4" for relation in ("eq", "le", "lt", "ge", "gt")},
    **dict.fromkeys(("%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid"), "u4"),
    **dict.fromkeys(("%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size"), "u4"),
    **{f"%reserved_smem_offset_{name}": "u4" for name in ("begin", "end", "cap", "0", "1")},
    **dict.fromkeys(("%gridid", OWNER), "u8"),
}
CARRY = "%carry"  # the hidden flag of add.cc and similar instructions
TIMERS = ("%clock", "%globaltimer")


@dataclass(slots=True)
class Numbering:
    """Register names → numbers, and the NumPy type of each register's storage."""

    numbers: dict[str, int] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)

    def declare(self, name: str, type_: str) -> None:
        """Give `name` a number; registers are untyped bits, so only their size is kept."""
        numpy = NUMPY[type_]
        self._add(name, numpy if numpy == "?" else f"u{numpy[1:]}")

    def number(self, name: str) -> int:
        """Return the number of a register; EmulatorError if there is none of that name."""
        if name not in self.numbers:
            if name in SPECIAL:
                self._add(name, SPECIAL[name])
            elif name == CARRY:
                self._add(name, "?")
            else:
                raise EmulatorError(f"unknown register `{name}`")
        return self.numbers[name]

    def copy(self, number: int) -> int:
        """Return the number of a new register, without a name, that has the size of another one."""
        self.types.append(self.types[number])
        return len(self.types) - 1

    def _add(self, name: str, type_: str) -> None:
        if name not in self.numbers:
            self.numbers[name] = len(self.types)
            self.types.append(type_)


def known_special(name: str) -> bool:
    """Return whether `name` is a special register that has a value here."""
    return name in SPECIAL or name.startswith(TIMERS)
