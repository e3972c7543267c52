"""Walk through a page as a reader would: write its files, make its edits, type its commands."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import Command, Outcome

_BLOCK = re.compile(r"(?P<before>[^\n]*\n?[^\n]*)\n\n```(?P<kind>\w+)\n(?P<text>.*?)```", re.DOTALL)
_FILE = re.compile(r"`([\w./-]+\.(?:cu|cuh|h|py|yaml))`")
_REGISTERS = re.compile(r"^(  [\w-]+ +)\d+ +(?=[A-Z]|one |same |the |verified)")
WRITTEN = ("cuda", "python", "yaml")


@dataclass(frozen=True)
class Step:
    """A fenced block, and the file that the two lines before it name."""

    kind: str
    file: str
    text: str


@dataclass
class Typed:
    """One command of a page, and the lines that the page promises."""

    line: str
    promised: list[str] = field(default_factory=list)
    outcome: Outcome | None = None

    @property
    def missing(self) -> list[str]:
        """The promised lines that it did not print, on stdout or stderr."""
        assert self.outcome is not None
        printed = {_lasting(line) for line in (self.outcome.out + self.outcome.err).splitlines()}
        return [line for line in self.promised if line != "…" and _lasting(line) not in printed]


def _lasting(line: str) -> str:
    """Return a line without the registers of a table's row, which differ from compiler to compiler."""
    return _REGISTERS.sub(r"\1N ", line.rstrip())


def steps(page: Path) -> Iterator[Step]:
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        files = _FILE.findall(block["before"])
        yield Step(block["kind"], files[-1] if files else "", block["text"])


def walk(page: Path, shflbench: Command, *, type_commands: bool = True) -> list[Typed]:
    """Do all that the page says in the current folder, and return its commands as they went."""
    typed: list[Typed] = []
    for step in steps(page):
        if step.kind in WRITTEN:
            Path(step.file).parent.mkdir(parents=True, exist_ok=True)
            Path(step.file).write_text(step.text, encoding="utf-8")
        elif step.kind == "diff":
            edit(Path(step.file), step.text)
        elif step.kind == "console" and type_commands:
            for command in _commands(step.text):
                command.outcome = _type(command.line, typed, shflbench)
                typed.append(command)
    return typed


def edit(file: Path, diff: str) -> None:
    """Replace what a diff without line numbers stands for; the file must have it once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} must have these lines once:\n{old}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def _commands(text: str) -> list[Typed]:
    found: list[Typed] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Typed(line.removeprefix("$ ")))
        elif line:
            found[-1].promised.append(line)
    return found


def _type(line: str, typed: list[Typed], shflbench: Command) -> Outcome:
    if line == "echo $?":
        last = typed[-1].outcome
        return Outcome(0, f"{last.code if last else 0}\n", "")
    program, *words = shlex.split(line)
    assert program == "shflbench", line
    return shflbench(*words)
