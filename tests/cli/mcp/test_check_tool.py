"""The tool `check` of a server that runs as a process, as a client of the protocol calls it."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from tests.cli.mcp.client import RACE, in_process, text


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    Path("race.cu").write_text(RACE, encoding="utf-8")


def test_a_race_is_a_result_with_the_document_of_the_command_and_progress() -> None:
    results, steps = [], []

    async def progress(seconds: float, total: float | None, message: str | None) -> None:
        steps.append((seconds, total, message))

    async def use(client: Any) -> None:
        results.append(await client.call_tool("check", {"files": ["race.cu"]}, progress_callback=progress))

    in_process(Path.cwd(), use)
    (result,) = results
    assert not result.is_error
    (file,) = result.structured_content["files"]
    assert file["file"] == "race.cu"
    assert file["kernels"][0]["verdict"] == "broken"
    assert "race.cu: reverse: broken: " in text(result)
    assert text(result).endswith("exit code 1")
    assert [total for _, total, _ in steps[:1]] == [300]
    assert json.dumps(result.structured_content).count("race.cu:5") > 0
