// Kernels whose lanes access memory at offsets that the host chooses, in bytes; a lane with a negative one exits.
// Each sends STEPS equal requests per iteration. Volatile, because the compiler would merge equal accesses.

constexpr int STEPS = 8;
constexpr int SHARED_WORDS = 4096;
constexpr int ROW = 128;      // bytes of shared memory: one word of each bank
constexpr int APART = 8192;  // bytes from one request to global memory to the next

#ifdef TIMED  // write the clocks of each warp before and after its loop
#define CLOCK(place) clocks[threadIdx.x / 32 * 2 + place] = clock64()
#else
#define CLOCK(place)
#endif

__device__ void load_32(unsigned address)
{
    unsigned a;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address));
}

__device__ void load_64(unsigned address)
{
    unsigned a, b;
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
}

__device__ void load_128(unsigned address)
{
    unsigned a, b, c, d;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address));
}

__device__ void store_32(unsigned address)
{
    asm volatile("st.volatile.shared.u32 [%0], %0;" ::"r"(address));
}

__device__ void store_64(unsigned address)
{
    asm volatile("st.volatile.shared.v2.u32 [%0], {%0, %0};" ::"r"(address));
}

__device__ void store_128(unsigned address)
{
    asm volatile("st.volatile.shared.v4.u32 [%0], {%0, %0, %0, %0};" ::"r"(address));
}

// Matrices of 8x8 elements of 16 bits, whose rows lie at the addresses of 8, 16 or 32 lanes. The compiler removes a load
// whose result is not used, and merges equal ones: each step loads from other rows of the same banks.
#define LOAD_MATRICES(name, type, results, ...)                                                                    \
    __device__ unsigned name(unsigned address)                                                    \
    {                                                                                                              \
        unsigned a = 0, b = 0, c = 0, d = 0;                                                                       \
        asm volatile("ldmatrix.sync.aligned.m8n8." type ".shared.b16 " results ";"                                 \
                     : __VA_ARGS__                                                                                 \
                     : "r"(address));                                                                     \
        return a ^ b ^ c ^ d;                                                                                      \
    }

LOAD_MATRICES(load_x1, "x1", "{%0}, [%1]", "=r"(a))
LOAD_MATRICES(load_x2, "x2", "{%0, %1}, [%2]", "=r"(a), "=r"(b))
LOAD_MATRICES(load_x4, "x4", "{%0, %1, %2, %3}, [%4]", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LOAD_MATRICES(load_x4_trans, "x4.trans", "{%0, %1, %2, %3}, [%4]", "=r"(a), "=r"(b), "=r"(c), "=r"(d))

#define STORE_MATRICES(name, type, operands)                                                                       \
    __device__ unsigned name(unsigned address)                                                    \
    {                                                                                                              \
        asm volatile("stmatrix.sync.aligned.m8n8." type ".shared.b16 [%0], " operands ";" ::"r"(address)); \
        return 0;                                                                                                  \
    }

STORE_MATRICES(store_x1, "x1", "{%0}")
STORE_MATRICES(store_x2, "x2", "{%0, %0}")
STORE_MATRICES(store_x4, "x4", "{%0, %0, %0, %0}")
STORE_MATRICES(store_x4_trans, "x4.trans", "{%0, %0, %0, %0}")

#define SHARED_KERNEL(request)                                                                         \
    extern "C" __global__ void __launch_bounds__(1024)                                                  \
        shared_##request(const int* offsets, long long* clocks, int iterations)                        \
    {                                                                                                  \
        __shared__ alignas(128) unsigned memory[SHARED_WORDS];                                         \
        const int offset = offsets[threadIdx.x % 32];                                                  \
        if (offset < 0) return;                                                                        \
        const unsigned address = unsigned(__cvta_generic_to_shared(memory)) + offset;                  \
        CLOCK(0);                                                                                      \
        _Pragma("unroll 1") for (int i = 0; i < iterations; ++i) {                                     \
            _Pragma("unroll") for (int j = 0; j < STEPS; ++j) request(address);                        \
        }                                                                                              \
        CLOCK(1);                                                                                      \
    }

#define MATRIX_KERNEL(request)                                                                         \
    extern "C" __global__ void __launch_bounds__(1024)                                                  \
        shared_##request(const int* offsets, long long* clocks, int iterations)                        \
    {                                                                                                  \
        __shared__ alignas(128) unsigned memory[SHARED_WORDS];                                         \
        const unsigned address = unsigned(__cvta_generic_to_shared(memory)) + offsets[threadIdx.x % 32]; \
        unsigned result = 0;                                                                           \
        CLOCK(0);                                                                                      \
        _Pragma("unroll 1") for (int i = 0; i < iterations; ++i) {                                     \
            _Pragma("unroll") for (int j = 0; j < STEPS; ++j)                                          \
                result ^= request(address + (i % 2 * STEPS + j) * ROW);                                \
        }                                                                                              \
        CLOCK(1);                                                                                      \
        if (iterations < 0) clocks[0] = result;                                                        \
    }

SHARED_KERNEL(load_32)
SHARED_KERNEL(load_64)
SHARED_KERNEL(load_128)
SHARED_KERNEL(store_32)
SHARED_KERNEL(store_64)
SHARED_KERNEL(store_128)
MATRIX_KERNEL(load_x1)
MATRIX_KERNEL(load_x2)
MATRIX_KERNEL(load_x4)
MATRIX_KERNEL(load_x4_trans)
MATRIX_KERNEL(store_x1)
MATRIX_KERNEL(store_x2)
MATRIX_KERNEL(store_x4)
MATRIX_KERNEL(store_x4_trans)

__device__ unsigned combined(unsigned value) { return value; }
__device__ unsigned combined(uint2 value) { return value.x ^ value.y; }
__device__ unsigned combined(uint4 value) { return value.x ^ value.y ^ value.z ^ value.w; }

template <typename T>
__device__ T* at(char* memory, int offset, int step)
{
    return reinterpret_cast<T*>(memory + offset + step * APART);
}

#define GLOBAL_LOAD_KERNEL(bits, type)                                                                       \
    extern "C" __global__ void global_load_##bits(const int* offsets, char* memory, int iterations)          \
    {                                                                                                        \
        const int offset = offsets[threadIdx.x % 32];                                                        \
        if (offset < 0) return;                                                                              \
        unsigned sum = iterations;                                                                           \
        _Pragma("unroll") for (int j = 0; j < STEPS; ++j) sum ^= combined(*at<type>(memory, offset, j));     \
        at<unsigned>(memory, 0, STEPS)[threadIdx.x] = sum;                                                   \
    }

GLOBAL_LOAD_KERNEL(32, unsigned)
GLOBAL_LOAD_KERNEL(64, uint2)
GLOBAL_LOAD_KERNEL(128, uint4)

#define GLOBAL_STORE_KERNEL(bits, type)                                                                      \
    extern "C" __global__ void global_store_##bits(const int* offsets, char* memory, int iterations)         \
    {                                                                                                        \
        const int offset = offsets[threadIdx.x % 32];                                                        \
        if (offset < 0) return;                                                                              \
        type value{};                                                                                        \
        value = *at<type>(memory, 0, STEPS);                                                                 \
        _Pragma("unroll") for (int j = 0; j < STEPS; ++j) *at<type>(memory, offset, j) = value;              \
    }

GLOBAL_STORE_KERNEL(32, unsigned)
GLOBAL_STORE_KERNEL(64, uint2)
GLOBAL_STORE_KERNEL(128, uint4)
