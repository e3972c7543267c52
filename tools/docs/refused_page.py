"""The page of the reference that lists the instructions which the emulator refuses."""

from __future__ import annotations

import re

from shflbench.emulator.link.unsupported import link_whole
from shflbench.emulator.opcodes.refused import REFUSED, example_module
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError
from tools.docs.pattern_pages import NOTE

_PLACE = re.compile(r" \(PTX line [0-9]+\)$|^PTX line [0-9]+: ")
INTRODUCTION = """\
`check` runs the PTX of a kernel in an emulator. A kernel that reaches one of these instructions is `not checked`, with
exit code 5 and the sentence of the table, which also names the line. A form of PTX ISA 9.0 that `check` refuses and
that no row describes is a fault: please report it."""


def refused() -> str:
    """Return the page that lists what the emulator refuses."""
    lines = ["| PTX | for | what `check` prints |", "|---|---|---|"]
    for form in REFUSED:
        sentence = sentence_of(form.example).replace("|", "\\|")
        lines.append(f"| `{form.words}` | {form.what} | {sentence} |")
    return "\n\n".join((NOTE, "# Refused instructions", INTRODUCTION, "\n".join(lines))) + "\n"


def sentence_of(example: str) -> str:
    """Return what `check` says of an instruction, without its line; empty if it is emulated."""
    try:
        link_whole(parse(example_module(example)), "k")
    except EmulatorError as error:
        return _PLACE.sub("", error.message)
    return ""
