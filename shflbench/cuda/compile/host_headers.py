"""Headers that NVRTC lacks, with the part of them that device code may use.

NVRTC declares printf, malloc, assert, size_t and the mathematical functions itself. The rest of the C and C++ library
exists on the host only, and the code that uses it is removed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda.compile.host_libraries import library_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_INTEGERS = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["intptr_t", "uintptr_t"]
_LIMITS_OF_INTEGERS = """
#ifndef INT8_MIN
#define INT8_MIN (-128)
#endif
#ifndef INT16_MIN
#define INT16_MIN (-32768)
#endif
#ifndef INT32_MIN
#define INT32_MIN (-2147483647 - 1)
#endif
#ifndef INT64_MIN
#define INT64_MIN (-9223372036854775807L - 1)
#endif
#ifndef INT8_MAX
#define INT8_MAX 127
#endif
#ifndef INT16_MAX
#define INT16_MAX 32767
#endif
#ifndef INT32_MAX
#define INT32_MAX 2147483647
#endif
#ifndef INT64_MAX
#define INT64_MAX 9223372036854775807L
#endif
#ifndef UINT8_MAX
#define UINT8_MAX 255
#endif
#ifndef UINT16_MAX
#define UINT16_MAX 65535
#endif
#ifndef UINT32_MAX
#define UINT32_MAX 4294967295U
#endif
#ifndef UINT64_MAX
#define UINT64_MAX 18446744073709551615UL
#endif
#ifndef SIZE_MAX
#define SIZE_MAX 18446744073709551615UL
#endif
"""
_STDINT = f"""#include <cuda/std/cstdint>
#ifndef SHFLBENCH_STDINT
#define SHFLBENCH_STDINT
{_LIMITS_OF_INTEGERS}
namespace std {{ {" ".join(f"using ::{name};" for name in _INTEGERS)} }}
#endif
"""
_LIMITS = """#ifndef SHFLBENCH_LIMITS
#define SHFLBENCH_LIMITS
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
"""
_FLOAT = """#ifndef SHFLBENCH_FLOAT
#define SHFLBENCH_FLOAT
#define FLT_RADIX 2
#define FLT_DIG 6
#define DBL_DIG 15
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
"""
_MATH_NAMES = _words("""
    abs fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh
    acosh atanh erf erfc tgamma lgamma ceil floor round trunc rint nearbyint fmod remainder fma fmin fmax fdim hypot
    copysign ldexp frexp isnan isinf isfinite signbit
""")
_MATH = (
    """#ifndef SHFLBENCH_MATH
#define SHFLBENCH_MATH
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
namespace std {"""
    + "".join(f" using ::{name};" for name in (*_MATH_NAMES, *(f"{name}f" for name in _MATH_NAMES[1:-4])))
    + " }\n#endif\n"
)
_CSTDDEF = """#ifndef SHFLBENCH_STDDEF
#define SHFLBENCH_STDDEF
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
typedef long ptrdiff_t;
namespace std { using ::size_t; using ::ptrdiff_t; }
#endif
"""
_STDLIB = """#ifndef SHFLBENCH_STDLIB
#define SHFLBENCH_STDLIB
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
namespace std { using ::size_t; }
#endif
"""
_STDIO = """#ifndef SHFLBENCH_STDIO
#define SHFLBENCH_STDIO
struct _IO_FILE;
typedef struct _IO_FILE FILE;
#endif
"""
_CUFFT = """#include <cuComplex.h>
#ifndef SHFLBENCH_CUFFT
#define SHFLBENCH_CUFFT
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
#endif
"""
_UNISTD = """#ifndef SHFLBENCH_UNISTD
#define SHFLBENCH_UNISTD
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
#endif
"""
_STAND_INS = Path(__file__).with_name("stand_ins")
# cub/cub.cuh refuses NVRTC because of the parts that start kernels; these are the parts for device code.
_CUB = "".join(
    f"#include <cub/{level}/{level}_{part}.cuh>\n"
    for level, parts in (
        ("block", "adjacent_difference discontinuity exchange histogram load radix_rank radix_sort reduce scan store"),
        ("warp", "exchange load merge_sort reduce scan store"),
    )
    for part in parts.split()
)
# Functions that the host calls; NVRTC cannot read their headers.
_CUB_OF_HOST = [
    f"cub/device/device_{part}.cuh"
    for part in _words("""
        adjacent_difference batched_topk copy find for histogram memcpy merge merge_sort partition radix_sort reduce
        run_length_encode scan segmented_radix_sort segmented_reduce segmented_scan segmented_sort select topk transform
    """)
]
_CONTENT = {
    "stdint.h": _STDINT, "cstdint": _STDINT, "inttypes.h": _STDINT, "cinttypes": _STDINT, "sys/types.h": _STDINT,
    "limits.h": _LIMITS, "climits": _LIMITS, "float.h": _FLOAT, "cfloat": _FLOAT, "values.h": _LIMITS + _FLOAT,
    "math.h": _MATH, "cmath": _MATH, "tgmath.h": _MATH, "stddef.h": _CSTDDEF, "cstddef": _CSTDDEF,
    "stdlib.h": _STDLIB, "cstdlib": _STDLIB, "stdio.h": _STDIO, "cstdio": _STDIO, "cufft.h": _CUFFT,
    "cufftXt.h": _CUFFT, "unistd.h": _UNISTD,
}  # fmt: skip
_HOST_ONLY = _words("""
    algorithm any array assert.h atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv charconv chrono
    ciso646 clocale codecvt compare complex complex.h concepts condition_variable csetjmp csignal cstdalign cstdarg
    cstdbool cstring ctgmath ctime ctype.h cuchar cwchar cwctype deque errno.h exception execution fenv.h filesystem
    format forward_list fstream functional future getopt.h initializer_list iomanip ios iosfwd iostream istream
    iterator latch limits list locale locale.h malloc.h map memory memory.h memory_resource mutex new numbers
    numeric omp.h mpi.h stdbool.h optional ostream pthread.h queue random ranges ratio regex sched.h
    scoped_allocator semaphore semaphore.h set setjmp.h shared_mutex signal.h source_location span sstream stack
    stdalign.h stdarg.h stdexcept stop_token streambuf string string.h string_view strings.h strstream system_error
    thread time.h tuple type_traits typeindex typeinfo uchar.h unordered_map unordered_set utility valarray variant
    vector version wchar.h wctype.h windows.h winsock2.h dlfcn.h fcntl.h poll.h glob.h dirent.h libgen.h netdb.h
    stdnoreturn.h syslog.h termios.h ucontext.h utime.h direct.h process.h io.h conio.h intrin.h immintrin.h
    xmmintrin.h emmintrin.h x86intrin.h pmmintrin.h tmmintrin.h smmintrin.h nmmintrin.h cpuid.h arm_neon.h tchar.h
    execinfo.h cxxabi.h Windows.h wordexp.h spawn.h pwd.h grp.h regex.h fnmatch.h ftw.h ifaddrs.h mqueue.h elf.h
    endian.h byteswap.h alloca.h features.h malloc/malloc.h nvml.h nvrtc.h cudla.h nppi.h npp.h cuda_profiler_api.h
    cudaProfiler.h cuda_gl_interop.h cuda_egl_interop.h cudaEGL.h cudaGL.h nvToolsExt.h cupti.h cuda_d3d11_interop.h
""")
_HOST_FAMILIES = re.compile(
    r"(?:sys|netinet|arpa|linux|bits|GL|GLFW|GLES2|GLES3|EGL|X11|vulkan|boost|nvtx3|thrust|opencv2?|Eigen|gtest|FreeImage|"
    r"d3d\w*|dxgi\w*|asm|net|mach|CL|gsl|SDL2?|spdlog|fmt|gflags|glog|tbb|oneapi)/.+|helper_\w+\.h|stb_\w+\.h|"
    r"(?:hdf5|png|jpeglib|tiffio|zlib|cblas|lapacke|fftw3|mkl|papi|numa|FreeImage)\.h|(?:cufft|nppi?|cufile|sanitizer)\w*\.h"
)
_TORCH_HEADERS = re.compile(r"(?:torch|ATen|c10|pybind11|THC|caffe2)/.+|Python\.h")
# Those that define functions of which files have their own, with the text that stands for them.
_OF_TORCH = (
    (re.compile(r"/(?:Atomic|THCAtomics|KernelUtils)\.cuh$"), "torch_atomics.cuh"),
    (re.compile(r"/(?:DeviceUtils|THCDeviceUtils|block_reduce)\.cuh$"), "torch_shuffles.cuh"),
    (re.compile(r"/(?:CUDAGeneratorImpl|CUDAGraphsUtils|Philox\w+|UnpackRaw)\.(?:h|cuh)$"), "torch_philox.cuh"),
)
# The headers of CUDA that include some of the host's C, as of CUDA 13; the others do without under NVRTC.
_DRIVER = ("stdlib.h", "stdint.h")
_INCLUDED_BY_CUDA = {
    "cuda.h": _DRIVER, "cudaTypedefs.h": _DRIVER, "cuda_occupancy.h": ("stddef.h", "limits.h", "stdlib.h", "string.h"),
}  # fmt: skip
_GRAPHICS = re.compile(r"(?:GL|GLFW|GLES2|GLES3|EGL|X11|vulkan)/.+|helper_gl\.h")
_LANGUAGE = frozenset({"type_traits", "limits", "utility", "tuple", "array", "initializer_list", "functional"})


def _using(namespace: str, names: Iterable[str]) -> Iterator[str]:
    return (f"namespace {namespace} {{ using ::cuda::std::{name}; }}" for name in names)


# What device code uses of Thrust, whose headers NVRTC does not read, is that of libcu++.
_OF_THRUST = {
    "thrust/tuple.h": ("tuple", "tuple make_tuple get tie tuple_size tuple_element"),
    "thrust/pair.h": ("utility", "pair make_pair"),
    "thrust/functional.h": ("functional", "plus minus multiplies less greater equal_to"),
}
_THRUST = {
    name: "\n".join([f"#include <cuda/std/{header}>", *_using("thrust", names.split())])
    for name, (header, names) in _OF_THRUST.items()
}


def stub(name: str) -> bytes | None:
    """Return the text that stands for the header `name` of the host; None if it is no header of the host."""
    if name in _CONTENT:
        return _CONTENT[name].encode()
    if (text := library_types(name)) is not None:
        return text.encode()
    if _TORCH_HEADERS.fullmatch(name):
        more = (file for pattern, file in _OF_TORCH if pattern.search(name))
        return b"".join(map(_stand_in, ("torch.cuh", *more)))
    if name in _HOST_ONLY or _HOST_FAMILIES.fullmatch(name):
        return b""
    return None


@cache
def _stand_in(name: str) -> bytes:
    return (_STAND_INS / name).read_bytes()


def substitute(name: str) -> bytes | None:
    """Return the text that stands for a header of a package of CUDA where that is not installed."""
    return _stand_in("curand_kernel.cuh") if name == "curand_kernel.h" else None


def included_by_cuda(name: str) -> tuple[str, ...]:
    """Return the headers of the host that a header of CUDA includes, such as `stdint.h` of `cuda.h`."""
    return _INCLUDED_BY_CUDA.get(name, ())


def language_stubs() -> dict[str, bytes]:
    """Return those headers of C++ that device code may use, from CUDA's own library; reading them takes a second."""
    using = "namespace std { using namespace ::cuda::std; }"
    stubs = {name: f"#include <cuda/std/{name}>\n{using}\n" for name in sorted(_LANGUAGE)}
    return {name: text.encode() for name, text in (stubs | _THRUST).items()}


def cub_stub() -> dict[str, bytes]:
    """Return what stands for the headers of CUB that NVRTC cannot read; reading that for cub/cub.cuh takes seconds."""
    return {"cub/cub.cuh": _CUB.encode(), **dict.fromkeys(_CUB_OF_HOST, b"#include <cub/version.cuh>\n")}


def is_graphics(name: str) -> bool:
    """Whether a header belongs to a graphics library, of which device code cannot use anything."""
    return _GRAPHICS.fullmatch(name) is not None


def standard_stubs() -> dict[str, bytes]:
    """Return the stubs of the C and C++ library, which headers of CUDA include, too."""
    names = sorted({*_CONTENT, *_HOST_ONLY})
    return {name: text for name in names if (text := stub(name)) is not None}
