// Each thread reads an array of its own, one element per iteration, at the index in the element read before.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
constexpr int MATH = OPTION_MATH;
constexpr int LONGEST = 256;  // elements; higher bits are not part of an index

// In global memory, elements i of all lanes of a warp lie side by side, at `i * WARP + lane`: the warp copies whole lines, so
// that a launch hardly waits for the copy.
template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

template <typename T>
__device__ void fill(T (&a)[LENGTH], const T* arrays) {
    const T* mine = initial(arrays);
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) a[i] = mine[i * WARP];
}

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
    T a[LENGTH], x = 0;
    fill(a, arrays);
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}

// Elements i of all threads of a block lie side by side, at `i * block + thread`: for any indices, each
// lane of a warp reads a bank of its own. The byte offset takes one multiply-add.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_smem(const T* arrays, const int* start, T* result, float one, int iterations) {
    char* first = reinterpret_cast<char*>(shared<T>() + threadIdx.x);
    const unsigned pitch = blockDim.x * sizeof(T);
    const T* mine = initial(arrays);
    constexpr int BATCH = LENGTH < 8 ? LENGTH : 8;  // loads that overlap: alone, each would wait for main memory
#pragma unroll 1
    for (int batch = 0; batch < LENGTH / BATCH; ++batch) {
#pragma unroll
        for (int i = batch * BATCH; i < (batch + 1) * BATCH; ++i) {
            *reinterpret_cast<T*>(first + i * pitch) = mine[i * WARP];
        }
    }
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = *reinterpret_cast<T*>(first + index * pitch);
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}

// Every element is in a register, and the index is compared with each constant in turn.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_select(const T* arrays, const int* start, T* result, float one, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    unsigned index = start[thread()];
    REPEAT(iterations) {
        T element = a[0];
#pragma unroll
        for (int i = 1; i < LENGTH; ++i) element = index == i ? a[i] : element;
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}

// Select by the bits of the index: each bit, from the lowest on, halves the number of candidates.
template <int COUNT, typename T>
__device__ T chosen(const T (&a)[COUNT], unsigned index) {
    if constexpr (COUNT == 1) {
        return a[0];
    } else {
        T half[COUNT / 2];
#pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) half[i] = index % 2 ? a[2 * i + 1] : a[2 * i];
        return chosen(half, index / 2);
    }
}

// Every element is in a register, and each bit of the index halves the number of candidates.
template <typename T>
__global__ void LAUNCH_BOUNDS
private_array_select_bits(const T* arrays, const int* start, T* result, float one, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = chosen(a, index);
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}
