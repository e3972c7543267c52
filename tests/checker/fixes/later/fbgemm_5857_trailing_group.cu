// doubtful: threads of a trailing group return before barriers at which the other group of their block waits
// fixed: clean
// launch: 2:32x2
// source: https://github.com/pytorch/FBGEMM/pull/5857
// Written anew after the thread: no code of it.
// A block finds the shared exponents of two groups of values. There are three groups, so that the second block has work for one of them.
// The pull request saw it hang on AMD, and calls it latent on NVIDIA, where threads that have exited are not waited for.
// The fix: threads without a group go through all barriers.
// Left out: the quantization.
constexpr int GROUPS = 3;

__global__ void shared_exponents(const int *exponents, int *result) {
    __shared__ int of_block[2][32];
    int x = threadIdx.x, y = threadIdx.y, group = blockIdx.x * 2 + y;
    bool active = group < GROUPS;
#ifndef FIXED
    if (!active) return;
#endif
    of_block[y][x] = active ? exponents[group * 32 + x] : 0;
    __syncthreads();  // later
    for (int width = 16; width > 0; width /= 2) {
        if (x < width) of_block[y][x] = max(of_block[y][x], of_block[y][x + width]);
        __syncthreads();
    }
    if (active && x == 0) result[group] = of_block[y][0];
}
