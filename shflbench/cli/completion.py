"""Print the completion script for a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from shflbench.cli.help import Command

if TYPE_CHECKING:
    from shflbench.cli.console import Console

VARIABLE = "_SHFLBENCH_COMPLETE"  # click chooses it from the name of the program
SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    r"""Print the completion script for a shell.

    \b
    bash: echo 'eval "$(shflbench completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(shflbench completion zsh)"' >> ~/.zshrc
    fish: shflbench completion fish > ~/.config/fish/completions/shflbench.fish
    """
    console: Console = context.obj
    completion = get_completion_class(shell)
    if completion is not None:
        root = context.find_root()
        console.data(completion(root.command, {}, "shflbench", VARIABLE).source().rstrip())
