// broken: deadlock a block with more steps waits at a grid-wide barrier that a block with fewer steps never reaches
// fixed: clean
// launch: 2x64
// source: https://github.com/predibase/lorax/pull/156 (issue 149)
// Written anew after the thread: no code of it.
// Each block works on its segment of the rows, and synchronizes the grid in each step; segments have different sizes.
// The fix: blocks with fewer steps execute the other barriers behind their loop.
// Left out: the product; the barrier of cooperative groups, which a counter replaces here.
constexpr int MOST_STEPS = 3;

__device__ unsigned arrived;

__device__ void sync_grid(int barrier) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < (barrier + 1) * gridDim.x) {}  // later
        __threadfence();
    }
    __syncthreads();
}

__global__ void shrink(const float *in, float *steps) {
    int i = blockIdx.x * 64 + threadIdx.x, step = 0;
    int own_steps = MOST_STEPS - 1 + blockIdx.x;
    float sum = 0;
    for (; step < own_steps; step++) {
        sum += in[step * 128 + i];
        steps[step * 128 + i] = sum;
        sync_grid(step);
    }
#ifdef FIXED
    for (; step < MOST_STEPS; step++) sync_grid(step);
#endif
}
