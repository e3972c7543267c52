// All lanes of a warp read one array, one element per iteration, each at the index in the element it read before.
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

// The low bits of an element, which hardly change its value, are the next index.
__device__ unsigned low_bits(float element) { return __float_as_uint(element); }
__device__ unsigned low_bits(double element) { return unsigned(__double2loint(element)); }

// The arrays of all warps lie one after another.
__device__ unsigned first_of_array() { return thread() / WARP * LENGTH; }

template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_smem(const T* arrays, const int* start, T* result, int iterations) {
    const shflbench::smem::WarpArray a(arrays + first_of_array(), shared<T>());
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = low_bits(element);
    }
    result[thread()] = x;
}

// Lane i holds element i; a shorter array is held several times, one of 64 elements in two registers. The
// shuffle takes the index modulo its width, so it needs no mask.
template <typename T>
__global__ void LAUNCH_BOUNDS my_lane_array_shfl(const T* arrays, const int* start, T* result, int iterations) {
    const shflbench::shfl::WarpArray a(arrays + first_of_array());
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = low_bits(element);
    }
    result[thread()] = x;
}

