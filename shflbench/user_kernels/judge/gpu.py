"""Compare the results of a kernel on a GPU with what is expected, in a process of its own: a crash costs one kernel."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.core.dimensions import LaunchDims
from shflbench.core.grouping import group_by
from shflbench.core.model import Kernel, Resources
from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import CompileError, LaunchError, ShflbenchError
from shflbench.user_kernels.judge.equal import difference
from shflbench.user_kernels.judge.expectation import Expectations, expectations
from shflbench.user_kernels.judge.judge_input import shaped_like
from shflbench.user_kernels.judge.launches import dims_of
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason
from shflbench.user_kernels.stored_pattern import compiler_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import OpenedKernel
    from shflbench.cuda.backends.base import Array, Backend, PassedArgument
    from shflbench.user_kernels.judge.expectation import Arrays, ExpectedResults
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRules
    from shflbench.user_kernels.judge.source import KernelSource


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuJob:
    """A kernel that runs on a device: with what is expected, or the reference without it."""

    opener: str  # `module:function`, which opens the device that `device` names
    device: str
    source: KernelSource
    launches: Sequence[JudgeLaunch]
    expectations: Sequence[ExpectedResults] = ()
    inputs: Sequence[JudgeInput] = ()  # of the reference
    results: tuple[int, ...] = ()
    overwritten: tuple[int, ...] = ()
    rules: JudgeRules


def run_on_gpu(job: GpuJob) -> Expectations | VerdictReason | None:
    """Return the first difference from what is expected, None if there is none; or what to expect.

    UsageError if the reference does not run.
    """
    module, _, function = job.opener.partition(":")
    backend: Backend = getattr(importlib.import_module(module), function)(job.device)
    try:
        kernel, opened = _built(job.source, job.rules, backend.device.arch)
    except CompileError as error:
        return VerdictReason(Question.COMPILES, ReasonCode.NOT_COMPILED, error.message)
    runner = _Runner(backend, kernel, opened, job.overwritten, job.rules)
    if job.inputs:
        return expectations(
            lambda item: runner.once(job.launches[0], item), job.inputs, job.results, job.rules.contents
        )
    pairs = zip(job.launches, job.expectations, strict=True)
    groups = group_by(pairs, lambda pair: (pair[0], tuple(pair[1].input.sizes.items())))
    reasons = (runner.reason(launch, [item for _, item in group]) for (launch, _), group in groups.items())
    return next(filter(None, reasons), None)


def _built(source: KernelSource, rules: JudgeRules, arch: str) -> tuple[Kernel, OpenedKernel]:
    """Return the machine code of a kernel; CompileError if it does not compile for the device."""
    opened = replace(source, options=replace(source.options, arch=arch)).open(rules, 1)
    unit = opened.file.unit
    if unit is None:
        raise CompileError("it is PTX, which is not timed", "Give CUDA C++.", source.shown)
    compiled = compile_kernel(
        Source(
            name=unit.name,
            text=unit.text.decode(),
            headers={name: text.decode() for name, text in unit.headers.items()},
            expression=opened.name,
            takes_shared=True,
            options=compiler_options(unit),
        ),
        arch,
        find(),
    )
    resources = Resources(registers=0, shared_bytes=0, local_bytes=0, spill_bytes=0)
    return Kernel(compiled.symbol, arch, compiled.ptx, compiled.cubin, resources, None, None, ()), opened


@dataclass(frozen=True, slots=True)
class _Runner:
    """One kernel on a device."""

    backend: Backend
    kernel: Kernel
    opened: OpenedKernel
    overwritten: tuple[int, ...]
    rules: JudgeRules

    def reason(self, launch: JudgeLaunch, group: Sequence[ExpectedResults]) -> VerdictReason | None:
        """Return the first difference at one size, first after launches that find overwritten results; None if none.

        Then each launch finds the results that the one before left.
        """
        try:
            calls = [self._call(launch, item.input) for item in group]
            kernel = self.backend.open(calls[0][0])
            try:
                for is_again, run in ((False, kernel.run), (True, kernel.run_again)):
                    for expected, (call, inputs) in zip(group, calls, strict=True):
                        outputs = _by_place(call, run(inputs, 1), expected.input)
                        if different := difference(outputs, expected, self.rules):
                            return self._reason(
                                launch, expected, different, is_first=expected is group[0] and not is_again
                            )
            finally:
                kernel.close()
        except LaunchError as error:
            text = f"on the GPU, {error.message}"
            return VerdictReason(Question.CHECKED, ReasonCode.FAULT, text, input=group[0].input.name)
        return None

    def _reason(
        self, launch: JudgeLaunch, expected: ExpectedResults, different: VerdictReason, *, is_first: bool
    ) -> VerdictReason:
        """Return a difference as a reason: a kernel that is right without launches before keeps results."""
        alone = self.once(launch, expected.input)
        if not is_first and not isinstance(alone, str) and difference(alone, expected, self.rules) is None:
            text = f"its result depends on an earlier launch: {different.sentence}"
            return replace(different, question=Question.HONEST, code=ReasonCode.KEEPS_RESULTS, sentence=text)
        return replace(different, sentence=f"on the GPU, {different.sentence}")

    def once(self, launch: JudgeLaunch, item: JudgeInput) -> Arrays | str:
        """Return the arrays after one launch, or why it fails."""
        try:
            call, inputs = self._call(launch, item)
            kernel = self.backend.open(call)
            try:
                return _by_place(call, kernel.run(inputs, 1), item)
            finally:
                kernel.close()
        except ShflbenchError as error:
            return error.message

    def _call(self, launch: JudgeLaunch, item: JudgeInput) -> tuple[KernelCall, list[Array]]:
        """Return the call, with each array as a buffer that is read, unless its contents do not matter, and written."""
        dims = dims_of(launch)
        arguments: list[PassedArgument] = []
        buffers: list[Buffer] = []
        inputs: list[Array] = []
        for place, value in enumerate(item.arguments):
            if not isinstance(value, np.ndarray):
                arguments.append(self.opened.number(place, value))
                continue
            name, is_read = str(place), place not in self.overwritten
            flat = value.ravel(order="K")
            buffers.append(Buffer(name, flat.size, str(flat.dtype), read=is_read, written=True))
            arguments.append(name)
            inputs += [flat] if is_read else []
        call = KernelCall(
            kernel=self.kernel,
            grid=dims.grid[0],
            block=dims.block[0],
            shared_bytes=launch.shared_bytes,
            buffers=tuple(buffers),
            arguments=tuple(arguments),
            dims=LaunchDims(dims.grid, dims.block),
            cluster=dims.cluster,
        )
        return call, inputs


def _by_place(call: KernelCall, outputs: Sequence[Array], item: JudgeInput) -> dict[int, Any]:
    places = (int(buffer.name) for buffer in call.outputs)
    return {place: shaped_like(item.arguments[place], array) for place, array in zip(places, outputs, strict=True)}
