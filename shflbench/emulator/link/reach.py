"""Find everything that a kernel reaches: functions that it calls or takes the address of, and variables of these."""

from collections.abc import Iterator

from shflbench.emulator.ptx.syntax import Address, Module, Operand, Symbol, Variable, Vector


def find_reached(module: Module, kernel: str) -> set[str]:
    """Return the names of the functions and variables that `kernel` can reach, its own among them.

    Of another kernel, which it can only launch, the name alone.
    """
    names: set[str] = set()
    waiting = [kernel]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            function = module.functions.get(name)
            if function is None or not function.entry or name == kernel:
                waiting += _named_by(module, name)
    return names


def _named_by(module: Module, name: str) -> Iterator[str]:
    if name in module.functions:
        function = module.functions[name]
        local = {variable.name for variable in function.variables}
        for instruction in function.instructions:
            for operand in instruction.operands:
                yield from (symbol for symbol in symbols(operand) if symbol not in local)
        for variable in function.variables:
            yield from initial_symbols(variable)
    elif name in module.variables:
        yield from initial_symbols(module.variables[name])


def initial_symbols(variable: Variable) -> Iterator[str]:
    """Yield the names of the variables and functions whose addresses `variable` holds at first."""
    yield from (value.name for value in variable.values if isinstance(value, Symbol))


def symbols(operand: Operand) -> Iterator[str]:
    """Yield the names of the variables and functions that an operand names."""
    match operand:
        case Symbol(name=name) | Address(base=Symbol(name=name)):
            yield name
        case Vector(items=items):
            for item in items:
                yield from symbols(item)
