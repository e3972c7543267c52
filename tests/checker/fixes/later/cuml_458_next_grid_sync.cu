// broken: deadlock a block arrives at the next grid-wide barrier before another one has seen the end of this one
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/cuml/issues/458, fixed by pull request 465
// Written anew after the thread: no code of it.
// Blocks arrive at a counter, which is 0 again after the last one, and wait for that. A block that is late sees the counter of the
// next barrier.
// The fix: two counters in turn.
// Left out: synchronization along one axis of the grid, the work between barriers.
constexpr unsigned BLOCKS = 2;
constexpr int ROUNDS = 3;

__device__ unsigned arrived[2];

__device__ void sync_grid(int round) {
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef FIXED
        unsigned *counter = &arrived[round % 2];
#else
        unsigned *counter = &arrived[0];
#endif
        __threadfence();
        atomicInc(counter, BLOCKS - 1);
        while (atomicAdd(counter, 0u) != 0) {}  // later
        __threadfence();
    }
    __syncthreads();
}

__global__ void exchange(const float *in, float *steps) {
    int i = blockIdx.x * 64 + threadIdx.x, other = (i + 64) % 128;
    float value = in[i];
    for (int round = 0; round < ROUNDS; round++) {
        steps[round * 128 + i] = value;
        sync_grid(round);
        value += steps[round * 128 + other];
    }
    steps[ROUNDS * 128 + i] = value;
}
