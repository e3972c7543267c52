// broken: WAR bulk stores of a loop are committed and waited for only after it, while each iteration overwrites their source
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/Fuser/pull/5448, BSD-3-Clause
// Written anew after the thread: no code of it.
// The pass that protects the sources of bulk stores skipped kernels without matrix products.
// The fix: a commit and a wait in each iteration.
// Left out: the code generator, loads by warps of their own; the store has no tensor map.
constexpr int TILES = 3;

__global__ void scale(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    int t = threadIdx.x;
    for (int number = 0; number < TILES; number++) {
        int first = (blockIdx.x * TILES + number) * 64;
        tile[t] = 2 * in[first + t];  // later
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            unsigned place = (unsigned)__cvta_generic_to_shared(tile);
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;"
                         ::"l"(out + first), "r"(place) : "memory");  // earlier
#ifdef FIXED
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
        }
        __syncthreads();
    }
    if (t == 0) {
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
