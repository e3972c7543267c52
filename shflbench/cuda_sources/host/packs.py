"""Arguments of calls in host code, with those that a parameter pack stands for: `launch(kernel, arguments...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.contents import called_name, items
from shflbench.cuda_sources.syntax_trees import text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

PACK = "parameter_pack_expansion"
_PASSING = frozenset({"forward", "move"})  # functions that return their argument


def references(run: HostRun, nodes: Sequence[Node]) -> Callable[[HostFrame], list[Reference]]:
    """Return the places of arguments as a function of the frame."""
    if all(node.type != PACK for node in nodes):  # nearly all calls
        places = [run.reference(node) for node in nodes]
        return lambda frame: [place(frame) for place in places]
    named = arguments(run, nodes)
    return lambda frame: [place for _, place in named(frame)]


def arguments(run: HostRun, nodes: Sequence[Node]) -> Callable[[HostFrame], list[tuple[str, Reference]]]:
    """Return the texts and places of arguments as a function of the frame."""
    parts = [_pack(run, node) if node.type == PACK else _single(run, node) for node in nodes]
    return lambda frame: [item for part in parts for item in part(frame)]


def _single(run: HostRun, node: Node) -> Callable[[HostFrame], Iterator[tuple[str, Reference]]]:
    text, place = " ".join(text_of(node).split()), run.reference(node)

    def single(frame: HostFrame) -> Iterator[tuple[str, Reference]]:
        yield text, place(frame)

    return single


def _pack(run: HostRun, node: Node) -> Callable[[HostFrame], Iterator[tuple[str, Reference]]]:
    """Return what `pattern...` stands for: the pattern with each argument of the pack that it names."""
    pattern = items(node)[0]
    while pattern.type == "call_expression" and called_name(pattern.child_by_field_name("function")) in _PASSING:
        pattern = items(pattern.child_by_field_name("arguments"))[0]
    names = [text_of(item) for item in walk(pattern) if item.type == "identifier"]
    place = run.reference(pattern)

    def every(frame: HostFrame) -> Iterator[tuple[str, Reference]]:
        name = next((item for item in names if item in frame.packs), "")
        for number, given in enumerate(frame.packs.get(name, ())):
            frame.variables[name] = given
            yield f"{name}[{number}]", place(frame)
        frame.variables.pop(name, None)

    return every
