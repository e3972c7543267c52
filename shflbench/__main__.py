"""Run the command line as `python -m shflbench`."""

from __future__ import annotations

import sys

from shflbench.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
