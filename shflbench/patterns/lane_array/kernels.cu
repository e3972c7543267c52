// All lanes of a warp read one array, one element per iteration, each at the index in the element it read before.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

// The low bits of an element, which hardly change its value, are the next index.
__device__ unsigned low_bits(float element) { return __float_as_uint(element); }
__device__ unsigned low_bits(double element) { return unsigned(__double2loint(element)); }

// The next position in memory, where the array starts at `first`, a multiple of its length.
template <typename T>
__device__ unsigned next(unsigned first, T element) { return first | low_bits(element) % LENGTH; }

// The arrays of all warps lie one after another.
__device__ unsigned first_of_array() { return thread() / WARP * LENGTH; }

template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_smem(const T* arrays, const int* start, T* result, int iterations) {
    T* a = shared<T>();
    // From a shuffle, so that the compiler does not see that `first` is a mask of threadIdx.x where LENGTH is 32: it would
    // compute `next` in two instructions there, and in one for all other lengths.
    const unsigned first = __shfl_sync(FULL_WARP, threadIdx.x / WARP * LENGTH, 0);
    if (lane() < LENGTH) a[first + lane()] = arrays[first_of_array() + lane()];
    if (WARP + lane() < LENGTH) a[first + WARP + lane()] = arrays[first_of_array() + WARP + lane()];
    __syncwarp();
    T x = 0;
    unsigned place = first + start[thread()];
    REPEAT(iterations) {
        const T element = a[place];
        x += element;
        place = next(first, element);
    }
    result[thread()] = x;
}

// Lane i holds element i; a shorter array is held several times, one of 64 elements in two registers. The
// shuffle takes the index modulo its width, so it needs no mask.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_shfl(const T* arrays, const int* start, T* result, int iterations) {
    constexpr int WIDTH = LENGTH < WARP ? LENGTH : WARP;
    const T* mine = arrays + first_of_array() + lane() % WIDTH;
    const T low = mine[0], high = mine[LENGTH - WIDTH];
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        T element = __shfl_sync(FULL_WARP, low, index, WIDTH);
        if constexpr (LENGTH > WARP) {
            const T other = __shfl_sync(FULL_WARP, high, index, WIDTH);
            element = index % LENGTH < WIDTH ? element : other;
        }
        x += element;
        index = low_bits(element);
    }
    result[thread()] = x;
}

// Each lane has a copy of its own.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_local(const T* arrays, const int* start, T* result, int iterations) {
    T a[LENGTH], x = 0;
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) a[i] = arrays[first_of_array() + i];
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = next(0, element);
    }
    result[thread()] = x;
}

// The array stays in global memory, cached in L1.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_global(const T* arrays, const int* start, T* result, int iterations) {
    const unsigned first = first_of_array();
    T x = 0;
    unsigned place = first + start[thread()];
    REPEAT(iterations) {
        const T element = arrays[place];
        x += element;
        place = next(first, element);
    }
    result[thread()] = x;
}
