"""Write the figures of the reference run into README: `make plots`. A test recomputes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.store import read_run
from tools.docs.first_page import is_tie

if TYPE_CHECKING:
    from shflbench.store import Row

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
RUN = ROOT / "results" / "gtc2013" / "nvidia-h200"
TABLE = re.compile(r"^(?P<head>\w+  \w+  \d+x\d+  [^\n]*)\n(?:  [^\n]*\n)+", re.MULTILINE)
CHOICE = re.compile(r"^(?P<begin>\| [\w ]+ \| `(?P<setting>[^`]+)` \| ).*$", re.MULTILINE)
BASELINES = ("smem", "smem-syncwarp")


def update(text: str) -> str:
    """Return README with the table and the choices of the reference run."""
    command = [sys.executable, "-m", "shflbench", "show", str(RUN)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tables = {match["head"]: match[0] for match in TABLE.finditer(shown)}
    rows = read_run(RUN).rows
    text = TABLE.sub(lambda match: tables[match["head"]], text)
    return CHOICE.sub(lambda match: f"{match['begin']}{choice(rows, match['setting'])} |", text)


def choice(rows: tuple[Row, ...], setting: str) -> str:
    """Return the cells of a setting: the fastest safe variants, and their speed relative to shared memory.

    Variants are equally fast where their times differ by less than 1% or their intervals overlap.
    """
    pattern, dtype, *options = setting.split()
    timed = [row for row in rows if (row.pattern, row.dtype, row.option_texts) == (pattern, dtype, tuple(options))]
    times = {row.variant: row.time_us for row in timed if row.time_us is not None}
    safe = sorted(
        (row for row in timed if row.safe and row.variant in times), key=lambda row: (times[row.variant], row.variant)
    )
    best = safe[0]
    winners = [row.variant for row in safe if is_tie(row, best)]
    speeds = [f"{times[baseline] / times[best.variant]:.1f}×" for baseline in BASELINES]
    return " | ".join([", ".join(f"`{name}`" for name in winners), *speeds])


def main() -> None:
    """Update README, and print its path if it changed."""
    text = README.read_text(encoding="utf-8")
    if (updated := update(text)) != text:
        README.write_text(updated, encoding="utf-8")
        print(README)


if __name__ == "__main__":
    main()
