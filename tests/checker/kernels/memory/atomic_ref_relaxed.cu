// broken: RAW
// launch: 2x32
// cooperative

#include <cuda/atomic>

__device__ int data;
__device__ int flag;

__global__ void k(const int *in, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data = in[0];
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {}
        out[0] = data;
    }
}
