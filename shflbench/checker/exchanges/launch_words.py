"""Launches in words: those of the host code, with the numbers of blocks with which a check runs them as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.checker.inputs.default_launches import PlannedLaunch


def launch_texts(launches: Iterable[PlannedLaunch]) -> tuple[str, ...]:
    """Return each launch that somebody specifies as `64x256`, or as `64x256 (also with 16 blocks)`."""
    blocks: dict[LaunchShape, dict[int, None]] = {}
    for launch in launches:
        blocks.setdefault(_specified(launch), {})[launch.shape.blocks] = None
    return tuple(_text(shape, list(numbers)) for shape, numbers in blocks.items())


def _specified(launch: PlannedLaunch) -> LaunchShape:
    """Return the shape that the host code or the user specifies, of which a launch may have fewer blocks."""
    return LaunchShape(launch.whole_grid, launch.shape.block, cluster=launch.shape.cluster)


def _text(shape: LaunchShape, blocks: list[int]) -> str:
    clusters = f" in clusters of {shape.in_clusters}" if shape.in_clusters else ""
    fewer = [number for number in blocks if number != shape.blocks]
    if not fewer:
        return f"{shape}{clusters}"
    also = "also " if len(fewer) < len(blocks) else ""
    numbers = f"{join_words([str(number) for number in fewer])} block{'s' if fewer != [1] else ''}"
    return f"{shape}{clusters} ({also}with {numbers})"
