"""Numbers of the host code that follow those which the user gives: buffers of `n` elements, grids of `n / 256` blocks.

The host code is read again with a given number in place of the one that its variable begins with, so that all
arguments, grids and buffers that it computes from the variable follow together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shflbench.checker.inputs.grammar import GivenArgument, NumberValue
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.kernel_file import HostArgument, HostLaunch, HostNumber, KernelFile, SourceKernel

    Numbers: TypeAlias = Mapping[str, int | float]  # by the name of a variable

MOST_TRIES = 8  # variables that are tried for all numbers; each takes a tenth of a second


def traced_numbers(
    chosen: Sequence[SourceKernel], arguments: Sequence[GivenArgument], read: Callable[[Numbers], KernelFile]
) -> Numbers:
    """Return the numbers that variables of the host code begin with, so that it passes the given ones to the kernels.

    For each number of a parameter, a variable is looked for with which the host code passes it; other names are those
    of variables. `read` returns the file with other numbers. UsageError for numbers that the host code computes from
    one variable, and that contradict each other, and for a variable from which it computes nothing.
    """
    given = {item.name: item.value.value for item in arguments if isinstance(item.value, NumberValue)}
    search = _NumberSearch(chosen, given, read)
    for variable in variables_of(read({}), chosen):
        if variable.name in given:
            search.replace(variable)
    search.trace_others()
    search.refuse_contradictions()
    return search.best.numbers


def with_passed(
    file: KernelFile, chosen: Sequence[SourceKernel], arguments: Sequence[GivenArgument]
) -> tuple[GivenArgument, ...]:
    """Return the arguments with a note at each number that the host code passes to a kernel.

    Other launches, to which it passes another number of the same name, keep theirs, as the second one of `reduce(n)`
    and `reduce(blocks)`.
    """
    symbols = {kernel.symbol for kernel in chosen}
    return tuple(
        GivenArgument(item.name, NumberValue(item.value.value, is_passed=True))
        if isinstance(item.value, NumberValue) and item.value.value in _passed(file, symbols, item.name)
        else item
        for item in arguments
    )


def variables_of(file: KernelFile, chosen: Sequence[SourceKernel]) -> list[HostNumber]:
    """Return the numbers of the host code that a user can name, because no kernel has a parameter of the name."""
    parameters = {name for kernel in chosen for name in kernel.offsets}
    return [variable for variable in file.numbers if variable.name not in parameters]


def names_of_sizes(
    file: KernelFile, chosen: Sequence[SourceKernel], read: Callable[[Numbers], KernelFile]
) -> list[str]:
    """Return the names of variables and macros from which the host code computes what it passes to kernels."""
    several = [item for item in variables_of(file, chosen) if max(item.values) > 1]  # no counters of loops
    launches = _launches(file, chosen)
    other = {item.name: int(2 * max(item.values)) for item in several[:MOST_TRIES]}
    changed = {name: _launches(read({name: value}), chosen) for name, value in other.items()}
    return [name for name, sizes in changed.items() if sizes != launches and all(sizes.values())]


def _launches(file: KernelFile, chosen: Sequence[SourceKernel]) -> dict[str, tuple[HostLaunch, ...]]:
    """Return the launches of the chosen kernels that the host code determines, by symbol."""
    symbols = {kernel.symbol for kernel in chosen}
    return {
        kernel.symbol: tuple(launch for launch in kernel.host_launches if launch.grid is not None)
        for kernel in file.kernels
        if kernel.symbol in symbols
    }


class _Reading(NamedTuple):
    """The file as it is read with numbers of its host code."""

    numbers: Numbers
    file: KernelFile


class _NumberSearch:
    """Looks for the variables of the host code that the given numbers come from."""

    def __init__(self, chosen: Sequence[SourceKernel], given: Numbers, read: Callable[[Numbers], KernelFile]) -> None:
        """Begin with the file as it is."""
        self._chosen, self._symbols = chosen, {kernel.symbol for kernel in chosen}
        self._given, self._read = given, read
        self._first = self.best = _Reading({}, read({}))
        self._variables: dict[str, HostNumber] = {}  # of the numbers that were traced
        self._replaced: set[str] = set()  # variables that the user names
        self._done: list[str] = []
        self._tries = 0

    def replace(self, variable: HostNumber) -> None:
        """Replace the number of a variable that the user names; UsageError if no launch depends on it, or is left."""
        name, value = variable.name, self._given[variable.name]
        numbers = {**self.best.numbers, name: value}
        reading = _Reading(numbers, self._read(numbers))
        before, after = (_launches(item.file, self._chosen) for item in (self.best, reading))
        place = variable.line.shown(reading.file.path.parent)
        if before == after and value not in variable.values:
            raise UsageError(f"--arg: no launch depends on `{name}` ({place})", "Leave it out.")
        lost = [kernel.name for kernel in self._chosen if before.get(kernel.symbol) and not after.get(kernel.symbol)]
        if lost:
            raise UsageError(
                f"--arg: with {name}={value} ({place}), the host code does not launch {lost[0]}", "Give another number."
            )
        self.best, self._variables[name] = reading, variable
        self._replaced.add(name)
        self._done.append(name)

    def trace_others(self) -> None:
        """Trace the numbers that are given for parameters."""
        for name in self._given:
            if name not in self._replaced:
                self._trace(name)

    def _trace(self, name: str) -> None:
        """Replace the number of the variable that a given number comes from; UsageError if others contradict it."""
        contradicted: tuple[str, HostNumber] | None = None
        for variable in self._candidates(name):
            if self._is_passed(self.best, name) and not self._is_of_loop(variable, name):
                break
            reading = self._with(variable, self._given[name])
            passed = self._passed(reading, name) if reading is not None else set()
            if reading is None or self._given[name] not in passed or passed == self._passed(self.best, name):
                continue
            lost = self._lost(reading)
            restored = self._restored(reading, variable, lost) if lost else reading
            if restored is not None:
                self.best, self._variables[name] = restored, variable
            elif contradicted is None:
                contradicted = lost, variable
        if contradicted is not None and not self._is_passed(self.best, name):
            self._refuse(contradicted[0], name, contradicted[1])
        self._done.append(name)

    def _is_of_loop(self, variable: HostNumber, name: str) -> bool:
        """Whether a given number may be one of those of a loop, which passes others of them, too."""
        return len(variable.values) > 1 and self._given[name] in variable.values

    def refuse_contradictions(self) -> None:
        """Raise UsageError if the host code computes another value for a given number from those that were traced."""
        for name in self._given:
            values = self._passed(self.best, name)
            if self._is_passed(self.best, name) or values == self._passed(self._first, name):
                continue
            for other, variable in self._variables.items():
                reading = self._read({variable.name: self.best.numbers[variable.name]})
                if self._passed(_Reading({}, reading), name) == values:
                    self._refuse(other, name, variable)

    def _refuse(self, one: str, other: str, variable: HostNumber) -> None:
        place = variable.line.shown(self.best.file.path.parent)
        from_one = f"{one} and {other} are both computed from `{variable.name}` ({place})"
        from_given = f"{other} is computed from `{one}` ({place})"
        raise UsageError(
            f"--arg: {from_given if one in self._replaced else from_one}",
            f"Give one of them{self._fitting(one, other)}.",
        )

    def _fitting(self, one: str, other: str) -> str:
        """Return what the host code computes together with the number that it passes as given."""
        values = self._passed(self.best, other)
        if len(values) != 1 or not self._is_passed(self.best, one):
            return ""
        return f", or {other}={next(iter(values))} with {one}={self._given[one]}"

    def _with(self, variable: HostNumber, value: float, numbers: Numbers | None = None) -> _Reading | None:
        """Return the file with one more number; None after too many tries."""
        self._tries += 1
        changed = {**(self.best.numbers if numbers is None else numbers), variable.name: value}
        return _Reading(changed, self._read(changed)) if self._tries <= MOST_TRIES else None

    def _lost(self, reading: _Reading) -> str:
        """Return an earlier number that is no longer passed in a reading; empty if there is none."""
        earlier = (item for item in self._done if self._is_passed(self.best, item))
        return next((item for item in earlier if not self._is_passed(reading, item)), "")

    def _restored(self, reading: _Reading, variable: HostNumber, lost: str) -> _Reading | None:
        """Return the reading with the lost number from another variable; None if there is no such variable."""
        for other in self._candidates(lost, reading):
            if other.name == variable.name:
                continue
            both = self._with(other, self._given[lost], reading.numbers)
            if both is not None and self._given[lost] in self._passed(both, lost) and not self._lost(both):
                return both
        return None

    def _candidates(self, name: str, reading: _Reading | None = None) -> list[HostNumber]:
        """Return the variables that may be a number of the kernels, the most likely first."""
        reading = reading or self.best
        arguments = [argument for host, argument in self._arguments(reading, name)]
        names = [*(argument.text for argument in arguments), name]
        values = {argument.value for argument in arguments}

        def unlikeliness(item: HostNumber) -> tuple[int, bool]:
            return names.index(item.name) if item.name in names else len(names), not values & set(item.values)

        return sorted(reading.file.numbers, key=unlikeliness)

    def _is_passed(self, reading: _Reading, name: str) -> bool:
        """Whether the host code passes a given number, as far as its arguments are known, or begins with it."""
        if name in self._replaced:
            return reading.numbers[name] == self._given[name]
        arguments = list(self._arguments(reading, name))
        if arguments and all(host.assumed for host, _ in arguments):
            return False
        passed = self._passed(reading, name)
        return not passed or self._given[name] in passed

    def _passed(self, reading: _Reading, name: str) -> set[int | float]:
        """Return the values that the host code passes to the kernels for a parameter, without chosen ones."""
        return _passed(reading.file, self._symbols, name)

    def _arguments(self, reading: _Reading, name: str) -> Iterator[tuple[HostLaunch, HostArgument]]:
        """Yield what the launches that the host code performs as it is pass to the kernels for a parameter."""
        return _arguments(reading.file, self._symbols, name)


def _passed(file: KernelFile, symbols: Collection[str], name: str) -> set[int | float]:
    """Return the values that the host code passes to kernels for a parameter, without chosen ones."""
    certain = [argument.value for host, argument in _arguments(file, symbols, name) if not host.assumed]
    return {value for value in certain if value is not None}


def _arguments(file: KernelFile, symbols: Collection[str], name: str) -> Iterator[tuple[HostLaunch, HostArgument]]:
    """Yield what the launches that the host code performs as it is pass to kernels for a parameter."""
    for kernel in file.kernels:
        parts = [part for part in kernel.parts if part.name == name]
        performed = [host for host in kernel.host_launches if not host.is_forced]
        for host in performed if kernel.symbol in symbols else ():
            passed = (part.passed(host.arguments) for part in parts)
            yield from ((host, argument) for argument in passed if argument is not None)
