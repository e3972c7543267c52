// What every kernel may use: its position in the grid, its shared memory, shuffles and sums of any element type, and
// the timed loop.
//
// Launch convention: a one-dimensional grid of whole warps, and the arguments
//     (const T* inputs..., T* outputs..., scalars..., int iterations)
// For the element types __half and __nv_bfloat16 shflbench includes CUDA's header and defines DTYPE_F16 or
// DTYPE_BF16 before the kernel's text: the headers are too slow to parse for kernels that do not need them.
#pragma once

// Of each kernel: shflbench defines it as __launch_bounds__(threads per block, blocks per SM) of the launch, so that the
// compiler gives a thread as many registers as fit.
#ifndef LAUNCH_BOUNDS
#define LAUNCH_BOUNDS
#endif

constexpr int WARP = 32;
constexpr unsigned FULL_WARP = 0xffffffffu;

__device__ inline int lane() { return threadIdx.x % WARP; }
__device__ inline int first_of_warp() { return threadIdx.x - lane(); }  // block index of the warp's lane 0
__device__ inline int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The block's dynamic shared memory.
template <typename T>
__device__ T* shared() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<T*>(bytes);
}

template <typename T>
__device__ void swap(T& a, T& b) { const T old = a; a = b; b = old; }

// Shuffles of the whole warp. One SHFL moves a 32-bit word: a 16-bit number takes one, a 64-bit number two.
#define SHUFFLE(name, intrinsic, Where) \
    template <typename T> \
    __device__ T name(T x, Where where) { return intrinsic(FULL_WARP, x, where); } \
    __device__ inline float2 name(float2 x, Where where) { return {name(x.x, where), name(x.y, where)}; } \
    __device__ inline float4 name(float4 x, Where where) { \
        return {name(x.x, where), name(x.y, where), name(x.z, where), name(x.w, where)}; \
    }
SHUFFLE(shfl, __shfl_sync, int)
SHUFFLE(shfl_up, __shfl_up_sync, unsigned)
SHUFFLE(shfl_down, __shfl_down_sync, unsigned)
SHUFFLE(shfl_xor, __shfl_xor_sync, int)

// Volatile accesses to shared memory: each one is made, in program order, a whole vector at once.
template <typename T>
__device__ T volatile_load(const T* slot) { return *static_cast<const volatile T*>(slot); }
template <typename T>
__device__ void volatile_store(T* slot, T x) { *static_cast<volatile T*>(slot) = x; }

__device__ inline unsigned shared_address(const void* slot) { return unsigned(__cvta_generic_to_shared(slot)); }
__device__ inline float2 volatile_load(const float2* slot) {
    float2 x;
    asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "r"(shared_address(slot)));
    return x;
}
__device__ inline float4 volatile_load(const float4* slot) {
    float4 x;
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "r"(shared_address(slot)));
    return x;
}
__device__ inline void volatile_store(float2* slot, float2 x) {
    asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" :: "r"(shared_address(slot)), "f"(x.x), "f"(x.y));
}
__device__ inline void volatile_store(float4* slot, float4 x) {
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "r"(shared_address(slot)), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w));
}

// Add; integers wrap around as unsigned, because signed overflow is undefined in C++.
__device__ inline float add(float a, float b) { return a + b; }
__device__ inline double add(double a, double b) { return a + b; }
__device__ inline int add(int a, int b) { return int(unsigned(a) + unsigned(b)); }
__device__ inline long long add(long long a, long long b) {
    return (long long)((unsigned long long)a + (unsigned long long)b);
}
__device__ inline float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ inline float4 add(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
#if DTYPE_F16
__device__ inline __half add(__half a, __half b) { return __hadd(a, b); }
#endif
#if DTYPE_BF16
__device__ inline __nv_bfloat16 add(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
#endif

// own + 2·got on the bits, wrapping: a cheap way for a lane to mix the value that it got with its own, without losing
// its own. The factor of `own` is odd and that of `got` even, so that no number of exchanges loses a difference: the
// matrix that maps the bits of all lanes to those of the next iteration has an odd determinant.
template <typename Bits, typename T>
__device__ T mix_as(T own, T got) {
    Bits a, b;
    memcpy(&a, &own, sizeof a);
    memcpy(&b, &got, sizeof b);
    a += 2 * b;
    memcpy(&own, &a, sizeof a);
    return own;
}
template <typename T>
__device__ T mix(T own, T got) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 2) return mix_as<unsigned short>(own, got);
    else if constexpr (sizeof(T) == 4) return mix_as<unsigned>(own, got);
    else return mix_as<unsigned long long>(own, got);
}
__device__ inline float2 mix(float2 own, float2 got) { return {mix(own.x, got.x), mix(own.y, got.y)}; }
__device__ inline float4 mix(float4 own, float4 got) {
    return {mix(own.x, got.x), mix(own.y, got.y), mix(own.z, got.z), mix(own.w, got.w)};
}

// The timed loop. Every variant of a pattern is unrolled by the same factor, UNROLL, which the pattern
// declares and shflbench defines; it is checked in the machine code.
#define REPEAT(iterations) _Pragma("unroll UNROLL") for (int iteration = 0; iteration < (iterations); ++iteration)
