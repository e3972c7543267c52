"""One input of a kernel: the arguments of a launch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shflbench.user_kernels.judge.sizes import Sizes

POISON = 0xA5  # each byte of a result before a launch


@dataclass(frozen=True, slots=True, eq=False)
class JudgeInput:
    """The arguments of one launch in host memory, and their name."""

    name: str
    sizes: Sizes
    arguments: tuple[Any, ...]
    tensors: Mapping[int, str] = field(default_factory=dict)  # those of PyTorch: by position, the names of their types
    is_checked: bool = True  # under several schedules; else results are only compared, of launches in turn

    def with_results(self, places: tuple[int, ...], fill: int = POISON) -> JudgeInput:
        """Return the same with each byte of the arguments at these places overwritten."""
        arguments = list(self.arguments)
        for place in places:
            given = arguments[place]
            arguments[place] = shaped_like(given, np.full(given.nbytes, fill, np.uint8).view(given.dtype))
        return replace(self, arguments=tuple(arguments))


def shaped_like(given: NDArray[Any], contents: NDArray[Any]) -> NDArray[Any]:
    """Return contents in the order of memory as an array of the shape and order of a given one."""
    shaped = np.empty_like(given)
    shaped.ravel(order="K")[:] = contents
    return shaped
