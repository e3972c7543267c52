"""Find the commands that a page names, and what shflbench does not know about them."""

import re
import shlex
from collections.abc import Iterator

import click

from shflbench.cli.main import shflbench as root

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
    context, rest = click.Context(root, **root.context_settings), words
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        subcommand = command.get_command(context, rest[0])
        if subcommand is None:
            return {rest[0]}
        command, rest = subcommand, rest[1:]
    options = {name for group in (root, command) for option in group.get_params(context) for name in option.opts}
    return {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"} - options
