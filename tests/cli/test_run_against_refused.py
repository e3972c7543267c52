"""What `shflbench run --against` refuses: before anything is measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.demo import SCRIPTS, SUITE, Plug
from tests.conftest import Command
from tests.fakes.backend import H200, FakeBackend


@pytest.fixture
def untouched(plug: Plug) -> Iterator[None]:
    """Check that nothing was launched and no folder was made."""
    device = plug(FakeBackend(SCRIPTS))
    yield
    assert (device.opened, device.launched) == ([], [])
    assert not Path("mine").exists()


def refused(run: Command, *words: str) -> tuple[int, str]:
    outcome = run("demo.yaml", "--output", "mine", *words)
    assert outcome.out == ""
    return outcome.code, outcome.err[outcome.err.index("error: ") :]


@pytest.mark.usefixtures("main", "untouched")
def test_unknown_baseline_is_refused(run: Command) -> None:
    code, said = refused(run, "--against", "mian")
    assert code == 3
    assert said == "error: there is no baseline `mian` in baselines\nDid you mean `main`? there are main\n"


@pytest.mark.usefixtures("main", "untouched")
def test_damaged_baseline_is_refused(run: Command) -> None:
    (file,) = Path("baselines").rglob("samples.csv.gz")
    file.write_bytes(file.read_bytes()[:-20])
    code, said = refused(run, "--against", "main")
    assert code == 3
    assert "samples.csv.gz is damaged: its end is missing" in said


@pytest.mark.usefixtures("untouched")
def test_baseline_of_another_gpu_is_refused(run: Command, main: Path, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, device=replace(H200, name="NVIDIA H100", uuid="GPU-2")))
    code, said = refused(run, "--against", "main")
    assert code == 3
    assert "has no runs of demo on nvidia-h100; it has demo on nvidia-h200" in said
    code, said = refused(run, "--against", str(main))
    assert code == 3
    assert "the GPUs differ (NVIDIA H200, NVIDIA H100)" in said


@pytest.mark.usefixtures("main", "untouched")
def test_another_edition_of_the_suite_is_refused(run: Command) -> None:
    Path("demo.yaml").write_text(SUITE.replace("4096", "2048"), encoding="utf-8")
    code, said = refused(run, "--against", "main")
    assert code == 3
    assert "the suite's text asks for other measurements than before" in said
    assert "they have no case in common" in said


def test_without_a_gpu_there_is_nothing_to_compare(run: Command, main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cli.gpus.find", list)
    assert refused(run, "--against", str(main))[0] == 4
    assert refused(run, "--against", str(main), "--device", "none")[0] == 2
    assert refused(run, "--against", "mian")[0] == 3  # which a GPU would not mend


def test_options_of_a_comparison_need_one(run: Command) -> None:
    assert refused(run, "--strict") == (
        2,
        "error: --strict says how to compare a run, and without --against it is not compared\n"
        "Add --against NAME, or leave it out.\n".replace("out.\n", "out\n"),
    )
