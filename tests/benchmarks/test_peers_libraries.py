"""How the libraries are called, with stand-ins that note the calls."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.peers_libraries import Libraries
from benchmarks.peers_works import FUNCTIONS, Work
from tests.fakes.peers_device import Device, DeviceArray


def test_libraries_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert Libraries(Device({}).cupy()).versions() == {
        "torch": "not installed",
        "cupy": "14",
        "CUB in cupy": "300000",
        "cuda-cccl": "not installed",
    }


class Compute:
    """`cuda.compute`, whose reduction needs a workspace of 24 bytes."""

    OpKind = SimpleNamespace(PLUS="+")
    Determinism = SimpleNamespace(RUN_TO_RUN="same", NOT_GUARANTEED="any")

    def __init__(self) -> None:
        self.made: list[str] = []
        self.streams: list[tuple[int, int]] = []

    def make_reduce_into(self, *, d_in: Any, d_out: Any, h_init: Any, op: str, determinism: str) -> Any:
        assert (op, h_init.tolist()) == ("+", [0])
        self.made.append(determinism)

        def reduce(*, temp_storage: Any, num_items: int, stream: Any = None, **given: Any) -> int:
            assert given["d_in"] is d_in
            assert num_items == d_in.size
            if temp_storage is not None:
                assert temp_storage.nbytes == 24
                self.streams.append(stream.__cuda_stream__())
                d_out[0] = d_in.sum()
            return 24

        return reduce


def test_cub_is_called_by_both_packages_with_a_workspace_that_is_allocated_before() -> None:
    accelerators, compute = [1], Compute()
    cupy = Device({}).cupy(accelerators)
    cupy.cuda.get_current_stream = lambda: SimpleNamespace(ptr=77)
    libraries = Libraries(cupy)
    libraries.torch, libraries.compute = None, compute  # type: ignore[assignment]
    arrays = {"values": np.arange(8, dtype=np.int32).view(np.uint8).view(DeviceArray)}
    calls = {peer.name: peer.call for peer in libraries.peers(Work("sum", "i32", 0, 32), arrays, 0.0)}
    assert {name: call().item() for name, call in calls.items()} == {
        "cub::DeviceReduce (cupy)": 28,
        "cub::DeviceReduce (cuda.compute, deterministic)": 28,
        "cub::DeviceReduce (cuda.compute, atomic)": 28,
    }
    for call in calls.values():  # the captured call makes nothing
        call()
    assert compute.made == ["same", "any"]
    assert compute.streams == [(0, 77)] * 4
    accelerators[:] = [2]
    with pytest.raises(RuntimeError, match="does not use CUB"):
        calls["cub::DeviceReduce (cupy)"]()
    assert not list(libraries.peers(Work("sum", "bf16", 0, 32), arrays, 0.0))


class Tensor(np.ndarray[Any, Any]):
    """A tensor of torch."""

    def view(self, *shape: Any) -> Any:  # type: ignore[override]
        return self.reshape(shape) if isinstance(shape[0], int) else super().view(*shape)


def torch_of(calls: list[tuple[Any, ...]]) -> Any:
    """Return the part of torch that is called, which notes its calls with the shapes of the tensors."""

    def noting(name: str) -> Callable[..., None]:
        return lambda *given, **named: calls.append(
            (name, *(item.shape if isinstance(item, Tensor) else item for item in given), *named.values())
        )

    functional = SimpleNamespace(rms_norm=noting("rms_norm"), layer_norm=noting("layer_norm"))
    return SimpleNamespace(
        as_tensor=lambda array, device: np.asarray(array).view(Tensor) if device == "cuda" else None,
        float32=np.float32,
        int32=np.int32,
        nn=SimpleNamespace(functional=functional),
        sum=noting("sum"),
        softmax=noting("softmax"),
    )


def test_torch_works_on_rows_of_the_same_memory() -> None:
    calls: list[tuple[Any, ...]] = []
    libraries = Libraries(Device({}).cupy())
    libraries.torch, libraries.compute = torch_of(calls), None
    arrays = {name: np.zeros(4 * size, np.uint8) for name, size in (("x", 32), ("weight", 8), ("bias", 8))}
    for function in FUNCTIONS:
        given = {"values": arrays["x"]} if function == "sum" else arrays
        length = 0 if function == "sum" else 8
        next(iter(libraries.peers(Work(function, "f32", length, 128), given, 1e-5))).call()
    assert calls == [
        ("sum", (32,), np.float32),
        ("rms_norm", (4, 8), (8,), (8,), 1e-5),
        ("layer_norm", (4, 8), (8,), (8,), (8,), 1e-5),
        ("softmax", (4, 8), -1),
    ]
