// broken: out of bounds, a point at the border of a bin spreads to the cell before the first one
// fixed: clean
// launch: 2x64
// source: https://github.com/flatironinstitute/cufinufft/pull/73
// Written anew after the thread: no code of it.
// Each point adds to the cells around it, which lie in shared memory. Only the upper end of the bin was tested.
// The fix: the index is tested for being negative, too.
// Left out: floats, for which integers stand here; three dimensions, the kernel of the transform.
constexpr int CELLS = 16;

__global__ void spread(const unsigned *strengths, unsigned *grid) {
    __shared__ unsigned bin[CELLS];
    int t = threadIdx.x, center = t / 4;
    if (t < CELLS) bin[t] = 0;
    __syncthreads();
    for (int x = center - 1; x <= center + 1; x++) {
#ifdef FIXED
        if (x < 0) continue;
#endif
        if (x < CELLS) atomicAdd(&bin[x], strengths[blockIdx.x * 64 + t]);  // later
    }
    __syncthreads();
    if (t < CELLS) grid[blockIdx.x * CELLS + t] = bin[t];
}
