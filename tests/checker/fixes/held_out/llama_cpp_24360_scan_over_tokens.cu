// broken: WAR the vectors of the next token overwrite those that other threads still read
// fixed: clean
// launch: 2x64
// source: https://github.com/ggml-org/llama.cpp/pull/24360 (and 23364), MIT
// Written anew after the thread: no code of it.
// The scan keeps two vectors of the current token in shared memory, and has one barrier per token.
// The fix: a barrier at the end of each token.
// Left out: the load of the first state by CUB, and its races.
constexpr int TOKENS = 3;
constexpr int STATES = 16;

__global__ void scan(const float *x, const float *b, const float *c, float *y) {
    __shared__ float token_b[STATES], token_c[STATES];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float states[STATES] = {};
    for (int token = 0; token < TOKENS; token++) {
        if (t < STATES) {
            token_b[t] = b[token * STATES + t];  // later
            token_c[t] = c[token * STATES + t];
        }
        __syncthreads();
        float sum = 0, own = x[token * 128 + i];
        for (int n = 0; n < STATES; n++) {
            states[n] = 0.5f * states[n] + token_b[n] * own;  // earlier
            sum += states[n] * token_c[n];
        }
        y[token * 128 + i] = sum;
#ifdef FIXED
        __syncthreads();
#endif
    }
}
