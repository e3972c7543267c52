"""Every test kernel gets the verdict that stands in its first line, at the launch that stands there."""

import hashlib
import re
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels
from tests.checker.planted_kernels import KERNELS, PlantedKernel, kernels_of_clusters, planted_kernels

VERDICTS = {"sound": {"clean", "schedule-dependent"}, "doubtful": {"doubtful"}, "broken": {"broken"}}
ALWAYS = ("algorithms/game_of_life", "algorithms/shared_histogram_without_atomics")
TYPES = {"float": "f32", "double": "f64", "unsigned": "u32"}


def arguments(kernel: PlantedKernel) -> list[str]:
    """Return 4096 elements for each pointer, with values for what the kernel reads and zeros for the rest."""
    parameters = re.search(r"\bk\s*\(([^)]*)\)", kernel.text)
    assert parameters
    pointers = re.findall(r"(\w+)\s*\*\s*(?:__restrict__\s*)?(\w+)", parameters[1])
    return [
        f"{name}={TYPES.get(type_, 'i32')}[4096]{'' if name.startswith('in') else ':0'}" for type_, name in pointers
    ]


def check(kernel: PlantedKernel, cache: Path, *, bare: bool = False) -> KernelReport:
    options = FileOptions(
        compilers=Compilers(kernels.tools(), cache=cache),
        given=LaunchOptions(
            launches=() if bare else (parse_shape(kernel.launch),),
            arguments=() if bare else parse_arguments(arguments(kernel)),
            cluster=kernel.cluster,
        ),
        outputs=False,
    )
    (report,) = check_file(kernel.file, options).kernels
    return report


def verify(kernel: PlantedKernel, report: KernelReport) -> None:
    assert report.verdict in VERDICTS[kernel.verdict], report.sentence
    assert not kernel.fault or kernel.fault in {finding.kind.name for finding in report.findings if finding.level}


def names(folder: str = "") -> list[str]:
    return [kernel.name for kernel in (*planted_kernels(), *kernels_of_clusters()) if kernel.name.startswith(folder)]


SLOW = {"clusters/remote_barrier_in_memory_of_two_phases"}


def in_every_run(name: str) -> bool:
    """Whether not only `make test-archs` checks a kernel: one in twelve of those that take no seconds."""
    return name not in SLOW and int(hashlib.sha256(name.encode()).hexdigest(), 16) % 12 == 0


def kernel_of(name: str) -> PlantedKernel:
    file = KERNELS / f"{name}.cu"
    return PlantedKernel(file, file.read_text(encoding="utf-8"))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if in_every_run(name) else pytest.mark.archs) for name in names()]
)
def test_a_kernel_gets_its_verdict(kernel_cache: Path, name: str) -> None:
    verify(kernel_of(name), check(kernel_of(name), kernel_cache))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ALWAYS or in_every_run(name) else pytest.mark.archs)
        for name in names("algorithms/")
    ],
)
def test_a_file_without_a_launch_gets_its_verdict(kernel_cache: Path, name: str) -> None:
    verify(kernel_of(name), check(kernel_of(name), kernel_cache, bare=True))
