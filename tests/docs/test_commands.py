"""Every command and option that a page names exists."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from shflbench.cli.main import shflbench as root

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCED = re.compile(r"^(?:```|~~~)(\w*)\n(.*?)^(?:```|~~~)", re.MULTILINE | re.DOTALL)
SHELL = {"", "sh", "console"}


def commands_of(page: str) -> Iterator[list[str]]:
    """Yield the words after `shflbench` of each command on a page, in code blocks and within sentences."""
    blocks = [text for kind, text in FENCED.findall(page) if kind in SHELL]
    inline = re.findall(r"`(shflbench [^`…]+)`", FENCED.sub("", page))
    for line in (*inline, *"\n".join(blocks).splitlines()):
        match = re.match(r"(?:\$ )?(?:\.venv/bin/)?shflbench (.*)", line.strip())
        if match:
            yield shlex.split(match[1], comments=True)


def unknown(words: list[str]) -> set[str]:
    """Return the command and the options among `words` that shflbench does not have."""
    command: click.Command = root
    context, rest = click.Context(root), words
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        subcommand = command.get_command(context, rest[0])
        if subcommand is None:
            return {rest[0]}
        command, rest = subcommand, rest[1:]
    options = {name for group in (root, command) for option in group.get_params(context) for name in option.opts}
    return {word.partition("=")[0] for word in rest if word.startswith("-")} - options


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_of_a_page_exists(page: Path) -> None:
    commands = list(commands_of(page.read_text(encoding="utf-8")))
    assert {" ".join(words): missing for words in commands if (missing := unknown(words))} == {}


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    readme = list(commands_of((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {words[0] for words in readme} >= {
        "run",
        "plot",
        "show",
        "list",
        "gate",
        "compare",
        "baseline",
        "new",
        "check",
    }
    assert unknown(["run", "quick", "--against", "main"]) == {"--against"}
    assert unknown(["measure", "quick"]) == {"measure"}
