"""A run whose files hold what an attacker would plant: markup, scripts, control characters, paths and huge values.

folder = plant(REAL, tmp_path / "run", secret)   # a copy of a real run; `secret` is a file that must not be shown
"""

import csv
import gzip
import io
import json
import shutil
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

REAL = Path(__file__).parents[2] / "results" / "moving-average" / "nvidia-h200"
RUNS = "window.planted=(window.planted||0)+1"  # what each script does if it runs
SCRIPT = f"<script>{RUNS}</script>"
IMAGE = f'"><img src=x onerror="{RUNS}">'
LINK = f"javascript:{RUNS}"
HIDDEN = "a\u202eb\u0000c\u0007d\u200be"
TEMPLATE = "{{ 7 * 191 }}{% include '/etc/passwd' %}"
PAYLOADS = (SCRIPT, IMAGE, LINK, TEMPLATE)
CLAIM = f"""
claims:
  - id: "X01"
    says: "{SCRIPT}"
    source: "{LINK}"
    figure: '<b onclick={RUNS}>3</b>'
    holds: speedup(shfl, smem) > 1
  - id: "X02"
    says: "</style>{SCRIPT}"
    untestable: "{SCRIPT}"
"""


def plant(source: Path, folder: Path, secret: Path) -> Path:
    """Copy the run in `source` to `folder`, and plant payloads in every file; paths in it name the file `secret`."""
    shutil.copytree(source, folder)
    _plant_record(folder / "run.json", secret)
    _plant_rows(folder / "results.csv")
    _plant_limits(folder / "limits.csv")
    _plant_kernels(folder / "kernels.zip", secret)
    return folder


def _plant_record(path: Path, secret: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    suite = record["suite"]
    suite |= {"title": f"{SCRIPT} {HIDDEN}", "path": str(secret), "text": suite["text"].split("\nclaims:")[0] + CLAIM}
    suite["sha256"] = sha256(suite["text"].encode()).hexdigest()
    record["device"] |= {"name": f"H200 {SCRIPT}"}
    record["versions"] |= {"driver": IMAGE, "nvrtc": LINK, "git_commit": f"</title>{SCRIPT}"}
    record["noise"] |= {"verdict": SCRIPT, "sentence": IMAGE, "advice": LINK}
    record |= {"argv": ["shflbench", "run", SCRIPT, str(secret)], "notes": [TEMPLATE, f"--> {SCRIPT}"]}
    path.write_text(json.dumps(record), encoding="utf-8")


def _edit_table(path: Path, change: object) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    for place, row in enumerate(rows):
        change(place, row)  # type: ignore[operator]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def _plant_rows(path: Path) -> None:
    def change(place: int, row: dict[str, str]) -> None:
        row["options"] = f"way={SCRIPT}"
        row["reason"] = f"{IMAGE} {HIDDEN} {'long ' * 2000}"
        row |= {"registers": "9" * 17, "speedup": "1e300", "speedup_high": "1.7e308"} if place == 0 else {}
        if place % 2:
            row["mechanism"] = f'x" onmouseover="{RUNS}'
        if row["variant"] == "shfl":
            row["variant"] = SCRIPT

    _edit_table(path, change)


def _plant_limits(path: Path) -> None:
    _edit_table(path, lambda _, row: row.update(limit_by=SCRIPT, limit_us="1e300"))


def _plant_kernels(path: Path, secret: Path) -> None:
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    index = json.loads(members["index.json"])
    planted = f'</pre></figure>{SCRIPT}\n// {HIDDEN}\n#include "{secret}"\n__global__ void k() {{}}\n'.encode()
    for kernel in index["kernels"]:
        kernel |= {"unit": str(secret), "expression": f"{SCRIPT}<float>", "symbol": SCRIPT}
        kernel["headers"] = {f"../../{secret}{SCRIPT}": file for file in kernel["headers"].values()}
        members[kernel["source"]] = planted
        index["files"][kernel["source"]] = sha256(planted).hexdigest()
    members["index.json"] = json.dumps(index).encode()
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def without_samples(folder: Path) -> Path:
    """Remove the samples of a planted run, so that times that do not match them are not refused."""
    with gzip.open(folder / "samples.csv.gz") as file:
        header = file.readline()
    (folder / "samples.csv.gz").write_bytes(gzip.compress(header))
    return folder
