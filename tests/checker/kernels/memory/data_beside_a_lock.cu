// broken: RAW
// launch: 1x64

__device__ int lock, count, data;

__device__ void acquire() {
    while (atomicCAS(&lock, 0, 1) != 0);
    __threadfence();
}

__device__ void release() {
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) {
        data += in[0];
        acquire();
        count++;
        release();
    }
    if (threadIdx.x == 32) {
        acquire();
        count++;
        release();
        data += in[1];
    }
}
