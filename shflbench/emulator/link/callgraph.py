"""The calls between functions, and the functions that need a stack frame instead of an inlined copy.

A function that can call itself, directly or through others, cannot be inlined, and a function whose address is
taken may be called from anywhere. All others are inlined.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from shflbench.emulator.link.reach import initial_symbols, symbols
from shflbench.emulator.ptx.syntax import Function, Module, Prototype, PtxInstruction, Symbol, Vector


def target_of(call: PtxInstruction) -> str:
    """Return the name of the function that `call` names, empty for a call through a pointer."""
    operands = [item for item in call.operands if not isinstance(item, Vector)]
    return operands[0].name if operands and isinstance(operands[0], Symbol) else ""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The functions that a kernel reaches: their calls, and those whose address is taken."""

    callees: Mapping[str, frozenset[str]]
    addressed: tuple[str, ...]  # in the order of the module

    def cyclic(self) -> frozenset[str]:
        """Return the functions that can call themselves."""
        return frozenset(name for name in self.callees if name in self.reachable(name))

    def reachable(self, start: str) -> set[str]:
        """Return the functions that `start` calls, directly or through others."""
        seen: set[str] = set()
        waiting = list(self.callees.get(start, ()))
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self.callees.get(name, ())
        return seen


def call_graph(module: Module, names: set[str]) -> CallGraph:
    """Return the calls between the functions among `names`."""
    functions = {name: module.functions[name] for name in names if name in module.functions}
    taken = {symbol for function in functions.values() for symbol in _taken(function)}
    for name in names & module.variables.keys():
        taken.update(initial_symbols(module.variables[name]))
    addressed = tuple(name for name in module.functions if name in taken and not module.functions[name].entry)
    callees = {}
    for name, function in functions.items():
        calls = [instruction for instruction in function.instructions if instruction.opcode == "call"]
        direct = {target_of(call) for call in calls}
        indirect = set(addressed) if "" in direct else set()
        callees[name] = frozenset((direct | indirect) & functions.keys())
    return CallGraph(callees, addressed)


def inlined_size(module: Module, kernel: str, stacked: frozenset[str]) -> int:
    """Return the number of instructions of `kernel` with all calls inlined but those of the functions `stacked`."""
    sizes: dict[str, int] = {}
    waiting = [kernel]
    while waiting:
        name = waiting[-1]
        function = module.functions[name]
        calls = [target_of(item) for item in function.instructions if item.opcode == "call"]
        inlined = [item for item in calls if item in module.functions and item not in stacked]
        unknown = {item for item in inlined if item not in sizes and item != name}
        if unknown:
            waiting += unknown
        else:
            sizes[name] = len(function.instructions) + sum(sizes.get(item, 0) for item in inlined)
            waiting.pop()
    return sizes[kernel]


def _taken(function: Function) -> Iterator[str]:
    """Yield the names whose addresses the instructions of a function take."""
    for instruction in function.instructions:
        called = target_of(instruction) if instruction.opcode == "call" else ""
        for operand in instruction.operands:
            yield from (name for name in symbols(operand) if name != called)
    for variable in function.variables:
        yield from initial_symbols(variable)
    for names in function.tables.values():
        yield from names


def candidates(module: Module, graph: CallGraph, function: Function, call: PtxInstruction) -> list[str]:
    """Return the functions that a call through a pointer may reach: those listed, or those that its prototype fits."""
    last = call.operands[-1]
    name = last.name if isinstance(last, Symbol) else ""
    if name in function.tables:
        return [item for item in function.tables[name] if item in module.functions]
    wanted = function.prototypes.get(name)
    return [item for item in graph.addressed if wanted is None or _prototype(module.functions[item]) == wanted]


def _prototype(function: Function) -> Prototype:
    return Prototype(tuple(item.bytes for item in function.results), tuple(item.bytes for item in function.parameters))
