"""The predicted time of each timed case of a run, from the machine code that ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.constants import PREDICTED_ARCH, calibrate_constants
from shflbench.analysis.limits.memory_prediction import MemoryUse, predict_one_pass
from shflbench.analysis.limits.prediction import PredictedLaunch, Prediction, predict
from shflbench.analysis.settings import one_pass
from shflbench.core.launch import launch_dims
from shflbench.core.model import DTYPES, Status
from shflbench.errors import PatternError
from shflbench.kernel_facts.declared_traffic import DeclaredTraffic
from shflbench.kernel_facts.residency import recorded_blocks
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.core.model import KernelRequests
    from shflbench.kernel_facts.stored_code import StoredCode
    from shflbench.store import Row, Run
    from shflbench.store.calibration_file import Calibration

ATOMICS = "ATOM", "RED."
LOADS = "LDG"


class Predictor:
    """Predicts the times of the cases of one run."""

    def __init__(
        self,
        run: Run,
        calibration: Calibration | None = None,
        folders: Mapping[str, Path] | None = None,
        codes: Mapping[str, StoredCode] | None = None,
    ) -> None:
        """Take a run; `folders` are those of its patterns, by default those of shflbench.

        Reads the machine code of the run unless `codes` has it by case. CompilerError if nvdisasm cannot be used;
        ResultsError if `kernels.zip` is damaged.
        """
        self.rows = [row for row in run.rows if row.status is Status.TIMED and row.time_us]
        self._device = run.info.device
        archive = run.kernels()
        self._codes = codes or stored_codes(archive, [row.case_id for row in self.rows])
        self._instructions = (
            {case: kernel.instructions or {} for kernel in archive.index.kernels for case in kernel.cases}
            if archive
            else {}
        )
        self._folders = builtin() if folders is None else folders
        self._traffic = DeclaredTraffic(self._folders)
        self._constants = calibrate_constants(calibration)

    def launch_of(self, row: Row) -> PredictedLaunch | None:
        """Return the launch of a row; None if its grid or its residency is not known."""
        device = self._device
        resident = recorded_blocks(row, device) if device else None
        grid, block = row.first_launch
        if device is None or grid is None or resident is None:
            return None
        return PredictedLaunch(
            grid=grid,
            block=block,
            sms=device.sms,
            resident_blocks=resident,
            clock_mhz=row.sm_clock_mhz or device.clock_mhz,
            iterations=row.iterations,
            local_bytes=row.local_bytes or 0,
            is_repeated=(row.launches or 1) > 1,
        )

    def predict(self, row: Row, requests: KernelRequests | None = None) -> Prediction:
        """Return the prediction for a row from the `requests` of its kernel to memory.

        Without them, a loop is assumed to have no bank conflicts, and a kernel of one pass has no prediction.
        """
        launch = self.launch_of(row)
        if self._device is None or launch is None:
            return Prediction(None, reason="it is not known how many blocks an SM executes at a time")
        if self._device.arch.rstrip("af") != PREDICTED_ARCH:
            return Prediction(None, reason=f"the constants of {self._device.arch} are not known")
        if one_pass(row):
            return self._predict_one_pass(row, launch, requests)
        code = self._codes[row.case_id]
        if code.loop is None:
            return Prediction(None, reason=code.reason)
        return predict(code.loop, launch, requests, self._constants)

    def _predict_one_pass(self, row: Row, launch: PredictedLaunch, requests: KernelRequests | None) -> Prediction:
        memory = self._memory(row)
        if requests is None:
            return Prediction(None, reason="its requests to memory were not counted")
        if memory is None:
            return Prediction(None, reason="how many bytes it moves is not declared")
        return predict_one_pass(launch, memory, requests, self._constants, self._codes[row.case_id].one_pass)

    def _memory(self, row: Row) -> MemoryUse | None:
        """Return the memory that a kernel of one pass uses; None if its pattern does not declare it."""
        distinct, l2_bytes = self._traffic.distinct_bytes(row), self._device.state.l2_bytes if self._device else None
        buffers, atomics = self._buffer_bytes(row), self._traffic.atomics(row)
        if distinct is None and atomics is not None:  # they take longer than any other access to the buffers
            distinct = buffers
        if distinct is None or l2_bytes is None or buffers is None:
            return None
        counts = self._instructions.get(row.case_id) or {}
        return MemoryUse(
            distinct_bytes=distinct,
            buffer_bytes=buffers,
            l2_bytes=l2_bytes,
            is_cold=dict(row.options).get("l2") == "cold",
            loads=sum(count for opcode, count in counts.items() if opcode.startswith(LOADS)) if counts else None,
            has_atomics=any(opcode.startswith(ATOMICS) for opcode in counts),
            atomics=atomics,
        )

    def _buffer_bytes(self, row: Row) -> float | None:
        try:
            buffers = load(self._folders[row.pattern]).declaration.buffers
        except (KeyError, PatternError):
            return None
        setting = Setting(DTYPES[row.dtype], dict(row.options), row.grid or 0, row.block, launch_dims(row.launch))
        return float(sum(buffer.count(setting) * DTYPES[buffer.dtype or row.dtype].size for buffer in buffers))
