"""The page of the kernels that beat published answers: what it counts, and that it follows from its record."""

import csv
import json
import re
from pathlib import Path

from benchmarks import challengers

PAGE = challengers.PAGE.read_text(encoding="utf-8")
RECORD = json.loads(challengers.RECORD.read_text(encoding="utf-8"))


def test_the_page_follows_from_the_record() -> None:
    assert challengers.page(RECORD) == PAGE


def test_each_challenger_of_the_page_has_its_kernel_beside_it() -> None:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in challengers.PAGE.with_suffix("").glob("*.cu")}
    row = re.compile(r"^\| ([a-z-]+) .*?`(x-[a-z0-9-]+)` [0-9.]+ \S+ \| [0-9.]+×", re.MULTILINE)
    rows = [(name.replace("-", "_"), variant.replace("-", "_")) for name, variant in row.findall(PAGE)]
    assert len(rows) > 20
    assert [(name, variant) for name, variant in rows if variant not in sources[name]] == []


def test_only_a_safe_challenger_of_the_same_question_counts_that_is_faster_by_more_than_the_margin(
    tmp_path: Path,
) -> None:
    at = {"pattern": "my-sum", "dtype": "f32", "launch": "1x32", "options": "", "time_us": "5.0"}

    def row(variant: str, cycles: str, *, safe: str = "true", status: str = "timed") -> dict[str, str]:
        return {**at, "variant": variant, "cycles_per_iteration": cycles, "safe": safe, "status": status}

    def page(*rows: dict[str, str]) -> str:
        with (tmp_path / "results.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return challengers.page({"device": "a GPU", "settings": challengers.recorded([tmp_path / "results.csv"])})

    fell = "| sum f32 1x32 | `shfl` 103.1 cycles | `x-mma` 100 cycles | 1.03× |"
    assert fell in page(row("shfl", "103.1"), row("x-mma", "100"))
    assert "| sum" not in page(row("shfl", "103"), row("x-mma", "100"))
    assert "| sum" not in page(row("shfl", "200"), row("x-mma", "100", safe="false"))
    assert "| sum" not in page(row("shfl", "200"), row("x-mma", "100", status="failed"))
    assert "| sum" not in page(row("shfl", "200"), row("x-keep", "100"))
    assert "`x-keep`" in page(row("shfl", "200"), row("x-keep", "100"))
