"""Kernels whose exchanges and barriers somebody read who knew nothing of the code: `known/*.cu`.

The first line of a file has the launch; a comment behind a line has the truth:

    // store: a                                    the letter of this store to shared memory
    // load a: thread + down 8 4; load b: across   what the load reads of each store: how lanes lie to the writers
    // barrier: needed                             or warp (`__syncwarp()` is enough), nothing, unknown

Comments of some files were changed after a run: in `last_of_row_and_block` the compiler lets all threads load in line
11, also those of the warp that wrote the value; the first barrier of `loop_runs_once` is needed even if the loop runs
once; in `stencil_rows_clamped` and `matmul_tile_16`, lanes at the edge keep their own value, as the shuffles up and
down let them, which the reader had called `lane`; the barrier of `short_row_limit`, which the reader had called
`warp`, is needed for a larger `n`. Loads of what the thread itself wrote
are not compared, because compilers move them to other lines.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shflbench.checker import ExchangeAdvice, FileOptions, KernelAdvice, advise_file, parse_arguments, parse_shape
from shflbench.checker.options import LaunchOptions
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers

# They take half a second or more, and have the exchanges of smaller ones.
SLOW = {
    "histogram_per_warp",
    "matmul_tile_32",
    "rotate_row_by_half",
    "scan_blelloch_rows",
    "scan_rows_two_barriers",
    "scan_two_barriers",
    "transpose_tile_32x8",
    "tree_1024_warp_tail",
}
FILES = sorted((Path(__file__).parent / "known").glob("*.cu"))
NEEDS = {
    "needed": "needed",
    "warp": "__syncwarp() is enough",
    "nothing": "not needed",
    "unknown": "not enough evidence",
}
KINDS = {"permutation": "lane"}  # of relations whose names differ from those in the files


@dataclass(frozen=True, slots=True)
class Truth:
    """The comments of a file."""

    launch: str
    arguments: tuple[str, ...]
    shared: int
    loads: dict[tuple[int, int], set[str]] = field(default_factory=dict)  # (line of the store, of the load) → kinds
    barriers: dict[int, str] = field(default_factory=dict)


def truth_of(text: str) -> Truth:
    lines = text.splitlines()
    words = lines[0].removeprefix("// launch:").replace("args:", "").replace(",", " ").split()
    shared = next((int(word.removeprefix("shared=")) for word in words if word.startswith("shared=")), 0)
    arguments = tuple(word for word in words[1:] if not word.startswith("shared="))
    truth = Truth(words[0], arguments, shared)
    comments = [(number, line.partition("//")[2]) for number, line in enumerate(lines, 1) if number > 1]
    stores = {match[1]: number for number, text in comments if (match := re.search(r"store: (\w)", text))}
    for number, comment in comments:
        for store, kinds in re.findall(r"load (\w): ([^;|]+)", comment):
            truth.loads[stores[store], number] = {kind.strip() for kind in kinds.split(" + ")}
        if match := re.search(r"barrier: (\w+)", comment):
            truth.barriers[number] = match[1]
    return truth


def kinds_of(exchange: ExchangeAdvice) -> set[str]:
    """Return the kinds as the files write them: `thread`, `down 8 4`, `across`."""
    kinds = set()
    for relation, _ in exchange.relations:
        name = relation.name.lower()
        if name == "xor":
            kinds.add(f"xor {' '.join(map(str, exchange.distances))}")
        elif name == "shift":
            for word, sign in (("down", 1), ("up", -1)):
                if distances := [str(item * sign) for item in exchange.distances if item * sign > 0]:
                    kinds.add(f"{word} {' '.join(distances)}")
        else:
            kinds.add(f"several {exchange.offered}" if name == "several" else KINDS.get(name, name))
    return kinds


def advice_of(file: Path, truth: Truth, cache: Path) -> KernelAdvice:
    options = FileOptions(
        compilers=Compilers(find(), cache=cache),
        given=LaunchOptions(
            launches=(parse_shape(truth.launch),),
            arguments=parse_arguments(truth.arguments),
            shared_bytes=truth.shared or None,
        ),
        outputs=False,
    )
    (advice,) = advise_file(file, options, lambda _: None)
    return advice


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "file", [pytest.param(one, id=one.stem, marks=[pytest.mark.archs] if one.stem in SLOW else []) for one in FILES]
)
def test_advice_is_what_a_reader_says(file: Path, kernel_cache: Path) -> None:
    truth = truth_of(file.read_text(encoding="utf-8"))
    advice = advice_of(file, truth, kernel_cache)
    assert advice.report.verdict == "clean", advice.missing
    assert {item.line.line: str(item.need) for item in advice.barriers} == {
        line: NEEDS[need] for line, need in truth.barriers.items()
    }
    exchanges = {(item.store.line, item.load.line): kinds_of(item) for item in advice.exchanges}
    assert without_own(exchanges) == without_own(truth.loads)


def without_own(loads: dict[tuple[int, int], set[str]]) -> dict[tuple[int, int], set[str]]:
    return {lines: kinds for lines, kinds in loads.items() if kinds != {"thread"}}
