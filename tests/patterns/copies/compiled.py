"""Compile code with NVRTC without anything of shflbench: neither headers nor kernels."""

from cuda.bindings import nvrtc

from tests.kernels import tools

HOST_HEADER = "#include <cassert>"  # in a condition: NVRTC has `assert` built in


def messages(text: str, arch: str) -> str:
    """Return what the compiler says about a translation unit; empty if there is neither an error nor a warning."""
    options = [f"-arch={arch}", "-std=c++17", *(f"-I{folder}" for folder in tools().headers)]
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"copied.cu", 0, [], [])
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = bytearray(size)
        nvrtc.nvrtcGetProgramLog(program, log)
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    said = log.rstrip(b"\0").decode().strip()
    return said if status == nvrtc.nvrtcResult.NVRTC_SUCCESS else f"{status.name}: {said}"


def unit(texts: list[str]) -> str:
    """Return a translation unit in which each text is in a namespace of its own, so that none can use another."""
    includes = dict.fromkeys(line for text in texts for line in text.splitlines() if line.startswith("#include"))
    lines = [line for line in includes if line != HOST_HEADER]
    for number, text in enumerate(texts):
        code = [line for line in text.splitlines() if not line.startswith(("#include", "#ifndef", "#endif"))]
        lines += [f"namespace copy_{number} {{", *code, "}"]
    return "\n".join(lines) + "\n"
