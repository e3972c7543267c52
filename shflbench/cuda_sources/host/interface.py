"""The interpreter as statements, expressions and calls see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from shflbench.cuda_sources.host.values import Cell, HostElement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host.contents import HostFunction
    from shflbench.cuda_sources.host.machine import HostFrame, HostState, LongLoop
    from shflbench.cuda_sources.host.program import HostProgram
    from shflbench.cuda_sources.host.types import HostType, TypeReader
    from shflbench.cuda_sources.host.values import Memory, Structure
    from shflbench.cuda_sources.kernel_file import HostNumber
    from shflbench.cuda_sources.source_lines import SourceLine

Reference: TypeAlias = Cell | HostElement


class HostRun(Protocol):
    """The interpreter, as the code that it runs sees it."""

    program: HostProgram
    types: TypeReader
    kernels: Mapping[str, Sequence[Definition]]
    state: HostState
    numbers: Mapping[str, int | float]  # values of variables that begin with a constant, by name
    begun: dict[str, HostNumber]  # numbers that variables began with, and macros stood for, by name
    macro_uses: list[Node]  # those around what runs
    choices: list[tuple[tuple[str, int], ...]]  # numbers of variables with which further launches would run
    long_loops: dict[int, LongLoop]  # those that took too many iterations
    allocations: Iterator[int]  # numbers for those that launches get
    enumerated: dict[int, object]  # values of enumerators, by the ids of their nodes
    start: int  # the moment from which others count

    def expression(self, node: Node) -> Callable[[HostFrame], Any]:
        """Return an expression as a function of the frame."""

    def statement(self, node: Node) -> Callable[[HostFrame], Any]:
        """Return a statement as a function of the frame."""

    def condition(self, node: Node | None) -> Callable[[HostFrame], object]:
        """Return a condition: true, false or unknown; without one, true."""

    def reference(self, node: Node) -> Callable[[HostFrame], Reference]:
        """Return a place to assign to as a function of the frame; a value that has none gets one."""

    def launches(self, node: Node) -> bool:
        """Whether code launches kernels, directly or through functions of the files."""

    def expanded(self, text: str, *, statement: bool = False) -> Node | None:
        """Return the tree of a text that a macro stands for, as an expression or as statements."""

    def site(self, node: Node) -> tuple[Node, SourceLine]:
        """Return a place in the files: the node, or the use of the macro whose text has the node."""

    def type(self, text: str, frame: HostFrame) -> HostType:
        """Return the type that a text stands for in a frame."""

    def forget(
        self, names: Sequence[tuple[str, bool]], frame: HostFrame, first: Mapping[str, bytes] | None = None
    ) -> None:
        """Take variables, or what they point to, as unknown, but for its first bytes if they are given."""

    def memory(self, name: str, frame: HostFrame) -> Memory | None:
        """Return what a variable points to, or the elements of a vector."""

    def constructed(
        self, type_: HostType, arguments: Sequence[object], frame: HostFrame, *, zeroed: bool = False
    ) -> Cell:
        """Return a variable of a type with what its constructor makes of the arguments."""

    def pass_argument(self, frame: HostFrame, item: Node, given: Reference | None) -> None:
        """Make a parameter of a function a variable of its frame; without an argument, with its default value."""

    def call(
        self,
        function: HostFunction,
        arguments: Sequence[Reference],
        template: Sequence[object],
        receiver: Structure | None = None,
    ) -> object:
        """Return the result of a call of a function of the files."""

    def called(
        self,
        function: HostFunction,
        arguments: Sequence[Reference],
        template: Sequence[object],
        receiver: Structure | None = None,
        bound: Mapping[str, object] | None = None,
    ) -> Reference:
        """Return the result of a call of a function of the files as a place, which may be that of a reference.

        Of a member without an object, `bound` has the arguments of the template of its class.
        """
