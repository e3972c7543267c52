from __future__ import annotations

import zipfile

from tests.backends.emulator import compiled


def test_the_committed_ptx_is_as_new_as_its_sources() -> None:
    with zipfile.ZipFile(compiled.ARCHIVE) as archive:
        kept = dict(line.split() for line in archive.read("digests.txt").decode().splitlines())
    assert kept == compiled.digests(), "run `python -m tests.backends.emulator.compiled` and commit ptx.zip"
