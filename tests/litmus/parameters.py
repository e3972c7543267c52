"""Rows of the tables as parameters of tests: one in three in every run, all of them with `make test-archs`."""

from collections.abc import Sequence
from hashlib import sha256

import pytest

from tests.litmus.bulk_table import BulkLitmus
from tests.litmus.table import Litmus


def parameters(rows: Sequence[Litmus | BulkLitmus]) -> list[object]:
    """Return the rows with their names; the digest of a name decides, because neighbors are alike."""
    return [
        pytest.param(row, id=row.name, marks=[] if _in_every_run(row.name) else [pytest.mark.archs]) for row in rows
    ]


def _in_every_run(name: str) -> bool:
    return int(sha256(name.encode()).hexdigest(), 16) % 3 == 0
