// broken: WAR the partial sums of the next token overwrite the norm of this one, which other warps still read
// fixed: clean
// launch: 2x64
// source: https://github.com/gittensor-ai-lab/sparkinfer/pull/665
// Written anew after the thread: no code of it.
// Warps store the sums of their squares, thread 0 replaces the first sum by the norm, and all threads scale their value by it.
// The fix: a barrier behind the scaling.
// Left out: the convolution, blocks that need no norm.
constexpr int TOKENS = 3;

__global__ void norm(const float *in, float *out) {
    __shared__ float of_warps[2];
    int t = threadIdx.x;
    for (int token = 0; token < TOKENS; token++) {
        int i = (blockIdx.x * TOKENS + token) * 64 + t;
        float value = in[i], sum = value * value;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (t % 32 == 0) of_warps[t / 32] = sum;  // later
        __syncthreads();
        if (t == 0) of_warps[0] = rsqrtf(of_warps[0] + of_warps[1] + 1e-6f);
        __syncthreads();
        out[i] = value * of_warps[0];  // earlier
#ifdef FIXED
        __syncthreads();
#endif
    }
}
