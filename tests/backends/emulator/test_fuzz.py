"""Damaged PTX ends in one sentence, whatever the damage."""

from collections.abc import Callable

import numpy as np
import pytest

from shflbench.backends.emulator.frontend.parse import parse
from shflbench.backends.emulator.link.linker import link
from shflbench.backends.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.backends.emulator.machine.threads import Shape
from shflbench.errors import EmulatorError
from tests import kernels

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
