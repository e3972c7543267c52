//: stream-order no-signal late-signal early-signal fused dtype=i32 work=64,1024 prologue=0,64,1024

//! *
// For kernels with grids and blocks along x. `steps` stands for work that needs no other thread.
template <int STEPS>
__device__ inline int steps(int x) {
#pragma unroll 8
    for (int i = 0; i < STEPS; ++i) x = int(unsigned(x) * 0x9E3779B1u + 1);
    return x;
}

//! stream-order no-signal late-signal early-signal
// Call it in the first kernel.
//! no-signal
// From sm_90 on. Each block that ends counts as a signal.
//! late-signal early-signal
// From sm_90 on.
//! stream-order no-signal late-signal early-signal
__device__ inline void produce(const int* values, int* between) {
    assert(blockDim.y * blockDim.z * gridDim.y * gridDim.z == 1);
//! early-signal
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! stream-order no-signal late-signal early-signal
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    between[i] = steps<{work}>(values[i]);
//! late-signal
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! stream-order no-signal late-signal early-signal
}

// Call it in the second kernel.
//! no-signal late-signal early-signal
// Launch that one with cudaLaunchAttributeProgrammaticStreamSerialization. `between` must not be __restrict__.
//! stream-order no-signal late-signal early-signal
__device__ inline void consume(const int* weights, const int* between, int* result) {
    assert(blockDim.y * blockDim.z * gridDim.y * gridDim.z == 1);
    const int first = blockIdx.x * blockDim.x;
    const int x = steps<{prologue}>(weights[first + threadIdx.x]);
//! no-signal late-signal early-signal
    asm volatile("griddepcontrol.wait;" ::: "memory");  // all that the first kernel has written is visible
//! stream-order no-signal late-signal early-signal
    result[first + threadIdx.x] = x + 2 * between[first + blockDim.x - 1 - threadIdx.x];
}

//! fused
// `between` is shared memory, one element per thread of the block.
__device__ inline void produce_and_consume(const int* values, const int* weights, int* result, int* between) {
    assert(blockDim.y * blockDim.z * gridDim.y * gridDim.z == 1);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    between[threadIdx.x] = steps<{work}>(values[i]);
    const int x = steps<{prologue}>(weights[i]);
    __syncthreads();
    result[i] = x + 2 * between[blockDim.x - 1 - threadIdx.x];
}
