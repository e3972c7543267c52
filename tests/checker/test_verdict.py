import pytest

from shflbench.checker.finding_words import WORDS
from shflbench.emulator.races.hazards import HazardKind


@pytest.mark.parametrize("kind", HazardKind)
def test_every_kind_of_hazard_has_a_sentence(kind: HazardKind) -> None:
    assert "{place}" in WORDS[kind.name] or "{line}" in WORDS[kind.name]
