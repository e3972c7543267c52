"""Values of registers as other types."""

import numpy as np

from shflbench.emulator.opcodes.forms import Values


def as_type(values: Values, type_: str) -> Values:
    """Return values as another type of the same bits; the low ones, or with zeros above them, if the sizes differ."""
    if not type_ or values.dtype == np.dtype(type_):
        return values
    size, wanted = values.dtype.itemsize, np.dtype(type_)
    if values.dtype.kind == "b" or wanted.kind == "b":
        return values.astype(wanted)
    bits = np.ascontiguousarray(values).view(f"u{size}").astype(f"u{wanted.itemsize}")
    return bits.view(wanted)
