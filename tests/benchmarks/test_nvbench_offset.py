from pathlib import Path

from benchmarks.nvbench_offset import ITSELF, PROBES, SOURCE, SURROUNDINGS, page

PAGE = Path(SOURCE).with_suffix(".md")


def record(offset: float) -> dict[str, object]:
    """Return a record in which the written cache adds `offset` µs, and nothing else adds anything."""
    base = {**dict.fromkeys(PROBES, 5.0), "short": 20.0, "long": 70.0, "longer": 300.0}
    added = {name: offset * (around.flush == ("write",)) for name, around in SURROUNDINGS.items()} | {ITSELF: 0.0}
    samples = {
        name: {around: [time + more, time + more, 1000.0] for around, more in added.items()}
        for name, time in base.items()
    }
    return {"device": "NVIDIA H200", "nvbench": "0.3.0", "samples": samples}


def test_page_has_the_offset_of_each_process_in_each_surroundings() -> None:
    text = page([record(0.1), record(0.2)])
    assert "- NVIDIA H200, NVBench 0.3.0 (`cuda-bench`); figures of 2 processes" in text
    assert "below 50 µs (short, 1), and\n  the others (long, 2)." in text
    zero, more = " | ".join(["+0.00 / +0.00"] * 5), " | ".join(["+0.10 / +0.20"] * 5)
    assert f"| shflbench | {zero} |" in text
    assert f"| shflbench, cache written | {more} |" in text
    assert f"| NVBench, cache read | {zero} |" in text
    assert f"| {ITSELF} | {zero} |" in text


def test_recorded_page_has_the_rows_of_the_program() -> None:
    rows = [line.split(" | ")[0][2:] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert rows == ["surroundings", *SURROUNDINGS, ITSELF]
