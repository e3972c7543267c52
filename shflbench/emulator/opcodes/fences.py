"""Fences between the accesses of one thread."""

from collections.abc import Mapping

from shflbench.emulator.opcodes.forms import Decoder, Fence, Form, Nothing, ProxyFence, UnknownFormError
from shflbench.emulator.ptx.syntax import PtxInstruction

SCOPES = {"cta", "cluster", "gpu", "sys"}
# `membar` is the old form of `fence.sc` (PTX ISA 9.0, 9.7.13.4).
_OLD_SCOPES: Mapping[str, str] = {"cta": "cta", "gl": "gpu", "sys": "sys"}
# Fences between the generic proxy and others. Of accesses through other proxies, only those of bulk copies are
# executed, so that the other fences order nothing.
_PROXIES = {"alias", "tensormap.generic"}
_ASYNC = {"async": "", "async.global": "global", "async.shared.cta": "shared", "async.shared.cluster": "shared"}


def _proxy(kind: str) -> Form:
    if kind in _ASYNC:
        return ProxyFence(_ASYNC[kind])
    if kind in _PROXIES:
        return Nothing()
    raise UnknownFormError


def _membar(instruction: PtxInstruction) -> Form:
    match instruction.modifiers:
        case (scope,) if scope in _OLD_SCOPES:
            return Fence("sc", _OLD_SCOPES[scope])
        case ("proxy", *kind):
            return _proxy(".".join(kind))
        case _:
            raise UnknownFormError


def _fence(instruction: PtxInstruction) -> Form:
    match instruction.modifiers:
        case (scope,) if scope in SCOPES:
            return Fence("acq_rel", scope)
        case ("sc" | "acq_rel" | "acquire" | "release" as order, scope) if scope in SCOPES:
            return Fence(order, scope)
        case ("proxy", *kind):
            return _proxy(".".join(kind))
        case ("mbarrier_init", "release", "cluster"):
            return Fence("release", "cluster", only_init=True)
        case _:
            raise UnknownFormError


FORMS: Mapping[str, Decoder] = {"membar": _membar, "fence": _fence}
