"""Only right results are timed, in shuffled rounds, on a device of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from benchmarks.peers_libraries import Libraries, Peer
from benchmarks.peers_timer import Session, Timed, error
from benchmarks.peers_works import Work
from shflbench.model import Case, Kernel
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests import cases
from tests.fakes.peers_device import Device, DeviceArray

REDUCE, STREAM = load(builtin()["device-reduce"]), load(builtin()["stream"])
SMALL = Work("sum", "f32", 0, 1 << 18)


def add_sum(values: Any, total: Any, *_: Any) -> None:
    total.view(np.float32)[0] = values.view(np.float32).sum(dtype=np.float64)


def xor(values: Any, result: Any) -> None:
    result.view(np.uint32)[:] ^= np.bitwise_xor.reduce(values.view(np.uint32).reshape(result.size // 4, -1), axis=1)


class Peers(Libraries):
    """A library whose first function is right, the second loses an element, and the third does not exist."""

    def __init__(self, device: Device) -> None:
        super().__init__(device.cupy())
        self.torch = None
        self.device = device

    def peers(self, work: Work, arrays: Any, epsilon: float) -> Iterator[Peer]:
        assert (work, epsilon) == (SMALL, 0.0)
        values = arrays["values"].view(np.float32)
        yield Peer("right", lambda: self.add(values), of_torch=False)
        yield Peer("lossy", lambda: self.add(values[1:]), of_torch=False)
        yield Peer("absent", lambda: self.torch.sum(values), of_torch=False)  # type: ignore[union-attr]

    def add(self, values: Any) -> Any:
        result = np.zeros(1, np.float32).view(DeviceArray)
        self.device.queue(lambda: result.set(values.sum(dtype=np.float64)))
        return result


def measured(kernels: dict[str, Callable[..., None]], rounds: int = 3) -> tuple[dict[str, Timed], Device]:
    device = Device(kernels)

    class Built:
        def build(self, _: LoadedPattern, case: Case) -> Kernel:
            return cases.kernel(case.variant)

    session: Any = Session(device.harness(), Built(), Peers(device), {"device-reduce": REDUCE, "stream": STREAM})  # type: ignore[arg-type]
    timed = session.measure(SMALL, [128], rounds, np.random.default_rng(0))
    session.release()
    return {one.name.partition(",")[0] + ("=" if one.kind == "bandwidth" else ""): one for one in timed}, device


KERNELS: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("shfl", "shfl-vector", "last-block", "last-block-acq-rel"), add_sum),
    "shfl-atomic-warp": lambda values, total: add_sum(values[4:], total),
    "vector": xor,
}


def test_only_right_results_are_timed_and_others_have_a_reason() -> None:
    timed, _ = measured(KERNELS)
    right = {"shfl", "shfl-vector", "last-block", "last-block-acq-rel", "vector=", "right"}
    assert {name for name, one in timed.items() if one.samples_us} == right
    assert timed["shfl-atomic-warp"].problem.startswith("wrong result: error")
    assert timed["lossy"].problem.startswith("wrong result: error")
    assert timed["absent"].problem.startswith("failed: ")


def test_each_round_has_a_cold_sample_of_each_subject() -> None:
    timed, device = measured(KERNELS, rounds=4)
    times = sorted(time for one in timed.values() for time in one.samples_us)
    assert times == [float(number) for number in range(1, 25)]
    assert device.emptied == 24
    ranked = [sorted(timed, key=lambda name: (timed[name].samples_us or (99,) * 4)[number]) for number in range(4)]
    assert len({tuple(order) for order in ranked}) > 1


def test_bytes_are_those_of_the_array_for_a_sum_and_its_bandwidth() -> None:
    timed, _ = measured(KERNELS)
    assert {one.nbytes for one in timed.values()} == {SMALL.nbytes}


@pytest.mark.parametrize(
    ("got", "expected", "worst"),
    [
        ([1.0, 2.0], [1.0, 4.0], 0.5),
        ([np.nan, 4.0], [1.0, 4.0], np.inf),
        ([1, 2], [1, 2], 0.0),
        ([1, 3], [1, 2], np.inf),
    ],
)
def test_an_error_is_a_fraction_of_the_largest_value(got: Any, expected: Any, worst: float) -> None:
    kind = np.float32 if isinstance(expected[0], float) else np.int32
    assert error(np.array(got, kind), np.array(expected, kind)) == worst
