// broken: WAW all lanes store their partial result where only that of the first lane belongs
// fixed: clean
// launch: 2:32x2
// source: https://github.com/punica-ai/punica/pull/51
// Written anew after the thread: no code of it.
// A warp adds up by __shfl_down_sync(), which leaves the sum in its first lane, and all lanes store what they have.
// The fix: only the first lane stores.
// Left out: the product, several tiles.
__global__ void shrink(const float *in, float *out) {
    __shared__ float of_warps[2];
    int lane = threadIdx.x, warp = threadIdx.y;
    float sum = in[(blockIdx.x * 2 + warp) * 32 + lane];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
#ifdef FIXED
    if (lane == 0)
#endif
        of_warps[warp] = sum;  // later
    __syncthreads();
    if (lane == 0 && warp == 0) out[blockIdx.x] = of_warps[0] + of_warps[1];
}
