// Kernels whose lanes access memory at offsets that the host chooses, in bytes; a lane with a negative one exits.
// Each sends STEPS equal requests per iteration. Volatile, because the compiler would merge equal accesses.

constexpr int STEPS = 8;
constexpr int SHARED_WORDS = 4096;
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

SHARED_KERNEL(load_32)
SHARED_KERNEL(load_64)
SHARED_KERNEL(load_128)
SHARED_KERNEL(store_32)
SHARED_KERNEL(store_64)
SHARED_KERNEL(store_128)

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
