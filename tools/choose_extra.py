"""Print the extra that suits this machine: `python -m tools.choose_extra`; or keep it in a file, for `make`.

With a file's name, the file is written only when the choice changed, so that `make` sets up anew only then.
"""

from __future__ import annotations

import sys
from pathlib import Path

from shflbench.cli.doctor.extra import choose


def main(arguments: list[str]) -> None:
    """Print the choice to stdout and its reason to stderr, or keep the choice in the named file."""
    choice = choose()
    if not arguments:
        print(choice.extra)
        print(f"{choice.extra}: {choice.reason}", file=sys.stderr)
        return
    kept = Path(arguments[0])
    if not kept.exists() or kept.read_text(encoding="utf-8").strip() != choice.extra:
        kept.write_text(choice.extra + "\n", encoding="utf-8")
        print(f"The {choice.extra} extra fits this machine: {choice.reason}.", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
