// broken: uninitialized read of sums in shared memory that threads without a site have not stored
// fixed: clean
// launch: 2x64
// source: https://github.com/lattice/quda/pull/276
// Written anew after the thread: no code of it.
// A block adds up the plaquettes of its sites. Threads behind the last site store nothing, and the sum is taken over all of them.
// The fix: they store zero (proposed in the request).
// Left out: the product of links, parity, the sum of blocks.
constexpr int SITES = 100;

__global__ void plaquettes(const double *links, double *sums) {
    __shared__ double of_block[64];
    int t = threadIdx.x, site = blockIdx.x * 64 + t;
#ifdef FIXED
    of_block[t] = site < SITES ? 2 * links[site] : 0;
#else
    if (site < SITES) of_block[t] = 2 * links[site];
#endif
    __syncthreads();
    for (int width = 32; width > 0; width /= 2) {
        if (t < width) of_block[t] += of_block[t + width];  // later
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = of_block[0];
}
