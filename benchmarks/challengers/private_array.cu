// Challengers of `private-array`: shorter chains from an element to the address of the next one.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
constexpr int MATH = OPTION_MATH;

template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

template <typename T>
__device__ T use(T x, T element, T one) {
    x += element;
#pragma unroll
    for (int i = 0; i < MATH; ++i) x = x * one + element;
    return x;
}

__device__ inline unsigned load_word(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
__device__ inline unsigned bits_of(float x) { return __float_as_uint(x); }

// Calls what(i, bits of element i) for all elements.
template <typename T, typename What>
__device__ void each_element(const T* arrays, What what) {
    const T* mine = initial(arrays);
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) what(i, bits_of(mine[i * WARP]));
}

// Rows of 256 bytes: the low byte of an element is byte 1 of the next address, which one PRMT makes. Pairs of warps share rows.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_prmt(const T* arrays, const int* start, T* result, float one, int iterations) {
    char* base = shared<char>() + threadIdx.x / 64 * LENGTH * 256;
    const unsigned mine = threadIdx.x % 64 * 4;
    each_element(arrays, [&](int i, unsigned bits) { *reinterpret_cast<unsigned*>(base + i * 256 + mine) = bits; });
    T x = 0;
    unsigned offset = start[thread()] * 256 + mine;
    REPEAT(iterations) {
        const unsigned bits = *reinterpret_cast<const unsigned*>(base + offset);
        offset = __byte_perm(bits, mine, 0x5504);  // bytes, from the lowest: mine, the index, zero, zero
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}

// Rows of 128 bytes, of a warp: a dot product of bytes multiplies the low byte by 128 and adds the base in one instruction.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_dp4a(const T* arrays, const int* start, T* result, float one, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 128 + lane() * 4;
    each_element(arrays, [&](int i, unsigned bits) {
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + i * 128), "r"(bits) : "memory");
    });
    T x = 0;
    unsigned place = base + start[thread()] * 128;
    REPEAT(iterations) {
        const unsigned bits = load_word(place);
        asm volatile("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(place) : "r"(bits), "r"(128), "r"(base));
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}

// Rows of 128 bytes, of a warp; elements are stored rotated by 7 bits, so that the index has its place in the address. The
// base is a multiple of 4 KiB: one LOP3 makes the address.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_rotated(const T* arrays, const int* start, T* result, float one, int iterations) {
    constexpr unsigned MASK = (LENGTH - 1) * 128;
    const unsigned aligned = (shared_address(shared<char>()) + MASK + 127) & ~(MASK + 127);
    const unsigned base = aligned + threadIdx.x / WARP * LENGTH * 128 + lane() * 4;
    each_element(arrays, [&](int i, unsigned bits) {
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + i * 128), "r"(__funnelshift_l(bits, bits, 7)) : "memory");
    });
    T x = 0;
    unsigned place = base + start[thread()] * 128;
    REPEAT(iterations) {
        const unsigned rotated = load_word(place);
        place = rotated & MASK | base;
        x = use(x, __uint_as_float(__funnelshift_r(rotated, rotated, 7)), T(one));
    }
    result[thread()] = x;
}

// The address of the next element beside each element: no arithmetic between loads. Two arrays, two loads.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_pointers(const T* arrays, const int* start, T* result, float one, int iterations) {
    const unsigned next_array = blockDim.x * LENGTH * 4;
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 128 + lane() * 4;
    each_element(arrays, [&](int i, unsigned bits) {
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + i * 128), "r"(bits) : "memory");
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + i * 128 + next_array), "r"(base + bits % 256 * 128) : "memory");
    });
    T x = 0;
    unsigned place = base + start[thread()] * 128;
    REPEAT(iterations) {
        const unsigned bits = load_word(place);
        place = load_word(place + next_array);
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}

// The same with one load of 64 bits.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_pointers_64(const T* arrays, const int* start, T* result, float one, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 256 + lane() * 8;
    each_element(arrays, [&](int i, unsigned bits) {
        asm volatile("st.shared.v2.u32 [%0], {%1, %2};"
                     :: "r"(base + i * 256), "r"(bits), "r"(base + bits % 256 * 256) : "memory");
    });
    T x = 0;
    unsigned place = base + start[thread()] * 256;
    REPEAT(iterations) {
        unsigned bits;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(bits), "=r"(place) : "r"(place));
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}

// The indices in registers as bit planes: plane b has bit b of the next index of each element, rotated by b. Shifts and
// logic find the next index, while the load of the element is under way.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_bit_planes(const T* arrays, const int* start, T* result, float one, int iterations) {
    static_assert(LENGTH == 32, "an index of 5 bits");
    char* base = shared<char>();
    const unsigned mine = threadIdx.x / WARP * LENGTH * 128 + lane() * 4;
    unsigned planes[5] = {};
    const T* from = initial(arrays);
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) {
        const unsigned bits = bits_of(from[i * WARP]);
        *reinterpret_cast<unsigned*>(base + i * 128 + mine) = bits;
#pragma unroll
        for (int b = 0; b < 5; ++b) planes[b] |= (bits >> b & 1) << (i + b) % 32;
    }
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned bits = *reinterpret_cast<const unsigned*>(base + (index % 32 * 128 | mine));
        unsigned bit[5];
#pragma unroll
        for (int b = 0; b < 5; ++b) bit[b] = __funnelshift_r(planes[b], planes[b], index);  // bit b is right
        const unsigned low = bit[0] & 1 | bit[1] & ~1u, middle = bit[2] & 4 | bit[3] & ~4u;
        const unsigned four = low & 3 | middle & ~3u;
        index = four & 15 | bit[4] & ~15u;
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}

// The index by a load of one byte, which needs no mask.
template <typename T>
__global__ void LAUNCH_BOUNDS
my_private_array_x_byte(const T* arrays, const int* start, T* result, float one, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 128 + lane() * 4;
    each_element(arrays, [&](int i, unsigned bits) {
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + i * 128), "r"(bits) : "memory");
    });
    T x = 0;
    unsigned place = base + start[thread()] * 128;
    REPEAT(iterations) {
        const unsigned bits = load_word(place);
        unsigned index;
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(index) : "r"(place));
        place = index * 128 + base;
        x = use(x, __uint_as_float(bits), T(one));
    }
    result[thread()] = x;
}
