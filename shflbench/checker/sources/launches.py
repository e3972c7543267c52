"""Find the launches in host code, with what is constant in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.source_lines import SourceLine
from shflbench.checker.sources.kernel_file import HostArgument, HostLaunch
from shflbench.checker.sources.syntax import line_of, text_of, walk
from shflbench.checker.sources.vectors import vector_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from shflbench.checker.sources.constants import Evaluator
    from shflbench.checker.sources.host_code import UserFile

_BY_FUNCTION = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
_ALLOCATE = frozenset({"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"})
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


def launches(files: Iterable[UserFile], evaluator: Evaluator) -> list[LaunchSite]:
    """Return the launches in order of files and lines."""
    result = []
    for file in files:
        if b"<<<" not in file.text and b"cudaLaunch" not in file.text:
            continue
        calls = [node for node in walk(file.tree.root_node) if node.type == "call_expression"]
        memory = _Memory(calls, evaluator)
        for node in calls:
            launch = _launch(file, node, evaluator, memory)
            if launch is not None:
                result.append(launch)
    return result


def _launch(file: UserFile, node: Node, evaluator: Evaluator, memory: _Memory) -> LaunchSite | None:
    syntax = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
    listed = node.child_by_field_name("arguments")
    if syntax is not None:
        return _triple_brackets(file, node, _items(syntax), _items(listed), evaluator, memory)
    name = text_of(node.child_by_field_name("function"))
    if name not in _BY_FUNCTION:
        return None
    values = _items(listed)
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
    return _made(file, node, kernel, order, arguments, evaluator, memory, cooperative=_BY_FUNCTION[name])


def _triple_brackets(  # noqa: PLR0913, PLR0917  (the parts of a launch)
    file: UserFile,
    node: Node,
    configuration: Sequence[Node],
    arguments: Sequence[Node],
    evaluator: Evaluator,
    memory: _Memory,
) -> LaunchSite | None:
    kernel = node.child_by_field_name("function")
    if kernel is None or len(configuration) < _FEWEST:
        return None
    return _made(file, node, kernel, configuration, arguments, evaluator, memory, cooperative=False)


def _made(  # noqa: PLR0913, PLR0917  (the parts of a launch)
    file: UserFile,
    node: Node,
    kernel: Node,
    configuration: Sequence[Node],
    arguments: Sequence[Node],
    evaluator: Evaluator,
    memory: _Memory,
    *,
    cooperative: bool,
) -> LaunchSite | None:
    name, template = kernel_name(kernel)
    if not re.fullmatch(r"(?:::)?\w+(?:::\w+)*", name):
        return None  # a pointer to a kernel, or a macro
    shared: int | None = 0
    if len(configuration) > _SHARED:
        value = evaluator.value(configuration[_SHARED])
        shared = value if isinstance(value, int) and value >= 0 else None
    launch = HostLaunch(
        grid=evaluator.dims(configuration[0]),
        block=evaluator.dims(configuration[1]),
        shared_bytes=shared,
        arguments=tuple(memory.argument(item, node) for item in arguments),
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


class _Memory:
    """Allocations of device memory, and what fills them."""

    def __init__(self, calls: Iterable[Node], evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._calls = list(calls)

    def argument(self, node: Node, launch: Node) -> HostArgument:
        """Return what is constant of an argument of a launch."""
        text = " ".join(text_of(node).split())
        value = self._evaluator.value(node)
        if isinstance(value, int | float):
            return HostArgument(text, value=value)
        if text in {"NULL", "nullptr"}:
            return HostArgument(text, value=0)
        variable = node
        while variable.type in {"cast_expression", "parenthesized_expression"}:
            inside = variable.child_by_field_name("value") or variable.named_child(variable.named_child_count - 1)
            if inside is None:
                break
            variable = inside
        if (of_vector := vector_bytes(variable, self._evaluator)) is not None:
            return HostArgument(text, buffer_bytes=of_vector)
        if variable.type != "identifier":
            return HostArgument(text)
        name = text_of(variable)
        declarator = self._evaluator.names.declaration(launch, name)
        size = self._allocated(name, declarator, launch) if declarator is not None else None
        if size is None:
            return HostArgument(text)
        return HostArgument(text, buffer_bytes=size, filled=self._filled(name, size, launch))

    def _allocated(self, name: str, declarator: Node, launch: Node) -> int | None:
        sizes = []
        for call in self._calls:
            function = text_of(call.child_by_field_name("function")).partition("<")[0]
            arguments = _items(call.child_by_field_name("arguments"))
            if function in _ALLOCATE and len(arguments) >= 2 and _address_of(arguments[0]) == name:  # noqa: PLR2004
                if self._evaluator.names.declaration(call, name) != declarator:
                    continue
                if call.start_byte > launch.start_byte and _same_function(call, launch):
                    continue
                value = self._evaluator.value(arguments[1])
                sizes.append(int(value) if isinstance(value, int | float) else None)
        assigned = any(
            write.type == "assignment_expression" and text_of(write.child_by_field_name("left")) == name
            for write in self._evaluator.names.changes(declarator, name)
        )
        return sizes[0] if len(sizes) == 1 and not assigned else None

    def _filled(self, name: str, size: int, launch: Node) -> int | None:
        """Return the byte with which the last call before the launch that names the buffer fills all of it."""
        byte = None
        for call in self._calls:
            if call.start_byte >= launch.start_byte or not _same_function(call, launch):
                continue
            arguments = _items(call.child_by_field_name("arguments"))
            if not any(name in re.findall(r"\w+", text_of(item)) for item in arguments):
                continue
            function = text_of(call.child_by_field_name("function"))
            if any(item.type == "call_expression" for argument in arguments for item in walk(argument)):
                continue  # a macro that checks the call inside, which is in the list, too
            if function in _ALLOCATE:
                continue
            filled = function in {"cudaMemset", "cudaMemsetAsync"} and len(arguments) > 2  # noqa: PLR2004
            whole = (
                filled
                and _variable(arguments[0]) == name
                and self._evaluator.value(arguments[2]) == size
                and not _conditional(call, launch)
            )
            value = self._evaluator.value(arguments[1]) if whole else None
            byte = value & 0xFF if isinstance(value, int) else None
        return byte


def _address_of(node: Node) -> str:
    """Return `p` of `&p` and `(void **)&p`."""
    while node.type in {"cast_expression", "parenthesized_expression"}:
        inside = node.child_by_field_name("value") or node.named_child(node.named_child_count - 1)
        if inside is None:
            return ""
        node = inside
    if node.type == "call_expression":  # reinterpret_cast<void **>(&p)
        arguments = _items(node.child_by_field_name("arguments"))
        return _address_of(arguments[0]) if len(arguments) == 1 else ""
    if node.type != "pointer_expression" or not text_of(node).startswith("&"):
        return ""
    argument = node.child_by_field_name("argument")
    while argument is not None and argument.type == "parenthesized_expression":
        argument = argument.named_child(0)
    return text_of(argument) if argument is not None and argument.type == "identifier" else ""


def _variable(node: Node) -> str:
    return text_of(node) if node.type == "identifier" else ""


def _function_of(node: Node) -> Node | None:
    outer = node.parent
    while outer is not None and outer.type != "function_definition":
        outer = outer.parent
    return outer


def _same_function(one: Node, other: Node) -> bool:
    first, second = _function_of(one), _function_of(other)
    return first is not None and first == second


def _conditional(call: Node, launch: Node) -> bool:
    """Whether the call is in a block that the launch is not in."""
    outer = call.parent
    while outer is not None and not outer.start_byte <= launch.start_byte < outer.end_byte:
        if outer.type in {"if_statement", "for_statement", "while_statement", "switch_statement", "do_statement"}:
            return True
        outer = outer.parent
    return False
