"""Numbers of the host code that follow those which the user gives: buffers of `n` elements, grids of `n / 256` blocks.

The host code is read again with a given number in place of the one that its variable begins with, so that all
arguments, grids and buffers that it computes from the variable follow together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.names import parameter_name
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.sources.kernel_file import HostArgument, HostLaunch, HostNumber, KernelFile, SourceKernel

    Numbers: TypeAlias = Mapping[str, int | float]  # by the name of a variable

MOST_TRIES = 8  # variables that are tried for all numbers; each takes a tenth of a second


def traced_numbers(
    chosen: Sequence[SourceKernel], arguments: Sequence[GivenArgument], read: Callable[[Numbers], KernelFile]
) -> Numbers:
    """Return the numbers that variables of the host code begin with, so that it passes the given ones to the kernels.

    For each given number, a variable is looked for with which the host code passes it; `read` returns the file with
    other numbers. UsageError for numbers that the host code computes from one variable, and that contradict each other.
    """
    given = {item.name: item.value.value for item in arguments if isinstance(item.value, NumberValue)}
    search = _NumberSearch(chosen, given, read)
    for name in given:
        search.trace(name)
    search.refuse_contradictions()
    return search.best.numbers


class _Reading(NamedTuple):
    """The file as it is read with numbers of its host code."""

    numbers: Numbers
    file: KernelFile


class _NumberSearch:
    """Looks for the variables of the host code that the given numbers come from."""

    def __init__(self, chosen: Sequence[SourceKernel], given: Numbers, read: Callable[[Numbers], KernelFile]) -> None:
        """Begin with the file as it is."""
        self._symbols = {kernel.symbol for kernel in chosen}
        self._given, self._read = given, read
        self._first = self.best = _Reading({}, read({}))
        self._variables: dict[str, HostNumber] = {}  # of the numbers that were traced
        self._done: list[str] = []
        self._tries = 0

    def trace(self, name: str) -> None:
        """Replace the number of the variable that a given number comes from; UsageError if others contradict it."""
        contradicted: tuple[str, HostNumber] | None = None
        for variable in self._candidates(name):
            if self._is_passed(self.best, name):
                break
            reading = self._with(variable, self._given[name])
            if reading is None or self._given[name] not in self._passed(reading, name):
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
        raise UsageError(
            f"--arg: {one} and {other} are both computed from `{variable.name}` ({place})",
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
        """Whether the host code passes a given number, as far as its arguments are known."""
        arguments = list(self._arguments(reading, name))
        if arguments and all(host.assumed for host, _ in arguments):
            return False
        passed = self._passed(reading, name)
        return not passed or self._given[name] in passed

    def _passed(self, reading: _Reading, name: str) -> set[int | float]:
        """Return the values that the host code passes to the kernels for a parameter, without derived ones."""
        certain = [argument.value for host, argument in self._arguments(reading, name) if not host.assumed]
        return {value for value in certain if value is not None}

    def _arguments(self, reading: _Reading, name: str) -> Iterator[tuple[HostLaunch, HostArgument]]:
        """Yield what the launches that the host code performs as it is pass to the kernels for a parameter."""
        for kernel in reading.file.kernels:
            places = [place for place, item in enumerate(kernel.parameters) if parameter_name(item, place) == name]
            performed = [host for host in kernel.host_launches if not host.forced]
            for host in performed if kernel.symbol in self._symbols else ():
                yield from ((host, host.arguments[place]) for place in places if place < len(host.arguments))
