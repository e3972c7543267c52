// broken: threads add to the counter of their group before its first thread has reset it
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/cuCollections/pull/337
// Written anew after the thread: no code of it.
// Groups of eight threads count what they have found in shared memory. The first thread of a group resets its counter.
// The fix: a barrier behind the reset.
// Left out: the hash table, the buffers that are flushed, the votes, which order no memory.
constexpr int TILE = 8;

__global__ void count_matches(const unsigned *keys, unsigned *result) {
    __shared__ unsigned counters[64 / TILE];
    int t = threadIdx.x, tile = t / TILE, i = blockIdx.x * 64 + t;
    if (t % TILE == 0) counters[tile] = 0;  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    unsigned matches = keys[i] % 3;
    atomicAdd(&counters[tile], matches);  // later
    __syncthreads();
    if (t % TILE == 0) result[i / TILE] = counters[tile];
}
