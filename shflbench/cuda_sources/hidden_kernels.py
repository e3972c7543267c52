"""Find kernels that a file seems to have, and that only headers which are missing define or mark as kernels.

The file compiles without them, and its other kernels mean the same: but a report without a word on them would be one
of a file that has fewer kernels.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.definitions import surrounding_parameters
from shflbench.cuda_sources.host.launched_kernels import without_casts
from shflbench.cuda_sources.host_code import declarations, inner, is_host
from shflbench.cuda_sources.kernel_file import RejectedKernel
from shflbench.cuda_sources.launch_texts import kernel_name, launching_nodes
from shflbench.cuda_sources.lexer import code_only
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import function_name, line_of, nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.source import CudaSource

_NAMES = frozenset({"identifier"})
_DECLARATIONS = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration"})
_PLAIN_NAME = re.compile(r"(?:::)?\w+(?:::\w+)*")
_OF_KERNEL = re.compile(rb"\b(?:threadIdx|blockIdx|__shared__|__syncthreads|__syncwarp)\b")
# A function of the host that emulates kernels, or that has a lambda for the device.
_OF_HOST = re.compile(rb"\b(?:dim3|u?int3|int|unsigned|auto)\s+(?:threadIdx|blockIdx)\b|\b__device__\b")


def hidden_kernels(source: CudaSource, missing: Sequence[str]) -> list[RejectedKernel]:
    """Return the kernels that the host code launches and no file declares, and functions that are written as kernels.

    `missing` are the headers without which the file is compiled; none if there are none.
    """
    if not missing:
        return []
    result: dict[str, RejectedKernel] = {}
    for file in source.unit.files:
        for name, line, reason in (*_unmarked(source, file), *_undeclared(source, file)):
            place = SourceLine(file.path, line)
            text = f"{file.path}:{line}: {reason}: there is no header {missing[0]}; pass its folder with -I"
            result.setdefault(name.rpartition("::")[2], RejectedKernel(name, place, text))
    return list(result.values())


def _undeclared(source: CudaSource, file: UserFile) -> Iterator[tuple[str, int, str]]:
    """Yield the kernels that a file launches and no file declares, with the line of the launch."""
    for _, node, kernel in launching_nodes([file]):
        name = kernel_name(without_casts(kernel))[0].removeprefix("::")
        plain = name.rpartition("::")[2]
        if not _PLAIN_NAME.fullmatch(name) or source.named(plain, plain=True) or plain in source.macros.names:
            continue
        if name not in surrounding_parameters(node) and not _is_declared(source, plain.encode()):
            yield name, line_of(node), f"no file defines `{name}`, which is launched here"


def _is_declared(source: CudaSource, name: bytes) -> bool:
    files = (file for file in source.unit.files if name in file.words)
    nodes = (node for file in files for node in nodes_of(file.tree.root_node, _NAMES) if node.text == name)
    return any(_declares(node.parent) for node in nodes)


def _declares(outer: Node | None) -> bool:
    return outer is not None and (outer.type.endswith("declarator") or outer.type in _DECLARATIONS)


def _unmarked(source: CudaSource, file: UserFile) -> Iterator[tuple[str, int, str]]:
    """Yield the functions of a file that use words of kernels without being marked as device code."""
    if not _OF_KERNEL.search(file.text):
        return
    for node in declarations(file.tree.root_node):
        function = inner(node)
        if function.type != "function_definition" or not is_host(node, source.macros):
            continue
        code = code_only(function.text or b"")
        word = _OF_KERNEL.search(code)
        if word is not None and not _OF_HOST.search(code):
            name = function_name(function)
            yield name, line_of(function), f"`{name}` uses `{word[0].decode()}`, but nothing marks it as a kernel"
