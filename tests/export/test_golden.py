import pytest

from tests.export.renew import FOLDER, texts

TEXTS = texts()


@pytest.mark.parametrize("name", TEXTS)
def test_each_format_writes_what_the_golden_file_holds(name: str) -> None:
    assert TEXTS[name].encode() == (FOLDER / name).read_bytes(), "python -m tests.export.renew, if that is meant"


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(TEXTS)
