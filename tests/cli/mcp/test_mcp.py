"""`shflbench mcp` as a client of the protocol sees it, on a machine without a GPU."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
from jsonschema import Draft202012Validator

from shflbench.cli.mcp.tools import TOOLS
from shflbench.cli.registry import module_of
from tests.cli.mcp.client import RACE, SAFE, call, in_process, in_session, text

pytestmark = pytest.mark.expensive
LONG = """\
extern "C" __global__ void spin(int* p, int n) {
    int x = threadIdx.x;
    for (int i = 0; i < n; ++i) x = x * 1664525 + p[i & 31];
    p[threadIdx.x] = x;
}
"""
ENDLESS: dict[str, Any] = {"launch": ["64x256"], "arg": ["n=100000000"], "budget": 1e6}
AT_64: dict[str, Any] = {"launch": ["1x64"], "arg": ["data=f32[64]"]}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with kernels, beside one that is not served; texts of kernels are written to a third one."""
    for name in ("served", "outside", "scratch"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "served")
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    Path("race.cu").write_text(RACE, encoding="utf-8")
    Path("safe.cu").write_text(SAFE, encoding="utf-8")
    Path("../outside/kernel.cu").write_text(SAFE, encoding="utf-8")


def scratch() -> list[str]:
    """Return what is in the folder for temporary files."""
    return [path.name for path in Path("../scratch").iterdir()]


def refused(name: str, **given: Any) -> str:
    """Call a tool that refuses it, and return the sentence."""
    result = call(Path(), name, **given)
    assert result.is_error
    assert result.structured_content is None
    return text(result)


def test_a_race_is_a_result_of_a_server_process_with_progress_and_the_document() -> None:
    results, steps = [], []

    async def progress(seconds: float, total: float | None, message: str | None) -> None:
        steps.append((seconds, total, message))

    async def use(client: Any) -> None:
        results.append(await client.call_tool("check", {"files": ["race.cu"]}, progress_callback=progress))

    in_process(Path(), use)
    (result,) = results
    assert not result.is_error
    (file,) = result.structured_content["files"]
    assert (file["file"], file["kernels"][0]["verdict"]) == ("race.cu", "broken")
    assert "race.cu: reverse: broken: " in text(result)
    assert text(result).endswith("exit code 1")
    assert {total for _, total, _ in steps} == {300}
    assert [seconds for seconds, *_ in steps] == sorted({seconds for seconds, *_ in steps})


def test_tools_have_schemas_of_the_options_and_of_the_documents() -> None:
    tools: dict[str, Any] = {}

    async def use(client: Any) -> None:
        tools.update({tool.name: tool for tool in (await client.list_tools()).tools})

    in_session(Path(), use)
    assert list(tools) == ["check", "bench", "judge", "advise", "inspect", "limits"]
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.output_schema["type"] == "object"
        assert all(item["description"] for item in tool.input_schema["properties"].values())
        assert "Exit" not in tool.description.partition("\n\n")[0]
    check = tools["check"].input_schema["properties"]
    options = {item.name: item for item in module_of("check").command.params}
    assert check["pdl"]["description"].startswith(options["pdl"].help)
    assert check["shared"] == {"type": "integer", "minimum": 0, "description": check["shared"]["description"]}
    assert [tools[name].annotations.read_only_hint for name in ("check", "bench", "judge")] == [True, False, True]


def test_every_parameter_of_a_tool_is_an_option_of_its_command() -> None:
    for spec in TOOLS.values():
        assert set(spec.parameters()) == set(spec.options)


def test_a_text_is_checked_with_its_own_lines_and_headers_of_the_folder_and_deleted() -> None:
    Path("size.h").write_text("#define SIZE 64\n", encoding="utf-8")
    source = '#include "size.h"\n' + RACE.replace("[64]", "[SIZE]").replace("63 -", "SIZE - 1 -")
    result = call(Path(), "check", sources={"mine": source}, **AT_64)
    assert "mine.cu:6 (thread 0 of block 0) reads what mine.cu:5" in text(result)
    assert str(Path("../scratch").resolve()) not in json.dumps(result.structured_content)
    assert scratch() == []


def test_candidates_are_judged_by_a_reference_and_a_rejection_is_a_result() -> None:
    result = call(Path(), "judge", candidates=["safe.cu"], candidate_sources={}, reference_source=SAFE, **AT_64)
    assert text(result).startswith("safe: accepted: compiles, checked, equal, honest\n")
    result = call(Path(), "judge", candidate_sources={"mine": RACE}, reference="safe.cu", stop_early=True, **AT_64)
    assert not result.is_error
    (candidate,) = result.structured_content["candidates"]
    assert (candidate["candidate"], candidate["reason"]) == ("mine", "race")
    assert text(result).endswith("exit code 1")


def test_bench_writes_a_run_in_the_folder_and_other_tools_read_it() -> None:
    two = SAFE + SAFE.replace("reverse", "other")
    result = call(Path(), "bench", source=two, device="none", **AT_64)
    run = result.structured_content["folder"]
    assert run.startswith("results/")
    assert f"run: {run}" in text(result)
    inspected = call(Path(), "inspect", targets=[run])
    assert {kernel["variant"] for kernel in inspected.structured_content["kernels"]} == {"reverse", "other"}
    assert "no case was timed" in refused("limits", runs=[run])


def test_limits_are_an_object_with_the_list_of_runs() -> None:
    run = Path(__file__).parents[3] / "results" / "quick"
    result = call(run.resolve(), "limits", runs=["."])
    assert result.structured_content["runs"][0]["suite"] == "quick"


def test_advice_on_a_file_and_an_error_of_the_command() -> None:
    result = call(Path(), "advise", target="safe.cu", **AT_64)
    assert "barrier safe.cu:5: " in text(result)
    assert refused("advise", target="reduce").startswith("no results are named")


@pytest.mark.parametrize(
    "path", ["../outside/kernel.cu", "link.cu", "folder/kernel.cu", "/etc/passwd", "served/../../outside/kernel.cu"]
)
def test_a_path_outside_of_the_folder_is_refused(path: str) -> None:
    Path("link.cu").symlink_to("../outside/kernel.cu")
    Path("folder").symlink_to("../outside")
    assert "is outside of the served folder" in refused("check", files=[path])
    assert "is outside of the served folder" in refused("bench", file="safe.cu", new=path)
    assert "is outside of the served folder" in refused("judge", candidates=["safe.cu"], reference=path)
    assert "is outside of the served folder" in refused("advise", target=path)
    assert "is outside of the served folder" in refused("check", files=["safe.cu"], include=[path])
    for tool, name in (("inspect", "targets"), ("limits", "runs")):
        assert "is outside of the served folder" in refused(tool, **{name: [path]})


@pytest.mark.parametrize("value", ["../outside/a.npy", "in.npy,../outside/a.npy", " ../outside/a.npy "])
def test_an_array_outside_of_the_folder_is_refused(value: str) -> None:
    assert "is outside of the served folder" in refused("check", files=["safe.cu"], arg=[f"data={value}"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('#include "/etc/passwd"', "is outside of the folders"),
        ("#include </etc/passwd>", "is outside of the folders"),
        ('#include "../outside/kernel.cu"', "is outside of the folders"),
        ('#include "link.h"', "leads outside of the folders"),
        ("#include NAME", "does not name a file as it stands"),
    ],
)
def test_a_source_that_includes_a_file_outside_is_refused(line: str, reason: str) -> None:
    Path("link.h").symlink_to("/etc/passwd")
    Path("includes.cu").write_text(f"\n{line}\n{SAFE}", encoding="utf-8")
    assert "includes.cu:2: " in refused("check", files=["includes.cu"])
    for given in ({"file": "includes.cu"}, {"source": f"{line}\n{SAFE}"}):
        assert reason in refused("bench", **given)
    assert reason in refused("judge", candidates=["safe.cu"], reference_source=f"{line}\n{SAFE}")


def test_a_run_with_a_link_that_leads_outside_is_refused() -> None:
    Path("results/run").mkdir(parents=True)
    Path("results/run/run.json").symlink_to("/etc/passwd")
    for tool, given in (("inspect", {"targets": ["results/run"]}), ("limits", {"runs": ["."]})):
        assert "/run.json is outside of the served folder" in refused(tool, **given)
    assert "/run.json is outside of the served folder" in refused("advise", target="reduce")


def test_results_are_not_written_through_a_link() -> None:
    Path("results").symlink_to("../outside")
    assert "results is outside of the served folder" in refused("bench", file="safe.cu", **AT_64)
    assert [path.name for path in Path("../outside").iterdir()] == ["kernel.cu"]


def test_a_task_in_python_runs_only_if_the_server_allows_it() -> None:
    Path("task.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    assert "Start it with --allow-tasks" in refused("judge", candidates=["safe.cu"], reference="task.py")
    Path("pattern").mkdir()
    Path("pattern/pattern.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    assert "Start it with --allow-tasks" in refused("inspect", targets=["pattern"])
    assert not Path("ran").exists()
    result = call(Path(), "judge", allow_tasks=True, candidates=["safe.cu"], reference="task.py")
    assert "task.py has no `reference`" in text(result)
    assert Path("ran").exists()


def test_nothing_in_the_folder_is_imported_in_place_of_a_module() -> None:
    for name in ("numpy.py", "shflbench.py", "json.py", "sitecustomize.py"):
        Path(name).write_text("open('ran', 'w').close()\n", encoding="utf-8")
    assert text(call(Path(), "check", files=["safe.cu"], **AT_64)).startswith("safe.cu: reverse: clean")
    assert not Path("ran").exists()


def test_values_are_never_options() -> None:
    Path("--output=x.cu").write_text(SAFE, encoding="utf-8")
    assert text(call(Path(), "check", files=["--output=x.cu"], **AT_64)).startswith("--output=x.cu: reverse: clean")
    assert refused("check", files=["safe.cu"], launch=["--output=x"]).startswith("--launch `--output=x` is not")
    assert refused("check", files=["safe.cu"], kernel=["--help"]).startswith("safe.cu has no kernel `--help`")
    assert "outside" in refused("check", files=["safe.cu"], sources={}, include=["../outside"])
    assert not Path("x.cu").exists()
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "`files` or `sources` is missing"),
        ({"files": []}, "`files` or `sources` is missing"),
        ({"files": ["safe.cu"], "sources": {"a": SAFE}}, "are both given"),
        ({"files": ["safe.cu"], "output": "x"}, "`check` has no parameter `output`"),
        ({"files": ["safe.cu"], "time_limit": 1_000_000}, "greater than the maximum of 3600"),
        ({"files": ["safe.cu"], "time_limit": 0}, "less than the minimum of 1"),
        ({"files": "safe.cu"}, "`files`: 'safe.cu' is not of type 'array'"),
        ({"files": ["safe\0.cu"]}, "a zero byte"),
        ({"files": ["safe.cu"], "kernel": ["a\0b"]}, "contains a zero byte"),
        ({"files": ["safe.cu"], "define": ["A=" + "x" * 200_000]}, "`define` has 200,002 characters"),
        ({"files": ["missing.cu"]}, "missing.cu cannot be read: No such file or directory"),
        ({"files": ["queue.cu"]}, "queue.cu cannot be read: it is a FIFO, not a file"),
        ({"files": ["."]}, "is no .cu, .cuh or .ptx file"),
        ({"files": ["bytes.cu"]}, "bytes.cu is no text: it contains zero bytes"),
        ({"sources": {"../a": SAFE}}, "`../a` is not the name of a source"),
        ({"sources": {"a": SAFE, "a.cu": SAFE}}, "two sources are called a.cu"),
    ],
)
def test_a_call_that_cannot_be_is_an_error_with_a_sentence(given: dict[str, object], sentence: str) -> None:
    os.mkfifo("queue.cu")
    Path("bytes.cu").write_bytes(b"\xff\xfe\0")
    assert sentence in refused("check", **given)


def test_a_long_source_and_half_of_a_character() -> None:
    assert "half of a character" in refused("check", sources={"a": f"\ud800{SAFE}"})
    assert "reverse: clean" in text(call(Path(), "check", sources={"a": SAFE + "// \n" * 20_000}, **AT_64))


def test_an_unknown_tool_is_an_error_with_the_names() -> None:
    assert "There are: check, bench, judge" in refused("run")


def test_a_text_that_is_not_unicode_is_a_result() -> None:
    Path("latin.cu").write_bytes("// Größe\n".encode("latin-1") + SAFE.encode())
    assert "reverse: clean" in text(call(Path(), "check", files=["latin.cu"], **AT_64))


def test_at_the_time_limit_a_check_has_a_verdict_and_a_command_without_one_is_ended() -> None:
    Path("long.cu").write_text(LONG, encoding="utf-8")
    result = call(Path(), "check", files=["long.cu"], time_limit=5, **ENDLESS)
    assert "spin: not checked: the time limit of 2 s was reached" in text(result)
    start = time.monotonic()
    assert refused("inspect", targets=["reduce"], accesses=True, time_limit=1).startswith("inspect took more than 1 s")
    assert time.monotonic() - start < 5


def test_a_canceled_call_ends_its_command_and_others_go_on() -> None:
    names = []

    async def use(client: Any) -> None:
        async def other() -> None:
            await anyio.sleep(1)
            names.append(text(await client.call_tool("check", {"files": ["safe.cu"], **AT_64})))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other)
            with anyio.move_on_after(2):
                await client.call_tool("check", {"sources": {"long": LONG}, **ENDLESS})
        await anyio.to_thread.run_sync(wait_for_end)
        assert scratch() == []

    in_process(Path(), use)
    assert names[0].startswith("safe.cu: reverse: clean")


def test_a_folder_that_was_deleted_is_an_error() -> None:
    folder = Path.cwd()
    os.chdir("..")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    result = call(folder, "check", sources={"a": SAFE})
    assert result.is_error
    assert "served cannot be used: No such file or directory" in text(result)


def opened(server: subprocess.Popen[str], version: str, tool: str, **given: Any) -> str:
    """Open a session of a version of the protocol, call a tool, and return the first line that answers it."""
    assert server.stdin
    assert server.stdout
    opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"name": tool, "arguments": given, "_meta": {"progressToken": 1}}
    for message in (
        {"id": 1, "method": "initialize", "params": opening},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": request},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    assert f'"protocolVersion":"{version}"' in server.stdout.readline()
    return server.stdout.readline()


def test_an_older_client_gets_the_document_as_a_text() -> None:
    words = [sys.executable, "-m", "shflbench", "mcp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        line = opened(server, "2024-11-05", "inspect", targets=["vote"], variant=["shfl"])
        while '"progress":' in line and server.stdout:
            line = server.stdout.readline()
        short, document = json.loads(line)["result"]["content"]
        assert short["text"].startswith("vote/shfl/")
        assert json.loads(document["text"])["kernels"][0]["variant"] == "shfl"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (None, 0)])
def test_commands_end_with_the_server(number: signal.Signals | None, code: int) -> None:
    words = [sys.executable, "-m", "shflbench", "mcp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert '"progress":' in opened(server, "2025-06-18", "check", sources={"long": LONG}, **ENDLESS)
        assert server.stdin
        assert server.stdout
        assert running()
        if number is None:
            server.stdin.close()
        else:
            server.send_signal(number)
        assert server.wait(timeout=20) == code
        assert all(json.loads(line)["jsonrpc"] for line in server.stdout)
    wait_for_end()
    assert code == -9 or scratch() == []


def wait_for_end() -> None:
    """Wait until no command runs any more, and texts are deleted, but not longer than a command is given."""
    deadline = time.monotonic() + 10
    while (running() or scratch()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running() == []


def running() -> list[str]:
    """Return the processes whose current folder is the served one, but this process."""
    folder, found = str(Path.cwd()), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.name != str(os.getpid()) and str((process / "cwd").readlink()) == folder:
                words = (process / "cmdline").read_bytes().decode().split("\0")
                if "mcp" not in words:
                    found.append(" ".join(words))
        except OSError:
            continue
    return found


def test_host_code_and_headers_outside_of_the_folder_are_not_read() -> None:
    """Neither those of the repository around it, nor those that a Makefile in it names."""
    Path("../.git").mkdir()
    host = '#include "served/safe.cu"\nint main() { float* d; cudaMalloc(&d, 308); safe<<<1, 77>>>(d); }\n'
    Path("../main.cu").write_text(host.replace("safe<<<", f"{_kernel_of(SAFE)}<<<"), encoding="utf-8")
    result = call(Path(), "check", files=["safe.cu"])
    launches = result.structured_content["files"][0]["kernels"][0]["launches"]
    assert {launch["origin"] for launch in launches} == {"chosen"}
    Path("../outside/secret.h").write_text("int x = unknown_name_of_outside;\n", encoding="utf-8")
    outside = Path("../outside").resolve()
    Path("Makefile").write_text(f"all: reader.cu\n\tnvcc -I{outside} reader.cu\n", encoding="utf-8")
    Path("reader.cu").write_text(f'#include "secret.h"\n{SAFE}', encoding="utf-8")
    assert "unknown_name_of_outside" not in call(Path(), "check", files=["reader.cu"]).model_dump_json()


def _kernel_of(source: str) -> str:
    return source.partition("__global__ void ")[2].partition("(")[0]
