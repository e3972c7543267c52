import pytest

from tests.emulator import archive, compiled


@pytest.mark.archs
def test_the_committed_ptx_is_as_new_as_its_sources() -> None:
    kept, now = archive.digests(), compiled.digests()
    stale = sorted({name for name, _ in set(kept.items()) ^ set(now.items())})
    assert stale == [], "run `python -m tests.emulator.compiled` and commit ptx.zip"


def test_the_archive_stays_small() -> None:
    assert archive.ARCHIVE.stat().st_size < 3 * 2**20
