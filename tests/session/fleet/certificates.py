r"""Certificates and their keys, valid for a hundred years and used by tests alone: `openssl` need not be installed.

    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=shflbench \
      -keyout ours.key -out ours.pem
"""

import os
import shutil
from pathlib import Path

CERTIFICATES = Path(__file__).parents[2] / "data" / "tls"


def path_with_openssl(folder: Path) -> str:
    """Return a PATH with `openssl`; where it is not installed, one in `folder` writes key.pem and cert.pem."""
    path = os.environ.get("PATH", "")
    if shutil.which("openssl"):
        return path
    folder.mkdir()
    program = folder / "openssl"
    program.write_text(
        f'#!/bin/sh\numask 077\ncp "{CERTIFICATES}/ours.key" key.pem\ncp "{CERTIFICATES}/ours.pem" cert.pem\n'
    )
    program.chmod(0o755)
    return f"{folder}:{path}"
