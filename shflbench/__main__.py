"""Run the command line as `python -m shflbench`."""

from __future__ import annotations

from shflbench.cli.main import entry

if __name__ == "__main__":
    entry()
