//: stream-order no-signal late-signal early-signal fused dtype=i32 work=64,1024 prologue=0,64,1024

//! *
// Two kernels for grids and blocks along x. `steps` stands for work that needs no other thread.
template <int STEPS>
__device__ int steps(int x) {
#pragma unroll 8
    for (int i = 0; i < STEPS; ++i) x = int(unsigned(x) * 0x9E3779B1u + 1);
    return x;
}

//! stream-order
__global__ void dependent_launch_stream_order(const int* values, int* between) {
//! no-signal
// From sm_90 on. Each block that ends counts as a signal.
__global__ void dependent_launch_no_signal(const int* values, int* between) {
//! late-signal
// From sm_90 on.
__global__ void dependent_launch_late_signal(const int* values, int* between) {
//! early-signal
// From sm_90 on.
__global__ void dependent_launch_early_signal(const int* values, int* between) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! stream-order no-signal late-signal early-signal
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    between[i] = steps<{work}>(values[i]);
//! late-signal
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
//! stream-order no-signal late-signal early-signal
}

//! stream-order
__global__ void dependent_launch_consume(const int* weights, const int* between, int* result) {
//! no-signal late-signal early-signal
// Launch it with cudaLaunchAttributeProgrammaticStreamSerialization. `between` must not be __restrict__.
__global__ void dependent_launch_consume_after_wait(const int* weights, const int* between, int* result) {
//! stream-order no-signal late-signal early-signal
    const int first = blockIdx.x * blockDim.x;
    const int x = steps<{prologue}>(weights[first + threadIdx.x]);
//! no-signal late-signal early-signal
    asm volatile("griddepcontrol.wait;" ::: "memory");  // all that the first kernel has written is visible
//! stream-order no-signal late-signal early-signal
    result[first + threadIdx.x] = x + 2 * between[first + blockDim.x - 1 - threadIdx.x];
}
//! fused
// Blocks have up to 1,024 threads.
__global__ void dependent_launch_fused(const int* values, const int* weights, int* result) {
    __shared__ int between[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    between[threadIdx.x] = steps<{work}>(values[i]);
    const int x = steps<{prologue}>(weights[i]);
    __syncthreads();
    result[i] = x + 2 * between[blockDim.x - 1 - threadIdx.x];
}
