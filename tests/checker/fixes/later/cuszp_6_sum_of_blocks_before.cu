// broken: uninitialized read of a sum in shared memory, which the first block never stores
// fixed: clean
// launch: 2x64
// source: https://github.com/szcompressor/cuSZp/issues/6
// Written anew after the thread: no code of it.
// All threads of a block add the sum of the blocks before to their offset. The first block has none before it, and stores no sum.
// The fix: one thread sets it to zero first, followed by a barrier (proposed in the issue).
// Left out: the compression, how a block finds the sum.
__global__ void offsets(const unsigned *sums, const unsigned *lengths, unsigned *result) {
    __shared__ unsigned before;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
#ifdef FIXED
    if (t == 0) before = 0;
    __syncthreads();
#endif
    if (blockIdx.x > 0 && t == 0) before = sums[blockIdx.x - 1];
    __syncthreads();
    result[i] = before + lengths[i];  // later
}
