"""Follow a page as a reader does: write its files, make its edits, run its commands."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import Command, Outcome

_BLOCK = re.compile(r"(?P<before>[^\n]*\n?[^\n]*)\n\n```(?P<kind>\w+)\n(?P<text>.*?)```", re.DOTALL)
_FILE = re.compile(r"`([\w./-]+\.(?:cu|cuh|h|py|yaml))`")
_REGISTERS = re.compile(r"^(  [\w-]+ +)\d+ +(?=[A-Z]|one |same |the |verified)")
FILE_KINDS = ("cuda", "python", "yaml")


@dataclass(frozen=True)
class Step:
    """A fenced block, and the file that the two lines before it name."""

    kind: str
    file: str
    text: str


@dataclass
class Execution:
    """One command of a page, and the output that the page shows."""

    line: str
    expected: list[str] = field(default_factory=list)
    outcome: Outcome | None = None

    @property
    def missing(self) -> list[str]:
        """The expected lines that it printed neither on stdout nor on stderr."""
        assert self.outcome is not None
        printed = {_without_registers(line) for line in (self.outcome.out + self.outcome.err).splitlines()}
        return [line for line in self.expected if line != "…" and _without_registers(line) not in printed]


def _without_registers(line: str) -> str:
    """Return a line without the register count of a row, which depends on the compiler."""
    return _REGISTERS.sub(r"\1N ", line.rstrip())


def steps(page: Path) -> Iterator[Step]:
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        files = _FILE.findall(block["before"])
        yield Step(block["kind"], files[-1] if files else "", block["text"])


def walk(page: Path, shflbench: Command, *, run_commands: bool = True) -> list[Execution]:
    """Follow the page in the current folder, and return its commands with their outcomes."""
    executions: list[Execution] = []
    for step in steps(page):
        if step.kind in FILE_KINDS:
            Path(step.file).parent.mkdir(parents=True, exist_ok=True)
            Path(step.file).write_text(step.text, encoding="utf-8")
        elif step.kind == "diff":
            edit(Path(step.file), step.text)
        elif step.kind == "console" and run_commands:
            for command in _commands(step.text):
                command.outcome = _run(command.line, executions, shflbench)
                executions.append(command)
    return executions


def edit(file: Path, diff: str) -> None:
    """Apply a diff without line numbers, whose old lines occur once in the file."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} must have these lines once:\n{old}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def _commands(text: str) -> list[Execution]:
    commands: list[Execution] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append(Execution(line.removeprefix("$ ")))
        elif line:
            commands[-1].expected.append(line)
    return commands


def _run(line: str, executions: list[Execution], shflbench: Command) -> Outcome:
    if line == "echo $?":
        last = executions[-1].outcome
        return Outcome(0, f"{last.code if last else 0}\n", "")
    program, *words = shlex.split(line)
    assert program == "shflbench", line
    return shflbench(*words)
