"""`shflbench advise` compiles and emulates in the process of the test: processes of its own import all that it has.

`test_the_command_says_that_no_change_is_written` starts the command as a user does, with a process per core.
"""

import pytest


@pytest.fixture(autouse=True)
def _one_core(one_core: None) -> None:
    del one_core  # only for the machine
