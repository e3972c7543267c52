// All lanes of a warp read one array, one element per iteration, each at the index in the element it read before.
#include "copied/global.cuh"
#include "copied/local.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-dp4a.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

// The low bits of an element, which hardly change its value, are the next index.
__device__ unsigned low_bits(float element) { return __float_as_uint(element); }
__device__ unsigned low_bits(double element) { return unsigned(__double2loint(element)); }

// The arrays of all warps lie one after another.
__device__ unsigned first_of_array() { return thread() / WARP * LENGTH; }

template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_smem(const T* arrays, const int* start, T* result, int iterations) {
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

// The array lies in shared memory several times, so that the whole lowest byte of a word is an index: one dot product of bytes
// takes that byte from the element and finds the address.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_smem_dp4a(const T* arrays, const int* start, T* result, int iterations) {
    const shflbench::smem_dp4a::WarpArray a(arrays + first_of_array(), shared<T>());
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
__global__ void LAUNCH_BOUNDS lane_array_shfl(const T* arrays, const int* start, T* result, int iterations) {
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

// Each lane has a copy of its own.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_local(const T* arrays, const int* start, T* result, int iterations) {
    const shflbench::local::WarpArray a(arrays + first_of_array());
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = low_bits(element) % LENGTH;
    }
    result[thread()] = x;
}

// The array stays in global memory, cached in L1.
template <typename T>
__global__ void LAUNCH_BOUNDS lane_array_global(const T* arrays, const int* start, T* result, int iterations) {
    const shflbench::global::WarpArray a(arrays, first_of_array());
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = low_bits(element);
    }
    result[thread()] = x;
}
