// sound
// launch: 1x64

#include <cuda/atomic>

__global__ void k(const int *in, int *out) {
    __shared__ int data, flag;
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[0];
        ready.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (ready.load(cuda::memory_order_acquire) == 0) {}
        out[0] = data;
    }
}
