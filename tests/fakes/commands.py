"""Several commands in one process, so that Python starts once: for commands that may hang in the process of a test.

    python -m tests.fakes.commands '[["show", "run"], ["plot", "run"]]'

Prints the exit code, stdout and stderr of each command, as JSON.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from shflbench.cli.main import main


def call(words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code, stdout and stderr."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(list(words))
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    print(json.dumps([call(words) for words in json.loads(sys.argv[1])]))  # noqa: T201
