"""A kernel that is ready to be checked, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.cuda_sources.kernel_file import KernelFile

Arguments: TypeAlias = "Sequence[object] | Mapping[str, object] | None"  # by position, or by name


@dataclass(frozen=True, slots=True)
class PreparedKernel:
    """One kernel with its launch and arguments."""

    file: KernelFile
    symbol: str
    shape: LaunchShape | None  # None: chosen
    shared_bytes: int | None  # dynamic, per block; None: chosen
    arguments: tuple[GivenArgument, ...]  # of the parameters in the PTX
    arrays: Mapping[str | int, tuple[int, NDArray[Any]]] = field(
        default_factory=dict
    )  # key in `args` → parameter, array
    advice: str = ""  # what to do where it cannot be checked
