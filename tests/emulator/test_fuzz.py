"""Damaged PTX ends in one sentence, whatever the damage."""

from collections.abc import Callable

import numpy as np
import pytest

from shflbench.emulator.link import linker
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import EmulatorError
from tests import kernels
from tests.emulator.instructions import test_calls, test_dialects
from tests.emulator.opcodes import test_matrix
from tests.emulator.problems import problems

SOURCES = (
    "neighbor/smem-unsafe/f32/mode=idx",
    "reduce/redux/i32/width=32",
    "neighbor/smem-double/i64/mode=idx",
    "reduce/shfl/i32/width=32",
)
EACH = 250  # of two kinds of damage to four texts, in `make test-archs`: 2,000 in all


def truncated(rng: np.random.Generator, text: str) -> str:
    return text[: int(rng.integers(len(text)))]


def mutated(rng: np.random.Generator, text: str) -> str:
    """Return `text` with one to four letters changed, words swapped, or lines dropped or doubled."""
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(len(text)))
        match int(rng.integers(4)):
            case 0:
                text = text[:place] + chr(int(rng.integers(32, 127))) + text[place + 1 :]
            case 1:
                lines = text.split("\n")
                del lines[int(rng.integers(len(lines)))]
                text = "\n".join(lines)
            case 2:
                lines = text.split("\n")
                lines.insert(int(rng.integers(len(lines))), lines[int(rng.integers(len(lines)))])
                text = "\n".join(lines)
            case _:
                text = text[:place] + text[place + int(rng.integers(1, 20)) :]
    return text


def refusal(text: str) -> str | None:
    """Return why a text is refused, None if it runs; another exception fails the test."""
    try:
        load_and_run(text)
    except EmulatorError as error:
        return error.message
    return None


def load_and_run(text: str) -> None:
    module = parse(text)
    kernel = next((name for name, function in module.functions.items() if function.entry), "none")
    values = np.arange(32, dtype=np.int64).view(np.uint8)
    launch = EmulatedLaunch(link(module, kernel), Shape(1, 32), 1024, [values], [(256, "u1")], 1)
    execute(launch, step_limit=2000)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("damage", [truncated, mutated])
@pytest.mark.parametrize("number", [EACH // 5, pytest.param(EACH, marks=pytest.mark.archs)])
def test_damaged_ptx_is_reported_in_one_sentence(
    damage: Callable[[np.random.Generator, str], str], source: str, number: int
) -> None:
    rng = np.random.default_rng(11)
    text = kernels.kernel(source).ptx
    messages = [refusal(damage(rng, text)) for _ in range(number)]
    refused = [message for message in messages if message is not None]
    assert len(refused) > number // 5
    assert all(message and "\n" not in message and len(message) < 400 for message in refused)


COPY = """
    mov.u32 %r2, room; mad.lo.u32 %r3, %r1, 16, %r2;
    cp.async.cg.shared.global [%r3], [%d4], 16; cp.async.commit_group; cp.async.wait_group 0; bar.warp.sync -1;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r3];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r24, %r25, %r26, %r27}, {%r20, %r21, %r22, %r23}, {%r20, %r21},
        {%r24, %r25, %r26, %r27};
    mov.u64 %d6, %clock64; st.global.b64 [%d5], %d6;
"""
TEXTS = {
    "LLVM": test_dialects.LLVM,
    "recursion": test_calls.HEAD
    + test_calls.RECURSION
    + test_calls.KERNEL.replace("CODE", test_calls.DIRECT.replace("NAME", "fibonacci")),
    "pointers": test_calls.HEAD
    + test_calls.POINTERS
    + test_calls.KERNEL.replace("CODE", test_calls.INDIRECT.replace("MASK", "1")),
    "matrices": test_matrix.KERNEL.format(code=COPY, stride=test_matrix.STRIDE),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("damage", [truncated, mutated])
def test_damaged_calls_copies_and_matrices_are_reported_in_one_sentence(
    damage: Callable[[np.random.Generator, str], str], name: str
) -> None:
    """Also by `link_whole`, which reads everything that a kernel reaches before anything runs."""
    rng = np.random.default_rng(5)
    messages: list[str] = []
    for _ in range(15):
        text = damage(rng, TEXTS[name])
        try:
            messages += problems(parse(text), "k" if name != "matrices" else "one")
        except EmulatorError as error:
            messages.append(error.message)
        messages += filter(None, [refusal(text)])
    assert messages
    assert all("\n" not in message and len(message) < 400 for message in messages)


def test_a_kernel_with_too_many_basic_blocks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linker, "MOST_BLOCKS", 1 << 10)
    step = "@%p1 bra L{0};\nadd.u32 %r1, %r1, 1;\nL{0}:\n"
    body = "".join(step.format(number) for number in range(1 << 9))
    registers = ".reg .b32 %r<2>; .reg .pred %p<2>;"
    text = f".version 9.0\n.target sm_90\n.visible .entry k()\n{{\n{registers}\n{body}ret;\n}}\n"
    with pytest.raises(EmulatorError, match=r"the kernel has 1,\d+ basic blocks, the emulator runs at most 1,024"):
        link(parse(text), "k")
