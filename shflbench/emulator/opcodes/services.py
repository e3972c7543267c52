"""Services of the CUDA runtime for a kernel: printing, assertions, the heap; and registers that count time.

Linking replaces calls of these functions by instructions whose opcodes begin with `$`.
"""

from collections.abc import Mapping
from functools import partial

from shflbench.emulator.opcodes.forms import Decoder, Service, last_type
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

# The signatures are those of `crt/device_functions.h` and `cuda_device_runtime_api.h`.
CALLS: Mapping[str, Service] = {
    "vprintf": Service("vprintf", ("u4",), ("u8", "u8")),
    "__assertfail": Service("__assertfail", (), ("u8", "u8", "u4", "u8", "u8")),
    "malloc": Service("malloc", ("u8",), ("u8",)),
    "free": Service("free", (), ("u8",)),
}


def _same(service: Service, _: PtxInstruction) -> Service:
    return service


def _clock(instruction: PtxInstruction) -> Service:
    return Service("clock", (NUMPY[last_type(instruction)],), ())


FORMS: Mapping[str, Decoder] = {
    **{f"${name}": partial(_same, service) for name, service in CALLS.items()},
    "$clock": _clock,
    "$stack": partial(_same, Service("stack", (), ("u8", "u8"))),
    "$no_function": partial(_same, Service("no_function", (), ("u8",))),
}
