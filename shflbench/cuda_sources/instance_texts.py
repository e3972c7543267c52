"""The text of an instance of a class or alias template, in which the arguments stand for the parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import template_parameters
from shflbench.cuda_sources.naming import split_arguments
from shflbench.cuda_sources.syntax_trees import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

_MOST_LISTED = 4096  # characters of arguments, which each alias of an alias may double
_NAME = re.compile(r"[A-Za-z_]\w*")


def instance_text(node: Node, listed: str, part: Node | None = None) -> str | None:
    """Return the text of a template, or of a part of it, for the arguments `listed`: `float, 4>`.

    None if an argument is missing, if the arguments are very long, or if a parameter is a pack. Defaults may name
    earlier parameters.
    """
    parameters = template_parameters(node.parent) if node.parent is not None else ()
    given = [text.strip() for text in split_arguments(listed.rstrip().removesuffix(">"))]
    if any(item.pack for item in parameters) or len(given) > len(parameters) or len(listed) > _MOST_LISTED:
        return None
    values: dict[str, str] = {}
    for place, item in enumerate(parameters):
        text = given[place] if place < len(given) else item.default
        if text is None:
            return None
        values[item.name] = text if place < len(given) else _replaced(text, values)
    return _replaced(text_of(part or node), values)


def _replaced(text: str, values: Mapping[str, str]) -> str:
    return _NAME.sub(lambda match: values.get(match[0], match[0]), text)
