// broken: RAW cp.async.wait_group comes before the commit of the copies that it should wait for
// fixed: clean
// launch: 1x64
// source: https://github.com/csarofeen/pytorch/issues/2463 (pull request 2457)
// Written anew after the thread: no code of it.
// In the loop over two buffers, the copies of the next tile are committed after the wait, which therefore waits for nothing.
// The fix: commit, then wait.
// Left out: the code generator; two stages, 4 bytes per copy.
constexpr int TILES = 4;

__device__ void copy_async(int *to, const int *from) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");  // earlier
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

__device__ void wait_for_all_groups() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

__global__ void double_buffer(const int *in, int *out) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x;
    copy_async(&buffer[0][t], &in[t]);
    commit();
    wait_for_all_groups();
    __syncthreads();
    for (int tile = 0; tile < TILES; tile++) {
        if (tile + 1 < TILES) copy_async(&buffer[(tile + 1) % 2][t], &in[(tile + 1) * 64 + t]);
        out[tile * 64 + t] = buffer[tile % 2][63 - t];  // later
#ifdef FIXED
        commit();
        wait_for_all_groups();
#else
        wait_for_all_groups();
        commit();
#endif
        __syncthreads();
    }
}
