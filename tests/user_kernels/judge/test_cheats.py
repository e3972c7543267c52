"""Published ways to cheat a benchmark of kernels: each is rejected, for its reason, and the page says so."""

import re
from pathlib import Path

import pytest

from tests.user_kernels.judge.conftest import Judge

CHEATS = Path(__file__).parent / "cheats"
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "benchmark-cheats.md"
CODES = {
    "batch-and-skip": "keeps-results",
    "bf16-accumulate": "wrong-result",
    "cache-by-hash": "keeps-results",
    "cache-by-pointer": "keeps-results",
    "clock-deadline": "reads-clock",
    "detect-gridid": "reads-clock",
    "device-heap-bomb": "keeps-memory",
    "fire-and-forget": "unwritten",
    "first-row-only": "unwritten",
    "half-accumulate": "wrong-result",
    "hardcoded-shape": "bounds",
    "include-computed": "include-outside",
    "include-spliced": "include-outside",
    "l2-demote-flush-buffer": "pins-cache",
    "l2-persist-evict-last": "pins-cache",
    "l2-prefetch-for-next": "pins-cache",
    "mutate-inputs-collapse": "input-changed",
    "mutate-inputs-zero": "input-changed",
    "nan-wildcard": "wrong-result",
    "output-already-right": "unwritten",
    "output-unwritten": "unwritten",
    "ptx-hidden-state": "keeps-results",
    "race-no-syncthreads": "race",
    "read-reference-after": "bounds",
    "read-reference-before": "bounds",
    "sample-mean-times-n": "wrong-result",
    "skip-after-n": "keeps-results",
    "skip-special-values": "wrong-result",
    "skip-window-by-counter": "keeps-results",
    "stale-shared": "uninitialized",
    "state-in-padding": "bounds",
    "tail-launch": "unwritten",
    "truncate-inputs": "wrong-result",
    "uniform-sum-half-n": "wrong-result",
    "warmup-replay": "keeps-results",
}
FAST = {"cache-by-hash", "l2-persist-evict-last", "skip-after-n", "tail-launch"}  # one of each way to see them
COLD = {"l2-demote-flush-buffer", "l2-persist-evict-last", "l2-prefetch-for-next"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.archs) for name in CODES]
)
def test_a_published_cheat_is_rejected(name: str, judge: Judge) -> None:
    sizes = {"rows": [2], "n": [37, 700]}
    options = {"l2": "cold"} if name in COLD else {"special": True} if name == "skip-special-values" else {}
    (verdict,) = judge(CHEATS / f"{name}.cu", sizes=sizes, block=256, **options).verdicts
    assert verdict.decision == "rejected"
    assert CODES[name] in {reason.code for reason in verdict.reasons}, verdict.reasons


def test_each_cheat_has_a_source_and_a_row_on_the_page() -> None:
    assert {path.stem for path in CHEATS.glob("*.cu")} == CODES.keys()
    rows = dict(re.findall(r"^\| \[`([\w-]+)`\].*\| `([\w-]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == CODES
    for name in CODES:
        first = (CHEATS / f"{name}.cu").read_text(encoding="utf-8").partition("\n")[0]
        address = re.fullmatch(r"// source: (https://\S+)", first)
        assert address
        assert f"]({address[1]})" in PAGE.read_text(encoding="utf-8")
