"""The list of refused instructions is complete, and nothing on it is emulated."""

from pathlib import Path

import pytest

from shflbench.emulator.opcodes.refused import REFUSED, RefusedForm, example_module
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import PtxInstruction
from shflbench.errors import EmulatorError
from tools.docs.refused_page import sentence_of

FORMS = (Path(__file__).parent / "isa_forms.ptx.txt").read_text(encoding="utf-8").splitlines()[1:]


def instruction(text: str) -> PtxInstruction:
    """Return the instruction of a text, whose registers the emulator may not have."""
    try:
        return parse(example_module(text)).functions["k"].instructions[0]
    except EmulatorError:
        words = text.split()
        name = words[1] if words[0].startswith("@") else words[0]
        opcode, *modifiers = name.rstrip(";").split(".")
        return PtxInstruction(opcode, tuple(modifiers), (), None, None, text, 1)


@pytest.mark.parametrize("text", FORMS)
def test_an_instruction_of_the_isa_is_emulated_or_on_the_list(text: str) -> None:
    rows = [form.words for form in REFUSED if form.describes(instruction(text))]
    assert bool(sentence_of(text)) == bool(rows), rows


@pytest.mark.parametrize("form", REFUSED, ids=lambda form: form.words)
def test_a_row_has_an_instruction_of_its_kind_that_is_refused(form: RefusedForm) -> None:
    assert form.describes(instruction(form.example))
    assert form.example.split(";")[0].split(" ")[0].split(".")[0] in sentence_of(form.example) or "%q" in form.example
    assert sentence_of(form.example)


@pytest.mark.archs
def test_the_list_of_instructions_has_each_kind_that_is_refused() -> None:
    assert [form.words for form in REFUSED if not any(form.describes(instruction(text)) for text in FORMS)] == []
