import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shflbench.pytest_plugin import assert_race_free
from tests.checker.python.test_api import PTX

TEST = """\
import numpy as np

def test_sound(assert_race_free):
    assert_race_free("sound.ptx", launch=(2, 64), args=[np.ones(128, np.float32), 2.0, 128])

def test_racy(assert_race_free):
    assert_race_free("racy.ptx", launch=(2, 64), args=[np.ones(128, np.float32), 2.0, 128])
"""
RACY = PTX.replace("%rd2, %r5, 4", "%rd2, %r3, 4")  # all threads of a block scale one element


@pytest.mark.archs
def test_race_fails_the_test_with_its_findings_and_nothing_else(tmp_path: Path) -> None:
    for name, ptx in {"sound": PTX, "racy": RACY}.items():
        (tmp_path / f"{name}.ptx").write_text(ptx, encoding="utf-8")
    (tmp_path / "test_kernels.py").write_text(TEST, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "shflbench.pytest_plugin", "-p", "no:cacheprovider", "."]
    # The plugin is named above, installed or not; options for this run may belong to other plugins.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert "scale: broken: " in ended.stdout
    assert "racy.ptx:23 (thread " in ended.stdout
    assert 'assert_race_free("racy.ptx"' in ended.stdout  # the line of the test is shown, and none of shflbench
    assert "pytest_plugin.py" not in ended.stdout


def test_clean_kernel_passes_and_returns_its_result() -> None:
    assert assert_race_free(PTX, launch=(1, 32), args=[np.ones(32, np.float32), 2.0, 32]).clean


def test_open_question_fails_unless_it_is_allowed() -> None:
    unknown = PTX.replace("    ret;", "    wgmma.fence.sync.aligned;\n    ret;")
    with pytest.raises(pytest.fail.Exception, match="not checked"):
        assert_race_free(unknown, launch=(1, 32))
    assert assert_race_free(unknown, launch=(1, 32), allow={"not checked"}).verdict == "not checked"
