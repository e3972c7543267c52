"""Match the arguments of kernels by the names of fields, where one of them takes a structure by value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker import CandidateLaunch


def fields_in(base: CandidateLaunch, other: CandidateLaunch) -> Mapping[str, str]:
    """Return the name in `base` of each argument of `other`; empty unless it has one of the same name for each.

    The name of a field is that without its structure: `rows` of `view.rows`, which may be a parameter `rows`.
    """
    if not (base.structures or other.structures) or base.later or other.later:
        return {}
    known = {plain: name for name, plain in _plain_names(base).items()}
    pairs = {name: known.get(plain, "") for name, plain in _plain_names(other).items()}
    is_whole = len(known) == len(set(base.arguments)) and all(pairs.values())
    return pairs if is_whole and len(set(pairs.values())) == len(pairs) else {}


def _plain_names(launch: CandidateLaunch) -> dict[str, str]:
    """Return the names of the arguments without those of the structures that they are fields of."""
    names = {name: name for name in launch.arguments}
    for structure in launch.structures:
        for name in launch.arguments[structure.first : structure.first + len(structure.offsets)]:
            names[name] = name.removeprefix(f"{structure.name}.")
    return names
