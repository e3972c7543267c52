"""The sentinels are unchanged, and every GPU gets the right ones."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from shflbench.core.arch.launch_limits import LIMITS, resident_blocks
from shflbench.core.model import Instruction
from shflbench.cuda.backends.emulator import emulated_device
from shflbench.cuda.compile import loops, rules
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.sass import disassemble
from shflbench.measure.sentinels import SENTINELS, calls, cubin_for, table, version
from shflbench.measure.sentinels.frozen import FOLDER, MANIFEST, SOURCE, frozen_arch, manifest, path_of, read
from tests import kernels
from tools import sentinels as tool

SYMBOLS = sorted({sentinel.symbol for sentinel in SENTINELS})
UNREAD = "sm_70"  # nvdisasm 13, the only one on PyPI, cannot read it
READABLE = [arch for arch in manifest().cubins if arch != UNREAD]
# The instructions of each sentinel's mechanism, per iteration.
PER_ITERATION: Mapping[str, Mapping[str, int]] = {
    "sentinel_barrier": {"BAR": 1, "STS": 1, "LDS": 1},
    "sentinel_integer": {"LOP3": 3},
    "sentinel_l2": {"LDG": 1},
    "sentinel_multiply_add": {"FFMA": 1},
    "sentinel_shared_memory": {"STS": 1, "LDS": 1},
    "sentinel_shuffle": {"SHFL": 1},
}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_source_is_the_frozen_one() -> None:
    assert sha256(SOURCE.read_bytes()) == manifest().source_sha256


def test_machine_code_is_the_frozen_one() -> None:
    assert {path.stem: sha256(path.read_bytes()) for path in FOLDER.glob("*.cubin")} == {
        arch: cubin.sha256 for arch, cubin in manifest().cubins.items()
    }


def test_version_names_this_set() -> None:
    # Runs are compared only within one version: if this fails, earlier runs cannot be compared any more.
    assert version() == "1-95de7a58"


def test_another_launch_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = version()
    first, *others = SENTINELS
    monkeypatch.setattr(table, "SENTINELS", (replace(first, iterations=first.iterations + 16), *others))
    assert version() != before


@cache
def machine_code(arch: str) -> Mapping[str, tuple[Instruction, ...]]:
    code = kernel_code(path_of(arch).read_bytes())
    sass = disassemble([code[symbol] for symbol in SYMBOLS], arch, kernels.tools().nvdisasm)
    assert sass is not None
    return dict(zip(SYMBOLS, sass, strict=True))


@pytest.mark.one_in(15, 2)
@pytest.mark.parametrize("symbol", SYMBOLS)
@pytest.mark.parametrize("arch", READABLE)
def test_every_loop_runs_with_its_instructions(arch: str, symbol: str) -> None:
    loop = rules.timed_loop(loops.counted_loops(machine_code(arch)[symbol]))
    assert loop is not None
    assert loop.unroll == 16
    of_interest = {**rules.exchanges(loop.counts), **{opcode: loop.counts[opcode] for opcode in PER_ITERATION[symbol]}}
    assert of_interest == {opcode: count * loop.unroll for opcode, count in PER_ITERATION[symbol].items()}


def test_architecture_without_a_disassembler_has_all_kernels() -> None:
    content = path_of(UNREAD).read_bytes()
    assert [symbol for symbol in SYMBOLS if b"\0.text." + symbol.encode() + b"\0" not in content] == []


def test_iterations_are_whole_passes_through_the_loop() -> None:
    assert [sentinel.name for sentinel in SENTINELS if sentinel.iterations % 16] == []


def test_manifest_has_the_resources_of_each_kernel() -> None:
    static = {"sentinel_barrier": 4096, "sentinel_shared_memory": 2048}  # two rows and one of 512 slots
    for cubin in manifest().cubins.values():
        assert {symbol: kernel.shared_bytes for symbol, kernel in cubin.kernels.items()} == {
            symbol: static.get(symbol, 0) for symbol in SYMBOLS
        }
        assert {kernel.local_bytes + kernel.spill_bytes for kernel in cubin.kernels.values()} == {0}
        assert all(8 <= kernel.registers <= 64 for kernel in cubin.kernels.values())


@pytest.mark.parametrize(
    ("arch", "made_for"),
    [
        ("sm_61", None),  # before Volta
        ("sm_70", "sm_70"),
        ("sm_72", None),  # has an integrated CPU
        ("sm_75", "sm_75"),
        ("sm_80", "sm_80"),
        ("sm_86", "sm_80"),
        ("sm_87", None),  # likewise
        ("sm_89", "sm_80"),
        ("sm_90", "sm_90"),
        ("sm_100", "sm_100"),
        ("sm_101", None),  # likewise
        ("sm_103", "sm_100"),
        ("sm_110", "sm_110"),
        ("sm_120", "sm_120"),
        ("sm_121", "sm_120"),
        ("sm_130", None),  # not yet
        ("gfx942", None),
    ],
)
def test_gpu_runs_the_newest_cubin_of_its_major_version_up_to_its_minor_version(
    arch: str, made_for: str | None
) -> None:
    assert cubin_for(arch) == (path_of(made_for) if made_for else None)


def test_a_cubin_for_a_newer_minor_version_is_not_chosen() -> None:
    committed = dict.fromkeys(("sm_80", "sm_86", "sm_87", "sm_103"))
    chosen = {arch: frozen_arch(arch, committed) for arch in ("sm_80", "sm_86", "sm_87", "sm_89", "sm_100")}
    assert chosen == {"sm_80": "sm_80", "sm_86": "sm_86", "sm_87": "sm_87", "sm_89": "sm_86", "sm_100": None}


def test_six_are_short_and_two_are_long() -> None:
    assert [sentinel.long for sentinel in SENTINELS].count(False) == 6
    assert [sentinel.long for sentinel in SENTINELS].count(True) == 2


def test_calls_have_different_names_and_the_kernel_of_the_gpu() -> None:
    made = calls(emulated_device("sm_86"))
    assert [name for name, _, _ in made] == [f"sentinel/{sentinel.name}" for sentinel in SENTINELS]
    assert len({name for name, _, _ in made}) == 8
    assert [iterations for _, _, iterations in made] == [sentinel.iterations for sentinel in SENTINELS]
    assert {(call.kernel.arch, call.kernel.cubin) for _, call, _ in made} == {("sm_80", path_of("sm_80").read_bytes())}


def test_every_multiprocessor_has_the_same_work() -> None:
    for sms in (1, 46, 132):
        for sentinel, (_, call, _) in zip(SENTINELS, calls(emulated_device("sm_90", sms)), strict=True):
            assert (call.grid, call.block) == (sentinel.blocks_per_sm * sms, sentinel.block)
            assert call.buffers[0].elements == call.grid * call.block * sentinel.words


@pytest.mark.parametrize("arch", [arch for arch in LIMITS if cubin_for(arch)])
def test_all_blocks_run_at_once_on_every_architecture(arch: str) -> None:
    for sentinel, (_, call, _) in zip(SENTINELS, calls(emulated_device(arch)), strict=True):
        assert resident_blocks(arch, call.kernel.resources, call.block, call.shared_bytes) >= sentinel.blocks_per_sm


def test_a_gpu_without_a_cubin_has_no_sentinels() -> None:
    assert calls(replace(emulated_device("sm_90"), arch="sm_130")) == []


def test_frozen_machine_code_is_not_overwritten() -> None:
    before = {path: path.stat().st_mtime_ns for path in (MANIFEST, *FOLDER.glob("*.cubin"))}
    refusal = tool.main(["sm_90"])
    assert refusal is not None
    assert re.match(r"set 1 already has sm_90: .*--new-set", refusal)
    assert {path: path.stat().st_mtime_ns for path in (MANIFEST, *FOLDER.glob("*.cubin"))} == before


def test_another_source_is_rejected_without_a_new_set() -> None:
    edited = SOURCE.read_bytes().replace(b"-1.9f", b"-1.8f")
    assert "is not that of set 1" in (tool.refusal_of(manifest(), edited, ["sm_130"]) or "")
    next_set = tool.next_set(manifest(), edited)
    assert (next_set.version, next_set.cubins) == (2, {})
    assert tool.refusal_of(next_set, edited, ["sm_90"]) is None


def test_manifest_is_read_as_it_was_written() -> None:
    assert read(tool.to_text(manifest())) == manifest()
