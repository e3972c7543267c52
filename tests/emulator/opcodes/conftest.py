"""A test with a parameter `form` must run that form: `tests.emulator.declared` counts on it."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from shflbench.emulator.link import flat, lower
from shflbench.emulator.link.expand import expansion
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import PtxInstruction
from tests.emulator import forms
from tests.emulator.threads import program

Result = TypeVar("Result")


@pytest.fixture(autouse=True)
def _the_form_is_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    met: set[str] = set()

    def recording(function: Callable[..., Result]) -> Callable[..., Result]:
        def recorded(instruction: PtxInstruction, *others: object) -> Result:
            result = function(instruction, *others)
            if result is not None:
                met.add(".".join((instruction.opcode, *instruction.modifiers)))
            return result

        return recorded

    program.cache_clear()  # what an earlier test has linked would not be decoded again
    monkeypatch.setattr(forms, "decode", recording(decode))
    monkeypatch.setattr(lower, "decode", recording(decode))
    monkeypatch.setattr(flat, "_parts", recording(flat._parts))  # noqa: SLF001  (calls are inlined, never decoded)
    monkeypatch.setattr(flat, "expansion", recording(expansion))  # to instructions of other names
    yield
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    assert parameters.get("form") in {None, *met}, "the test does not run the form that it names"
