"""Barriers of kernels that look as if they needed another one than they do: `traps/*.cu`.

A comment behind a barrier says what it is needed for: `needed`, `warp` (`__syncwarp()` is enough), `nothing`, or
`open`, where no suggestion is right: its result is used, or the code has another form.
"""

from pathlib import Path

import pytest

from tests.checker.exchanges.test_known_kernels import NEEDS, advice_of, truth_of

FILES = sorted((Path(__file__).parent / "traps").glob("*.cu"))


@pytest.mark.one_in(12)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_barrier_is_needed_for_what_a_reader_says(file: Path, kernel_cache: Path) -> None:
    truth = truth_of(file.read_text(encoding="utf-8"))
    advice = advice_of(file, truth, kernel_cache)
    assert advice.report.verdict == "clean", advice.report.sentence
    barriers = {item.line.line: item for item in advice.barriers}
    assert barriers.keys() == truth.barriers.keys()
    for line, need in truth.barriers.items():
        if need == "open":
            assert not barriers[line].could_be_weaker
        else:
            assert barriers[line].need == NEEDS[need], (line, barriers[line].reason)
            assert barriers[line].is_proved or need == "needed"
