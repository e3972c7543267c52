"""`python -m tools.quick [BASE]`: test what has changed since the commit BASE, by default since the main branch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.words import count_noun
from tools.quick.affected import affected

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
MAIN = ("origin/main", "main")  # a clone without a remote has the second one
SECONDS = 45  # then no test starts; with the start of pytest and the last tests, about a minute
NO_TESTS = 5  # exit code of pytest if it has deselected every test, such as those of `make test-archs`


def git(*words: str) -> list[str]:
    """Return the names that a command of git prints, each ended by a null byte."""
    command = ["git", "--no-optional-locks", *words]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.rstrip("\0").split("\0")


def changed_since(base: str) -> list[str]:
    """Return the files that differ from the commit, and those that git does not know yet."""
    new = git("ls-files", "-z", "--others", "--exclude-standard")
    return sorted({*git("diff", "-z", "--name-only", base), *new} - {""})


def base_of(words: Sequence[str]) -> str:
    """Return the commit to compare with: the given one, else where this branch left the main branch, else the last."""
    if words:
        return words[0]
    for branch in MAIN:
        command = ["git", "merge-base", "HEAD", branch]
        outcome = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        if outcome.stdout:
            return outcome.stdout.strip()
    return "HEAD"


def main(words: Sequence[str]) -> int:
    """Name the tests that were chosen, run them, and return the exit code of pytest."""
    base = base_of(words)
    changed = changed_since(base)
    if not changed:
        print(f"nothing has changed since {base}: to compare with another commit, run `make test-quick BASE=commit`")
        return 0
    chosen = affected(changed, git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "tests/*test_*.py"))
    print(f"{count_noun(len(changed), 'changed file')} can affect {count_noun(len(chosen.tests), 'test file')}")
    for path in chosen.uncovered:
        print(f"not covered, because no rule says which tests read it: {path}")
    if not chosen.tests:
        return 0
    options = ["-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    limit = ["-p", "tools.quick.time_limit", "--seconds", str(SECONDS)]
    code = subprocess.run([sys.executable, "-m", "pytest", *options, *limit, *chosen.tests], cwd=ROOT, check=False)
    return 0 if code.returncode == NO_TESTS else code.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
