"""Each format as processes × cases × samples."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.readers import BenchmarkTool, is_foreign, read_recording, run_of
from shflbench.store.readers.times import TOO_SHORT
from tests.store.readers.foreign_files import CLOCK_HZ, nvbench_times_us, write_csv, write_nvbench

DATA = Path(__file__).parents[2] / "data" / "readers"
GOOGLE = DATA / "google-benchmark"
COPY = "copy/T=F32/Elements=2^20"


def test_nvbench_gives_samples_in_blocks_with_clocks_and_axis_values(tmp_path: Path) -> None:
    path = write_nvbench(
        tmp_path / "1.json", {COPY: 50.0, "scan": 200.0}, walltime=1.0, skipped={"copy/T=I8/Elements=2^20": "narrow"}
    )
    (process,) = read_recording(path).processes
    assert list(process.cases) == [COPY, "copy/T=I8/Elements=2^20", "scan"]
    copy = process.cases[COPY]
    assert np.concatenate(copy.rounds) == pytest.approx(nvbench_times_us(50.0, 0, 400), rel=1e-6)
    assert [len(times) for times in copy.rounds] == [40] * 10  # 400 samples in one second of wall time
    assert copy.clock_mhz == pytest.approx(CLOCK_HZ / 1e6, rel=1e-3)
    assert copy.clocks_mhz is not None
    assert len(copy.clocks_mhz) == 400
    skipped = process.cases["copy/T=I8/Elements=2^20"]
    assert (skipped.status, skipped.reason) == (Status.SKIPPED, "narrow")
    assert process.device
    assert (process.device.name, process.device.arch, process.version) == ("NVIDIA H100 80GB HBM3", "sm_90", "0.2.0")
    assert process.started is None


def test_nvbench_without_binary_samples_gives_the_median_and_the_deviation(tmp_path: Path) -> None:
    (process,) = read_recording(write_nvbench(tmp_path / "1.json", {COPY: 50.0}, with_samples=False)).processes
    case = process.cases[COPY]
    assert case.rounds == ()
    assert case.summary
    assert case.summary.time_us == pytest.approx(50.03, abs=0.2)
    assert case.summary.samples == 400
    (row,) = run_of(read_recording(tmp_path / "1.json")).rows
    assert row.time_low_us is not None
    assert row.time_high_us is not None
    assert row.time_low_us < case.summary.time_us < row.time_high_us
    assert (row.samples, row.rounds) == (None, None)


def test_nvbench_of_before_2026_named_its_samples_relative_to_the_working_folder(tmp_path: Path) -> None:
    path = write_nvbench(tmp_path / "1.json", {COPY: 50.0})
    path.write_text(path.read_text().replace('"1.json-', '"results/main/1.json-'))
    assert read_recording(path).processes[0].cases[COPY].rounds


def test_devices_are_in_the_names_of_a_file_with_several(tmp_path: Path) -> None:
    path = write_nvbench(tmp_path / "1.json", {"scan": 50.0, "copy": 20.0}, with_samples=False)
    root = json.loads(path.read_text())
    root["devices"].append({**root["devices"][0], "id": 1, "name": "NVIDIA H200"})
    root["benchmarks"][1]["states"][0]["device"] = 1
    path.write_text(json.dumps(root))
    (process,) = read_recording(path).processes
    assert list(process.cases) == ["scan/device=0", "copy/device=1"]
    assert process.device
    assert process.device.name == "NVIDIA H100 80GB HBM3, NVIDIA H200"


def test_google_benchmark_gives_repetitions_as_samples() -> None:
    recording = read_recording(GOOGLE / "base")
    assert recording.tool is BenchmarkTool.GOOGLE_BENCHMARK
    assert len(recording.processes) == 3
    first = recording.processes[0]
    assert list(first.cases) == [
        "sum_integers",
        "sort_list/64",
        "sort_list/512",
        "manual/manual_time",
        "without_device",
    ]
    entries = json.loads((GOOGLE / "base" / "1.json").read_text())["benchmarks"]
    manual = [entry["real_time"] for entry in entries if entry["name"] == "manual/manual_time"]
    assert np.concatenate(first.cases["manual/manual_time"].rounds).tolist() == pytest.approx(
        [1000 * time for time in manual]  # they are in ms
    )
    assert [len(times) for times in first.cases["sum_integers"].rounds] == [1] * 4  # each takes over 0.1 s
    iterations = [entry["iterations"] for entry in entries if entry["run_name"] == "sum_integers"][:4]
    assert first.cases["sum_integers"].executions == min(iterations) > 100
    assert first.cases["manual/manual_time"].executions == 1
    failed = first.cases["without_device"]
    assert (failed.status, failed.reason) == (Status.FAILED, "no such device")
    assert (first.host, first.version) == ("vm", "1.9.5")
    starts = [process.started for process in recording.processes]
    assert all(starts)
    assert starts == sorted(starts, key=str)


def test_google_benchmark_with_aggregates_alone_gives_the_median() -> None:
    (process,) = read_recording(GOOGLE / "aggregates").processes
    summary = process.cases["sum_integers"].summary
    entries = {entry["name"]: entry for entry in json.loads((GOOGLE / "aggregates/1.json").read_text())["benchmarks"]}
    assert summary
    assert summary.time_us == pytest.approx(entries["sum_integers_median"]["real_time"] / 1000)
    assert summary.deviation_us == pytest.approx(entries["sum_integers_stddev"]["real_time"] / 1000)
    assert summary.samples == 4


def test_google_benchmark_of_before_1_5_marks_aggregates_in_the_name_alone(tmp_path: Path) -> None:
    entry = {"iterations": 1000, "real_time": 250000, "cpu_time": 250000, "time_unit": "ns"}
    names = ("BM_Sort/8", "BM_Sort/8", "BM_Sort/8_mean", "BM_Sort_BigO", "BM_Sort_RMS")
    entries = [{"name": name, **entry} for name in names] + [{"name": "BM_Tiny", **entry, "real_time": 0.3}]
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"context": {"date": "2017-11-07 21:16:44"}, "benchmarks": entries}))
    (process,) = read_recording(path).processes
    assert [times.tolist() for times in process.cases["BM_Sort/8"].rounds] == [[250.0], [250.0]]
    assert process.cases["BM_Tiny"].reason == TOO_SHORT
    assert list(process.cases) == ["BM_Sort/8", "BM_Tiny"]
    assert process.started == datetime(2017, 11, 7, 21, 16, 44, tzinfo=UTC)


def test_pytest_benchmark_gives_rounds_as_samples_of_many_executions() -> None:
    recording = read_recording(DATA / "pytest-benchmark" / "base")
    assert recording.tool is BenchmarkTool.PYTEST_BENCHMARK
    assert len(recording.processes) == 3
    first = recording.processes[0]
    assert list(first.cases) == [
        "test_sums.py::test_sum_integers",
        "test_sums.py::test_sort_list[64]",
        "test_sums.py::test_sort_list[512]",
        "test_sums.py::test_pedantic",
    ]
    entry = json.loads((DATA / "pytest-benchmark/base/1.json").read_text())["benchmarks"][0]
    case = first.cases[entry["fullname"]]
    assert np.concatenate(case.rounds).tolist() == pytest.approx([1e6 * time for time in entry["stats"]["data"]])
    assert [len(times) for times in case.rounds] == [1] * 4  # each takes over 0.1 s
    assert case.executions == entry["stats"]["iterations"] == 100
    assert [len(times) for times in first.cases["test_sums.py::test_pedantic"].rounds] == [10]
    assert (first.host, first.version, first.started) == ("vm", "5.3.1", None)


def test_pytest_benchmark_without_data_gives_the_median_and_the_deviation() -> None:
    (process,) = read_recording(DATA / "pytest-benchmark" / "summaries").processes
    stats = json.loads((DATA / "pytest-benchmark/summaries/1.json").read_text())["benchmarks"][0]["stats"]
    summary = process.cases["test_sums.py::test_sum_integers"].summary
    assert summary
    assert summary.time_us == pytest.approx(1e6 * stats["median"])
    assert summary.deviation_us == pytest.approx(1e6 * stats["stddev"])
    assert summary.samples == stats["rounds"] == 4


def test_hyperfine_gives_executions_as_samples_of_one_process_per_file() -> None:
    recording = read_recording(DATA / "hyperfine" / "base")
    assert recording.tool is BenchmarkTool.HYPERFINE
    assert len(recording.processes) == 3
    entry = json.loads((DATA / "hyperfine/base/1.json").read_text())["results"][0]
    case = recording.processes[0].cases["wait"]
    assert np.concatenate(case.rounds).tolist() == pytest.approx([1e6 * time for time in entry["times"]])
    assert [len(times) for times in case.rounds] == [2] * 3  # of 53 ms each
    assert recording.processes[0].notes == ()


def test_failed_executions_of_hyperfine_are_named_and_a_command_that_never_succeeds_fails(tmp_path: Path) -> None:
    root = json.loads((DATA / "hyperfine" / "ignored.json").read_text())
    root["results"][0]["exit_codes"][2] = None
    path = tmp_path / "1.json"
    path.write_text(json.dumps(root), encoding="utf-8")
    (process,) = read_recording(path).processes
    (note,) = process.notes
    assert note.endswith("1.json: 1 of 4 executions of `sh -c 'exit 0'` failed, and their times count")
    assert [case.status for case in process.cases.values()] == [Status.TIMED, Status.FAILED]
    assert process.cases["sh -c 'exit 3'"].reason == "all 4 executions failed"


def test_few_samples_without_their_values_have_a_wide_interval(tmp_path: Path) -> None:
    root = json.loads((DATA / "hyperfine/base/1.json").read_text())
    path, width = tmp_path / "1.json", {}
    for count in (3, 30):
        entry = {"command": "a", "median": 1.0, "stddev": 0.1, "exit_codes": [0] * count}
        path.write_text(json.dumps(root | {"results": [entry]}), encoding="utf-8")
        (row,) = run_of(read_recording(path)).rows
        assert row.time_high_us
        width[count] = row.time_high_us / 1e6 - 1
    assert width[30] == pytest.approx(1.2533 * 1.96 * 0.1 / 30**0.5)
    assert width[3] == pytest.approx(1.2533 * 4.30 * 0.1 / 3**0.5)


def test_hyperfine_without_times_gives_the_median_and_the_deviation(tmp_path: Path) -> None:
    root = json.loads((DATA / "hyperfine/base/1.json").read_text())
    del root["results"][0]["times"]
    root["results"][1] |= {"times": None, "stddev": None, "exit_codes": [0]}
    (tmp_path / "1.json").write_text(json.dumps(root))
    first, second = (case.summary for case in read_recording(tmp_path / "1.json").processes[0].cases.values())
    assert first
    assert second
    assert first.time_us == pytest.approx(1e6 * root["results"][0]["median"])
    assert first.deviation_us == pytest.approx(1e6 * root["results"][0]["stddev"])
    assert (first.samples, second.deviation_us, second.samples) == (6, None, 1)


def test_kernel_tuner_gives_the_times_of_each_configuration() -> None:
    recording = read_recording(DATA / "kernel-tuner" / "base")
    assert recording.tool is BenchmarkTool.KERNEL_TUNER
    first = recording.processes[0]
    entries = json.loads((DATA / "kernel-tuner/base/1.json").read_text())["cache"]
    assert list(first.cases) == [
        f"scale/100000/block_size_x={size}/kind={kind}" for size in (16, 1024) for kind in ("float", "int")
    ]
    (times,) = first.cases["scale/100000/block_size_x=16/kind=int"].rounds
    assert times.tolist() == pytest.approx([1000 * time for time in entries["16,int"]["times"]])  # they are in ms
    assert first.device is None  # the compiler of the CPU has no name


def test_an_unfinished_cache_of_kernel_tuner_lacks_its_closing_brackets(tmp_path: Path) -> None:
    path = DATA / "kernel-tuner" / "unfinished.json"
    text = path.read_text()
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    (process,) = read_recording(path).processes
    assert len(process.cases) == 8
    for end in (",\n", "", "\n"):  # as Kernel Tuner, or an editor, leaves the last line
        (tmp_path / "cache.json").write_text(text.rstrip().removesuffix(",") + end)
        assert len(read_recording(tmp_path).processes[0].cases) == 8
    (tmp_path / "cache.json").write_text(text[:-40])
    with pytest.raises(ResultsError, match=r"cache\.json:\d+:\d+: not JSON"):
        read_recording(tmp_path)


def test_configurations_of_kernel_tuner_that_failed_are_skipped_and_the_gpu_is_named(tmp_path: Path) -> None:
    cache = {
        "1,null": {"x": 1, "y": None, "time": 0.25},
        "2,null": {"x": 2, "y": None, "time": "InvalidConfig"},
        "3,null": {"x": 3, "y": None, "__error__": "CompilationFailedConfig", "time": 0.5},
        "4,null": {"x": 4, "y": None, "nvml_energy": 3.5},
        "5,null": {"x": 5, "y": None, "times": [1e-9]},
    }
    root = {"schema_version": "1.1.0", "device_name": "NVIDIA H200", "kernel_name": "copy", "problem_size": [64, 32]}
    path = tmp_path / "cache.json"
    path.write_text(json.dumps({**root, "tune_params_keys": ["x", "y"], "cache": cache}))
    assert is_foreign(tmp_path)
    (process,) = read_recording(path).processes
    first = process.cases["copy/64x32/x=1/y=null"]
    assert first.summary
    assert (first.summary.time_us, first.summary.deviation_us) == (250.0, None)
    assert [(case.status, case.reason) for case in list(process.cases.values())[1:]] == [
        (Status.SKIPPED, reason)
        for reason in ("an invalid configuration", "the compilation failed", "no time is recorded", TOO_SHORT)
    ]
    assert process.device
    assert process.device.name == "NVIDIA H200"


def test_triton_gives_a_value_per_provider_and_arguments() -> None:
    recording = read_recording(*(DATA / "triton" / str(number) for number in (1, 2, 3)))
    assert recording.tool is BenchmarkTool.TRITON_REPORT
    first = recording.processes[0]
    assert list(first.cases) == [
        f"sum-time/{provider}/M={size}/N=1000" for size in (8, 64) for provider in ("Range", "List")
    ]
    summary = first.cases["sum-time/Range/M=8/N=1000"].summary
    assert summary
    assert summary.time_us == pytest.approx(241.873)
    assert (summary.deviation_us, summary.samples) == (None, None)
    without = first.cases["sum-time/List/M=64/N=1000"]
    assert (without.status, without.reason) == (Status.SKIPPED, "no time is recorded")


def test_values_of_triton_that_are_no_times_need_a_stated_unit() -> None:
    with pytest.raises(ResultsError, match="the values are `GB/s`, which is no unit of time") as rate:
        read_recording(DATA / "triton" / "sum-rate.csv")
    assert "--unit ms" in str(rate.value.advice)
    path = DATA / "triton" / "sum-no-label.csv"
    with pytest.raises(ResultsError, match="the values are without a unit"):
        read_recording(path)
    summary = read_recording(path, unit="s").processes[0].cases["sum-no-label/Range/M=8/N=1000"].summary
    assert summary
    assert summary.time_us == pytest.approx(194_618)


@pytest.mark.parametrize(
    ("label", "unit_us"),
    [("ms", 1e3), ("Time (us)", 1), ("latency [ns]", 1e-3), ("Runtime in seconds", 1e6), ("time, µs", 1)],
)
def test_units_of_time_in_labels_of_triton(tmp_path: Path, label: str, unit_us: float) -> None:
    path = tmp_path / "plot.csv"
    path.write_text(f'dtype,"cuBLAS (fp16) ({label})"\nfp16,25.000000\n', encoding="utf-8")
    (case,) = read_recording(path).processes[0].cases.items()
    assert case[0] == "plot/cuBLAS (fp16)/dtype=fp16"
    assert case[1].summary
    assert case[1].summary.time_us == pytest.approx(25 * unit_us)


RATES = ["GB/s", "TFLOPS", "GB / s", "", "speedup", "bytes per s/ms", "tokens per s", "x10 us", "log ms"]


@pytest.mark.parametrize("label", RATES)
def test_labels_of_triton_that_name_no_time_are_refused(tmp_path: Path, label: str) -> None:
    path = tmp_path / "plot.csv"
    path.write_text(f"N,Triton ({label})\n1024,25\n", encoding="utf-8")
    with pytest.raises(ResultsError, match="the values are "):
        read_recording(path)


def test_a_stated_unit_may_not_contradict_the_label(tmp_path: Path) -> None:
    path = tmp_path / "plot.csv"
    path.write_text("N,Triton (ms)\n1024,25\n", encoding="utf-8")
    assert read_recording(path, unit="ms").processes[0].cases
    with pytest.raises(ResultsError, match="the header says ms, and --unit us"):
        read_recording(path, unit="us")


def test_csv_gives_processes_rounds_clocks_and_starts(tmp_path: Path) -> None:
    recording = read_recording(write_csv(tmp_path / "base.csv", {"scan": 120.0, "copy/2^20": 50.0}))
    assert recording.tool is BenchmarkTool.CSV
    assert [process.started for process in recording.processes] == [
        datetime(2026, 11, 20, 8, minute, tzinfo=UTC) for minute in (0, 2, 4)
    ]
    case = recording.processes[1].cases["copy/2^20"]
    assert [len(times) for times in case.rounds] == [8] * 6
    assert case.clock_mhz == 1980
    assert np.concatenate(case.rounds) == pytest.approx(nvbench_times_us(50.0, 10, 48), abs=0.001)


def test_csv_without_rounds_has_blocks_and_rounds_may_be_interleaved(tmp_path: Path) -> None:
    short = write_csv(tmp_path / "short.csv", {"scan": 120.0}, columns=("case", "process", "time_us"))
    assert [len(times) for times in read_recording(short).processes[0].cases["scan"].rounds] == [48]
    lines = ["process,case,time_us,round,sm_clock_mhz", *(f"0,scan,{n + 1},{n % 2},{1000 + n}" for n in range(4))]
    (tmp_path / "interleaved.csv").write_text("\n".join(lines))
    case = read_recording(tmp_path / "interleaved.csv").processes[0].cases["scan"]
    assert [times.tolist() for times in case.rounds] == [[1, 3], [2, 4]]
    assert case.clocks_mhz is not None
    assert case.clocks_mhz.tolist() == [1000, 1002, 1001, 1003]


def test_files_are_recognized_by_their_content(tmp_path: Path) -> None:
    csv = write_csv(tmp_path / "a" / "x.csv", {"scan": 120.0})
    (tmp_path / "a" / "x.csv.gz").write_bytes(gzip.compress(csv.read_bytes()))
    csv.unlink()
    assert read_recording(tmp_path / "a").tool is BenchmarkTool.CSV
    assert is_foreign(tmp_path / "a")
    nvbench = write_nvbench(tmp_path / "b" / "run.json", {"scan": 120.0})
    assert is_foreign(nvbench.parent)
    (nvbench.parent / "README.md").write_text("ignored")
    assert read_recording(nvbench.parent).tool is BenchmarkTool.NVBENCH
    renamed = nvbench.rename(tmp_path / "b" / "results.csv")
    assert read_recording(renamed.parent).tool is BenchmarkTool.NVBENCH
    for name in ("pytest-benchmark/base", "hyperfine", "kernel-tuner", "triton/1"):
        assert is_foreign(DATA / name)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "notes.json").write_text('{"name": 1}')
    (tmp_path / "c" / "other.json").write_text('{"results": [{"name": 1}]}')
    (tmp_path / "c" / "other.csv").write_text("a,b (x),c\n1,2,3\n")
    assert not is_foreign(tmp_path / "c")


def test_files_of_two_tools_or_of_two_gpus_are_refused(tmp_path: Path) -> None:
    one = write_nvbench(tmp_path / "1.json", {"scan": 120.0}, with_samples=False)
    with pytest.raises(ResultsError, match=r"was written by NVBench, and .* by plain CSV"):
        read_recording(one, write_csv(tmp_path / "2.csv", {"scan": 120.0}))
    two = tmp_path / "2.json"
    write_nvbench(two, {"scan": 120.0}, process=1, with_samples=False)
    two.write_text(two.read_text().replace("H100", "H200"))
    with pytest.raises(ResultsError, match="are of different GPUs"):
        run_of(read_recording(one, two))
