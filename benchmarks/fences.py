"""Measure what a fence costs on a GPU, and on what that depends: `python -m benchmarks fences --record`, for sm_90.

`clock64` around a loop of fences in the first thread of each block: by the kind of the fence, the number of blocks, the
SM, the stores before it and their addresses, and loads beside it. Needs PTX 8.6, whose fences of one direction tell the
wait for stores (release) from the invalidation of the L1 (acquire).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.common.pages import program, publish, table, written_by
from shflbench.cuda.compile.build import MachineCode, machine_code
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import CompileError

PAGE = Path(__file__).with_suffix(".md")
KERNELS = Path(__file__).with_suffix(".cu")
KINDS = {
    "NOTHING": "no fence",
    "LOADS_L2": "no fence, loads past the L1",
    "RELEASE_BLOCK": "release, block",
    "ACQUIRE_GPU": "acquire, GPU",
    "RELEASE_GPU": "release, GPU",
    "ACQ_REL_GPU": "acquire and release, GPU",
    "SC_GPU": "sequentially consistent, GPU",
    "ACQ_REL_CLUSTER": "acquire and release, cluster",
    "ACQ_REL_SYSTEM": "acquire and release, system",
}
FENCES = 64  # that a launch times
STORES = (0, 1, 2, 4, 8)
SHAPES = ((1, 32), (16, 32), (132, 32), (132, 256), (264, 256))
LINES = (0, 8, 32, 128)  # of 128 bytes per warp
ADDRESSES = 256  # one store to each of so many lines, of one SM
WORDS = 1 << 23
REPEATS = 5
TEXT = """# What a fence costs

{written}

{device}, driver {driver}, NVRTC {nvrtc}. All figures are clocks per pass of a loop of {fences} passes, each with its
loads, its stores and the fence: the median over the SMs, of the median of {repeats} launches. The line `no fence` is
the loop with its loads and stores. (`shflbench calibrate` times whole launches, in which the slowest SM counts.)

## By the number of blocks

{shapes}

## By the stores before it

132 blocks of 32 threads; each lane stores to so many lines, which no other warp writes.

{stores}

## By the lines that are loaded between two fences

132 blocks of 32 threads, each with lines of its own: from the L1, unless a fence invalidated it.

{lines}

## By the SM, and by the address of a store

| what varies | least | 5% | median | 95% | most |
| --- | --- | --- | --- | --- | --- |
{spreads}
"""


class FenceTimer:
    """GPU 0 with the kernels loaded."""

    def __init__(self) -> None:
        """Compile and load the kernels, and allocate what they access."""
        self._cupy: Any = import_module("cupy")
        self.toolchain = find()
        arch = f"sm_{self._cupy.cuda.Device(0).compute_capability}"
        names = [f"fences<{kind}, {stores}>" for kind in KINDS for stores in STORES]
        text = KERNELS.read_text(encoding="utf-8")
        (built,) = machine_code([[Source(KERNELS.name, text, {}, name) for name in names]], arch, self.toolchain)
        self._functions = {name: self._load(code) for name, code in zip(names, built, strict=True)}
        self._words = self._cupy.zeros(WORDS, np.uint32)
        self._clocks = self._cupy.zeros(1024, np.int64)
        self._sms = self._cupy.zeros(1024, np.uint32)

    def _load(self, code: MachineCode | CompileError) -> Callable[..., None]:
        if isinstance(code, CompileError):
            raise code
        module = self._cupy.cuda.function.Module()
        module.load(code.compiled.cubin)
        function: Callable[..., None] = module.get_function(code.compiled.symbol)
        return function

    def clocks(self, kind: str, stores: int, shape: tuple[int, int] = (132, 32), **where: int) -> dict[int, float]:
        """Return the clocks per pass on each SM: the median over its blocks and several launches."""
        taken: dict[int, list[float]] = {}
        only, lines, word = where.get("only", -1), where.get("lines", 0), where.get("word", 0)
        for _ in range(REPEATS):
            self._clocks.fill(0)
            arguments = (self._clocks, self._sms, self._words[word:], np.int32(only), np.int32(lines))
            self._functions[f"fences<{kind}, {stores}>"]((shape[0],), (shape[1],), arguments)
            clocks, sms = self._clocks.get()[: shape[0]], self._sms.get()[: shape[0]]
            for total, sm in zip(clocks, sms, strict=True):
                if total:
                    taken.setdefault(int(sm), []).append(total / FENCES)
        return {sm: median(values) for sm, values in taken.items()}

    def middle(self, kind: str, stores: int, shape: tuple[int, int] = (132, 32), **where: int) -> float:
        """Return the median over the SMs."""
        return median(self.clocks(kind, stores, shape, **where).values())

    @property
    def device(self) -> tuple[str, str]:
        """The name of the GPU and its driver."""
        pynvml = import_module("pynvml")
        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(0)), pynvml.nvmlSystemGetDriverVersion()


def _rows(timer: FenceTimer, cases: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield a row per kind of fence, with the clocks of each case."""
    for kind, text in KINDS.items():
        yield (text, *(f"{timer.middle(kind, case.get('stores', 0), **_rest(case)):.0f}" for case in cases))


def _rest(case: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name != "stores"}


def _spreads(timer: FenceTimer) -> Iterator[str]:
    for kind in ("RELEASE_GPU", "ACQUIRE_GPU", "ACQ_REL_SYSTEM"):
        yield _spread(f"SM; {KINDS[kind]}, no store", list(timer.clocks(kind, 0).values()))
    release = f"{KINDS['RELEASE_GPU']}, one store"
    sms = sorted(timer.clocks("NOTHING", 0))
    by_sm = [value for sm in sms for value in timer.clocks("RELEASE_GPU", 1, only=sm).values()]
    yield _spread(f"SM, one at a time, to one address; {release}", by_sm)
    one_sm = [next(iter(timer.clocks("RELEASE_GPU", 1, only=0, word=32 * line).values())) for line in range(ADDRESSES)]
    yield _spread(f"address, {ADDRESSES} lines from one SM; {release}", one_sm)


def _spread(what: str, values: Sequence[float]) -> str:
    quantiles = np.quantile(values, (0, 0.05, 0.5, 0.95, 1))
    return f"| {what} | {' | '.join(f'{value:.0f}' for value in quantiles)} |"


def main() -> int:
    """Measure, print the page, and write it with `--record`."""
    arguments = program(__doc__, PAGE).parse_args()
    timer = FenceTimer()
    device, driver = timer.device
    head = ("fence",)
    shapes = [{"shape": shape} for shape in SHAPES]
    text = TEXT.format(
        written=written_by("fences --record"),
        device=device,
        driver=driver,
        nvrtc=timer.toolchain.version,
        repeats=REPEATS,
        fences=FENCES,
        shapes=table((*head, *(f"{grid} × {block}" for grid, block in SHAPES)), _rows(timer, shapes)),
        stores=table((*head, *(f"{count}" for count in STORES)), _rows(timer, [{"stores": count} for count in STORES])),
        lines=table((*head, *(f"{count}" for count in LINES)), _rows(timer, [{"lines": count} for count in LINES])),
        spreads="\n".join(_spreads(timer)),
    )
    publish(text, arguments.record)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
