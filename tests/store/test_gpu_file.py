"""The names of the files about one GPU."""

from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.gpu_file import find, write

UUID = "GPU-11aa2233-4455-6677-8899-aabbccddeeff"


def test_a_file_is_found_by_the_uuid_of_its_gpu(tmp_path: Path) -> None:
    folder = tmp_path / "noise"
    path = write(folder, "NVIDIA H200", UUID, "one")
    other = write(folder, "NVIDIA H200", "GPU-99aa2233-4455-6677-8899-aabbccddeeff", "two")
    assert path.name == "nvidia-h200-11aa2233.json"
    assert (find(folder, UUID), find(folder, UUID.lower()), find(folder, "MIG-99aa2233")) == (path, path, other)
    assert find(folder, "GPU-00000000") is None
    assert find(tmp_path / "calibration", UUID) is None


def test_a_new_file_replaces_the_old_one(tmp_path: Path) -> None:
    assert write(tmp_path, "NVIDIA H200", UUID, "one") == write(tmp_path, "NVIDIA H200", UUID, "two")
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["two"]


def test_a_folder_that_cannot_be_written_is_an_error_of_results(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ResultsError):
        write(tmp_path / "file" / "noise", "NVIDIA H200", UUID, "one")
