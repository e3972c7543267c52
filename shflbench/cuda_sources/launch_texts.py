"""Find the launches in the text of host code, with what is constant in them whatever the code around them does."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import NEGATIVE, HostArgument, HostLaunch
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import line_of, nodes_of, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.constants import Evaluator
    from shflbench.cuda_sources.host_code import UserFile

_CALLS = frozenset({"call_expression"})
_BY_FUNCTION = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
_BY_CONFIGURATION = "cudaLaunchKernelEx"  # whose grid and block only the interpreter of the host code knows
_SHARED, _FEWEST = 2, 2  # position of the shared size, and the fewest values, in <<<grid, block, shared, stream>>>
_CALL_ARGUMENTS = 4  # kernel, grid, block and arguments of cudaLaunchKernel


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """One launch with the kernel as it is written there."""

    kernel: str  # without template arguments
    template_arguments: tuple[str, ...] | None  # as written; None if there are none
    node: Node
    argument_nodes: tuple[Node, ...]
    launch: HostLaunch
    performed: bool = False  # the interpreter performed it, and its template arguments hold for this launch

    @property
    def of_unknown_shape(self) -> LaunchSite:
        """The launch without grid, block and arguments, for instances of which it is open which one has them."""
        return replace(self, launch=HostLaunch(None, None, None, (), self.launch.line))


def launches(files: Iterable[UserFile], evaluator: Evaluator) -> list[LaunchSite]:
    """Return the launches in order of files and lines."""
    result = []
    for file in files:
        if b"<<<" not in file.text and b"cudaLaunch" not in file.text:
            continue
        for node in nodes_of(file.tree.root_node, _CALLS):
            launch = _launch(file, node, evaluator)
            if launch is not None:
                result.append(launch)
    return result


def launching_nodes(files: Iterable[UserFile]) -> Iterator[tuple[UserFile, Node, Node]]:
    """Yield the calls that launch a kernel, with their file and the expression that stands for the kernel."""
    for file in files:
        if b"<<<" not in file.text and b"cudaLaunch" not in file.text:
            continue
        for node in nodes_of(file.tree.root_node, _CALLS):
            function, values = node.child_by_field_name("function"), _items(node.child_by_field_name("arguments"))
            name = text_of(function)
            if function is not None and any(child.type == "kernel_call_syntax" for child in node.children):
                yield file, node, function
            elif name in _BY_FUNCTION and len(values) >= _CALL_ARGUMENTS:
                yield file, node, values[0]
            elif name == _BY_CONFIGURATION and len(values) > 1:
                yield file, node, values[1]


def _launch(file: UserFile, node: Node, evaluator: Evaluator) -> LaunchSite | None:
    syntax = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
    listed = node.child_by_field_name("arguments")
    if syntax is not None:
        return _triple_brackets(file, node, _items(syntax), _items(listed), evaluator)
    name = text_of(node.child_by_field_name("function"))
    values = _items(listed)
    if name == _BY_CONFIGURATION and len(values) > 1:
        may_be = True  # by an attribute of the configuration, which is not read
        return _made(file, node, values[1], (), values[2:], evaluator, cooperative=may_be)
    if name not in _BY_FUNCTION:
        return None
    if len(values) < _CALL_ARGUMENTS:
        return None
    kernel = values[0]
    while kernel.type in {"cast_expression", "pointer_expression", "parenthesized_expression"}:
        inside = kernel.child_by_field_name("value") or kernel.child_by_field_name("argument") or kernel.named_child(0)
        if inside is None:
            return None
        kernel = inside
    arguments = _pointed(values[3], evaluator)
    order = [values[1], values[2], *values[4:5]]
    return _made(file, node, kernel, order, arguments, evaluator, cooperative=_BY_FUNCTION[name])


def _triple_brackets(
    file: UserFile,
    node: Node,
    configuration: Sequence[Node],
    arguments: Sequence[Node],
    evaluator: Evaluator,
) -> LaunchSite | None:
    kernel = node.child_by_field_name("function")
    if kernel is None or len(configuration) < _FEWEST:
        return None
    return _made(file, node, kernel, configuration, arguments, evaluator, cooperative=False)


def _made(  # noqa: PLR0913, PLR0917  (the parts of a launch)
    file: UserFile,
    node: Node,
    kernel: Node,
    configuration: Sequence[Node],
    arguments: Sequence[Node],
    evaluator: Evaluator,
    *,
    cooperative: bool,
) -> LaunchSite | None:
    name, template = kernel_name(kernel)
    if not re.fullmatch(r"(?:::)?\w+(?:::\w+)*", name):
        return None  # a pointer to a kernel, or a macro
    shared: int | None = 0 if configuration else None
    if len(configuration) > _SHARED:
        value = evaluator.value(configuration[_SHARED])
        shared = value % NEGATIVE if isinstance(value, int) else None
    launch = HostLaunch(
        grid=evaluator.dims(configuration[0]) if configuration else None,
        block=evaluator.dims(configuration[1]) if configuration else None,
        shared_bytes=shared,
        arguments=tuple(_argument(item, evaluator) for item in arguments),
        line=SourceLine(file.path, line_of(node)),
        cooperative=cooperative,
    )
    return LaunchSite(name.removeprefix("::"), template, node, tuple(arguments), launch)


def kernel_name(node: Node) -> tuple[str, tuple[str, ...] | None]:
    """Return a function's name without template arguments, and these."""
    text = text_of(node)
    inside = next((item for item in walk(node) if item.type == "template_argument_list"), None)
    if inside is None:
        return "".join(text.split()), None
    name = text[: inside.start_byte - node.start_byte] if text.isascii() else text.partition("<")[0]
    return "".join(name.split()), tuple(" ".join(text_of(item).split()) for item in _items(inside))


def _items(node: Node | None) -> list[Node]:
    return [item for item in node.named_children if item.type != "comment"] if node is not None else []


def _pointed(node: Node, evaluator: Evaluator) -> list[Node]:
    """Return the variables in `void *args[] = {&a, &b}`."""
    while node.type == "cast_expression" and (inside := node.child_by_field_name("value")) is not None:
        node = inside
    declarator = evaluator.names.declaration(node, text_of(node)) if node.type == "identifier" else None
    value = declarator.child_by_field_name("value") if declarator is not None else None
    if value is None or value.type != "initializer_list":
        return []
    pointed = []
    for item in _items(value):
        inner = item
        while inner.type == "cast_expression" and (inside := inner.child_by_field_name("value")) is not None:
            inner = inside
        argument = inner.child_by_field_name("argument") if inner.type == "pointer_expression" else None
        if argument is None:
            return []
        pointed.append(argument)
    return pointed


def _argument(node: Node, evaluator: Evaluator) -> HostArgument:
    text, value = " ".join(text_of(node).split()), evaluator.value(node)
    return HostArgument(text, value=value if isinstance(value, int | float) else None)
