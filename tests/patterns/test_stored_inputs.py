"""The contents of `inputs.npz`, beside a `pattern.json`; test_stored_python.py compares what is drawn of them."""

from pathlib import Path

import numpy as np
import pytest

from shflbench.errors import PatternError
from shflbench.patterns.discover import ADVICE, STORED, load
from shflbench.patterns.stored_inputs import CONTENTS
from tests import cases
from tests.patterns.stored_pattern import PATTERN, SMALL, contents, write


def test_specified_contents_repeat_and_chosen_ones_begin_elsewhere(tmp_path: Path) -> None:
    folder = write(PATTERN, tmp_path)
    data = cases.workload(load(folder), options={"n": "200"})
    specified, rolled = contents(PATTERN)["flags-200"].view(np.int8), contents(PATTERN)["offsets-200"].view(np.int32)
    first, second = (data.inputs(index) for index in (0, 1))
    for drawn in (first, second):
        assert drawn[1].tolist() == np.resize(specified, 250).tolist()
        assert sorted(set(drawn[2].tolist())) == sorted(set(rolled.tolist()))
    assert first[2].tolist() != second[2].tolist()


@pytest.mark.parametrize("kept", [{}, {"y": np.zeros(4, np.uint8)}, {"x": np.zeros(3, np.uint8)}, None])
def test_contents_that_are_missing_or_no_elements_are_one_sentence(
    kept: dict[str, np.ndarray] | None, tmp_path: Path
) -> None:
    folder = write(SMALL, tmp_path)
    (folder / CONTENTS).unlink()
    if kept is not None:
        np.savez(folder / CONTENTS, allow_pickle=False, **kept)
    data = cases.workload(load(folder))
    with pytest.raises(PatternError) as caught:
        data.inputs(0)
    assert caught.value.message.startswith(f"{folder / STORED}: `inputs` fails: ")
    assert caught.value.advice == ADVICE[STORED]


def test_contents_are_never_unpickled(tmp_path: Path) -> None:
    folder = write(SMALL, tmp_path)
    np.savez(folder / CONTENTS, allow_pickle=True, **{name: np.array([{}]) for name in contents(SMALL)})
    with pytest.raises(PatternError, match="Object arrays cannot be loaded"):
        cases.workload(load(folder)).inputs(0)
