"""The `__device__` and `__constant__` variables of a kernel as buffers of a launch that can be timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.candidate import CandidateBuffer
from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.runs.buffer_uses import BufferUse
from shflbench.core.symbols import variable_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.runs.variable_uses import VariableUse


def variable_buffers(
    uses: Sequence[VariableUse], arguments: Arguments, taken: Collection[str]
) -> Iterator[CandidateBuffer]:
    """Yield the variables with their contents before the launch; not those that are constants of the file.

    Names that are `taken` by arguments are replaced.
    """
    for item in uses:
        name = variable_name(item.variable.name)
        is_specified = name in arguments.variables
        if item.use is BufferUse.READ and item.is_initialized and not is_specified:
            continue
        given = arguments.variables.get(name)
        contents = given + item.image[len(given) :] if given is not None else item.image
        if not any(contents):
            contents = contents[: ELEMENTS[item.element].size]
        yield CandidateBuffer(
            f"{name}_variable" if name in taken else name,
            item.element,
            np.frombuffer(contents, np.uint8),
            item.variable.size,
            is_synthesized=is_specified and given is None,
            use=item.use,
            is_intermediate=item.is_intermediate,
            variable=item.variable.name,
            is_unset=item.use is BufferUse.READ and given is None,
        )
