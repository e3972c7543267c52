// broken: lanes use shuffles with a full mask in a condition that only two lanes of their warp fulfill
// fixed: clean
// launch: 2x64
// source: https://github.com/ooples/AiDotNet.Tensors/pull/31
// Written anew after the thread: no code of it.
// The sums of two warps are added by as many lanes, which shuffle with all lanes in the mask, and add values of lanes that are not there.
// The fix: the first warp as a whole executes the shuffles, with zeros beyond the sums (a review of that request found the fault).
// Left out: blocks of other sizes; the rest of that request.
constexpr int WARPS = 2;

__global__ void block_sum(const float *in, float *out) {
    __shared__ float of_warps[WARPS];
    int t = threadIdx.x;
    float sum = in[blockIdx.x * 64 + t];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (t % 32 == 0) of_warps[t / 32] = sum;
    __syncthreads();
#ifdef FIXED
    if (t < 32) {
#else
    if (t < WARPS) {
#endif
        sum = t < WARPS ? of_warps[t] : 0;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);  // later
        if (t == 0) out[blockIdx.x] = sum;
    }
}
