import subprocess
import sys
from importlib import import_module

import pytest


@pytest.mark.parametrize("package", ["analysis.compare", "checker", "cuda_sources", "emulator", "suite"])
def test_every_public_name_is_there_and_no_other(package: str) -> None:
    package = f"shflbench.{package}"
    module = import_module(package)
    assert len(set(module.__all__)) == len(module.__all__) > 0
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_a_module_is_imported_on_first_use_only() -> None:
    program = (
        "import sys, shflbench.suite as suite\n"
        "loader = 'shflbench.suite.loader'\n"
        "print(loader in sys.modules, suite.load.__module__, loader in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["False", "shflbench.suite.loader", "True"]
