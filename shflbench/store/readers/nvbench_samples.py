"""Read the binary samples of NVBench (`--jsonbin`): little-endian float32 in files beside the JSON.

Source: `do_process_bulk_data_float64` in nvbench/json_printer.cu. The JSON contains the name of each file relative to
its own folder, and the number of samples.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from shflbench.errors import ResultsError
from shflbench.store.readers.content import read_bytes

if TYPE_CHECKING:
    from hashlib import _Hash

    from shflbench.store.readers.json_node import JsonNode
    from shflbench.store.readers.recording import Floats

TIMES_TAG = "nv/json/bin:nv/cold/sample_times"
CLOCKS_TAG = "nv/json/freqs-bin:nv/cold/sample_freqs"
BYTES = 4  # per sample
MOST_SAMPLES = 16 << 20  # per file, 64 MiB
TOGETHER = "keep the JSON and its folders of samples together, as NVBench wrote them"


def read_samples(summary: JsonNode, fields: dict[str, JsonNode], digest: _Hash) -> Floats | None:
    """Return the values of the file that a summary names; None if NVBench could not write it.

    `fields` are the data of the summary by name; the bytes are added to `digest`. ResultsError if the file is outside
    of the folder of the JSON, missing, or of another size than the JSON says.
    """
    if "filename" not in fields:
        return None
    path = _path(fields["filename"])
    size = fields["size"].whole("value") if "size" in fields else -1
    if not 0 <= size <= MOST_SAMPLES:
        raise ResultsError(f"{summary.path}: {summary.where}: `size` is no number of samples", TOGETHER)
    actual = path.stat().st_size if path.is_file() else None
    if actual is not None and actual != BYTES * size:
        raise ResultsError(f"{path} has {actual:,} bytes, but {size:,} samples by its JSON, of {BYTES} bytes", TOGETHER)
    content = read_bytes(path) if size else b""
    digest.update(content)
    with np.errstate(invalid="ignore"):  # a signaling NaN; the caller refuses every NaN
        return np.frombuffer(content, "<f4").astype(np.float64)


def _path(field: JsonNode) -> Path:
    """Return the path of a file of samples, which must be below the folder of the JSON, links resolved."""
    name = field.text("value")
    relative = PurePosixPath(name)
    folder = field.path.parent
    if relative.is_absolute() or ".." in relative.parts or "\\" in name or "\0" in name or not relative.parts:
        raise _outside(field)
    path = folder / relative
    if not path.exists() and len(relative.parts) > 2:  # noqa: PLR2004  (a folder and a file)
        # Before NVIDIA/nvbench#405 the name was relative to the folder in which the benchmark ran.
        path = folder.joinpath(*relative.parts[-2:])
    if not path.resolve().is_relative_to(folder.resolve()):
        raise _outside(field)
    return path


def _outside(field: JsonNode) -> ResultsError:
    return ResultsError(f"{field.path}: `{field.where}` names a file outside of the folder of the JSON", TOGETHER)
