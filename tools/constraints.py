"""Write constraints.txt: the exact versions of everything but CUDA that `make` installs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
OLDEST = "{}.{}".format(*sys.version_info)
HEAD = f"""\
# The versions that `make` installs, so that charts and checks are the same everywhere. `make constraints` writes them
# with Python {OLDEST}, the oldest supported one. CUDA packages are not pinned: each extra needs other versions.
"""


def main() -> None:
    """Install shflbench with its development tools in a fresh environment, and write the installed versions."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--editable", ".[dev,docs,browser]"], cwd=REPOSITORY, check=True)
        frozen = subprocess.run(
            [*pip, "freeze", "--exclude-editable"], cwd=REPOSITORY, check=True, capture_output=True, text=True
        ).stdout
    pinned = [line for line in frozen.splitlines(keepends=True) if not line.startswith(("cuda-", "nvidia-cuda-"))]
    (REPOSITORY / "constraints.txt").write_text(HEAD + "".join(pinned), encoding="utf-8")
    print(f"constraints.txt: {len(pinned)} versions")


if __name__ == "__main__":
    main()
