"""A difference between the outputs of two schedules in words: the element, its type, and both values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.elements import ELEMENTS, element_of
from shflbench.emulator.machine.policies import LOCKSTEP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.runs.evidence import LaunchEvidence, OutputDifference


def difference_words(launch: LaunchEvidence, difference: OutputDifference) -> str:
    """Return a difference between the outputs of a launch, in words without a period."""
    number = next(n for n, buffer in enumerate(launch.arguments.buffers) if buffer.name == difference.buffer)
    complete = {result.policy: result for result in launch.results if result.error is None}
    first = next(iter(complete.values()))
    outputs = [result.outputs[number].view(np.uint8) for result in (complete[difference.policy], first)]
    element = _element_of(launch.arguments.buffers[number].text)
    if element is None:
        place = f"byte {difference.byte} of `{difference.buffer}`"
        one, other = (str(data[difference.byte]) for data in outputs)
    else:
        index = difference.byte // element.size
        place = f"`{difference.buffer}[{index}]` ({element.name})"
        one, other = (_value(data[element.size * index :], element) for data in outputs)
    order = "lockstep execution" if first.policy == LOCKSTEP.name else f"`{first.policy}`"
    return f"{place} is {one} under `{difference.policy}`, and {other} in {order} (launch {launch.launch.shape})"


def _element_of(text: str) -> Element | None:
    """Return the element type of a buffer by its text: `f32[256]`, `in.npy (float32[256])`, or `4096 bytes`."""
    name, bracket, _ = text.rpartition("(")[2].partition("[")
    if not bracket:
        return None
    return ELEMENTS.get(name) or element_of(name)


def _value(data: NDArray[np.uint8], element: Element) -> str:
    """Return the first element of `data`, exactly."""
    part = data[: element.size]
    if element.name == "bf16":  # the upper half of a float
        part = np.concatenate([np.zeros(2, np.uint8), part])
    return str(np.ascontiguousarray(part).view(element.numpy)[0])
