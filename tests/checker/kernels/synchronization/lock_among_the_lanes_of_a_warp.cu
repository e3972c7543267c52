// sound
// launch: 2x32

__device__ int lock;

// Right since lanes progress independently of one another.
__global__ void k(const int *in, int *out) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)out += in[threadIdx.x];
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}
