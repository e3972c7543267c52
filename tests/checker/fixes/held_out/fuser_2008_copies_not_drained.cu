// broken: WAW copies for tiles behind the last one are still pending when the epilogue reuses their buffer
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/Fuser/pull/2008 (issue 2000), BSD-3-Clause
// Written anew after the thread: no code of it.
// In a ring of three buffers, the loop starts copies ahead, behind the last tile with a source of no bytes, which writes zeros. It
// leaves them pending, and the result goes through the same shared memory.
// The fix: wait for all groups behind the loop.
// Left out: the matrix product, which is a sum here; that the last copies are of no bytes is taken from how such loops are built.
constexpr int TILES = 3;
constexpr int STAGES = 3;

__device__ void copy_async(int *to, const int *from, bool inside) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to), bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(from), "r"(bytes) : "memory");  // earlier
}

__global__ void matmul(const int *in, int *out) {
    __shared__ int ring[STAGES][64];
    int t = threadIdx.x, sum = 0;
    in += blockIdx.x * TILES * 64;
    for (int tile = 0; tile < STAGES - 1; tile++) {
        copy_async(&ring[tile][t], &in[tile * 64 + t], true);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int tile = 0; tile < TILES; tile++) {
        int ahead = tile + STAGES - 1;
        bool inside = ahead < TILES;
        copy_async(&ring[ahead % STAGES][t], &in[(inside ? ahead : 0) * 64 + t], inside);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        sum += ring[tile % STAGES][63 - t];
        __syncthreads();
    }
#ifdef FIXED
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
#endif
    int *epilogue = ring[0];
    epilogue[63 - t] = sum;  // later
    __syncthreads();
    out[blockIdx.x * 64 + t] = epilogue[t];
}
