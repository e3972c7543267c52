// Challengers of `lane-array`. f32 only.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
constexpr int BYTES = 256;                // values of the lowest byte of an element
constexpr int COPIES = BYTES / LENGTH;    // of the array: so that this byte is an index modulo LENGTH

__device__ inline unsigned first_of_array() { return thread() / WARP * LENGTH; }
__device__ inline unsigned load_word(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
__device__ inline unsigned load_byte(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
__device__ inline unsigned load_half(unsigned address) {
    unsigned word;
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}
__device__ inline void store_word(unsigned address, unsigned word) {
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(address), "r"(word) : "memory");
}

// The array COPIES times, one after another; returns its address.
template <int N>
__device__ unsigned store_copies(const float* arrays, unsigned base) {
#pragma unroll
    for (int i = 0; i < N * LENGTH; i += WARP) {
        store_word(base + (i + lane()) * 4, __float_as_uint(arrays[first_of_array() + (i + lane()) % LENGTH]));
    }
    __syncwarp();
    return base;
}

// One dp4a multiplies the lowest byte by 4 and adds the address of the array; as it lies there COPIES times, the byte needs
// no mask.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_dp4a(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = store_copies<COPIES>(arrays, shared_address(shared<char>()) + threadIdx.x / WARP * (BYTES * 4));
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        index = load_word(__dp4a(index, 4u, base));
        x += __uint_as_float(index);
    }
    result[thread()] = x;
}

// The same with the factor in a register, not in a uniform one.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_dp4a_reg(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = store_copies<COPIES>(arrays, shared_address(shared<char>()) + threadIdx.x / WARP * (BYTES * 4));
    const unsigned four = start[thread()] < 0 ? 0 : 4;  // in a register: the compiler does not know it
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        index = load_word(__dp4a(index, four, base));
        x += __uint_as_float(index);
    }
    result[thread()] = x;
}

// The mask in the integer unit, the address in that of products.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_imad(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = store_copies<1>(arrays, shared_address(shared<char>()) + threadIdx.x / WARP * (LENGTH * 4));
    const unsigned four = start[thread()] < 0 ? 0 : 4;  // in a register: the compiler does not know it
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        index = load_word(index % LENGTH * four + base);
        x += __uint_as_float(index);
    }
    result[thread()] = x;
}

// The lowest bytes of the elements also lie in a table of their own, from which the chain of indices is read: a byte needs no
// mask and no factor. The elements are read at these indices, beside the chain.
__device__ inline unsigned byte_table(const float* arrays, int bytes_per_warp) {
    unsigned table = shared_address(shared<char>()) + threadIdx.x / WARP * bytes_per_warp;
#pragma unroll
    for (int i = 0; i < BYTES; i += WARP) {
        const unsigned own = __float_as_uint(arrays[first_of_array() + (i + lane()) % LENGTH]);
        asm volatile("st.shared.u8 [%0], %1;" :: "r"(table + i + lane()), "r"(own) : "memory");
    }
    return __reduce_max_sync(FULL_WARP, table);  // the compiler knows that it is uniform
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_bytes(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned table = byte_table(arrays, BYTES * 5);
    store_copies<COPIES>(arrays, table + BYTES);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned next = load_byte(table + index);
        x += __uint_as_float(load_word(table + BYTES + index * 4));
        index = next;
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_bytes_shfl(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == WARP);
    const unsigned table = byte_table(arrays, BYTES);
    const T own = arrays[first_of_array() + lane()];
    __syncwarp();
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned next = load_byte(table + index);
        x += __shfl_sync(FULL_WARP, own, index);
        index = next;
    }
    result[thread()] = x;
}

// The same two; the sum is one element behind, so that no addition waits between two loads of the chain.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_bytes_late(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned table = byte_table(arrays, BYTES * 5);
    store_copies<COPIES>(arrays, table + BYTES);
    T x = 0, pending = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned next = load_byte(table + index);
        const T element = __uint_as_float(load_word(table + BYTES + index * 4));
        x += pending;
        pending = element;
        index = next;
    }
    result[thread()] = x + pending;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_bytes_shfl_late(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == WARP);
    const unsigned table = byte_table(arrays, BYTES);
    const T own = arrays[first_of_array() + lane()];
    __syncwarp();
    T x = 0, pending = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned next = load_byte(table + index);
        const T element = __shfl_sync(FULL_WARP, own, index);
        x += pending;
        pending = element;
        index = next;
    }
    result[thread()] = x + pending;
}

// The lower and the upper halves of the elements in tables of 16-bit words, without bank conflicts for up to 64 elements.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_halves(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned base = shared_address(shared<char>()) + threadIdx.x / WARP * (BYTES * 4);
#pragma unroll
    for (int i = 0; i < BYTES; i += WARP) {
        const unsigned own = __float_as_uint(arrays[first_of_array() + (i + lane()) % LENGTH]);
        asm volatile("st.shared.u16 [%0], %1;" :: "r"(base + (i + lane()) * 2), "h"((unsigned short)own) : "memory");
        asm volatile("st.shared.u16 [%0], %1;"
                     :: "r"(base + BYTES * 2 + (i + lane()) * 2), "h"((unsigned short)(own >> 16)) : "memory");
    }
    __syncwarp();
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned place = __dp4a(index, 2u, base);
        index = load_half(place);
        const unsigned high = load_half(place + BYTES * 2);
        x += __uint_as_float(__byte_perm(index, high, 0x5410));
    }
    result[thread()] = x;
}

// Of 64 elements, the lower ones by a shuffle; lanes that need an upper one load it, without bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_shfl_load(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == 2 * WARP);
    const unsigned base = store_copies<COPIES>(arrays, shared_address(shared<char>()) + threadIdx.x / WARP * (BYTES * 4));
    const unsigned low = __float_as_uint(arrays[first_of_array() + lane()]);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const unsigned place = __dp4a(index, 4u, base);
        unsigned word = __shfl_sync(FULL_WARP, low, index);
        asm volatile("{.reg .pred p; .reg .b32 b; and.b32 b, %2, 32; setp.ne.u32 p, b, 0; @p ld.shared.u32 %0, [%1];}"
                     : "+r"(word) : "r"(place), "r"(index));
        index = word;
        x += __uint_as_float(index);
    }
    result[thread()] = x;
}

// ---- Equal indices in all lanes (index=uniform), 64 elements.

// The lane that has the element shares the index, so it sends the right one of its two elements: one shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_select(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == 2 * WARP);
    const T low = arrays[first_of_array() + lane()], high = arrays[first_of_array() + lane() + WARP];
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = __shfl_sync(FULL_WARP, index & WARP ? high : low, index);
        x += element;
        index = __float_as_uint(element);
    }
    result[thread()] = x;
}
// The same by one of two shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_either(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == 2 * WARP);
    const unsigned low = __float_as_uint(arrays[first_of_array() + lane()]);
    const unsigned high = __float_as_uint(arrays[first_of_array() + lane() + WARP]);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        unsigned word;
        asm volatile(
            "{.reg .pred p; .reg .b32 b; and.b32 b, %3, 32; setp.ne.u32 p, b, 0;"
            " @p shfl.sync.idx.b32 %0, %2, %3, 31, 0xffffffff; @!p shfl.sync.idx.b32 %0, %1, %3, 31, 0xffffffff;}"
            : "=&r"(word) : "r"(low), "r"(high), "r"(index));
        index = word;
        x += __uint_as_float(index);
    }
    result[thread()] = x;
}

// Most warps load; a few let their lanes take part in an instruction that combines bits: the lane with the element gives it,
// the others nothing. This is executed by another unit.
template <int OF_REDUX, typename T>
__device__ void load_or_redux(const T* arrays, const int* start, T* result, int iterations) {
    static_assert(LENGTH == 2 * WARP);
    T x = 0;
    unsigned index = start[thread()];
    if (threadIdx.x / WARP % 8 < OF_REDUX) {
        const unsigned low = __float_as_uint(arrays[first_of_array() + lane()]);
        const unsigned high = __float_as_uint(arrays[first_of_array() + lane() + WARP]);
        REPEAT(iterations) {
            const unsigned of_half = index & WARP ? high : low;
            index = __reduce_or_sync(FULL_WARP, ((index ^ lane()) & 31) == 0 ? of_half : 0);
            x += __uint_as_float(index);
        }
    } else {
        const unsigned base =
            store_copies<COPIES>(arrays, shared_address(shared<char>()) + threadIdx.x / WARP * (BYTES * 4));
        REPEAT(iterations) {
            index = load_word(__dp4a(index, 4u, base));
            x += __uint_as_float(index);
        }
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_load_redux1(const T* a, const int* s, T* r, int iterations) {
    load_or_redux<1>(a, s, r, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_x_load_redux2(const T* a, const int* s, T* r, int iterations) {
    load_or_redux<2>(a, s, r, iterations);
}
