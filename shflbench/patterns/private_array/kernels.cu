// Each thread reads an array of its own, one element per iteration, at the index in the element read before.
#include "copied/local.cuh"
#include "copied/select-bits.cuh"
#include "copied/select.cuh"
#include "copied/smem-dp4a.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
constexpr int MATH = OPTION_MATH;
constexpr int LONGEST = 256;  // elements; higher bits are not part of an index

// In global memory, elements i of all lanes of a warp lie side by side, at `i * WARP + lane`: the warp copies whole lines, so
// that a launch hardly waits for the copy.
template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

// The low bits of an element, which hardly change its value, are the next index.
__device__ unsigned next_index(float element) { return __float_as_uint(element) % LONGEST; }
__device__ unsigned next_index(double element) { return unsigned(__double2loint(element)) % LONGEST; }

// Add the element once, and MATH times more by multiply-adds. The compiler does not know that `one` is 1.
template <typename T>
__device__ T use(T x, T element, T one) {
    x += element;
#pragma unroll
    for (int i = 0; i < MATH; ++i) x = x * one + element;
    return x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_local(const T* arrays, const int* start, T* result, float one, int iterations) {
    const shflbench::local::PrivateArray a(initial(arrays), WARP);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}

#if OPTION_LENGTH <= 128
// Elements i of all threads of a block lie side by side, at `i * block + thread`: for any indices, each
// lane of a warp reads a bank of its own. The byte offset takes one multiply-add.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_smem(const T* arrays, const int* start, T* result, float one, int iterations) {
    const shflbench::smem::PrivateArray a(initial(arrays), shared<T>(), WARP);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}
#endif

#if OPTION_LENGTH <= 128
// Each element is itself the word whose lowest byte is the next index: one instruction makes an address of it.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_smem_dp4a(const T* arrays, const int* start, T* result, float one, int iterations) {
    const shflbench::smem_dp4a::PrivateArray a(initial(arrays), shared<T>(), WARP);
    T x = 0;
    unsigned word = start[thread()];
    REPEAT(iterations) {
        const T element = a[word];
        x = use(x, element, T(one));
        word = __float_as_uint(element);
    }
    result[thread()] = x;
}
#endif

#if OPTION_LENGTH <= 64
// Every element is in a register, and the index is compared with each constant in turn.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_select(const T* arrays, const int* start, T* result, float one, int iterations) {
    const shflbench::select::PrivateArray a(initial(arrays), WARP);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}
#endif

#if OPTION_LENGTH <= 64 && !OPTION_LENGTH_48
// Every element is in a register, and each bit of the index, from the lowest on, halves the number of candidates.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_select_bits(const T* arrays, const int* start, T* result, float one, int iterations) {
    const shflbench::select_bits::PrivateArray a(initial(arrays), WARP);
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}
#endif
