"""Devices of a fleet run in processes and threads, where no work is done once."""

import pytest


@pytest.fixture(autouse=True)
def _same_work_once() -> None:
    """Stands in for that of `tests/session`."""
