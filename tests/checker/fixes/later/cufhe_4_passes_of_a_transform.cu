// broken: RAW the second pass of a transform reads by columns what other threads have stored by rows, with no barrier between
// fixed: clean
// launch: 2x64
// source: https://github.com/vernamlab/cuFHE/pull/4 (issue 3)
// Written anew after the thread: no code of it.
// Passes of a transform exchange their values by shared memory, and read it in another pattern than they write it.
// The fix: a barrier between both passes.
// Left out: arithmetic modulo a prime, for which sums stand here.
constexpr unsigned SIDE = 8;

__global__ void transform(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[SIDE * SIDE];
    unsigned t = threadIdx.x, row = t / SIDE, column = t % SIDE, i = blockIdx.x * SIDE * SIDE + t;
    values[t] = in[i] * (row + 1);  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    unsigned sum = 0;
    for (unsigned k = 0; k < SIDE; k++) sum += values[k * SIDE + row] * (column + k);  // later
    out[i] = sum;
}
