// broken: WAR warps that skip a slice overwrite its mask while other warps still test it
// fixed: clean
// launch: 2x64
// source: https://github.com/ggml-org/llama.cpp/pull/13742 (issue 13733), MIT
// Written anew after the thread: no code of it.
// Each warp tests the mask of a slice in shared memory, and skips the slice, with its barrier, where all of it is masked out.
// The fix: a barrier before the next slice, also for those that skip.
// Left out: attention; the first slice is masked out by its position here.
constexpr int SLICES = 3;

__global__ void attention(const float *scores, float *result) {
    __shared__ float mask[64];
    int t = threadIdx.x, lane = t % 32, first = blockIdx.x * SLICES * 64;
    float sum = 0;
    for (int slice = 0; slice < SLICES; slice++) {
        mask[t] = slice == 0 ? -__int_as_float(0x7f800000) : 0.5f * slice;  // later
        __syncthreads();
        bool masked = true;
        for (int i = lane; i < 64; i += 32) masked = masked && isinf(mask[i]);  // earlier
        if (__all_sync(0xffffffff, masked)) {
#ifdef FIXED
            __syncthreads();
#endif
            continue;
        }
        sum += scores[first + slice * 64 + t] + mask[63 - t];
        __syncthreads();
    }
    result[blockIdx.x * 64 + t] = sum;
}
