"""A test with a parameter `form` must run that form: `tests.backends.emulator.declared` counts on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from shflbench.backends.emulator import link, lower
from shflbench.backends.emulator.opcodes.table import decode
from tests.backends.emulator import forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.backends.emulator.ptx import Instruction

Result = TypeVar("Result")


@pytest.fixture(autouse=True)
def _the_form_is_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    met: set[str] = set()

    def recording(function: Callable[[Instruction], Result]) -> Callable[[Instruction], Result]:
        def recorded(instruction: Instruction) -> Result:
            met.add(".".join((instruction.opcode, *instruction.modifiers)))
            return function(instruction)

        return recorded

    monkeypatch.setattr(forms, "decode", recording(decode))
    monkeypatch.setattr(lower, "decode", recording(decode))
    monkeypatch.setattr(link, "_parts", recording(link._parts))  # noqa: SLF001  (calls are inlined, never decoded)
    yield
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    assert parameters.get("form") in {None, *met}, "the test does not run the form that it names"
