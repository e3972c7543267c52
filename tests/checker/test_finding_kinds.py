import pytest

from shflbench.checker.finding_kinds import KINDS, FindingKind
from shflbench.checker.verdict import Level
from shflbench.emulator.races.hazards import HazardKind


@pytest.mark.parametrize("kind", HazardKind)
def test_every_kind_of_hazard_has_a_row_with_a_sentence(kind: HazardKind) -> None:
    message = KINDS[kind].message
    assert "{place}" in message or "{line}" in message


def test_sentences_name_kinds_in_the_order_of_the_hazards() -> None:
    assert list(KINDS) == list(HazardKind)


@pytest.mark.parametrize("row", KINDS.values(), ids=lambda row: row.kind.name)
def test_a_kind_has_words_for_a_doubt_if_it_is_one(row: FindingKind) -> None:
    assert bool(row.doubt) == (row.level is Level.WARNING)
