"""Print the extra that fits this machine: `python -m tools.choose_extra [FILE]`.

With a file, write the choice to it if it has changed, so that `make` installs again only then.
"""

from __future__ import annotations

import sys
from pathlib import Path

from shflbench.cuda.installation.extra import choose


def main(arguments: list[str]) -> None:
    """Print the choice to stdout and its reason to stderr, or write the choice to the named file."""
    choice = choose()
    if not arguments:
        print(choice.extra)
        print(f"{choice.extra}: {choice.reason}", file=sys.stderr)
        return
    file = Path(arguments[0])
    if not file.exists() or file.read_text(encoding="utf-8").strip() != choice.extra:
        file.write_text(choice.extra + "\n", encoding="utf-8")
        print(f"The {choice.extra} extra fits this machine: {choice.reason}.", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
