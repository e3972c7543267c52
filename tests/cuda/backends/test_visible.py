"""CUDA_VISIBLE_DEVICES is read as CUDA reads it."""

from dataclasses import replace

import pytest

from shflbench.cuda.backends.gpus import Gpu
from shflbench.cuda.backends.visible import visible_gpus
from shflbench.measure.events import Opened, encode
from shflbench.measure.supervisor import WorkerDevice
from shflbench.session.fleet.executor import FleetDevice
from shflbench.session.fleet.messages import DeviceReport
from tests.fakes.backend import H200
from tests.fakes.workers import worker_on

GPUS = [Gpu(index, "NVIDIA H200", "sm_90", 141.0, "580", f"GPU-{index}{index}aa-bb") for index in range(4)]
UUIDS = [gpu.uuid for gpu in GPUS]
SLICE = "MIG-8f2a9b1c-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("value", "numbers", "remark"),
    [
        (None, [0, 1, 2, 3], ""),
        ("2,1", [2, 1], ""),  # in this order
        (" 3 , 0", [3, 0], ""),
        ("1,-1,2", [1], "`-1` in CUDA_VISIBLE_DEVICES names no GPU, and CUDA ignores it and what follows it"),
        ("0,9,1", [0], "`9` in CUDA_VISIBLE_DEVICES names no GPU"),
        ("1gpu,2", [1, 2], ""),
        ("GPU-22aa-bb,GPU-0", [2, 0], ""),  # a UUID, and the start of one
        ("gpu-22", [], "`gpu-22` in"),  # the first word is case-sensitive
        ("GPU-1,2", [1], "`2` in"),  # kinds do not mix
        ("2,GPU-1", [2], "`GPU-1` in"),
        ("GPU-,GPU-1", [], "`GPU-` in"),  # it could be any
        ("", [], "CUDA_VISIBLE_DEVICES is empty"),
        ("none", [], "`none` in"),
        ("0,0", [], "CUDA_VISIBLE_DEVICES names a GPU twice, `0`, and CUDA then lists none"),
        ("GPU-1,GPU-11aa", [], "names a GPU twice"),
    ],
)
def test_gpus_that_cuda_lists(value: str | None, numbers: list[int], remark: str) -> None:
    visible = visible_gpus(GPUS, {} if value is None else {"CUDA_VISIBLE_DEVICES": value})
    assert visible.indexes == list(range(len(numbers)))
    assert [gpu.uuid for gpu in visible.gpus] == [UUIDS[number] for number in numbers]
    assert visible.remark.startswith(remark) or remark in visible.remark
    assert bool(visible.remark) == bool(remark)


def test_cuda_lists_one_instance_of_a_gpu_that_is_divided() -> None:
    visible = visible_gpus(GPUS, {"CUDA_VISIBLE_DEVICES": f"{SLICE},{SLICE}"})
    assert [(gpu.index, gpu.uuid) for gpu in visible.gpus] == [(0, "")]
    assert visible.remark == "CUDA uses the first instance of CUDA_VISIBLE_DEVICES only"


def test_order_of_different_models_is_known_only_by_bus() -> None:
    mixed = [*GPUS[:2], replace(GPUS[2], name="NVIDIA L4")]
    assert {gpu.uuid for gpu in visible_gpus(mixed, {}).gpus} == {""}
    ordered = visible_gpus(mixed, {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "2"})
    assert [(gpu.index, gpu.uuid) for gpu in ordered.gpus] == [(0, UUIDS[2])]


def test_device_has_the_number_of_nvidia_smi_where_it_is_known() -> None:
    opened = encode(Opened("cuda", replace(H200, index=0), ""))
    report = DeviceReport(WorkerDevice("opener", "0"), opened, number=5)
    assert FleetDevice.of("tcp://1", worker_on("node7"), report).label == "node7:5"
    assert FleetDevice.of("tcp://1", worker_on("node7"), replace(report, number=None)).label == "node7:0"
