"""Open questions about host code: conditions of the preprocessor, and which function a call means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.syntax_trees import condition_around

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node


@dataclass(slots=True)
class OpenQuestions:
    """The places where runs of the host code met it."""

    conditions: dict[int, Node] = field(default_factory=dict)  # branches, by their ids
    calls: dict[int, Node] = field(default_factory=dict)  # names of functions, likewise

    def is_open(self, nodes: Iterable[Node]) -> bool:
        """Whether a condition decides which of several definitions counts; then note it."""
        listed = list(nodes)
        branches = [branch for node in listed if (branch := condition_around(node)) is not None]
        if len(listed) < 2 or not branches:  # noqa: PLR2004  (several)
            return False
        self.conditions[branches[0].id] = branches[0]
        return True
