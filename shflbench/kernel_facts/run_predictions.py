"""The predicted time of each timed case of a run, from the machine code that ran."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.launch_sequence import predict_sequence
from shflbench.analysis.limits.memory_prediction import MemoryUse, predict_one_pass
from shflbench.analysis.limits.path_prediction import predict_launch, predict_loop
from shflbench.analysis.limits.prediction import PredictedLaunch, Prediction, PredictionKind, predict
from shflbench.analysis.settings import one_pass
from shflbench.core.launch import launch_dims
from shflbench.core.model import DTYPES, Status
from shflbench.errors import PatternError
from shflbench.kernel_facts.declared_traffic import DeclaredTraffic
from shflbench.kernel_facts.prediction_models import model_of, why_unknown
from shflbench.kernel_facts.residency import recorded_blocks
from shflbench.kernel_facts.run_sequences import sequence_of
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.patterns.declare import Output, Setting
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.core.model import Device, KernelRequests
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
        kernels = archive.index.kernels if archive else ()
        self._kernels = {case: kernel for kernel in kernels for case in kernel.cases}
        self._folders = builtin() if folders is None else folders
        self._traffic = DeclaredTraffic(self._folders)
        self._model = model_of(self._device, calibration)
        self._constants = self._model.constants
        self._why_unknown = why_unknown(self._device, calibration) if self._device else ""

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

        Without them, a loop is assumed to have no bank conflicts, and most kernels of one pass have no prediction.
        """
        launch, code = self.launch_of(row), self._codes[row.case_id]
        if self._device is None or (launch is None and code.kernels == 1):
            return Prediction(None, reason="it is not known how many blocks an SM executes at a time")
        if self._why_unknown:
            return Prediction(None, reason=self._why_unknown)
        if launch is None:
            return self._predict_sequence(row, self._device, code)
        return (
            self._predict_one_pass(row, launch, requests, code)
            if one_pass(row)
            else self._predict_loop(launch, requests, code)
        )

    def _predict_loop(self, launch: PredictedLaunch, requests: KernelRequests | None, code: StoredCode) -> Prediction:
        """Return the prediction by a simulation, or by the prices of instructions that it does not know."""
        if code.loop is None:
            return Prediction(None, reason=code.reason)
        prediction = predict(code.loop, launch, requests, self._constants)
        return prediction if prediction.us else predict_loop(code.loop, launch, requests, self._model)

    def _predict_one_pass(
        self, row: Row, launch: PredictedLaunch, requests: KernelRequests | None, code: StoredCode
    ) -> Prediction:
        """Return the prediction by the rates of memory, or by the prices of instructions otherwise."""
        memory = self._memory(row)
        if requests is None and any(opcode.startswith(LOADS) for opcode in self._opcodes(row)):
            return Prediction(None, reason="its requests to memory were not counted")
        if memory is None:
            return Prediction(None, reason="how many bytes it moves is not declared")
        if code.one_pass is None:
            return Prediction(None, reason=code.reason)
        if requests is not None and self._is_known(row):
            prediction = predict_one_pass(launch, memory, requests, self._constants, code.one_pass)
            if prediction.us is not None:
                return replace(prediction, kind=PredictionKind.MEMORY)
        return predict_launch(code.one_pass, launch, memory, requests, self._model)

    def _predict_sequence(self, row: Row, device: Device, code: StoredCode) -> Prediction:
        kernel = self._kernels.get(row.case_id)
        kernels = sequence_of(row, device, kernel, code) if kernel and one_pass(row) else []
        if not kernels:
            return Prediction(None, reason="the launches of its kernels are not known")
        return predict_sequence(kernels, self._memory(row), self._model)

    def _is_known(self, row: Row) -> bool:
        """Whether a pattern declares the bytes that a launch moves, or the atomics that take longer."""
        return self._traffic.distinct_bytes(row) is not None or self._traffic.atomics(row) is not None

    def _memory(self, row: Row) -> MemoryUse | None:
        """Return the memory that a kernel of one pass uses; None if its pattern does not declare its buffers."""
        distinct, l2_bytes = self._traffic.distinct_bytes(row), self._device.state.l2_bytes if self._device else None
        buffers = self._buffers(row)
        if l2_bytes is None or buffers is None:
            return None
        counts = self._opcodes(row)
        return MemoryUse(
            distinct_bytes=buffers.total_bytes if distinct is None else distinct,
            buffer_bytes=buffers.total_bytes,
            l2_bytes=l2_bytes,
            is_cold=dict(row.options).get("l2") == "cold",
            loads=sum(count for opcode, count in counts.items() if opcode.startswith(LOADS)) if counts else None,
            has_atomics=any(opcode.startswith(ATOMICS) for opcode in counts),
            atomics=self._traffic.atomics(row),
            output_words=buffers.fewest_results,
            is_declared=distinct is not None,
        )

    def _opcodes(self, row: Row) -> Mapping[str, int]:
        """Return the instructions of a row's kernel by opcode; none where they are not known."""
        kernel = self._kernels.get(row.case_id)
        return (kernel.instructions if kernel else None) or {}

    def _buffers(self, row: Row) -> _Buffers | None:
        try:
            buffers = load(self._folders[row.pattern]).declaration.buffers
        except (KeyError, PatternError):
            return None
        setting = Setting(DTYPES[row.dtype], dict(row.options), row.grid or 0, row.block, launch_dims(row.launch))
        sizes = [(buffer, buffer.count(setting)) for buffer in buffers]
        return _Buffers(
            float(sum(count * DTYPES[buffer.dtype or row.dtype].size for buffer, count in sizes)),
            min((float(count) for buffer, count in sizes if isinstance(buffer, Output)), default=None),
        )


@dataclass(frozen=True, slots=True)
class _Buffers:
    """The buffers of a launch."""

    total_bytes: float
    fewest_results: float | None  # elements of the smallest one that it writes
