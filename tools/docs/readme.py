"""Write the figures of the reference run into README: `make plots`. A test recomputes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from shflbench.core.model import Mechanism
from tools.docs.measured import settings

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
SUITE = "gtc2013"
RUN = ROOT / "results" / SUITE / "nvidia-h200"
LAUNCHES = ("26x1024", "104x256")  # those of the table, as README says
TABLE = re.compile(r"^(?P<head>\w+  \w+  \d+x\d+  [^\n]*)\n(?:  [^\n]*\n)+", re.MULTILINE)
CHOICE = re.compile(r"^(?P<begin>\| [\w ]+ \| `(?P<setting>[^`]+)` \| ).*$", re.MULTILINE)


def update(text: str) -> str:
    """Return README with the table and the choices of the reference run."""
    command = [sys.executable, "-m", "shflbench", "show", str(RUN)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tables = {match["head"]: match[0] for match in TABLE.finditer(shown)}
    text = TABLE.sub(lambda match: tables[match["head"]], text)
    return CHOICE.sub(lambda match: f"{match['begin']}{choice(match['setting'])} |", text)


def choice(setting: str) -> str:
    """Return the cells of a setting of the reference run: the fastest, over each kind, over block barriers."""
    pattern, dtype, *options = setting.split()
    names = (f"{SUITE} {pattern} {dtype} {launch} {' '.join(options)}".strip() for launch in LAUNCHES)
    measured = next(settings()[name] for name in names if name in settings())
    over = [measured.over(mechanism) for mechanism in (Mechanism.SMEM, Mechanism.SHFL)]
    return " | ".join([measured.best(), *over, measured.over_block_barriers()])


def main() -> None:
    """Update README, and print its path if it changed."""
    text = README.read_text(encoding="utf-8")
    if (updated := update(text)) != text:
        README.write_text(updated, encoding="utf-8")
        print(README)


if __name__ == "__main__":
    main()
