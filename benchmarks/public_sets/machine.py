"""The machine that a file was checked on."""

import os
from pathlib import Path


def machine(cpu: Path = Path("/proc/cpuinfo")) -> str:
    """Return the class of this machine: its number of cores and, on Linux, their model."""
    lines = cpu.read_text(encoding="utf-8").splitlines() if cpu.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{os.cpu_count()} cores{f' of {model}' if model else ''}"
