"""Fences between the accesses of one thread."""

from collections.abc import Mapping

from shflbench.checker.opcodes.forms import Decoder, Fence, Form, Nothing, UnknownFormError
from shflbench.checker.ptx.syntax import PtxInstruction

SCOPES = {"cta", "cluster", "gpu", "sys"}
# `membar` is the old form of `fence.sc` (PTX ISA 9.0, 9.7.13.4).
_OLD_SCOPES: Mapping[str, str] = {"cta": "cta", "gl": "gpu", "sys": "sys"}
# Fences between the generic proxy and others. Accesses through other proxies are no forms of the emulator, so that
# these fences order nothing that could be executed.
_PROXIES = {"alias", "async", "async.global", "async.shared::cta", "async.shared.cta", "tensormap.generic"}


def _membar(instruction: PtxInstruction) -> Form:
    match instruction.modifiers:
        case (scope,) if scope in _OLD_SCOPES:
            return Fence("sc", _OLD_SCOPES[scope])
        case ("proxy", *kind) if ".".join(kind) in _PROXIES:
            return Nothing()
        case _:
            raise UnknownFormError


def _fence(instruction: PtxInstruction) -> Form:
    match instruction.modifiers:
        case (scope,) if scope in SCOPES:
            return Fence("acq_rel", scope)
        case ("sc" | "acq_rel" | "acquire" | "release" as order, scope) if scope in SCOPES:
            return Fence(order, scope)
        case ("proxy", *kind) if ".".join(kind) in _PROXIES:
            return Nothing()
        case ("mbarrier_init", "release", "cluster"):
            return Fence("release", "cluster", only_init=True)
        case _:
            raise UnknownFormError


FORMS: Mapping[str, Decoder] = {"membar": _membar, "fence": _fence}
