// broken: WAR the wait for bulk stores counts for the thread that started them, and the others overwrite their source
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/TransformerEngine/pull/3417
// Written anew after the thread: no code of it.
// All threads write a tile, and one of them stores it by a bulk copy. Each thread waits before it writes the buffer again, but the
// groups are those of the one that has started the copies.
// The fix: a barrier between its wait and the next writes.
// Left out: quantization, tensor maps, loads.
constexpr int TILES = 4;

__global__ void quantize(const float *in, int *out) {
    __shared__ __align__(128) int buffers[2][64];
    int t = threadIdx.x;
    for (int tile = 0; tile < TILES; tile++) {
        int *buffer = buffers[tile % 2], first = (blockIdx.x * TILES + tile) * 64;
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
#ifdef FIXED
        __syncthreads();
#endif
        buffer[t] = __float2int_rn(in[first + t]);  // later
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            unsigned place = (unsigned)__cvta_generic_to_shared(buffer);
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;"
                         ::"l"(out + first), "r"(place) : "memory");  // earlier
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
