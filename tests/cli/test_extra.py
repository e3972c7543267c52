from pathlib import Path

import pytest

from shflbench.cli.extra import choose, decide


@pytest.mark.parametrize(
    ("answer", "extra", "reason"),
    [
        ("580.95.05, 9.0\n", "cuda13", "driver 580 and compute capability 9.0"),
        ("580.95.05, 7.5\n", "cuda13", "driver 580 and compute capability 7.5"),
        ("595.10, 10.3\n595.10, 10.3\n", "cuda13", "driver 595 and compute capability 10.3"),
        ("580.95.05, 7.0\n", "cuda12", "driver 580 and compute capability 7.0: CUDA 13 begins at 7.5"),
        ("580.95.05, 9.0\n580.95.05, 6.1\n", "cuda12", "driver 580 and compute capability 6.1: CUDA 13 begins at 7.5"),
        ("575.57.08, 9.0\n", "cuda12", "driver 575 is older than 580, which CUDA 13 needs"),
        ("470.256.02, 7.0\n", "cuda12", "driver 470 is too old even for CUDA 12: update it to 580 or newer"),
        (
            "580.95.05, 9.0\n580.95.05, [N/A]\n",
            "cuda12",
            "the driver does not tell every GPU's compute capability, and CUDA 12 knows more of them",
        ),
        ("No devices were found\n", "compile", "the NVIDIA driver lists no GPU"),
        ("", "compile", "the NVIDIA driver lists no GPU"),
    ],
)
def test_extra_follows_driver_and_oldest_gpu(answer: str, extra: str, reason: str) -> None:
    choice = decide(answer)
    assert (choice.extra, choice.reason) == (extra, reason)


def nvidia_smi(folder: Path, script: str) -> str:
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_machine_without_the_driver_s_command_gets_the_compiler_alone(tmp_path: Path) -> None:
    absent = str(tmp_path / "nvidia-smi")
    choice = choose(absent)
    assert (choice.extra, choice.reason) == ("compile", f"there is no {absent}, so there is no NVIDIA driver")


def test_command_that_cannot_be_run_counts_as_no_driver(tmp_path: Path) -> None:
    query = nvidia_smi(tmp_path, "exit 0")
    (tmp_path / "nvidia-smi").write_text("no program", encoding="utf-8")
    assert choose(query).extra == "compile"


def test_driver_that_fails_is_quoted(tmp_path: Path) -> None:
    query = nvidia_smi(tmp_path, "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18")
    choice = choose(query)
    assert choice.extra == "compile"
    assert choice.reason == f"{query} fails: Failed to initialize NVML: Driver/library version mismatch"


def test_driver_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cli.extra.PATIENCE_S", 0.2)
    query = nvidia_smi(tmp_path, "exec sleep 5")
    choice = choose(query)
    assert (choice.extra, choice.reason) == ("compile", f"{query} does not answer within 0.2 s")


def test_old_driver_that_knows_no_compute_capability_gets_cuda_12(tmp_path: Path) -> None:
    query = nvidia_smi(tmp_path, 'case "$1" in *compute_cap*) exit 2;; *) echo 535.183.01;; esac')
    assert choose(query).extra == "cuda12"


def test_answer_of_a_healthy_driver_is_used(tmp_path: Path) -> None:
    query = nvidia_smi(tmp_path, "echo '580.95.05, 9.0'")
    assert choose(query).extra == "cuda13"
