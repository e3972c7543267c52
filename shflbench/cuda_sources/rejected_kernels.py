"""Leave out the kernels of a file that the compiler rejects, so that the others are compiled.

Only a kernel that launches kernels, or one that may need a missing header, is left out: in any other case the file is
one that no compiler accepts. A kernel is not called from device code, so that nothing else changes its meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import prefix
from shflbench.cuda_sources.kernel_file import RejectedKernel
from shflbench.cuda_sources.lexer import TextSpan
from shflbench.cuda_sources.meant_kernels import without_types
from shflbench.cuda_sources.naming import means
from shflbench.cuda_sources.syntax_trees import line_of, walk
from shflbench.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tree_sitter import Node

    from shflbench.cuda.compile.nvrtc import Message
    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.source import CudaSource

# What a compiler says of a name that a missing header may declare.
_OF_MISSING_NAME = re.compile(
    r"undefined|no member|\bnot a\b|must be a|incomplete|not declared|no instance|explicit type"
)


def rejected_kernels(
    source: CudaSource, errors: Sequence[Message], left_out: Sequence[str]
) -> list[tuple[RejectedKernel, UserFile, TextSpan]]:
    """Return the kernels in which each of the errors lies, with the place of each definition; else none.

    `left_out` are missing headers. None is returned if no other kernel remains, and none that has several definitions
    of its name, of which another one would take its place.
    """
    result: dict[str, tuple[RejectedKernel, UserFile, TextSpan]] = {}
    lacks_name = any(_OF_MISSING_NAME.search(error.text) for error in errors)  # else an instance may be the reason
    for error in errors:
        known = _definition(source, error)
        if known is None:
            return []
        definition, file, node = known
        launch = next((item for item in walk(node) if item.type == "kernel_call_syntax"), None)
        if launch is not None:
            what = f"device code launches a kernel: what `{definition.name}` leaves to it is neither checked nor timed"
        elif left_out and lacks_name:
            what = f"{error.text}, and there is no header {left_out[0]}"
        else:
            return []
        place = f"{file.path}:{line_of(launch) if launch is not None else error.line}: "
        kernel = RejectedKernel(definition.name, definition.place, place + what)
        result.setdefault(definition.name, (kernel, file, TextSpan(node.start_byte, node.end_byte)))
    return list(result.values()) if len(result) < len(source.definitions) else []


def without(expressions: Sequence[str], rejected: Sequence[RejectedKernel]) -> list[str]:
    """Return the expressions that name none of the rejected kernels."""
    names = {item.name for item in rejected}
    return [item for item in expressions if without_types(item).partition("<")[0].removeprefix("::") not in names]


def refuse_rejected(path: Path, rejected: Sequence[RejectedKernel], names: Sequence[str]) -> None:
    """Raise CompileError for the first rejected kernel that `names` name, or that is there if they name none."""
    for item in rejected:
        if not names or any(means(name.partition("<")[0], item.name) for name in names):
            raise CompileError(item.sentence, "Choose other kernels with --kernel.", path)


def _definition(source: CudaSource, error: Message) -> tuple[Definition, UserFile, Node] | None:
    """Return the kernel that has the line of an error, if its name has one definition, which the grammar reads."""
    file = next((item for item in source.unit.files if item.name == error.file), None)
    if file is None:
        return None
    for node in walk(file.tree.root_node, lambda item: item.type != "compound_statement"):
        has_line = node.start_point[0] < error.line <= node.end_point[0] + 1
        if not has_line or node.type != "function_definition" or node.has_error:
            continue
        if "__global__" not in source.macros.words(prefix(node)):
            continue
        body = node.child_by_field_name("body")
        if body is None or file.lexed.partners.get(body.start_byte) != body.end_byte - 1:
            return None
        item = next((one for one in source.definitions if _is_at(one, file, node)), None)
        if item is None or len(source.named(item.plain_name, plain=True)) > 1:
            return None
        outer = node.parent
        return item, file, outer if outer is not None and outer.type == "template_declaration" else node
    return None


def _is_at(definition: Definition, file: UserFile, node: Node) -> bool:
    return definition.place.file == file.path and definition.end == node.end_point[0] + 1
