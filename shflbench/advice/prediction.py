"""Compile the variants of a pattern for an architecture, and rank them by limits and predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.predicted import PredictedSetting, PredictedVariant, predicted_answer
from shflbench.core.arch import list_archs
from shflbench.core.arch import load as load_figures
from shflbench.core.model import Case, Launch, Mechanism
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.errors import CompileError, ResultsError, UsageError
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.predicted_kernels import common_blocks, predicted_kernels
from shflbench.kernel_facts.residency import ResidentBlocks
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from shflbench.analysis.answers.predicted import PredictedAnswer
    from shflbench.analysis.answers.request import Request
    from shflbench.core.reporter import Reporter
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.patterns.discover import LoadedPattern

DEFAULT_DTYPES = "f32", "i32"  # the first that the pattern has
DEFAULT_BLOCK = 256
MEASURE = "measure it: shflbench run quick"


def predict_answer(request: Request, arch: str, reporter: Reporter) -> PredictedAnswer:
    """Return the answer for an architecture from the machine code of the pattern's variants.

    All SMs hold as many blocks as fit of each variant. UsageError for an architecture without figures, or a pattern
    that does not come with shflbench; ResultsError where fewer than two variants have a timed loop; CompilerError
    without a compiler for the architecture.
    """
    folders = builtin()
    if request.pattern not in folders:
        raise UsageError(f"{request.pattern} does not come with shflbench, so that no limit is known", "name RESULTS")
    require_figures(arch)
    toolchain = find_toolchain()
    toolchain.require(arch)
    subjects = _subjects(load(folders[request.pattern]), request)
    block = min(
        subjects[0].pattern.declaration.block_sizes or (request.block or DEFAULT_BLOCK,),
        key=lambda size: abs(size - (request.block or DEFAULT_BLOCK)),
    )
    blocks = common_blocks(toolchain, subjects, arch, block, reporter)
    case = subjects[0].case
    setting = PredictedSetting(arch, case.pattern, case.dtype, case.options, block, blocks)
    inspected = predicted_kernels(toolchain, subjects, arch, ResidentBlocks(blocks, block), reporter)
    if failed := next((one for one in inspected if one.error), None):
        raise CompileError(f"{failed.subject.name} does not compile for {arch}: {failed.error}")
    answer = predicted_answer(setting, list(map(_variant, inspected)))
    if answer is None:
        message = f"fewer than two variants of {request.pattern} have a timed loop, so that no limit ranks them"
        raise ResultsError(message, f"{MEASURE} --pattern {request.pattern}")
    return answer


def require_figures(arch: str) -> None:
    """Raise UsageError for an architecture without a table of figures."""
    if load_figures(arch) is None:
        raise UsageError(f"no figures are known for `{arch}`; allowed: {', '.join(list_archs())}", "choose one of them")


def _subjects(pattern: LoadedPattern, request: Request) -> list[KernelSubject]:
    """Return the kernels of the requested dtype and options, where open of the pattern's defaults."""
    declared = pattern.declaration
    default = next((dtype for dtype in DEFAULT_DTYPES if dtype in declared.dtypes), declared.dtypes[0])
    dtype = request.dtype or default
    named = {name: value for name, value in request.options.items() if name not in LAUNCH_OPTIONS}
    options = {name: values[0] for name, values in declared.options.items()} | named
    launch = Launch(f"1x{DEFAULT_BLOCK}", DEFAULT_BLOCK, 1)
    subjects = [
        KernelSubject(pattern, Case(pattern.name, variant.name, dtype, launch, 1, tuple(options.items())))
        for variant in declared.variants
        if dtype in (variant.dtypes or declared.dtypes) and variant.has(dtype, options)
    ]
    if not subjects:
        raise UsageError(f"{pattern.name} has no variant for {dtype}", f"its dtypes: {', '.join(declared.dtypes)}")
    return subjects


def _variant(one: InspectedKernel) -> PredictedVariant:
    variant = one.subject.variant
    is_library = variant.mechanism is Mechanism.LIBRARY
    return PredictedVariant(
        variant=variant.name,
        mechanism=variant.mechanism,
        role=Role.UNSAFE if not variant.safe else Role.LIBRARY if is_library else Role.CANDIDATE,
        limit_cycles=one.cycles,
        limit_by=one.loop.limit_by if one.loop else None,
        limit_omits=one.loop.limit_omits if one.loop else (),
        predicted_cycles=one.predicted.cycles if one.predicted else None,
        remark=one.remark,
    )
