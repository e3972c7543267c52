"""The instruction forms that the property tests run, for their parameter `form`.

The tests' own `parametrize` is the only list, so that no test can name a form without running it:
`opcodes/conftest.py` checks that each test runs the form that it names.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

OPCODES = Path(__file__).parent / "opcodes"


def each(*parts: Iterable[str]) -> list[str]:
    """Return the forms made of one word of each part; an empty word adds no modifier."""
    return [".".join(filter(None, words)) for words in product(*parts)]


@cache
def forms_under_test() -> Mapping[str, str]:
    """Return each form that a property test runs, with that test."""
    return {form: test for path in sorted(OPCODES.glob("test_*.py")) for form, test in _in_module(path.stem)}


def _in_module(name: str) -> Iterator[tuple[str, str]]:
    for test, function in vars(import_module(f"tests.emulator.opcodes.{name}")).items():
        for mark in getattr(function, "pytestmark", ()) if test.startswith("test_") else ():
            if mark.name == "parametrize" and mark.args[0] == "form":
                yield from ((form, f"{name}.py::{test}") for form in mark.args[1])
