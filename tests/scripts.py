"""Programs of tests that are written in Python: a shebang cannot name an interpreter whose path has spaces."""

import sys
from pathlib import Path


def write_script(path: Path, source: str, *options: str) -> Path:
    """Write a Python program that can be executed by its path, and return it; `options` are those of Python."""
    words = " ".join((f'"{sys.executable}"', *options))
    # The shell runs Python with this file; for Python, the second and third line are a string.
    path.write_text(f"#!/bin/sh\n'''exec' {words} \"$0\" \"$@\"\n' '''\n{source}", encoding="utf-8")
    path.chmod(0o755)
    return path
