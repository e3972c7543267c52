"""Run the command line, as `shflbench` or `python -m shflbench`, where a package that it needs may be broken."""

from __future__ import annotations

import sys

from shflbench.core.packages import package_error, require_packages
from shflbench.errors import MissingError


def entry() -> None:
    """Run the command line and exit with its code; with that of a missing part if it is too old or broken."""
    try:
        require_packages()
        from shflbench.cli.main import entry as run  # noqa: PLC0415  (or an error of its packages ends with a traceback)
    except Exception as error:
        missing = error if isinstance(error, MissingError) else package_error(error)
        if missing is None or "--debug" in sys.argv:
            raise
        sys.stderr.write(f"error: {missing.message}\n{missing.advice[0].upper()}{missing.advice[1:]}\n")
        sys.exit(missing.exit_code)
    run()


if __name__ == "__main__":
    entry()
