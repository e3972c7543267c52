// Challengers of `lane-array`, for arrays of 32 elements.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
static_assert(LENGTH == 32);
__device__ unsigned first_of_array() { return thread() / WARP * LENGTH; }
__device__ inline unsigned load_word(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}

// Elements are stored rotated by 2 bits: one operation between loads, as the index then has its place in the address.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_rotated(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned aligned = (shared_address(shared<char>()) + 127) & ~127u;
    const unsigned base = __shfl_sync(FULL_WARP, aligned + threadIdx.x / WARP * LENGTH * 4, 0);
    const unsigned own = __float_as_uint(arrays[first_of_array() + lane()]);
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + lane() * 4), "r"(__funnelshift_l(own, own, 2)) : "memory");
    __syncwarp();
    T x = 0;
    unsigned place = base + start[thread()] * 4;
    REPEAT(iterations) {
        const unsigned rotated = load_word(place);
        place = rotated & 31 * 4 | base;
        x += __uint_as_float(__funnelshift_r(rotated, rotated, 2));
    }
    result[thread()] = x;
}

// The address of the next element beside each element: no arithmetic between loads.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_pointers(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 8;
    const unsigned own = __float_as_uint(arrays[first_of_array() + lane()]);
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + lane() * 4), "r"(own) : "memory");
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + lane() * 4 + 128), "r"(base + own % 32 * 4) : "memory");
    __syncwarp();
    T x = 0;
    unsigned place = base + start[thread()] * 4;
    REPEAT(iterations) {
        const unsigned bits = load_word(place);
        place = load_word(place + 128);
        x += __uint_as_float(bits);
    }
    result[thread()] = x;
}

// The same with one load of 64 bits.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_pointers_64(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 8;
    const unsigned own = __float_as_uint(arrays[first_of_array() + lane()]);
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" :: "r"(base + lane() * 8), "r"(own), "r"(base + own % 32 * 8) : "memory");
    __syncwarp();
    T x = 0;
    unsigned place = base + start[thread()] * 8;
    REPEAT(iterations) {
        unsigned bits;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(bits), "=r"(place) : "r"(place));
        x += __uint_as_float(bits);
    }
    result[thread()] = x;
}

// The next indices as five bit planes, each in a ballot: shifts and logic find the next index, and the shuffle of the element
// is not part of the chain.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_bit_planes(const T* arrays, const int* start, T* result, int iterations) {
    const T own = arrays[first_of_array() + lane()];
    unsigned planes[5];
#pragma unroll
    for (int b = 0; b < 5; ++b) {
        const unsigned plane = __ballot_sync(FULL_WARP, __float_as_uint(own) >> b & 1);
        planes[b] = __funnelshift_l(plane, plane, b);
    }
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        x += __shfl_sync(FULL_WARP, own, index);
        unsigned bit[5];
#pragma unroll
        for (int b = 0; b < 5; ++b) bit[b] = __funnelshift_r(planes[b], planes[b], index);  // bit b is right
        const unsigned low = bit[0] & 1 | bit[1] & ~1u, middle = bit[2] & 4 | bit[3] & ~4u;
        index = low & 3 | middle & ~3u;
        index = index & 15 | bit[4] & ~15u;
    }
    result[thread()] = x;
}

// The element by a shuffle, and the address of the next one by a load: both chains of one request per iteration, the shorter
// one leads.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_shfl_pointers(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * LENGTH * 4;
    const T own = arrays[first_of_array() + lane()];
    // The address is 4 times the index, and the bits below it of the base: shuffles take the index modulo 32.
    asm volatile("st.shared.u32 [%0], %1;"
                 :: "r"(base + lane() * 4), "r"(base + __float_as_uint(own) % 32 * 4) : "memory");
    __syncwarp();
    T x = 0;
    unsigned place = base + start[thread()] * 4;
    REPEAT(iterations) {
        x += __shfl_sync(FULL_WARP, own, place / 4);
        place = load_word(place);
    }
    result[thread()] = x;
}

// Of four iterations, one by a load and three by shuffles: both have one request, in case that they do not queue alike.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_mixed(const T* arrays, const int* start, T* result, int iterations) {
    char* base = shared<char>();
    const unsigned first = __shfl_sync(FULL_WARP, threadIdx.x / WARP * LENGTH * 4, 0);
    const T own = arrays[first_of_array() + lane()];
    const unsigned bits = __float_as_uint(own);
    *reinterpret_cast<unsigned*>(base + first + lane() * 4) = bits;
    __syncwarp();
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        unsigned word;
        if (iteration % 4 == 3) word = *reinterpret_cast<const unsigned*>(base + (index % 32 * 4 | first));
        else word = __shfl_sync(FULL_WARP, bits, index);
        x += __uint_as_float(word);
        index = word;
    }
    result[thread()] = x;
}
