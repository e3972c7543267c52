from pathlib import Path

import pytest

from shflbench.cuda.installation.extra import Choice, choose, decide


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
            "the driver does not report the compute capability of every GPU, and CUDA 12 supports more of them",
        ),
        ("No devices were found\n", "compile", "the NVIDIA driver lists no GPU"),
        ("", "compile", "the NVIDIA driver lists no GPU"),
    ],
)
def test_extra_follows_driver_and_oldest_gpu(answer: str, extra: str, reason: str) -> None:
    choice = decide(answer)
    assert (choice.extra, choice.reason) == (extra, reason)


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return tmp_path / "nvidia-smi"


def test_machine_without_nvidia_smi_gets_the_compiler_only(query: Path) -> None:
    choice = choose(str(query))
    assert (choice.extra, choice.reason) == ("compile", f"there is no {query}, so there is no NVIDIA driver")


def answered(query: Path, program: str) -> Choice:
    query.write_text(program, encoding="utf-8")
    query.chmod(0o755)
    return choose(str(query))


def test_driver_that_hangs_times_out(query: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cuda.installation.extra.TIMEOUT_S", 0.2)
    choice = answered(query, "#!/bin/sh\nexec sleep 5\n")
    assert (choice.extra, choice.reason) == ("compile", f"{query} does not answer within 0.2 s")


@pytest.mark.parametrize(
    ("program", "extra", "reason"),
    [
        ("no program", "compile", "{query} cannot be run: "),
        ("#!/bin/sh\necho 'no NVML'; exit 18\n", "compile", "{query} fails: no NVML"),
        ('#!/bin/sh\ncase "$1" in *compute_cap*) exit 2;; *) echo 535.183.01;; esac\n', "cuda12", "driver 535 "),
        ("#!/bin/sh\necho '580.95.05, 9.0'\n", "cuda13", "driver 580 and compute capability 9.0"),
    ],
    ids=["no program", "a driver that fails", "an old one", "a healthy one"],
)
def test_output_of_the_command_decides(query: Path, program: str, extra: str, reason: str) -> None:
    choice = answered(query, program)
    assert choice.extra == extra
    assert choice.reason.startswith(reason.format(query=query))
