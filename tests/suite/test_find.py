from pathlib import Path

import pytest

from shflbench.errors import SuiteError
from shflbench.suite import find_shipped, load, locate
from tests.suite.conftest import Folder


def test_a_shipped_suite_is_found_by_name_anywhere(folder: Folder) -> None:
    del folder
    assert locate("gtc2013") == find_shipped()["gtc2013"]
    assert find_shipped()["gtc2013"].is_file()


def test_a_path_is_returned_unchanged(folder: Folder) -> None:
    del folder
    Path("plain").touch()
    assert locate("plain") == Path("plain")
    assert locate("mine/suite") == Path("mine/suite")
    assert locate("none.yaml") == Path("none.yaml")  # loading it says that it does not exist


def test_an_unknown_name_suggests_the_nearest_suite(folder: Folder) -> None:
    del folder
    with pytest.raises(SuiteError) as error:
        locate("gtc2031")
    assert error.value.message == (
        f"unknown suite `gtc2031`; allowed: {', '.join(find_shipped())}, or the path of a YAML file; "
        "did you mean `gtc2013`?"
    )


def test_a_name_too_long_for_a_file_is_one_sentence() -> None:
    with pytest.raises(SuiteError, match="cannot be read: file name too long"):
        load(locate("a" * 300))
