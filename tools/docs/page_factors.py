"""Write the factors of the explanations that people write: `make plots`. Each is the quotient of two measured times.

A phrase has `{}` in place of each factor. A test checks the factors, that every factor of these pages is here or has a
test of its own, and that none leaves out an opponent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from shflbench.store import find_runs, read_run
from tools.docs.figures import DEVICE, ROOT
from tools.docs.opponents import all_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from shflbench.store import Row

LATER = "opponents"  # a suite without a run in results/
MODEL = "h200"


@dataclass(frozen=True, slots=True)
class Quotient:
    """The time of one variant divided by that of another, at a setting such as `neighbor f32 26x1024 mode=idx`."""

    suite: str
    setting: str
    of: str
    to: str
    setting_to: str = ""  # of the other variant, if it is another one

    @property
    def value(self) -> float:
        """The quotient: of cycles per iteration of the suite `opponents`, else of launches, as the tables have them."""
        return _time(self.suite, self.setting, self.of) / _time(self.suite, self.setting_to or self.setting, self.to)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a page, with `{}` in place of factors."""

    page: str
    text: str
    factors: tuple[Quotient | tuple[Callable[[Iterable[float]], float], tuple[Quotient, ...]], ...]

    @property
    def values(self) -> list[float]:
        """The factors, in the order of the phrase; a pair is the least or the largest of several."""
        return [one.value if isinstance(one, Quotient) else one[0](it.value for it in one[1]) for one in self.factors]

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds the phrase; line breaks are where they were."""
        words = re.escape(self.text).replace(r"\ ", r"\s+").replace(r"\{\}", r"(\d+(?:\.\d+)?)")
        return re.compile(words)

    def refresh(self, page: str) -> str:
        """Return the page with the factors of the phrase, in as many decimals as before."""
        match = self.pattern.search(page)
        if match is None:
            raise ValueError(f"{self.page}: no {self.text!r}")
        for index in range(len(self.factors), 0, -1):
            digits = len(match[index].partition(".")[2])
            page = f"{page[: match.start(index)]}{self.values[index - 1]:.{digits}f}{page[match.end(index) :]}"
        return page


@cache
def _rows(suite: str) -> Mapping[tuple[str, str], Row]:
    (folder,) = (it for it in find_runs([ROOT / "results" / suite]) if it.name == DEVICE)
    rows = read_run(folder).rows
    return {(" ".join((row.pattern, row.dtype, row.launch, *row.option_texts)), row.variant): row for row in rows}


def _time(suite: str, setting: str, variant: str) -> float:
    if suite == LATER:
        return next(one.time for one in all_settings(MODEL)[setting].variants if one.variant == variant)
    return _rows(suite)[setting, variant].time_us or 0.0


H200, TRANSPOSES = "what-the-h200-shows.md", "what-transposes-and-structures-show.md"
OTHER, INDICES = "what-the-other-suites-show.md", "what-unknown-indices-show.md"
ANSWERS, BLOCKS = "what-blocks-and-rows-show.md", "what-block-sums-and-scans-show.md"
ARRAYS, ROWS = "what-array-sums-show.md", "what-rows-show.md"
LADDER = "memory-ladder i32"
STORES = "struct-access f32 16384x256 words=16 way=store"
SCANS = tuple(
    Quotient("blocks", f"block-scan {dtype} fill x {block} kind={kind}", shuffles, "cub-raking")
    for dtype, block, kind, shuffles in (
        *((dtype, 64, "inclusive", "shfl-once") for dtype in ("f32", "i32")),
        *((dtype, 256, kind, "shfl-first-warp") for dtype in ("f32", "i32") for kind in ("inclusive", "exclusive")),
    )
)


def _rows_of_one_block(pattern: str, dtypes: tuple[str, ...], options: str) -> tuple[Quotient, ...]:
    return tuple(
        Quotient("rows", f"{pattern} {dtype} sms x 128 length={length} load=vector{options}", "smem-warp", "shfl-warp")
        for dtype in dtypes
        for length in (64, 256, 1024, 4096)
    )


PHRASES = (
    Phrase(
        H200,
        "runs at {}× the speed of `smem-double` with 32 warps per block, and at {}× with one warp per block",
        tuple(
            Quotient(LATER, f"neighbor f32 {launch} mode=idx", "smem-double", "shfl")
            for launch in ("sms x 1024", "sms x 32")
        ),
    ),
    Phrase(
        H200,
        "at {}× and {}× that of `smem-syncwarp`",
        tuple(
            Quotient(LATER, f"neighbor f32 {launch} mode=idx", "smem-syncwarp", "shfl")
            for launch in ("sms x 1024", "sms x 32")
        ),
    ),
    Phrase(
        H200,
        "a search by shuffles takes {}× the time",
        (Quotient("gtc2013", "broadcast-last f32 26x1024", "shfl", "ballot"),),
    ),
    Phrase(
        TRANSPOSES,
        "it makes 20 requests and takes {}× the time of shared memory",
        (Quotient(LATER, "transpose f32 8*sms x 256 words=8", "shfl-xor", "smem-syncwarp"),),
    ),
    Phrase(
        TRANSPOSES,
        "it makes 2 requests instead of 4, and is {}× as fast",
        (Quotient(LATER, "transpose f32 8*sms x 256 words=2", "smem-syncwarp", "shfl"),),
    ),
    Phrase(
        TRANSPOSES,
        "at 16 words to {}× that of `float4` stores (`vector`), and to {}× that of stores word by word",
        (Quotient("gtc2013", STORES, "vector", "shfl"), Quotient("gtc2013", STORES, "direct", "shfl")),
    ),
    Phrase(
        OTHER,
        "The latency of DRAM is {}× that of shared memory",
        (Quotient("warp-collectives", f"{LADDER} sms x 32 chains=1 lines=8192", "dram", "smem"),),
    ),
    Phrase(
        OTHER,
        "A multiply-add runs at {}× the speed of a shuffle",
        (Quotient("warp-collectives", f"{LADDER} 2*sms x 1024 chains=4 lines=256", "shfl", "fma"),),
    ),
    Phrase(
        INDICES,
        "registers have {}× the speed of local memory in `static-array`",
        (Quotient("dynamic-indexing", "static-array f32 8*sms x 64 length=32", "local", "register-static"),),
    ),
    Phrase(
        INDICES,
        "shared memory has {}× the speed of local memory in `private-array` with `index=worst`",
        (Quotient("dynamic-indexing", "private-array f32 8*sms x 64 length=32 index=worst math=0", "local", "smem"),),
    ),
    Phrase(
        INDICES,
        "(`select-bits`) have {}× the speed of shared memory",
        (
            Quotient(
                "dynamic-indexing", "private-array f32 8*sms x 64 length=32 index=worst math=0", "smem", "select-bits"
            ),
        ),
    ),
    Phrase(
        INDICES,
        "(`carveout=0`: {}× the time of local memory)",
        (
            Quotient(
                "dynamic-indexing",
                "private-array f32 8*sms x 64 length=32 index=worst math=0 carveout=0",
                "smem",
                "local",
            ),
        ),
    ),
    Phrase(
        ANSWERS,
        "({}× that of CUB's raking)",
        (Quotient("blocks", "block-reduce f32 fill x 256 result=all", "cub-raking", "raking-columns"),),
    ),
    Phrase(
        ANSWERS,
        "shared memory (`smem-warps`) has {}× the speed of shuffles (floats: {}×)",
        tuple(
            Quotient("blocks", f"block-reduce {dtype} fill x 256 result=all", "shfl-first-warp", "smem-warps")
            for dtype in ("f64", "f32")
        ),
    ),
    Phrase(
        BLOCKS,
        "{}× to {}× the speed of the best shuffles in blocks of 64 and 256 threads and full SMs ({}× and {}× for 64",
        (
            (min, SCANS),
            (max, SCANS),
            *(
                Quotient("blocks", f"block-scan {dtype} fill x 256 kind=inclusive", "shfl-first-warp", "cub-raking")
                for dtype in ("f64", "i64")
            ),
        ),
    ),
    Phrase(
        ARRAYS,
        "With one warp per SM it takes {}× as long to share it",
        (Quotient("blocks", "warp-value i32 sms x 32 work=8", "shfl", "recompute"),),
    ),
    Phrase(
        ARRAYS,
        "sharing takes {}× as long",
        (Quotient("blocks", "warp-value i32 2*sms x 1024 work=8", "shfl", "recompute"),),
    ),
    Phrase(
        ROWS,
        "most of the {}× is due to the number of threads",
        (Quotient("rows", "row-norm f32 32768x256 length=64 load=vector norm=rms", "shfl-block", "shfl-warp"),),
    ),
    Phrase(
        ROWS,
        "shuffles have {}× the speed of a tree for RMSNorm of rows of 64 and {}× for LayerNorm",
        (
            Quotient("rows", "row-norm f32 32768x256 length=64 load=vector norm=rms", "smem", "shfl-block"),
            Quotient("rows", "row-norm f32 16384x256 length=1024 load=vector norm=layer", "smem", "shfl-block"),
        ),
    ),
    Phrase(
        ROWS,
        "shuffles are up to {}× as fast (softmax: {}×)",
        (
            (max, _rows_of_one_block("row-norm", ("f32", "bf16"), " norm=rms")),
            (max, _rows_of_one_block("softmax", ("f32",), "")),
        ),
    ),
    Phrase(
        ROWS,
        "shuffles have {}× the speed of a tree; with rows of 64, {}×",
        tuple(
            Quotient("rows", f"softmax f32 32768x256 length={length} load=vector", "smem", "shfl-block")
            for length in (256, 64)
        ),
    ),
)


def main() -> None:
    """Refresh all pages, and print the paths of those that changed."""
    for name in sorted({phrase.page for phrase in PHRASES}):
        path = ROOT / "docs" / "explanation" / name
        text = refreshed = path.read_text(encoding="utf-8")
        for phrase in PHRASES:
            refreshed = phrase.refresh(refreshed) if phrase.page == name else refreshed
        if refreshed != text:
            path.write_text(refreshed, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
